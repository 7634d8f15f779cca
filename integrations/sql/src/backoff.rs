//! Pauses between retries.

use std::time::Duration;

use tokio::time::{Instant, sleep};

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
