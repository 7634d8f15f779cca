//! Counts list entries in the background: moves list changes into totals and blocks (`count.sql`).
//!
//! Each instance has a counter, and one of them counts at a time. Writers never wait for it. Reads are
//! exact without it, but take longer the more changes are not counted.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};

use super::connections::{Connections, TIMEOUT};
use super::failure::{Cause, Failure};

const HAS_CHANGES: &str = "SELECT list FROM handbill_list_changes LIMIT 1";
/// One transaction, in one round trip.
const COUNT: &str = include_str!("count.sql");
/// The least pause between two runs, so that one run counts many changes.
const MIN_PAUSE: Duration = Duration::from_millis(100);
/// How much longer the pause is than the run before it, so that counting takes at most a tenth of the
/// server's time.
const PAUSE_RATIO: u32 = 10;
/// A run may have to count a large import.
const COUNT_TIMEOUT: Duration = Duration::from_secs(60);

/// A handle of the background task, which ends when all clones are dropped.
#[derive(Clone, Debug)]
pub(super) struct Counter(mpsc::Sender<()>);

impl Counter {
    /// Starts with a run, because an instance may have stopped before it counted all changes.
    pub(super) fn start(connections: &Arc<Connections>) -> Self {
        let (sender, wakes) = mpsc::channel(1);
        tokio::spawn(run(Arc::clone(connections), wakes));
        Self(sender)
    }

    /// Tells the task that there are changes.
    pub(super) fn wake(&self) {
        // An error means that an earlier wake is still waiting.
        let _ = self.0.try_send(());
    }
}

async fn run(connections: Arc<Connections>, mut wakes: mpsc::Receiver<()>) {
    loop {
        let started = Instant::now();
        let counted = timeout(COUNT_TIMEOUT, count(&connections)).await;
        let may_be_more = match counted.unwrap_or(Err(Failure::TimedOut)) {
            Ok(had_changes) => had_changes,
            Err(Failure::Closed) => return,
            Err(failure) => {
                tracing::warn!("could not count list entries, which makes lists slower: {failure}");
                true
            }
        };
        if wakes.is_closed() || (!may_be_more && wakes.recv().await.is_none()) {
            return;
        }
        sleep(MIN_PAUSE.max(started.elapsed() * PAUSE_RATIO)).await;
    }
}

/// Returns whether there were changes.
async fn count(connections: &Connections) -> Result<bool, Failure> {
    let changes = connections.rows(|| sqlx::query(HAS_CHANGES)).await?;
    if changes.is_empty() {
        return Ok(false);
    }
    let mut lease = connections.lease(Instant::now() + TIMEOUT).await?;
    match lease.execute(COUNT).await {
        Ok(()) => {}
        // Another instance has counted since this run started.
        Err(error) if Cause::of(&error) == Cause::Conflict => lease.execute("ROLLBACK").await?,
        Err(error) => return Err(error.into()),
    }
    lease.give_back();
    Ok(true)
}
