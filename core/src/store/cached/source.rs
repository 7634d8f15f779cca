//! Asking whether others have changed the store, where nothing notifies of their changes.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;

use super::validity::Validity;
use crate::store::coalescer::Coalescer;

/// Knows whether the store has changed.
#[async_trait]
pub(in crate::store) trait ChangeSource: Debug + Send + Sync {
    /// Whether anything in the store may have changed since the last call, or this is the first call.
    async fn has_changed(&self) -> bool;
}

/// Asks a [`ChangeSource`], once for all callers that wait.
#[derive(Debug)]
pub(super) struct Poll {
    source: Arc<dyn ChangeSource>,
    calls: Coalescer<(), ()>,
}

impl Poll {
    #[cfg(feature = "sqlite")]
    pub(super) fn new(source: Arc<dyn ChangeSource>) -> Self {
        Self {
            source,
            calls: Coalescer::default(),
        }
    }

    /// Confirms the cache entries if nothing has changed; otherwise none of them is confirmed again.
    pub(super) async fn check(&self, validity: &Validity) {
        let check = async |_| {
            let began_at = validity.now();
            if self.source.has_changed().await {
                validity.reset();
            } else {
                validity.confirm(began_at);
            }
        };
        self.calls.ask((), check).await;
    }
}
