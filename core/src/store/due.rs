//! Posts that change by themselves, and when.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use crate::post::{PostId, Timestamp};

/// A post, and when it is [due](crate::PostSummary::due_at).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due {
    /// When it is due.
    pub at: Timestamp,
    /// Identifies the post.
    pub id: PostId,
}

/// Wakes the task that makes what is due, if a post is written that is due before.
#[derive(Debug)]
pub(crate) struct Alarm {
    /// The time until which the task sleeps, in microseconds.
    until: AtomicI64,
    written: Notify,
}

impl Default for Alarm {
    fn default() -> Self {
        Self {
            until: AtomicI64::new(i64::MAX),
            written: Notify::new(),
        }
    }
}

impl Alarm {
    /// From now on, each write of a post that is due wakes the task: it is about to ask the store.
    pub(crate) fn reset(&self) {
        self.until.store(i64::MAX, Ordering::SeqCst);
    }

    /// Waits for so long, or until a post is written that is due before.
    pub(crate) async fn wait(&self, pause: Duration) {
        let until = Timestamp::now().later_by(pause);
        self.until.store(until.as_micros(), Ordering::SeqCst);
        let _ = timeout(pause, self.written.notified()).await;
    }

    /// A post was written that is due at this time.
    pub(crate) fn written(&self, due: Timestamp) {
        if due.as_micros() < self.until.load(Ordering::SeqCst) {
            self.wake();
        }
    }

    pub(crate) fn wake(&self) {
        self.written.notify_one();
    }
}
