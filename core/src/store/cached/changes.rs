//! Hearing of changes that other instances make.

use std::sync::Arc;
use std::time::Instant;

use super::kept::Kept;
use crate::id::PostId;

/// Tells a [`Cached`](super::Cached) store of changes that others made, so that it may use what it
/// keeps for longer than its bound. A clone tells the same store.
///
/// Nobody has to: without it, what is kept is used up to the bound and then read again. Whoever
/// listens to the database does this, in this order:
///
/// 1. once listening, and again each time after the connection was lost: [`reset`]. Changes that
///    were made while nobody listened are not heard of any more, so that nothing read before this
///    is ever used beyond its bound, whatever is heard later;
/// 2. for each change of a post, [`changed`]: of every instance, this one too. A change of this one
///    whose outcome it did not learn (an error, a client that went away) may be made all the same;
/// 3. whenever it is certain that the changes acknowledged up to an instant were all told as above,
///    [`confirm_until`] with that instant. What is kept may be used for another bound from then on.
///
/// The certainty of 3 is what a heartbeat that goes round gives: note the instant, send a message
/// the same way as the changes go, and when it comes back, all that was acknowledged before the
/// instant has come before it. Silence alone proves nothing: a connection may be dead for minutes
/// before anybody notices. Where heartbeats stop, nothing is renewed, and all that is kept is read
/// anew within the bound.
///
/// The store must answer a read that begins after [`changed`] with what was changed: where it reads
/// from replicas, it asks the primary until they have come so far. Else what was before would be
/// kept, and renewed.
///
/// [`reset`]: Self::reset
/// [`changed`]: Self::changed
/// [`confirm_until`]: Self::confirm_until
#[derive(Clone, Debug)]
pub struct Changes {
    kept: Arc<Kept>,
}

impl Changes {
    pub(super) fn of(kept: &Arc<Kept>) -> Self {
        Self {
            kept: Arc::clone(kept),
        }
    }

    /// From now on every change is heard of: nothing that was read earlier is renewed.
    pub fn reset(&self) {
        self.kept.validity.reset();
    }

    /// This post was changed or deleted. What is kept of it is forgotten, and what reads under way
    /// find of it is not kept.
    pub fn changed(&self, id: PostId) {
        self.kept.forget(id);
    }

    /// All changes acknowledged before this instant, which has passed, were told since
    /// [`reset`](Self::reset). An earlier instant than was told before does nothing.
    pub fn confirm_until(&self, at: Instant) {
        self.kept.validity.confirm_until(at);
    }
}
