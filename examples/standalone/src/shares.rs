//! Divides a resource (connections, memory) among all clients: one network may take only a part of it.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Connections, or bytes of memory.
#[derive(Debug)]
pub(crate) struct Shares {
    whole: usize,
    /// The most that one network may take.
    part: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by_network: HashMap<Network, usize>,
}

/// An IPv4 address, or the first 64 bits of an IPv6 address: what one client usually has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Network(IpAddr);

/// What was taken. Dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Share {
    shares: Arc<Shares>,
    network: Option<Network>,
    amount: usize,
}

impl Network {
    pub(crate) fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64).into(),
            v4 => v4,
        })
    }
}

impl Shares {
    pub(crate) fn new(whole: usize, part: usize) -> Arc<Self> {
        Arc::new(Self {
            whole,
            part,
            taken: Mutex::default(),
        })
    }

    /// An empty share of this network, or one that only the whole limits.
    pub(crate) fn share(self: &Arc<Self>, network: Option<Network>) -> Share {
        let shares = Arc::clone(self);
        Share {
            shares,
            network,
            amount: 0,
        }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    /// Takes more, or nothing if that would be too much.
    #[must_use]
    pub(crate) fn take(&mut self, amount: usize) -> bool {
        if amount == 0 {
            return true;
        }
        let mut taken = self.shares.taken();
        let all = taken.all + amount;
        if all > self.shares.whole {
            return false;
        }
        if let Some(network) = self.network {
            let of_network = taken.by_network.get(&network).copied().unwrap_or(0) + amount;
            if of_network > self.shares.part {
                return false;
            }
            taken.by_network.insert(network, of_network);
        }
        taken.all = all;
        self.amount += amount;
        true
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        if self.amount == 0 {
            return;
        }
        let mut taken = self.shares.taken();
        taken.all -= self.amount;
        if let Some(network) = self.network
            && let Some(of_network) = taken.by_network.get_mut(&network)
        {
            *of_network -= self.amount;
            if *of_network == 0 {
                taken.by_network.remove(&network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(address: &str) -> Option<Network> {
        Some(Network::of(address.parse().unwrap()))
    }

    #[test]
    fn a_network_takes_a_quarter_and_gives_it_back() {
        let shares = Shares::new(8, 2);
        let mut one = shares.share(network("192.0.2.1"));
        assert!(one.take(2));
        assert!(!one.take(1));
        let mut same = shares.share(network("::ffff:192.0.2.1"));
        assert!(!same.take(1), "an IPv4 address that is written as IPv6");
        let mut other = shares.share(network("192.0.2.2"));
        assert!(other.take(1));
        drop(one);
        assert!(same.take(2));
        assert!(shares.share(network("192.0.2.3")).take(0));
        drop((same, other));
        assert!(shares.taken().by_network.is_empty());
    }

    #[test]
    fn addresses_of_one_ipv6_network_share_its_part() {
        let shares = Shares::new(8, 2);
        let mut one = shares.share(network("2001:db8::1"));
        assert!(one.take(2));
        assert!(!shares.share(network("2001:db8::ffff:0:0:2")).take(1));
        assert!(shares.share(network("2001:db8:0:1::1")).take(1));
    }

    #[test]
    fn all_together_take_no_more_than_the_whole() {
        let shares = Shares::new(8, 2);
        let mut proxy = shares.share(None);
        assert!(proxy.take(7));
        let mut client = shares.share(network("192.0.2.1"));
        assert!(client.take(1));
        assert!(!proxy.take(1));
        assert!(!shares.share(network("192.0.2.2")).take(1));
    }
}
