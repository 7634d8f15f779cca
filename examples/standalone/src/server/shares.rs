//! Divides a resource (connections, memory) among all clients: one network may take only a part of it, and
//! when all is taken, the client that holds the most loses first to those that hold much less.

use parking_lot::Mutex;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;

use handbill::ClientAddr;

use crate::server::activity::Activity;

/// Connections, or bytes of memory.
#[derive(Debug)]
pub(crate) struct Shares {
    limits: ShareLimits,
    taken: Mutex<Taken>,
}

/// The most that may be taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShareLimits {
    pub(crate) of_all: u64,
    pub(crate) of_network: u64,
    pub(crate) of_block: u64,
}

#[derive(Debug, Default)]
struct Taken {
    all: u64,
    by_network: HashMap<IpAddr, u64>,
    by_block: HashMap<IpAddr, u64>,
    /// Those that took the first part of their shares earlier have smaller numbers.
    holders: BTreeMap<u64, Holder>,
    next_number: u64,
}

/// Who has taken how much.
#[derive(Debug)]
struct Holder {
    client: Option<ClientAddr>,
    amount: u64,
    /// None while it cannot lose what it has.
    closable: Option<Closable>,
}

/// A connection that may be closed, so that it gives back what it has.
#[derive(Clone, Debug)]
pub(crate) struct Closable {
    pub(crate) activity: Arc<Activity>,
    /// Whether other connections of its client are closed first.
    pub(crate) is_last: bool,
}

/// What was taken. Dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Share {
    shares: Arc<Shares>,
    client: Option<ClientAddr>,
    closable: Option<Closable>,
    /// None while nothing was taken.
    number: Option<u64>,
}

impl Shares {
    pub(crate) fn new(limits: ShareLimits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            taken: Mutex::default(),
        })
    }

    /// An empty share of this client, or one that only the limit of all applies to.
    pub(crate) fn share(
        self: &Arc<Self>,
        client: Option<ClientAddr>,
        closable: Option<Closable>,
    ) -> Share {
        Share {
            shares: Arc::clone(self),
            client,
            closable,
            number: None,
        }
    }

    /// Closes connections until what they hold reaches this amount, or no other may be closed. Returns
    /// whether it closed one. Their shares count until they are dropped.
    pub(crate) fn close(&self, amount: u64) -> bool {
        let taken = self.taken.lock();
        let closable = taken.closable(amount);
        closable
            .iter()
            .for_each(|(.., closable)| closable.activity.close());
        !closable.is_empty()
    }
}

impl Taken {
    /// The holders to close for this amount, or all that may be closed if they do not hold as much. It is always one of
    /// the client (a block) that would then hold the most, and of these the one that has held its share for the
    /// longest.
    fn closable(&self, amount: u64) -> Vec<(u64, &Holder, &Closable)> {
        let mut numbers = HashMap::new();
        let mut clients: Vec<(u64, VecDeque<_>, VecDeque<_>)> = Vec::new();
        for (number, holder) in &self.holders {
            let Some(client) = holder.client else {
                continue;
            };
            let client = *numbers.entry(client.block()).or_insert(clients.len());
            if client == clients.len() {
                clients.push(Default::default());
            }
            let (held, first, last) = &mut clients[client];
            *held += holder.amount;
            if let Some(closable) = &holder.closable {
                let queue = if closable.is_last { last } else { first };
                queue.push_back((*number, holder, closable));
            }
        }
        let held = clients.iter().map(|(held, ..)| *held);
        let mut largest: BinaryHeap<_> = held.zip((0..).map(Reverse)).collect();
        let (mut sum, mut found) = (0, Vec::new());
        while sum < amount
            && let Some((held, Reverse(client))) = largest.pop()
        {
            let (_, first, last) = &mut clients[client];
            if let Some(next) = first.pop_front().or_else(|| last.pop_front()) {
                sum += next.1.amount;
                largest.push((held - next.1.amount, Reverse(client)));
                found.push(next);
            }
        }
        found
    }

    /// Whether another client holds at least twice as much as this one would with this amount. Only then
    /// may it take from others: otherwise clients that hold alike would close each other's connections over and over.
    fn has_more(&self, client: Option<ClientAddr>, amount: u64) -> bool {
        let own = client.and_then(|client| self.by_block.get(&client.block()));
        let most = self.by_block.values().max();
        2 * (own.unwrap_or(&0) + amount) <= *most.unwrap_or(&0)
    }

    /// Closes connections that hold this amount together, and frees it at once. If there are not enough,
    /// none is closed.
    fn free(&mut self, amount: u64) -> bool {
        let closable = self.closable(amount);
        if closable
            .iter()
            .map(|(_, holder, _)| holder.amount)
            .sum::<u64>()
            < amount
        {
            return false;
        }
        let numbers: Vec<_> = closable.into_iter().map(|(number, ..)| number).collect();
        for number in numbers {
            if let Some(closable) = self.remove(number).and_then(|holder| holder.closable) {
                closable.activity.close();
            }
        }
        true
    }

    fn add(&mut self, number: u64, amount: u64) {
        let Some(holder) = self.holders.get_mut(&number) else {
            return;
        };
        holder.amount += amount;
        self.all += amount;
        if let Some(client) = holder.client {
            *self.by_network.entry(client.network()).or_default() += amount;
            *self.by_block.entry(client.block()).or_default() += amount;
        }
    }

    fn remove(&mut self, number: u64) -> Option<Holder> {
        let holder = self.holders.remove(&number)?;
        self.all -= holder.amount;
        if let Some(client) = holder.client {
            subtract(&mut self.by_network, client.network(), holder.amount);
            subtract(&mut self.by_block, client.block(), holder.amount);
        }
        Some(holder)
    }
}

impl Share {
    /// Takes more, or nothing if that would be too much, or if the connection was closed for another one.
    #[must_use]
    pub(crate) fn take(&mut self, amount: u64) -> bool {
        if amount == 0 {
            return true;
        }
        let shares = Arc::clone(&self.shares);
        let (limits, mut taken) = (&shares.limits, shares.taken.lock());
        if self.is_lost(&taken) {
            return false;
        }
        if let Some(client) = self.client {
            let of = |by: &HashMap<_, _>, part| by.get(&part).copied().unwrap_or(0) + amount;
            if of(&taken.by_network, client.network()) > limits.of_network
                || of(&taken.by_block, client.block()) > limits.of_block
            {
                return false;
            }
        }
        let excess = (taken.all + amount).saturating_sub(limits.of_all);
        let has_room = excess == 0 || taken.has_more(self.client, amount) && taken.free(excess);
        if !has_room || self.is_lost(&taken) {
            return false;
        }
        self.add_to(&mut taken, amount);
        true
    }

    /// Takes more, also beyond the limits.
    pub(crate) fn take_beyond_limits(&mut self, amount: u64) {
        let shares = Arc::clone(&self.shares);
        self.add_to(&mut shares.taken.lock(), amount);
    }

    /// From now on, the connection may not be closed. Returns whether it was not closed before.
    #[must_use]
    pub(crate) fn protect(&mut self) -> bool {
        self.closable = None;
        let Some(number) = self.number else {
            return true;
        };
        let mut taken = self.shares.taken.lock();
        let holder = taken.holders.get_mut(&number);
        holder.map(|holder| holder.closable = None).is_some()
    }

    fn is_lost(&self, taken: &Taken) -> bool {
        let holds = |number| taken.holders.contains_key(&number);
        !self.number.is_none_or(holds)
    }

    fn add_to(&mut self, taken: &mut Taken, amount: u64) {
        let number = *self.number.get_or_insert_with(|| {
            let number = taken.next_number;
            taken.next_number += 1;
            let holder = Holder {
                client: self.client,
                amount: 0,
                closable: self.closable.clone(),
            };
            taken.holders.insert(number, holder);
            number
        });
        taken.add(number, amount);
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.shares.taken.lock().remove(number);
        }
    }
}

fn subtract(from: &mut HashMap<IpAddr, u64>, part: IpAddr, amount: u64) {
    if let Some(rest) = from.get_mut(&part) {
        *rest -= amount;
        if *rest == 0 {
            from.remove(&part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares() -> Arc<Shares> {
        Shares::new(ShareLimits {
            of_all: 8,
            of_network: 2,
            of_block: 4,
        })
    }

    fn client(address: &str) -> Option<ClientAddr> {
        Some(ClientAddr(address.parse().unwrap()))
    }

    /// A share of a connection that may be closed.
    fn closable(shares: &Arc<Shares>, address: &str, is_last: bool) -> Share {
        let activity = Activity::new(Arc::default());
        shares.share(client(address), Some(Closable { activity, is_last }))
    }

    /// Takes so much, and returns whether that was allowed and which of these shares were lost for it.
    fn take(share: &mut Share, amount: u64, others: &[&Share]) -> (bool, Vec<usize>) {
        let is_taken = share.take(amount);
        let taken = share.shares.taken.lock();
        let lost = (0..others.len()).filter(|number| others[*number].is_lost(&taken));
        (is_taken, lost.collect())
    }

    #[test]
    fn a_network_takes_a_quarter_and_gives_it_back() {
        let shares = shares();
        let mut one = shares.share(client("192.0.2.1"), None);
        assert!(one.take(2));
        assert!(!one.take(1));
        let mut same = shares.share(client("::ffff:192.0.2.1"), None);
        assert!(!same.take(1), "an IPv4 address that is written as IPv6");
        let mut other = shares.share(client("192.0.2.2"), None);
        assert!(other.take(1));
        drop(one);
        assert!(same.take(2));
        assert!(shares.share(client("192.0.2.3"), None).take(0));
        drop((same, other));
        let taken = shares.taken.lock();
        assert!(taken.by_network.is_empty() && taken.by_block.is_empty());
        assert!(taken.holders.is_empty());
    }

    #[test]
    fn addresses_of_one_ipv6_network_share_its_part() {
        let shares = shares();
        let mut one = shares.share(client("2001:db8::1"), None);
        assert!(one.take(2));
        let mut same = shares.share(client("2001:db8::ffff:0:0:2"), None);
        assert!(!same.take(1));
        assert!(shares.share(client("2001:db8:0:1::1"), None).take(1));
    }

    #[test]
    fn networks_of_one_ipv6_block_share_its_part() {
        let shares = shares();
        let mut networks =
            [1, 2, 3].map(|n| shares.share(client(&format!("2001:db8:0:{n}::1")), None));
        assert!(networks[0].take(2));
        assert!(networks[1].take(2));
        assert!(!networks[2].take(1));
        assert!(shares.share(client("2001:db8:1:1::1"), None).take(2));
        assert!(shares.share(client("192.0.2.1"), None).take(2));
        drop(networks);
        assert!(shares.taken.lock().by_block.is_empty());
    }

    #[test]
    fn all_together_take_no_more_than_the_whole() {
        let shares = shares();
        let mut proxy = shares.share(None, None);
        assert!(proxy.take(7));
        let mut other = shares.share(client("192.0.2.1"), None);
        assert!(other.take(1));
        assert!(!proxy.take(1));
        assert!(!shares.share(client("192.0.2.2"), None).take(1));
    }

    #[test]
    fn of_the_client_that_holds_the_most_the_oldest_share_is_lost() {
        let shares = shares();
        let mut small = closable(&shares, "192.0.2.1", false);
        assert!(small.take(1));
        // One client, since it is one block.
        let mut large = [
            "2001:db8::1",
            "2001:db8::2",
            "2001:db8:0:1::1",
            "2001:db8:0:1::2",
        ]
        .map(|address| closable(&shares, address, false));
        for share in &mut large {
            assert!(share.take(1));
        }
        let mut proxy = shares.share(None, None);
        assert!(proxy.take(3));
        let mut next = closable(&shares, "192.0.2.2", false);
        let [a, b, c, d] = &large;
        assert_eq!(
            take(&mut next, 2, &[a, b, c, d, &small]),
            (true, vec![0, 1])
        );
        assert!(!large[0].take(1), "what was lost takes no more");
        assert!(!large[0].protect());
        assert_eq!(shares.taken.lock().all, 8);
        drop(large);
        assert_eq!(shares.taken.lock().all, 6);
    }

    #[test]
    fn clients_that_hold_alike_take_nothing_from_each_other() {
        let shares = shares();
        let mut one = closable(&shares, "192.0.2.1", false);
        let mut other = closable(&shares, "192.0.2.2", false);
        let mut proxy = shares.share(None, None);
        assert!(proxy.take(4) && one.take(2) && other.take(1));
        assert!(other.take(1));
        let mut next = closable(&shares, "192.0.2.3", false);
        assert_eq!(take(&mut next, 2, &[&one, &other]), (false, vec![]));
        let mut same = closable(&shares, "192.0.2.1", false);
        assert_eq!(take(&mut same, 1, &[&one, &other]), (false, vec![]));
        assert_eq!(take(&mut next, 1, &[&one, &other]), (true, vec![0]));
    }

    #[test]
    fn what_is_protected_is_not_lost() {
        let shares = shares();
        let mut one = closable(&shares, "192.0.2.1", false);
        let mut other = closable(&shares, "192.0.2.2", false);
        let mut proxy = shares.share(None, None);
        assert!(proxy.take(5) && one.take(2) && other.take(1));
        assert!(one.protect());
        let mut next = closable(&shares, "192.0.2.3", false);
        assert_eq!(
            take(&mut next, 2, &[&one, &other]),
            (false, vec![]),
            "too little"
        );
        assert_eq!(take(&mut next, 1, &[&one, &other]), (true, vec![1]));
    }

    #[test]
    fn what_is_closed_last_is_held_the_longest() {
        let shares = shares();
        let mut last = closable(&shares, "192.0.2.1", true);
        let mut first = closable(&shares, "192.0.2.1", false);
        let mut proxy = shares.share(None, None);
        assert!(proxy.take(5));
        last.take_beyond_limits(2);
        assert!(!first.take(1), "what is beyond the limits counts");
        first.take_beyond_limits(1);
        let mut next = closable(&shares, "192.0.2.2", false);
        assert_eq!(take(&mut next, 1, &[&last, &first]), (true, vec![1]));
        let mut another = closable(&shares, "192.0.2.3", false);
        assert_eq!(take(&mut another, 1, &[&last, &first]), (true, vec![0, 1]));
    }
}
