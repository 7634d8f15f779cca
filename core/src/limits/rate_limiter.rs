//! Counts the requests of clients, and refuses those above a rate limit.

use std::net::IpAddr;
use std::num::NonZeroU32;

use crate::host::client::ClientAddr;
use crate::limits::counter::Counter;
#[cfg(feature = "pages")]
use crate::limits::pages::PageCounters;
use crate::limits::rate::{Rate, RateLimits};
use crate::post::{KeyId, Owner, PostId};
use crate::problem::Problem;

/// The limit of an IPv6 /48, as a multiple of the limit of a /64. A /48 has 65,536 of them, and one customer of
/// a provider may have a whole /48.
const TIMES_OF_BLOCK: NonZeroU32 = NonZeroU32::new(16).unwrap();

/// Whose requests count together.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Requester<'a> {
    /// Those of a user who is signed in.
    User(&'a Owner),
    /// Those from an address.
    Client(Option<ClientAddr>),
}

pub(crate) struct RateLimiter {
    pub(crate) creations: Counter<KeyId>,
    pub(crate) key_requests: ClientCounter,
    wrong_credentials: ClientCounter,
    pub(crate) changes: Counter<PostId>,
    pub(crate) searches: ClientCounter,
    pub(crate) stored_bytes: Counter<KeyId>,
    /// Of those who store without a key.
    pub(crate) stored_by_owner: Counter<Owner>,
    #[cfg(feature = "pages")]
    pub(crate) pages: PageCounters,
}

impl RateLimiter {
    pub(crate) fn new(limits: RateLimits) -> Self {
        Self {
            creations: Counter::new(limits.creations),
            key_requests: ClientCounter::new(limits.key_requests),
            wrong_credentials: ClientCounter::new(limits.wrong_credentials),
            changes: Counter::new(limits.changes),
            searches: ClientCounter::new(limits.searches),
            stored_bytes: Counter::new(limits.stored_bytes),
            stored_by_owner: Counter::new(limits.stored_bytes),
            #[cfg(feature = "pages")]
            pages: PageCounters::new(limits),
        }
    }

    /// Counts a wrong credential. Returns `problem`, or the problem of too many requests.
    pub(crate) fn count_wrong(&self, requester: Requester<'_>, problem: Problem) -> Problem {
        let counted = self.wrong_credentials.count(requester);
        counted.err().unwrap_or(problem)
    }
}

/// Counts for each user and each client address.
pub(crate) struct ClientCounter {
    users: Counter<Owner>,
    /// All requests without an address count as those of one network.
    networks: Counter<Option<IpAddr>>,
    /// Of IPv6 only.
    blocks: Counter<IpAddr>,
}

impl ClientCounter {
    pub(super) fn new(rate: Option<Rate>) -> Self {
        Self {
            users: Counter::new(rate),
            networks: Counter::new(rate),
            blocks: Counter::new(rate.map(|rate| rate.saturating_mul(TIMES_OF_BLOCK))),
        }
    }

    pub(crate) fn count(&self, requester: Requester<'_>) -> Result<(), Problem> {
        self.take(requester, true)
    }

    /// A request that a /64 is refused does not count against its /48. So one network cannot use up the limit of its
    /// neighbours.
    pub(super) fn take(&self, requester: Requester<'_>, counts: bool) -> Result<(), Problem> {
        let client = match requester {
            Requester::User(owner) => return self.users.take_one(owner, counts),
            Requester::Client(client) => client,
        };
        self.networks
            .take_one(&client.map(ClientAddr::network), counts)?;
        match client.map(ClientAddr::block) {
            Some(block @ IpAddr::V6(_)) => self.blocks.take_one(&block, counts),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;
    use std::time::Duration;

    use super::*;

    const NOWHERE: Requester<'static> = Requester::Client(None);

    fn at(address: IpAddr) -> Requester<'static> {
        Requester::Client(Some(ClientAddr(address)))
    }

    #[test]
    fn what_is_only_asked_does_not_count() {
        let mut limits = RateLimits::off();
        limits.key_requests = Some(Rate::new(NonZeroU32::MIN, Duration::from_secs(60)));
        let rate_limiter = RateLimiter::new(limits);
        for _ in 0..3 {
            assert!(rate_limiter.key_requests.take(NOWHERE, false).is_ok());
        }
        assert!(rate_limiter.key_requests.count(NOWHERE).is_ok());
        assert!(rate_limiter.key_requests.take(NOWHERE, false).is_err());
    }

    #[test]
    fn what_is_too_much_does_not_count_in_part() {
        let mut limits = RateLimits::off();
        limits.stored_bytes = NonZeroU32::new(100).map(|n| Rate::new(n, Duration::from_secs(60)));
        let (rate_limiter, key) = (RateLimiter::new(limits), KeyId::generate());
        assert!(rate_limiter.stored_bytes.count_bytes(&key, 101).is_err());
        assert!(
            rate_limiter
                .stored_bytes
                .count_bytes(&key, usize::MAX)
                .is_err()
        );
        assert!(rate_limiter.stored_bytes.count_bytes(&key, 60).is_ok());
        assert!(rate_limiter.stored_bytes.count_bytes(&key, 60).is_err());
        assert!(rate_limiter.stored_bytes.count_bytes(&key, 40).is_ok());
        assert!(rate_limiter.stored_bytes.count_bytes(&key, 0).is_ok());
        assert!(
            rate_limiter
                .stored_bytes
                .count_bytes(&KeyId::generate(), 100)
                .is_ok()
        );
    }

    #[test]
    fn the_networks_of_an_ipv6_block_have_16_times_the_limit_of_one() {
        let rate_limiter = RateLimiter::new(RateLimits::default());
        let count = |block: u16, network: u16| {
            let address = Ipv6Addr::from([0x2001, 0xdb8, block, network, 0, 0, 0, 1]);
            rate_limiter.key_requests.count(at(address.into())).is_ok()
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
        assert!(rate_limiter.key_requests.count(NOWHERE).is_ok());
    }
}
