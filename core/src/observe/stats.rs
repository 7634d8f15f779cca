//! What a service has done and what it has in memory, for the host's metrics.

use crate::store::{CacheStats, Health, ListenerState, StoreStats, Write};

/// What a service has done since it was made, and what it has in memory: see
/// [`Handbill::stats`](crate::Handbill::stats).
///
/// Numbers of what was done only grow. They begin at 0 with each process.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Stats {
    /// The changes that this service has made, over HTTP and for the host.
    pub changes: ChangeStats,
    /// The cache of finished responses. A response of 304 counts as a hit if the response that it stands for was
    /// cached.
    pub responses: CacheStats,
    /// The indexing of posts that were stored before their store could search.
    pub indexing: IndexingStats,
    /// What the store measures.
    pub store: StoreStats,
    /// The state of the store and of its replicas. `None` if the store does not respond.
    pub health: Option<Health>,
    /// The durable listeners that the store knows, with what waits for each. Empty if the store does not respond.
    pub listeners: Vec<ListenerState>,
}

/// How many changes a service has made, by the name of their [`Event`](crate::Event).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangeStats {
    /// `post.created`.
    pub posts_created: u64,
    /// `post.updated`.
    pub posts_updated: u64,
    /// `post.deleted`.
    pub posts_deleted: u64,
    /// `key.issued`.
    pub keys_issued: u64,
    /// `key.revoked`.
    pub keys_revoked: u64,
}

/// What a service has indexed for searches in the background. Words of posts that are written now are stored with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexingStats {
    /// Whether this service indexes posts now. Of all instances over a store, one does.
    pub is_running: bool,
    /// How many posts this service has indexed since it was made.
    pub posts: u64,
}

impl ChangeStats {
    /// Where the changes that such writes make are counted.
    pub(crate) fn counter(write: &Write) -> Option<fn(&mut Self) -> &mut u64> {
        match write {
            Write::InsertPost { .. } => Some(|stats| &mut stats.posts_created),
            Write::UpdatePost { .. } => Some(|stats| &mut stats.posts_updated),
            Write::DeletePost { .. } => Some(|stats| &mut stats.posts_deleted),
            Write::InsertKey { .. } => Some(|stats| &mut stats.keys_issued),
            Write::RevokeKey(_) => Some(|stats| &mut stats.keys_revoked),
            Write::InsertTombstone(_)
            | Write::TouchKey { .. }
            | Write::ForgetOwner { .. }
            | Write::Bar { .. }
            | Write::Unbar { .. } => None,
        }
    }
}
