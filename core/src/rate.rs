//! How often a client may do what costs: rates, and whom they are counted for.

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

/// Clients that are counted at the same time, for each rate. Beyond that, those that were seen
/// least are forgotten, so that no number of addresses makes memory grow.
const MAX_CLIENTS: usize = 65_536;

/// A number of requests in each period, of which a burst may come at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rate {
    /// How many times a period.
    pub times: NonZeroU32,
    /// The period. Zero counts as one nanosecond.
    pub period: Duration,
    /// How many of these may come at once.
    pub burst: NonZeroU32,
}

impl Rate {
    /// So many times in each period, all of which may come at once.
    pub const fn new(times: NonZeroU32, period: Duration) -> Self {
        Self {
            times,
            period,
            burst: times,
        }
    }

    /// Sets how many may come at once.
    #[must_use]
    pub const fn with_burst(self, burst: NonZeroU32) -> Self {
        Self { burst, ..self }
    }
}

/// The rates that the service holds its clients to; `None` is without limit. Beyond a rate, the
/// answer is 429 with `Retry-After`.
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
    /// Creating posts, for each API key: 60 a minute, 30 at once.
    pub creations: Option<Rate>,
    /// Asking for API keys, for each client address: 10 an hour.
    pub key_requests: Option<Rate>,
    /// Wrong API keys and edit tokens, for each client address: 30 a minute.
    pub wrong_credentials: Option<Rate>,
}

impl Default for RateLimits {
    fn default() -> Self {
        const fn rate(times: u32, seconds: u64, burst: u32) -> Option<Rate> {
            match (NonZeroU32::new(times), NonZeroU32::new(burst)) {
                (Some(times), Some(burst)) => Some(Rate {
                    times,
                    period: Duration::from_secs(seconds),
                    burst,
                }),
                _ => None,
            }
        }
        Self {
            creations: rate(60, 60, 30),
            key_requests: rate(10, 3600, 10),
            wrong_credentials: rate(30, 60, 30),
        }
    }
}

impl RateLimits {
    /// No limits at all.
    pub const fn off() -> Self {
        Self {
            creations: None,
            key_requests: None,
            wrong_credentials: None,
        }
    }
}

/// Counts clients against their rates.
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

    /// The rates that clients are held to.
    pub(crate) fn limits(&self) -> &RateLimits {
        &self.limits
    }

    pub(crate) fn count_creation(&self, key: KeyId) -> Result<(), Problem> {
        self.creations
            .as_ref()
            .map_or(Ok(()), |counter| counter.count(key))
    }

    pub(crate) fn count_key_request(&self, client: Option<ClientAddr>) -> Result<(), Problem> {
        self.key_requests
            .as_ref()
            .map_or(Ok(()), |counter| counter.count(network(client)))
    }

    /// The problem to answer a wrong credential with: `problem`, unless there were too many.
    pub(crate) fn count_wrong(&self, client: Option<ClientAddr>, problem: Problem) -> Problem {
        let counter = self.wrong_credentials.as_ref();
        counter
            .and_then(|counter| counter.count(network(client)).err())
            .unwrap_or(problem)
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

    fn count(&self, client: K) -> Result<(), Problem> {
        let fresh = || Ok::<_, std::convert::Infallible>(Arc::new(RateLimiter::direct(self.quota)));
        let Ok(limiter) = self.clients.get_or_insert_with(&client, fresh);
        limiter.check().map_err(|early| {
            let wait = early.wait_time_from(DefaultClock::default().now());
            Problem::new(
                Code::TooManyRequests,
                "Wait for the number of seconds in Retry-After, then try again.",
            )
            .retry_after(wait.as_secs() + 1)
        })
    }
}

/// Whom an address counts for: an IPv6 client has a whole /64 to itself.
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
    fn a_client_is_held_to_its_rate_and_no_other_one_is() {
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
