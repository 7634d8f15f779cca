//! Pauses between retries.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{Instant, sleep};

/// The time limit of a call, including the wait for a connection.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(5);

/// Since when a server is away, if it is.
#[derive(Default)]
pub(crate) struct Away(Mutex<Option<Instant>>);

impl Away {
    /// The server is here.
    pub(crate) fn end(&self) {
        *self.0.lock() = None;
    }

    /// The server is away. Returns until when to retry: when it has been away for longer than the time limit of a call,
    /// calls fail at once.
    pub(crate) fn retry_until(&self, deadline: Instant) -> Instant {
        let since = *self.0.lock().get_or_insert_with(Instant::now);
        deadline.min(since + TIMEOUT)
    }
}

/// Pauses between retries: longer each time, and random, so that two conflicting transactions do not
/// meet again.
pub(crate) struct Backoff {
    pub(crate) deadline: Instant,
    next: Duration,
}

impl Backoff {
    const FIRST: Duration = Duration::from_millis(5);
    const MAX: Duration = Duration::from_millis(400);

    pub(crate) fn until(deadline: Instant) -> Self {
        Self {
            deadline,
            next: Self::FIRST,
        }
    }

    /// Waits before a retry. Returns false at once if the deadline would pass.
    pub(crate) async fn wait(&mut self) -> bool {
        if Instant::now() + self.next >= self.deadline {
            return false;
        }
        sleep(self.next.mul_f64(rand::random_range(0.5..1.0))).await;
        self.next = (self.next * 2).min(Self::MAX);
        true
    }
}
