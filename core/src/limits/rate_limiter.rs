//! Counts the requests of clients, and refuses those above a rate limit.

use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use crate::host::client::ClientAddr;
use crate::limits::counter::{Counter, Mode};
use crate::limits::rate::{Rate, RateLimits};
use crate::post::id::{KeyId, PostId};
use crate::post::owner::Owner;
use crate::problem::{Code, Problem};

/// How many times the limit of an IPv6 /64 all of its /48 has. A /48 has 65,536 of them, and one customer of
/// a provider may have a whole /48.
const TIMES_OF_BLOCK: NonZeroU32 = NonZeroU32::new(16).unwrap();
const ONE: NonZeroU32 = NonZeroU32::MIN;

/// Whose requests count together.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Requester<'a> {
    /// Those of a user who is signed in.
    User(&'a Owner),
    /// Those from an address.
    Client(Option<ClientAddr>),
}

#[derive(Clone)]
pub(crate) struct RateLimiter {
    limits: RateLimits,
    creations: Option<Arc<Counter<KeyId>>>,
    creations_without_key: Option<Arc<ClientCounter>>,
    key_requests: Option<Arc<ClientCounter>>,
    wrong_credentials: Option<Arc<ClientCounter>>,
    changes: Option<Arc<Counter<PostId>>>,
    previews: Option<Arc<ClientCounter>>,
    edit_pages: Option<Arc<ClientCounter>>,
    searches: Option<Arc<ClientCounter>>,
    stored_bytes: Option<Arc<Counter<KeyId>>>,
    /// Of those who store without a key.
    stored_by_owner: Option<Arc<Counter<Owner>>>,
}

impl RateLimiter {
    pub(crate) fn new(limits: &RateLimits) -> Self {
        Self {
            limits: limits.clone(),
            creations: limits.creations.map(counter),
            creations_without_key: limits.creations.map(ClientCounter::new),
            key_requests: limits.key_requests.map(ClientCounter::new),
            wrong_credentials: limits.wrong_credentials.map(ClientCounter::new),
            changes: limits.changes.map(counter),
            previews: limits.previews.map(ClientCounter::new),
            edit_pages: limits.previews.map(ClientCounter::new),
            searches: limits.searches.map(ClientCounter::new),
            stored_bytes: limits.stored_bytes.map(counter),
            stored_by_owner: limits.stored_bytes.map(counter),
        }
    }

    pub(crate) fn limits(&self) -> &RateLimits {
        &self.limits
    }

    pub(crate) fn count_creation(&self, key: KeyId) -> Result<(), Problem> {
        take(self.creations.as_deref(), &key, ONE, Mode::Count)
    }

    /// Counts a post that a visitor of `/write` wants to publish without an API key.
    pub(crate) fn count_creation_without_key(
        &self,
        requester: Requester<'_>,
    ) -> Result<(), Problem> {
        take_one(
            self.creations_without_key.as_deref(),
            requester,
            Mode::Count,
        )
    }

    pub(crate) fn count_key_request(&self, requester: Requester<'_>) -> Result<(), Problem> {
        take_one(self.key_requests.as_deref(), requester, Mode::Count)
    }

    /// Counts a wrong credential. Returns `problem`, or the problem of too many requests.
    pub(crate) fn count_wrong(&self, requester: Requester<'_>, problem: Problem) -> Problem {
        let counted = take_one(self.wrong_credentials.as_deref(), requester, Mode::Count);
        counted.err().unwrap_or(problem)
    }

    pub(crate) fn count_change(&self, post: PostId) -> Result<(), Problem> {
        take(self.changes.as_deref(), &post, ONE, Mode::Count)
    }

    pub(crate) fn count_preview(&self, requester: Requester<'_>) -> Result<(), Problem> {
        take_one(self.previews.as_deref(), requester, Mode::Count)
    }

    /// Counts an edit page that is opened, which renders the post as a preview does.
    pub(crate) fn count_edit_page(&self, requester: Requester<'_>) -> Result<(), Problem> {
        take_one(self.edit_pages.as_deref(), requester, Mode::Count)
    }

    pub(crate) fn count_search(&self, requester: Requester<'_>) -> Result<(), Problem> {
        take_one(self.searches.as_deref(), requester, Mode::Count)
    }

    /// Refuses a requester that may request no key now. Counts nothing.
    pub(crate) fn allow_key_request(&self, requester: Requester<'_>) -> Result<(), Problem> {
        take_one(self.key_requests.as_deref(), requester, Mode::Ask)
    }

    /// Refuses a requester that may neither change a post nor preview one now. Counts nothing.
    pub(crate) fn allow_change_or_preview(
        &self,
        post: PostId,
        requester: Requester<'_>,
    ) -> Result<(), Problem> {
        take_one(self.previews.as_deref(), requester, Mode::Ask)
            .or_else(|_| take(self.changes.as_deref(), &post, ONE, Mode::Ask))
    }

    /// Counts bytes that are about to be stored for a key.
    pub(crate) fn count_stored(&self, key: KeyId, bytes: usize) -> Result<(), Problem> {
        take_bytes(self.stored_bytes.as_deref(), &key, bytes)
    }

    /// Counts bytes that are about to be stored for an owner, without a key.
    pub(crate) fn count_stored_by_owner(&self, owner: &Owner, bytes: usize) -> Result<(), Problem> {
        take_bytes(self.stored_by_owner.as_deref(), owner, bytes)
    }
}

/// Counts for each user and each client address.
struct ClientCounter {
    users: Counter<Owner>,
    /// All requests without an address count as those of one network.
    networks: Counter<Option<IpAddr>>,
    /// Of IPv6 only.
    blocks: Counter<IpAddr>,
}

impl ClientCounter {
    fn new(rate: Rate) -> Arc<Self> {
        Arc::new(Self {
            users: Counter::new(rate),
            networks: Counter::new(rate),
            blocks: Counter::new(rate.saturating_mul(TIMES_OF_BLOCK)),
        })
    }
}

fn counter<K: Clone + Eq + Hash>(rate: Rate) -> Arc<Counter<K>> {
    Arc::new(Counter::new(rate))
}

/// Takes a number of requests or bytes from what is left, unless there is no limit.
fn take<K: Clone + Eq + Hash>(
    counter: Option<&Counter<K>>,
    key: &K,
    number: NonZeroU32,
    mode: Mode,
) -> Result<(), Problem> {
    let taken = counter.map_or(Ok(()), |counter| counter.take(key, number, mode));
    taken.map_err(too_many)
}

fn take_bytes<K: Clone + Eq + Hash>(
    counter: Option<&Counter<K>>,
    key: &K,
    bytes: usize,
) -> Result<(), Problem> {
    let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
    NonZeroU32::new(bytes).map_or(Ok(()), |bytes| take(counter, key, bytes, Mode::Count))
}

/// Takes one request of a user or a client. What one /64 is refused does not count for its /48, so that it leaves
/// its neighbours their part.
fn take_one(
    counter: Option<&ClientCounter>,
    requester: Requester<'_>,
    mode: Mode,
) -> Result<(), Problem> {
    let Some(ClientCounter {
        users,
        networks,
        blocks,
    }) = counter
    else {
        return Ok(());
    };
    let client = match requester {
        Requester::User(owner) => return take(Some(users), owner, ONE, mode),
        Requester::Client(client) => client,
    };
    take(Some(networks), &client.map(ClientAddr::network), ONE, mode)?;
    match client.map(ClientAddr::block) {
        Some(block @ IpAddr::V6(_)) => take(Some(blocks), &block, ONE, mode),
        _ => Ok(()),
    }
}

fn too_many(wait: Duration) -> Problem {
    let detail = "Wait for the number of seconds in Retry-After, then try again.";
    Problem::new(Code::TooManyRequests, detail).with_retry_after(wait)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use super::*;

    const NOWHERE: Requester<'static> = Requester::Client(None);

    fn at(address: IpAddr) -> Requester<'static> {
        Requester::Client(Some(ClientAddr(address)))
    }

    #[test]
    fn a_client_that_reaches_its_limit_does_not_affect_other_clients() {
        let rate_limiter = RateLimiter::new(&RateLimits::default());
        let [one, other] = [1, 2].map(|n| at(IpAddr::from([192, 0, 2, n])));
        for _ in 0..10 {
            assert!(rate_limiter.count_key_request(one).is_ok());
        }
        assert!(rate_limiter.count_key_request(one).is_err());
        assert!(rate_limiter.count_key_request(other).is_ok());
        assert!(rate_limiter.count_key_request(NOWHERE).is_ok());
    }

    #[test]
    fn what_is_only_asked_does_not_count() {
        let mut limits = RateLimits::off();
        limits.key_requests = Some(Rate::new(NonZeroU32::MIN, Duration::from_secs(60)));
        let rate_limiter = RateLimiter::new(&limits);
        for _ in 0..3 {
            assert!(rate_limiter.allow_key_request(NOWHERE).is_ok());
        }
        assert!(rate_limiter.count_key_request(NOWHERE).is_ok());
        assert!(rate_limiter.allow_key_request(NOWHERE).is_err());
    }

    #[test]
    fn what_is_too_much_does_not_count_in_part() {
        let mut limits = RateLimits::off();
        limits.stored_bytes = NonZeroU32::new(100).map(|n| Rate::new(n, Duration::from_secs(60)));
        let (rate_limiter, key) = (RateLimiter::new(&limits), KeyId::generate());
        assert!(rate_limiter.count_stored(key, 101).is_err());
        assert!(rate_limiter.count_stored(key, usize::MAX).is_err());
        assert!(rate_limiter.count_stored(key, 60).is_ok());
        assert!(rate_limiter.count_stored(key, 60).is_err());
        assert!(rate_limiter.count_stored(key, 40).is_ok());
        assert!(rate_limiter.count_stored(key, 0).is_ok());
        assert!(rate_limiter.count_stored(KeyId::generate(), 100).is_ok());
    }

    #[test]
    fn one_ipv6_network_is_one_client() {
        let rate_limiter = RateLimiter::new(&RateLimits::default());
        let count = |address: &str| {
            let address = address.parse().unwrap();
            rate_limiter.count_key_request(at(address)).is_ok()
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
        let rate_limiter = RateLimiter::new(&RateLimits::default());
        let count = |block: u16, network: u16| {
            let address = Ipv6Addr::from([0x2001, 0xdb8, block, network, 0, 0, 0, 1]);
            rate_limiter.count_key_request(at(address.into())).is_ok()
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
        assert!(rate_limiter.count_key_request(NOWHERE).is_ok());
    }
}
