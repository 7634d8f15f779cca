//! Cached values, and the reads of the store that are under way.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::Mutex;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, Weighter};
use tokio::sync::watch;

use super::validity::{Moment, Validity};
use crate::store::lock::lock;
use crate::store::weight::Weigh;

/// What an entry takes beside its key and its value.
const OVERHEAD: usize = 128;

/// A cache of what the store returned, by key. Concurrent reads of one key share one read of the store.
pub(super) struct Reads<K, V> {
    entries: Cache<K, CacheEntry<V>, ByWeight>,
    /// Entries are inserted and removed with this locked, so that a read which began before a change
    /// does not insert an old value after it. A cache hit does not lock it.
    under_way: Mutex<HashMap<K, UnderWay<V>>>,
}

#[derive(Clone)]
struct CacheEntry<V> {
    value: V,
    /// When the store was asked for it.
    requested_at: Moment,
}

/// A read of the store, as those see it who wait for it.
struct UnderWay<V> {
    requested_at: Moment,
    found: Found<V>,
}

pub(super) type Found<V> = watch::Receiver<Option<V>>;

#[derive(Clone)]
struct ByWeight;

impl<K, V: Weigh> Weighter<K, CacheEntry<V>> for ByWeight {
    fn weight(&self, _: &K, entry: &CacheEntry<V>) -> u64 {
        (OVERHEAD + size_of::<(K, V)>() + entry.value.weight()) as u64
    }
}

/// What the cache has under a key.
pub(super) enum Lookup<V> {
    /// A value that may be returned.
    Hit(V),
    /// A value that may be returned if nothing has changed since it was confirmed last.
    Unconfirmed,
    Miss,
}

/// How to get what is not cached.
pub(super) enum Read<'a, K: Clone + Eq + Hash, V: Clone + Weigh> {
    /// Ask the store.
    Begin(Reading<'a, K, V>),
    /// Wait for another caller, who asks the store. The sender goes away if that finds nothing, fails or
    /// is given up.
    Join(Found<V>),
}

impl<K: Clone + Eq + Hash, V: Clone + Weigh> Reads<K, V> {
    /// A cache that has room for so many entries at first, and grows with their number. A cache for few has
    /// few parts, so that one entry may take much of it.
    pub(super) fn new(entries: usize, max_bytes: u64) -> Self {
        let (hasher, lifecycle) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
        Self {
            entries: Cache::with(entries, max_bytes, ByWeight, hasher, lifecycle),
            under_way: Mutex::default(),
        }
    }

    pub(super) fn set_max_bytes(&self, max_bytes: u64) {
        self.entries.set_capacity(max_bytes);
    }

    /// The number of entries.
    pub(super) fn len(&self) -> u64 {
        self.entries.len() as u64
    }

    /// The bytes that they take.
    pub(super) fn bytes(&self) -> u64 {
        self.entries.weight()
    }

    /// What may be returned to a read that begins `now`, and must not be older than `since`.
    pub(super) fn get(
        &self,
        key: &K,
        validity: &Validity,
        since: Moment,
        now: Moment,
    ) -> Lookup<V> {
        match self.entries.get(key) {
            Some(entry) if validity.is_valid_for(entry.requested_at, since, now) => {
                Lookup::Hit(entry.value)
            }
            Some(entry) if validity.can_be_confirmed(entry.requested_at) => Lookup::Unconfirmed,
            _ => Lookup::Miss,
        }
    }

    /// Begins to read what is not cached, `now`.
    pub(super) fn read(
        &self,
        key: K,
        validity: &Validity,
        since: Moment,
        now: Moment,
    ) -> Read<'_, K, V> {
        let mut under_way = lock(&self.under_way);
        if let Some(read) = under_way.get(&key)
            && validity.is_valid_for(read.requested_at, since, now)
        {
            return Read::Join(read.found.clone());
        }
        let (tell, found) = watch::channel(None);
        let read = UnderWay {
            requested_at: now,
            found: found.clone(),
        };
        under_way.insert(key.clone(), read);
        Read::Begin(Reading {
            reads: self,
            key,
            tell,
            found,
        })
    }

    /// Whether there is an entry with this key that fulfils the condition, however old it is.
    pub(super) fn has(&self, key: &K, is_it: impl FnOnce(&V) -> bool) -> bool {
        self.entries
            .get(key)
            .is_some_and(|entry| is_it(&entry.value))
    }

    /// Removes the entry with this key. Reads of it that are under way will not be cached.
    pub(super) fn invalidate(&self, key: &K) {
        let mut under_way = lock(&self.under_way);
        under_way.remove(key);
        self.entries.remove(key);
    }

    /// Removes the entries whose values fulfil the condition. Reads that are under way will not be cached, whatever
    /// they return. It takes as long as there are entries.
    pub(super) fn invalidate_if(&self, condition: impl Fn(&V) -> bool) {
        let mut under_way = lock(&self.under_way);
        under_way.clear();
        self.entries.retain(|_, entry| !condition(&entry.value));
    }
}

impl<K: Eq + Hash, V: Clone + Weigh> fmt::Debug for Reads<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reads")
            .field("entries", &self.entries.len())
            .finish_non_exhaustive()
    }
}

/// A read of the store, by the caller that makes it. If it is dropped, nothing is cached.
pub(super) struct Reading<'a, K: Clone + Eq + Hash, V: Clone + Weigh> {
    reads: &'a Reads<K, V>,
    key: K,
    tell: watch::Sender<Option<V>>,
    found: Found<V>,
}

impl<K: Clone + Eq + Hash, V: Clone + Weigh> Reading<'_, K, V> {
    /// Hands what the store returned to those who wait for it, and caches it, unless it was
    /// invalidated since the read began.
    pub(super) fn finish(self, value: &V) {
        let mut under_way = lock(&self.reads.under_way);
        if let Some(read) = self.end(&mut under_way) {
            let entry = CacheEntry {
                value: value.clone(),
                requested_at: read.requested_at,
            };
            self.reads.entries.insert(self.key.clone(), entry);
        }
        drop(under_way);
        self.tell.send_replace(Some(value.clone()));
    }

    /// Removes the read from those under way, unless it was invalidated.
    fn end(&self, under_way: &mut HashMap<K, UnderWay<V>>) -> Option<UnderWay<V>> {
        let is_this = |read: &UnderWay<V>| read.found.same_channel(&self.found);
        under_way
            .get(&self.key)
            .is_some_and(is_this)
            .then(|| under_way.remove(&self.key))
            .flatten()
    }
}

impl<K: Clone + Eq + Hash, V: Clone + Weigh> Drop for Reading<'_, K, V> {
    fn drop(&mut self) {
        self.end(&mut lock(&self.reads.under_way));
    }
}
