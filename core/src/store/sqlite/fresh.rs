//! What was read before, for as long as nothing was committed since.
//!
//! SQLite tells its readers in the head of the file `…-shm` that something was committed: each
//! commit, of whatever process, changes the first 96 bytes of it before the writer hears that it is
//! done (<https://sqlite.org/walformat.html#the_wal_index_file_format>). Reading these is some
//! thirty times faster than asking the database. They are compared, not understood; and at each
//! start a commit is made to see that they change, so that where they would not, every read asks
//! the database.
//!
//! The file stays open for the life of the process: POSIX drops every lock that a process has on a
//! file as soon as it closes any descriptor of it, and SQLite's locks are on this one.

use std::fs::File;
use std::future::Future;
use std::hash::Hash;
use std::path::Path;
use std::sync::Arc;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, Weighter};
use sqlx::SqliteConnection;

const STAMP_LEN: usize = 96;
/// Answers that a cache is laid out for at first; it grows with their number.
const LAID_OUT_FOR: usize = 1024;

/// What changes with each commit.
type Stamp = [u8; STAMP_LEN];

/// Tells whether something was committed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Freshness {
    wal_index: Option<&'static File>,
}

impl Freshness {
    /// Watches the database that this connection has open, and goes on while it has.
    pub(super) async fn watch(
        database: &Path,
        connection: &mut SqliteConnection,
    ) -> sqlx::Result<Self> {
        let mut wal_index = database.as_os_str().to_owned();
        wal_index.push("-shm");
        let watched = Self {
            wal_index: File::open(wal_index).ok().map(leak),
        };
        let before = watched.stamp();
        sqlx::query("UPDATE handbill_meta SET opened = opened + 1")
            .execute(connection)
            .await?;
        if before.is_some() && watched.stamp() != before {
            return Ok(watched);
        }
        tracing::warn!("commits can't be watched here: every read asks the database");
        Ok(Self { wal_index: None })
    }

    #[cfg(unix)]
    fn stamp(&self) -> Option<Stamp> {
        use std::os::unix::fs::FileExt;

        let mut stamp = [0; STAMP_LEN];
        self.wal_index?.read_exact_at(&mut stamp, 0).ok()?;
        Some(stamp)
    }

    #[cfg(not(unix))]
    fn stamp(&self) -> Option<Stamp> {
        None
    }
}

fn leak(file: File) -> &'static File {
    Box::leak(Box::new(file))
}

/// Answers of the database, each used as long as nothing was committed since it was asked for.
#[derive(Debug)]
pub(super) struct Remembered<K, V: Weigh> {
    freshness: Freshness,
    answers: Cache<K, Arc<(Stamp, V)>, ByWeight>,
}

/// How many bytes an answer takes, about.
pub(super) trait Weigh {
    fn weight(&self) -> usize;
}

#[derive(Clone, Debug)]
struct ByWeight;

impl<K, V: Weigh> Weighter<K, Arc<(Stamp, V)>> for ByWeight {
    fn weight(&self, _: &K, answer: &Arc<(Stamp, V)>) -> u64 {
        (size_of::<K>() + size_of::<(Stamp, V)>() + answer.1.weight()) as u64
    }
}

impl<K: Clone + Eq + Hash, V: Clone + Weigh> Remembered<K, V> {
    pub(super) fn new(freshness: Freshness, max_bytes: u64) -> Self {
        let (hasher, lifecycle) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
        let answers = Cache::with(LAID_OUT_FOR, max_bytes, ByWeight, hasher, lifecycle);
        Self { freshness, answers }
    }

    /// The answer as the database would give it now.
    pub(super) async fn get(
        &self,
        key: &K,
        ask: impl Future<Output = sqlx::Result<V>>,
    ) -> sqlx::Result<V> {
        // Taken before asking: what is committed meanwhile makes the answer an old one, never an
        // old answer a fresh one.
        let Some(now) = self.freshness.stamp() else {
            return ask.await;
        };
        if let Some(known) = self.answers.get(key)
            && known.0 == now
        {
            return Ok(known.1.clone());
        }
        let answer = ask.await?;
        self.answers
            .insert(key.clone(), Arc::new((now, answer.clone())));
        Ok(answer)
    }
}
