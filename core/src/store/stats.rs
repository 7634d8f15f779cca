//! What a store measures, for the host's metrics.

use std::time::Duration;

/// What a store has done since it was opened, and what it has in memory. The default measures nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreStats {
    /// The store's queue of writes, if it has one.
    pub writes: Option<WriteStats>,
}

impl StoreStats {
    /// Sets what is known of the queue of writes.
    #[must_use]
    pub fn with_writes(self, writes: WriteStats) -> Self {
        let writes = Some(writes);
        Self { writes, ..self }
    }
}

/// A queue of writes that are committed in batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteStats {
    /// How many writes wait now.
    pub waiting: u64,
    /// How many writes were in a batch so far.
    pub writes: u64,
    /// How many batches there were.
    pub batches: u64,
    /// How long all these batches took together, until they were committed or had failed.
    pub time: Duration,
}

/// A cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// How many reads found what they needed.
    pub hits: u64,
    /// How many did not.
    pub misses: u64,
    /// How many entries there are now.
    pub entries: u64,
    /// How much memory the entries take now, in bytes, approximately.
    pub bytes: u64,
}
