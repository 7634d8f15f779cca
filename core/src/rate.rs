//! Rate limits, and the counters behind them.

use std::convert::Infallible;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use quick_cache::sync::Cache;

use crate::client::ClientAddr;
use crate::id::KeyId;
use crate::problem::{Code, Problem};

/// The maximum number of clients per counter. Beyond it, the least used entries are evicted, so memory
/// is bounded whatever the number of clients.
const MAX_CLIENTS: usize = 65_536;

/// A number of requests per period, and how many of them may arrive at once.
///
/// ```
/// use std::num::NonZeroU32;
/// use std::time::Duration;
/// use handbill::Rate;
///
/// // 60 requests per minute: after 10 at once, one per second.
/// let [times, burst] = [60, 10].map(|n| NonZeroU32::new(n).expect("not zero"));
/// let rate = Rate::new(times, Duration::from_secs(60)).with_burst(burst);
/// assert_eq!(rate.burst.get(), 10);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rate {
    /// The number of requests per period.
    pub times: NonZeroU32,
    /// The period. Zero counts as one nanosecond.
    pub period: Duration,
    /// How many requests may arrive at once.
    pub burst: NonZeroU32,
}

impl Rate {
    /// Allows `times` requests per period. All of them may arrive at once.
    pub const fn new(times: NonZeroU32, period: Duration) -> Self {
        Self {
            times,
            period,
            burst: times,
        }
    }

    /// Sets how many requests may arrive at once.
    #[must_use]
    pub const fn with_burst(self, burst: NonZeroU32) -> Self {
        Self { burst, ..self }
    }
}

/// The rate limits of the service. `None` means no limit. A request above a limit gets 429 with
/// `Retry-After`.
///
/// ```
/// use std::num::NonZeroU32;
/// use std::time::Duration;
/// use handbill::{Rate, RateLimits};
///
/// let mut rates = RateLimits::default();
/// rates.creations = NonZeroU32::new(5).map(|times| Rate::new(times, Duration::from_secs(3600)));
/// rates.key_requests = None;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateLimits {
    /// Created posts per API key. Default: 60 per minute, 30 at once.
    pub creations: Option<Rate>,
    /// Requests for API keys per client address. Default: 10 per hour.
    pub key_requests: Option<Rate>,
    /// Wrong API keys and edit tokens per client address. Default: 30 per minute.
    pub wrong_credentials: Option<Rate>,
}

impl Default for RateLimits {
    fn default() -> Self {
        fn rate(times: u32, seconds: u64, burst: u32) -> Option<Rate> {
            let rate = Rate::new(NonZeroU32::new(times)?, Duration::from_secs(seconds));
            Some(rate.with_burst(NonZeroU32::new(burst)?))
        }
        Self {
            creations: rate(60, 60, 30),
            key_requests: rate(10, 3600, 10),
            wrong_credentials: rate(30, 60, 30),
        }
    }
}

impl RateLimits {
    /// No limits.
    pub const fn off() -> Self {
        Self {
            creations: None,
            key_requests: None,
            wrong_credentials: None,
        }
    }
}

/// Counts the requests of clients and applies the rate limits.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    limits: RateLimits,
    creations: Option<Arc<Counter<KeyId>>>,
    key_requests: Option<Arc<Counter<IpAddr>>>,
    wrong_credentials: Option<Arc<Counter<IpAddr>>>,
}

impl Meter {
    pub(crate) fn new(limits: &RateLimits) -> Self {
        Self {
            limits: limits.clone(),
            creations: limits.creations.map(Counter::new),
            key_requests: limits.key_requests.map(Counter::new),
            wrong_credentials: limits.wrong_credentials.map(Counter::new),
        }
    }

    /// The limits that this meter applies.
    pub(crate) fn limits(&self) -> &RateLimits {
        &self.limits
    }

    pub(crate) fn count_creation(&self, key: KeyId) -> Result<(), Problem> {
        count(&self.creations, key)
    }

    pub(crate) fn count_key_request(&self, client: Option<ClientAddr>) -> Result<(), Problem> {
        count(&self.key_requests, network(client))
    }

    /// Counts a wrong credential. Returns `problem`, or the problem of too many requests.
    pub(crate) fn count_wrong(&self, client: Option<ClientAddr>, problem: Problem) -> Problem {
        let counted = count(&self.wrong_credentials, network(client));
        counted.err().unwrap_or(problem)
    }
}

#[derive(Debug)]
struct Counter<K: Eq + Hash> {
    quota: Quota,
    clients: Cache<K, Arc<DefaultDirectRateLimiter>>,
}

impl<K: Copy + Eq + Hash> Counter<K> {
    fn new(rate: Rate) -> Arc<Self> {
        let interval = (rate.period / rate.times.get()).max(Duration::from_nanos(1));
        let quota = Quota::with_period(interval)
            .unwrap_or_else(|| unreachable!("the interval is not zero"))
            .allow_burst(rate.burst);
        Arc::new(Self {
            quota,
            clients: Cache::new(MAX_CLIENTS),
        })
    }
}

/// Counts a request, unless there is no limit.
fn count<K: Copy + Eq + Hash>(counter: &Option<Arc<Counter<K>>>, client: K) -> Result<(), Problem> {
    let Some(Counter { quota, clients }) = counter.as_deref() else {
        return Ok(());
    };
    let new_limiter = || Ok::<_, Infallible>(Arc::new(RateLimiter::direct(*quota)));
    let Ok(limiter) = clients.get_or_insert_with(&client, new_limiter);
    limiter.check().map_err(|too_early| {
        let wait = too_early.wait_time_from(DefaultClock::default().now());
        let detail = "Wait for the number of seconds in Retry-After, then try again.";
        Problem::new(Code::TooManyRequests, detail).retry_after(wait.as_secs() + 1)
    })
}

/// The address that requests are counted under: for IPv6 the /64 network, since one client usually
/// controls a whole /64.
fn network(client: Option<ClientAddr>) -> IpAddr {
    match client.map(|ClientAddr(address)| address.to_canonical()) {
        Some(IpAddr::V6(address)) => IpAddr::V6(Ipv6Addr::from_bits(
            address.to_bits() & !u128::from(u64::MAX),
        )),
        Some(address) => address,
        None => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_reaches_its_limit_does_not_affect_other_clients() {
        let meter = Meter::new(&RateLimits::default());
        let [one, other] = [1, 2].map(|n| Some(ClientAddr(IpAddr::from([192, 0, 2, n]))));
        for _ in 0..10 {
            assert!(meter.count_key_request(one).is_ok());
        }
        assert!(meter.count_key_request(one).is_err());
        assert!(meter.count_key_request(other).is_ok());
        assert!(meter.count_key_request(None).is_ok());
    }

    #[test]
    fn one_ipv6_network_is_one_client() {
        let [a, b, c] = ["2001:db8::1", "2001:db8::ffff:2", "2001:db8:0:1::1"]
            .map(|address| network(Some(ClientAddr(address.parse().unwrap()))));
        assert_eq!(a, b);
        assert_ne!(a, c);
        let mapped = ClientAddr("::ffff:192.0.2.1".parse().unwrap());
        assert_eq!(network(Some(mapped)), IpAddr::from([192, 0, 2, 1]));
    }
}
