//! Counts list entries in the background: moves list changes into totals and blocks (`count.sql`).
//!
//! Each instance has a counter, and one of them counts at a time. Writers never wait for it. Reads are
//! exact without it, but take longer the more changes are not counted.

use std::sync::Arc;

use tokio::time::{Instant, timeout};

use super::connections::Connections;
use super::failure::{Cause, Failure};
use crate::backoff::TIMEOUT;
use crate::counter::{COUNT_TIMEOUT, Counter, Wakes};

const HAS_CHANGES: &str = "SELECT list FROM handbill_list_changes LIMIT 1";
/// One transaction, in one round trip.
const COUNT: &str = include_str!("count.sql");

pub(super) fn start(connections: &Arc<Connections>) -> Counter {
    let (counter, wakes) = Counter::new();
    tokio::spawn(run(Arc::clone(connections), wakes));
    counter
}

async fn run(connections: Arc<Connections>, mut wakes: Wakes) {
    loop {
        let started = Instant::now();
        let counted = timeout(COUNT_TIMEOUT, count(&connections)).await;
        let counted = counted.unwrap_or(Err(Failure::TimedOut));
        if matches!(counted, Err(Failure::Closed)) || !wakes.next(started, counted).await {
            return;
        }
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
