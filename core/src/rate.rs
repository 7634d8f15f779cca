//! Rate limits, and the counters behind them.

use std::convert::Infallible;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::nanos::Nanos;
use governor::state::{InMemoryState, NotKeyed, StateStore};
use governor::{Quota, RateLimiter};
use quick_cache::sync::Cache;

use crate::client::{ClientAddr, prefix};
use crate::id::{KeyId, PostId};
use crate::problem::{Code, Problem};

/// The maximum number of networks, keys or posts per counter. Beyond it, the least used entries are
/// evicted, so memory is bounded whatever the number of clients: about 120 bytes per entry.
const MAX_ENTRIES: usize = 65_536;
const MEBIBYTE: u32 = 1024 * 1024;
/// How many times the limit of an IPv6 /64 all of its /48 has. A /48 has 65,536 of them, and one customer of
/// a provider may have a whole /48.
const TIMES_OF_BLOCK: NonZeroU32 = NonZeroU32::new(16).unwrap();

/// A number of requests or bytes per period, and how many of them may arrive at once.
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
    /// The number of requests, or of bytes, per period.
    pub times: NonZeroU32,
    /// The period. Zero counts as one nanosecond.
    pub period: Duration,
    /// How many requests or bytes may arrive at once.
    pub burst: NonZeroU32,
}

impl Rate {
    /// Allows `times` requests or bytes per period. All of them may arrive at once.
    pub const fn new(times: NonZeroU32, period: Duration) -> Self {
        Self {
            times,
            period,
            burst: times,
        }
    }

    /// Sets how many requests or bytes may arrive at once.
    #[must_use]
    pub const fn with_burst(self, burst: NonZeroU32) -> Self {
        Self { burst, ..self }
    }

    const fn saturating_mul(self, factor: NonZeroU32) -> Self {
        Self {
            times: self.times.saturating_mul(factor),
            burst: self.burst.saturating_mul(factor),
            ..self
        }
    }
}

/// The rate limits of the service. `None` means no limit. A request above a limit gets 429 with
/// `Retry-After`.
///
/// A client address is an IPv4 address or an IPv6 network of 64 bits (/64). All networks of an IPv6 /48
/// together have 16 times the limit of one.
///
/// The counters are in memory: each instance of the service has its own, and they start again with the
/// process. Each counter has room for 65,536 networks, keys or posts and then forgets the least used.
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
    /// Created posts per API key; on `/write` without a key, per client address. Default: 60 per minute, 30
    /// at once.
    pub creations: Option<Rate>,
    /// Requests for API keys, and posts on `/write` without a key, per client address. Default: 10 per
    /// hour.
    pub key_requests: Option<Rate>,
    /// Wrong API keys and edit tokens per client address. Default: 30 per minute.
    pub wrong_credentials: Option<Rate>,
    /// Changes per post: updates, deletions and replaced edit tokens, over the API and the edit page. A
    /// request counts once its credential is accepted, even if it then fails. Default: 120 per minute.
    pub changes: Option<Rate>,
    /// Previews on `/write` and the edit page per client address. Default: 60 per minute.
    pub previews: Option<Rate>,
    /// Bytes of text (title, body, tags and focus keyword, in UTF-8) per API key: all of each post that
    /// the key creates, and by how many bytes each update of such a post makes it longer. A repeated
    /// creation counts again. Posts without a key do not count. Default: 50 MiB per day.
    pub stored_bytes: Option<Rate>,
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
            changes: rate(120, 60, 120),
            previews: rate(60, 60, 60),
            stored_bytes: rate(50 * MEBIBYTE, 86_400, 50 * MEBIBYTE),
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
            changes: None,
            previews: None,
            stored_bytes: None,
        }
    }
}

/// Counts the requests of clients and applies the rate limits.
#[derive(Clone)]
pub(crate) struct Meter {
    limits: RateLimits,
    creations: Option<Arc<Counter<KeyId>>>,
    creations_without_key: Option<Arc<ClientCounter>>,
    key_requests: Option<Arc<ClientCounter>>,
    wrong_credentials: Option<Arc<ClientCounter>>,
    changes: Option<Arc<Counter<PostId>>>,
    previews: Option<Arc<ClientCounter>>,
    stored_bytes: Option<Arc<Counter<KeyId>>>,
}

impl Meter {
    pub(crate) fn new(limits: &RateLimits) -> Self {
        Self {
            limits: limits.clone(),
            creations: limits.creations.map(Counter::new),
            creations_without_key: limits.creations.map(ClientCounter::new),
            key_requests: limits.key_requests.map(ClientCounter::new),
            wrong_credentials: limits.wrong_credentials.map(ClientCounter::new),
            changes: limits.changes.map(Counter::new),
            previews: limits.previews.map(ClientCounter::new),
            stored_bytes: limits.stored_bytes.map(Counter::new),
        }
    }

    /// The limits that this meter applies.
    pub(crate) fn limits(&self) -> &RateLimits {
        &self.limits
    }

    pub(crate) fn count_creation(&self, key: KeyId) -> Result<(), Problem> {
        count(self.creations.as_deref(), key, NonZeroU32::MIN)
    }

    /// Counts a post that a visitor of `/write` wants to publish without an API key.
    pub(crate) fn count_creation_without_key(
        &self,
        client: Option<ClientAddr>,
    ) -> Result<(), Problem> {
        ask_client(&self.creations_without_key, client, true)
    }

    pub(crate) fn count_key_request(&self, client: Option<ClientAddr>) -> Result<(), Problem> {
        ask_client(&self.key_requests, client, true)
    }

    /// Counts a wrong credential. Returns `problem`, or the problem of too many requests.
    pub(crate) fn count_wrong(&self, client: Option<ClientAddr>, problem: Problem) -> Problem {
        let counted = ask_client(&self.wrong_credentials, client, true);
        counted.err().unwrap_or(problem)
    }

    pub(crate) fn count_change(&self, post: PostId) -> Result<(), Problem> {
        count(self.changes.as_deref(), post, NonZeroU32::MIN)
    }

    pub(crate) fn count_preview(&self, client: Option<ClientAddr>) -> Result<(), Problem> {
        ask_client(&self.previews, client, true)
    }

    /// Refuses a client that may request no key now. Counts nothing.
    pub(crate) fn allow_key_request(&self, client: Option<ClientAddr>) -> Result<(), Problem> {
        ask_client(&self.key_requests, client, false)
    }

    /// Refuses a client that may neither change a post nor preview one now. Counts nothing.
    pub(crate) fn allow_change_or_preview(
        &self,
        post: PostId,
        client: Option<ClientAddr>,
    ) -> Result<(), Problem> {
        ask_client(&self.previews, client, false).or_else(|_| {
            let (key, counts) = (post, false);
            ask(
                self.changes.as_deref(),
                Asked { key, counts },
                NonZeroU32::MIN,
            )
        })
    }

    /// Counts bytes that are about to be stored for a key.
    pub(crate) fn count_stored(&self, key: KeyId, bytes: usize) -> Result<(), Problem> {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let stored = self.stored_bytes.as_deref();
        NonZeroU32::new(bytes).map_or(Ok(()), |bytes| count(stored, key, bytes))
    }
}

/// Counts for each client address.
struct ClientCounter {
    /// For each IPv4 address and each IPv6 /64: what one client usually has.
    networks: Arc<Counter<IpAddr>>,
    /// For each IPv6 /48.
    blocks: Arc<Counter<Ipv6Addr>>,
}

impl ClientCounter {
    fn new(rate: Rate) -> Arc<Self> {
        Arc::new(Self {
            networks: Counter::new(rate),
            blocks: Counter::new(rate.saturating_mul(TIMES_OF_BLOCK)),
        })
    }
}

/// Counts for each network, key or post.
struct Counter<K: Copy + Eq + Hash> {
    quota: Quota,
    limiter: RateLimiter<Asked<K>, States<K>, DefaultClock>,
}

/// For which client, key or post a counter is asked, and whether the request counts if it is allowed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Asked<K> {
    key: K,
    counts: bool,
}

/// The states of a counter's entries.
struct States<K>(Cache<K, Arc<InMemoryState>>);

impl<K: Copy + Eq + Hash> StateStore for States<K> {
    type Key = Asked<K>;

    fn measure_and_replace<T, F, E>(&self, asked: &Asked<K>, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let Ok(state) = self
            .0
            .get_or_insert_with(&asked.key, || Ok::<_, Infallible>(Arc::default()));
        state.measure_and_replace(&NotKeyed::NonKey, |before| {
            let (outcome, after) = decide(before)?;
            let unchanged = before.unwrap_or_default();
            Ok((outcome, if asked.counts { after } else { unchanged }))
        })
    }
}

impl<K: Copy + Eq + Hash> Counter<K> {
    fn new(rate: Rate) -> Arc<Self> {
        let interval = (rate.period / rate.times.get()).max(Duration::from_nanos(1));
        let quota = Quota::with_period(interval)
            .unwrap_or_else(|| unreachable!("the interval is not zero"))
            .allow_burst(rate.burst);
        let states = States(Cache::new(MAX_ENTRIES));
        let limiter = RateLimiter::new(quota, states, DefaultClock::default());
        Arc::new(Self { quota, limiter })
    }
}

/// Counts requests or bytes, unless there is no limit. If they are too many, none of them counts.
fn count<K: Copy + Eq + Hash>(
    counter: Option<&Counter<K>>,
    key: K,
    number: NonZeroU32,
) -> Result<(), Problem> {
    let counts = true;
    ask(counter, Asked { key, counts }, number)
}

fn ask<K: Copy + Eq + Hash>(
    counter: Option<&Counter<K>>,
    asked: Asked<K>,
    number: NonZeroU32,
) -> Result<(), Problem> {
    let Some(Counter { quota, limiter }) = counter else {
        return Ok(());
    };
    let wait = match limiter.check_key_n(&asked, number) {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(too_early)) => too_early.wait_time_from(limiter.clock().now()),
        // They are more than the limit ever allows at once.
        Err(_) => quota.burst_size_replenished_in(),
    };
    let detail = "Wait for the number of seconds in Retry-After, then try again.";
    Err(Problem::new(Code::TooManyRequests, detail).retry_after(wait.as_secs() + 1))
}

/// The same for one request of a client. What one /64 is refused does not count for its /48, so that it leaves
/// its neighbours their part.
fn ask_client(
    counter: &Option<Arc<ClientCounter>>,
    client: Option<ClientAddr>,
    counts: bool,
) -> Result<(), Problem> {
    let Some(counter) = counter else {
        return Ok(());
    };
    let client = client.map(|ClientAddr(address)| address.to_canonical());
    let (network, block) = match client {
        Some(IpAddr::V6(address)) => (prefix(address, 64).into(), Some(prefix(address, 48))),
        Some(address) => (address, None),
        None => (Ipv6Addr::UNSPECIFIED.into(), None),
    };
    let networks = Some(&*counter.networks);
    ask(
        networks,
        Asked {
            key: network,
            counts,
        },
        NonZeroU32::MIN,
    )?;
    match block {
        Some(key) => ask(
            Some(&*counter.blocks),
            Asked { key, counts },
            NonZeroU32::MIN,
        ),
        None => Ok(()),
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
    fn what_is_only_asked_does_not_count() {
        let mut limits = RateLimits::off();
        limits.key_requests = Some(Rate::new(NonZeroU32::MIN, Duration::from_secs(60)));
        let meter = Meter::new(&limits);
        for _ in 0..3 {
            assert!(meter.allow_key_request(None).is_ok());
        }
        assert!(meter.count_key_request(None).is_ok());
        assert!(meter.allow_key_request(None).is_err());
    }

    #[test]
    fn a_counter_holds_a_bounded_number_of_clients() {
        let counter = Counter::new(Rate::new(NonZeroU32::MIN, Duration::from_secs(60)));
        let counted = Some(&*counter);
        for client in 0..2 * MAX_ENTRIES {
            assert!(count(counted, client, NonZeroU32::MIN).is_ok());
        }
        let last = count(counted, 2 * MAX_ENTRIES - 1, NonZeroU32::MIN);
        assert!(last.is_err(), "recent clients are counted");
        let States(held) = Arc::into_inner(counter).unwrap().limiter.into_state_store();
        assert!(held.len() <= MAX_ENTRIES, "{} are held", held.len());
    }

    #[test]
    fn what_is_too_much_does_not_count_in_part() {
        let mut limits = RateLimits::off();
        limits.stored_bytes = NonZeroU32::new(100).map(|n| Rate::new(n, Duration::from_secs(60)));
        let (meter, key) = (Meter::new(&limits), KeyId::generate());
        assert!(meter.count_stored(key, 101).is_err());
        assert!(meter.count_stored(key, usize::MAX).is_err());
        assert!(meter.count_stored(key, 60).is_ok());
        assert!(meter.count_stored(key, 60).is_err());
        assert!(meter.count_stored(key, 40).is_ok());
        assert!(meter.count_stored(key, 0).is_ok());
        assert!(meter.count_stored(KeyId::generate(), 100).is_ok());
    }

    #[test]
    fn one_ipv6_network_is_one_client() {
        let meter = Meter::new(&RateLimits::default());
        let count = |address: &str| {
            let client = ClientAddr(address.parse().unwrap());
            meter.count_key_request(Some(client)).is_ok()
        };
        for number in 0..10 {
            assert!(count(&format!("2001:db8::{number}")));
            assert!(count(&format!("::ffff:192.0.2.{}", number % 2 + 1)));
        }
        assert!(!count("2001:db8::ffff:2"));
        assert!(count("2001:db8:0:1::1"));
        for _ in 0..5 {
            assert!(
                count("192.0.2.1"),
                "an IPv4 address that is written as IPv6"
            );
        }
        assert!(!count("192.0.2.1"));
    }

    #[test]
    fn the_networks_of_an_ipv6_block_have_16_times_the_limit_of_one() {
        let meter = Meter::new(&RateLimits::default());
        let count = |block: u16, network: u16| {
            let address = Ipv6Addr::from([0x2001, 0xdb8, block, network, 0, 0, 0, 1]);
            let client = Some(ClientAddr(address.into()));
            meter.count_key_request(client).is_ok()
        };
        for network in 0..16 {
            for _ in 0..9 {
                assert!(count(1, network));
            }
        }
        assert!(count(1, 0));
        for _ in 0..1_000 {
            assert!(!count(1, 0), "a network has its limit");
        }
        for network in 16..31 {
            assert!(count(1, network), "the refused ones left room");
        }
        assert!(!count(1, 31));
        assert!(count(2, 0));
        assert!(meter.count_key_request(None).is_ok());
    }
}
