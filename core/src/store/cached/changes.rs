//! Notifications of changes that other instances make.

use std::sync::Arc;
use std::time::Instant;

use super::Entries;
use crate::id::PostId;

/// Notifies a [`Cached`](super::Cached) store of changes, so that it may use cache entries for longer
/// than its bound. A clone notifies the same store.
///
/// This is optional. Without notifications, a cache entry is used up to the bound, and then the post
/// is read again. A task that listens to the database calls, in this order:
///
/// 1. [`reset`], once it listens, and again each time it lost the connection and listens again.
///    Changes in the gap were not notified, so entries from before this call are never used beyond
///    the bound.
/// 2. [`changed`], for each change of a post by any instance, including this one. (A change of this
///    instance may have been made although its caller saw an error or went away.)
/// 3. [`confirm_until`], whenever it is certain that all changes acknowledged up to an instant were
///    notified. Cache entries may then be used until the bound has passed since that instant.
///
/// A heartbeat gives the certainty for 3: note the instant, and send a message through the channel
/// that the changes take. When it arrives, everything that was acknowledged before that instant has
/// arrived. Silence proves nothing, since a dead connection can go unnoticed for minutes. Without
/// heartbeats no entry is confirmed, and each is read again within the bound.
///
/// A store that reads from replicas must return the changed post to each read that begins after
/// [`changed`], from the primary if need be. Otherwise the old post would be cached, and confirmed.
///
/// [`reset`]: Self::reset
/// [`changed`]: Self::changed
/// [`confirm_until`]: Self::confirm_until
#[derive(Clone, Debug)]
pub struct Changes {
    pub(super) entries: Arc<Entries>,
}

impl Changes {
    /// From now on every change is notified. Entries that were read earlier are not confirmed.
    pub fn reset(&self) {
        self.entries.validity.reset();
    }

    /// This post was changed or deleted. Its cache entry is removed, and reads of it that are under
    /// way are not cached.
    pub fn changed(&self, id: PostId) {
        self.entries.invalidate(Some(id));
    }

    /// All changes acknowledged before this instant, which has passed, were notified since
    /// [`reset`](Self::reset). An instant before an earlier call's does nothing.
    pub fn confirm_until(&self, at: Instant) {
        self.entries.validity.confirm_until(at);
    }
}
