//! The health of the store, and what the service measures.

use std::time::Duration;

use futures_util::future::join;
use tokio::time::timeout;

use crate::context::Context;
use crate::observe::stats::Stats;
use crate::problem::Problem;
use crate::store::{Health, ListenerState, StoreError};

/// How long the store may take. Orchestrators wait for 2 seconds or longer.
const MAX_WAIT: Duration = Duration::from_millis(1500);

/// Asks the store whether it can serve reads.
pub(crate) async fn of_store(context: &Context) -> Result<Health, Problem> {
    let health = timeout(MAX_WAIT, context.store.health()).await;
    let health = health.map_err(|too_late| StoreError::new("check the store", too_late))??;
    Ok(health)
}

/// What the service has done, has in memory, and has to do.
pub(crate) async fn stats(context: &Context) -> Stats {
    let (health, listeners) = join(of_store(context), listeners(context)).await;
    let (changes, indexing) = (*context.change_stats.lock(), *context.indexing_stats.lock());
    Stats {
        changes,
        indexing,
        responses: context.cache.stats(),
        store: context.store.stats(),
        health: health.ok(),
        listeners,
    }
}

/// The store's durable listeners. None if the store does not respond.
async fn listeners(context: &Context) -> Vec<ListenerState> {
    let Some(outbox) = context.store.outbox() else {
        return Vec::new();
    };
    let listeners = timeout(MAX_WAIT, outbox.listeners()).await;
    listeners.ok().and_then(Result::ok).unwrap_or_default()
}
