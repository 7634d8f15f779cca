//! Asking whether others have changed the store, where nothing notifies of their changes.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::Mutex;

use super::{ElapsedNanos, SharedChanges};

/// Tells a state of the store from the next one, for [`Changes::polled`](super::Changes::polled): for a store that can
/// be asked cheaply whether anything was changed in it, but does not say what.
#[async_trait]
pub trait ChangeSource: Debug + Send + Sync {
    /// A number that grows with each change of any process. It includes all changes that were acknowledged before this
    /// call. `None` if it is unknown.
    async fn generation(&self) -> Option<u64>;
}

/// Asks a [`ChangeSource`], once for all callers that wait.
#[derive(Debug)]
pub(super) struct SourcePoll {
    source: Arc<dyn ChangeSource>,
    last: Mutex<SourceCall>,
}

/// A call of the source.
#[derive(Debug)]
struct SourceCall {
    began_at: ElapsedNanos,
    generation: Option<u64>,
}

impl SourcePoll {
    pub(super) fn new(source: Arc<dyn ChangeSource>) -> Self {
        Self {
            source,
            last: Mutex::new(SourceCall {
                began_at: ElapsedNanos::FIRST,
                generation: None,
            }),
        }
    }

    pub(super) async fn state(&self) -> Option<u64> {
        self.source.generation().await
    }

    /// Confirms what is cached if nothing has changed since the last call. Otherwise nothing that is cached now is
    /// confirmed any more.
    pub(super) async fn check(&self, changes: &SharedChanges) {
        let called_at = changes.now();
        let mut last = self.last.lock().await;
        if last.began_at > called_at {
            // Another caller has asked while this one waited.
            return;
        }
        let previous = last.generation.take();
        let began_at = changes.now();
        let generation = self.source.generation().await;
        *last = SourceCall {
            began_at,
            generation,
        };
        if generation.is_some() && generation == previous {
            changes.confirm(began_at);
        } else {
            changes.reset();
        }
    }
}
