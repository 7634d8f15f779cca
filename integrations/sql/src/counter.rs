//! When the task that counts list entries runs: on PostgreSQL and MySQL.

use std::fmt::Display;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

/// A run may have to count a large import.
pub(crate) const COUNT_TIMEOUT: Duration = Duration::from_secs(60);
/// The least pause between two runs, so that one run counts many changes.
const MIN_PAUSE: Duration = Duration::from_millis(100);
/// How much longer the pause is than the run before it, so that counting takes at most a tenth of the server's time.
const PAUSE_RATIO: u32 = 10;
/// The server may be away for a while, and one line of the log in a second is enough.
const MIN_PAUSE_AFTER_ERROR: Duration = Duration::from_secs(1);

/// A handle of the background task, which ends when all clones are dropped.
#[derive(Clone)]
pub(crate) struct Counter(mpsc::Sender<()>);

/// By which the task learns of changes.
pub(crate) struct Wakes(mpsc::Receiver<()>);

impl Counter {
    /// The task starts with a run, because an instance may have stopped before it counted all changes.
    pub(crate) fn new() -> (Self, Wakes) {
        let (sender, receiver) = mpsc::channel(1);
        (Self(sender), Wakes(receiver))
    }

    /// Counts nothing: other instances do.
    pub(crate) fn of_others() -> Self {
        Self::new().0
    }

    /// Tells the task that there are changes.
    pub(crate) fn wake(&self) {
        // An error means that an earlier wake is still waiting, or that there is no task.
        let _ = self.0.try_send(());
    }
}

impl Wakes {
    /// Waits until the next run is due, after one that began at `started` and says whether there were changes. Returns
    /// false when all handles are dropped.
    pub(crate) async fn next(
        &mut self,
        started: Instant,
        counted: Result<bool, impl Display>,
    ) -> bool {
        let mut pause = MIN_PAUSE.max(started.elapsed() * PAUSE_RATIO);
        let may_be_more = counted.unwrap_or_else(|error| {
            tracing::warn!("could not count list entries, which makes lists slower: {error}");
            pause = pause.max(MIN_PAUSE_AFTER_ERROR);
            true
        });
        if self.0.is_closed() || (!may_be_more && self.0.recv().await.is_none()) {
            return false;
        }
        sleep(pause).await;
        true
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{Instant, sleep};

    use super::Counter;

    #[tokio::test(start_paused = true)]
    async fn the_pause_is_that_of_the_run_and_not_of_the_wait_for_changes() {
        let (counter, mut wakes) = Counter::new();
        let started = Instant::now();
        sleep(Duration::from_secs(1)).await;
        let later = async {
            sleep(Duration::from_secs(3600)).await;
            counter.wake();
        };
        let (goes_on, ()) = tokio::join!(wakes.next(started, Ok::<_, String>(false)), later);
        assert!(goes_on);
        assert_eq!(started.elapsed().as_secs(), 1 + 3600 + 10);
    }

    #[tokio::test(start_paused = true)]
    async fn after_an_error_the_pause_is_a_second() {
        let (_counter, mut wakes) = Counter::new();
        let started = Instant::now();
        assert!(wakes.next(started, Err("the server is away")).await);
        assert_eq!(started.elapsed().as_secs(), 1);
    }

    #[tokio::test]
    async fn the_task_ends_with_the_last_handle() {
        let (counter, mut wakes) = Counter::new();
        drop(counter.clone());
        drop(counter);
        assert!(!wakes.next(Instant::now(), Ok::<_, String>(true)).await);
    }
}
