//! What was read before, for as long as it can't have changed since.
//!
//! SQLite tells its readers in the head of the file `…-shm` that something was committed: each
//! commit, of whatever process, changes the first 48 bytes of it before the writer hears that it is
//! done, and adds one to a counter there
//! (<https://sqlite.org/walformat.html#the_wal_index_file_format>). These bytes are mapped, as SQLite
//! itself has them (`wal_index.rs`): looking at them takes no system call, and next to no time where
//! asking the database takes 15 µs. At each start a commit is made to see that they change as
//! described, so that where they would not, every read asks the database.

use std::future::Future;
use std::hash::Hash;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, Weighter};
use sqlx::SqliteConnection;

use super::wal_index::{HEAD_LEN, WalIndex};
use crate::store::weight::Weigh;

/// Answers that a cache is laid out for at first; it grows with their number.
const LAID_OUT_FOR: usize = 1024;

/// What changes with each commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Stamp([u8; HEAD_LEN]);

impl Stamp {
    /// The counter of commits: the third word, in the machine's own byte order.
    fn commits(&self) -> u32 {
        let [.., a, b, c, d] = self.0.first_chunk::<12>().copied().unwrap_or_default();
        u32::from_ne_bytes([a, b, c, d])
    }

    fn is_one_commit_after(&self, earlier: &Self) -> bool {
        self.commits() == earlier.commits().wrapping_add(1)
    }
}

/// Tells whether something was committed.
#[derive(Clone, Debug)]
pub(super) struct Freshness {
    wal_index: Option<&'static WalIndex>,
    keys: Arc<Mutex<KeysLine>>,
}

/// An unbroken line of commits, all of them by this store's writer, that left the keys as they are.
#[derive(Debug)]
struct KeysLine {
    number: u64,
    latest: Option<Stamp>,
}

/// A state of the keys: as of this stamp, or of any stamp of this line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum KeysState {
    At(Stamp),
    Along(u64),
}

impl Freshness {
    /// Watches the database that this connection has open, and goes on while it has.
    pub(super) async fn watch(
        database: &Path,
        connection: &mut SqliteConnection,
    ) -> sqlx::Result<Self> {
        let mut wal_index = database.as_os_str().to_owned();
        wal_index.push("-shm");
        let keys = Arc::new(Mutex::new(KeysLine {
            number: 0,
            latest: None,
        }));
        let mut watched = Self {
            wal_index: WalIndex::open(wal_index.as_ref()),
            keys,
        };
        let before = watched.stamp();
        sqlx::query("UPDATE handbill_meta SET opened = opened + 1")
            .execute(connection)
            .await?;
        let describes_commits = match (before, watched.stamp()) {
            // Somebody else may commit just now: more than one commit is well, too.
            (Some(before), Some(after)) => {
                (1..1000).contains(&after.commits().wrapping_sub(before.commits()))
            }
            _ => false,
        };
        if !describes_commits {
            tracing::warn!("commits can't be watched here: every read asks the database");
            watched.wal_index = None;
        }
        Ok(watched)
    }

    /// What is the same as long as nothing is committed, or none where that can't be told.
    pub(super) fn stamp(&self) -> Option<Stamp> {
        self.wal_index?.head().map(Stamp)
    }

    /// Looks no more: the database is about to be closed.
    pub(super) fn end(&self) {
        if let Some(wal_index) = self.wal_index {
            wal_index.leave();
        }
    }

    /// What is the same as long as no key changes, or none where that can't be told.
    pub(super) fn keys_state(&self) -> Option<KeysState> {
        let now = self.stamp()?;
        let line = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let along = line.latest == Some(now);
        Some(if along {
            KeysState::Along(line.number)
        } else {
            KeysState::At(now)
        })
    }

    /// Hears of a commit by this store's writer, right after it. The line goes on if that was the
    /// one commit since the last, and left the keys as they are.
    pub(super) fn committed(&self, changed_keys: bool) {
        let now = self.stamp();
        let mut line = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let goes_on = match (&line.latest, &now) {
            (Some(latest), Some(now)) => !changed_keys && now.is_one_commit_after(latest),
            _ => false,
        };
        if !goes_on {
            line.number += 1;
        }
        line.latest = now;
    }
}

/// Answers of the database, each under the state that it was asked in, and used as long as that is
/// the state. Whoever asks for the same meanwhile shares the answer.
#[derive(Debug)]
pub(super) struct Remembered<K, S, V: Weigh> {
    answers: Cache<(K, S), Arc<V>, ByWeight>,
}

#[derive(Clone, Debug)]
struct ByWeight;

impl<K, S, V: Weigh> Weighter<(K, S), Arc<V>> for ByWeight {
    fn weight(&self, _: &(K, S), answer: &Arc<V>) -> u64 {
        (size_of::<(K, S)>() + size_of::<V>() + answer.weight()) as u64
    }
}

impl<K: Clone + Eq + Hash, S: Copy + Eq + Hash, V: Clone + Weigh> Remembered<K, S, V> {
    pub(super) fn new(max_bytes: u64) -> Self {
        let (hasher, lifecycle) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
        Self {
            answers: Cache::with(LAID_OUT_FOR, max_bytes, ByWeight, hasher, lifecycle),
        }
    }

    /// The answer as the database would give it now. `state` was looked up before asking: what is
    /// committed meanwhile may make an answer newer than its state, never older.
    pub(super) async fn get<F: Future<Output = sqlx::Result<V>>>(
        &self,
        key: K,
        state: Option<S>,
        ask: impl FnOnce() -> F,
    ) -> sqlx::Result<V> {
        let Some(state) = state else {
            return Box::pin(ask()).await;
        };
        let key = (key, state);
        if let Some(answer) = self.answers.get(&key) {
            return Ok(V::clone(&answer));
        }
        // In a box of its own: most find an answer, and carry no room for asking.
        let ask = async { ask().await.map(Arc::new) };
        let answer = Box::pin(self.answers.get_or_insert_async(&key, ask)).await?;
        Ok(V::clone(&answer))
    }
}
