//! Asking whether others have changed the store, where nothing notifies of their changes.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;

use super::validity::Validity;
use crate::store::coalescer::Coalescer;

/// Tells a state of the store from the next one.
#[async_trait]
pub(in crate::store) trait ChangeSource: Debug + Send + Sync {
    /// A number that grows with each change of the store; none if it is unknown.
    async fn generation(&self) -> Option<u64>;
}

/// Asks a [`ChangeSource`], once for all callers that wait.
#[derive(Debug)]
pub(super) struct Poll {
    source: Arc<dyn ChangeSource>,
    calls: Coalescer<(), ()>,
    /// The generation at the last call, or [`UNKNOWN`].
    last: AtomicU64,
}

const UNKNOWN: u64 = u64::MAX;

impl Poll {
    #[cfg(feature = "sqlite")]
    pub(super) fn new(source: Arc<dyn ChangeSource>) -> Self {
        Self {
            source,
            calls: Coalescer::new(1),
            last: AtomicU64::new(UNKNOWN),
        }
    }

    /// Confirms the cache entries if nothing has changed since the last call. Otherwise none of the
    /// entries that are there is confirmed any more.
    pub(super) async fn check(&self, validity: &Validity) {
        let check = async |_| {
            let began_at = validity.now();
            let generation = self.source.generation().await.unwrap_or(UNKNOWN);
            let last = self.last.swap(generation, Ordering::Relaxed);
            if generation == last && generation != UNKNOWN {
                validity.confirm(began_at);
            } else {
                validity.reset();
            }
        };
        self.calls.ask((), check).await;
    }
}
