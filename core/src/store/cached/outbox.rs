//! The outbox of the store below, with the cache kept up to date.

use std::time::Duration;

use async_trait::async_trait;

use super::Cached;
use crate::change::NewChange;
use crate::store::{DueChange, ListenerState, Mutation, Outbox, Store, StoreError, Write};
use crate::time::Timestamp;

impl<S: Store> Cached<S> {
    fn below(&self) -> Result<&dyn Outbox, StoreError> {
        let outbox = self.store.outbox();
        outbox.ok_or_else(|| StoreError::new("find the outbox", "the store below has none"))
    }
}

#[async_trait]
impl<S: Store> Outbox for Cached<S> {
    async fn write(&self, mutation: Mutation, change: NewChange) -> Result<Write, StoreError> {
        let _invalidation = match &mutation {
            Mutation::InsertPost(_) => Some(self.entries.invalidate_on_drop(None)),
            other => other
                .post()
                .map(|id| self.entries.invalidate_on_drop(Some(id))),
        };
        self.below()?.write(mutation, change).await
    }

    async fn add_listener(&self, name: &str) -> Result<(), StoreError> {
        self.below()?.add_listener(name).await
    }

    async fn remove_listener(&self, name: &str) -> Result<bool, StoreError> {
        self.below()?.remove_listener(name).await
    }

    async fn listeners(&self) -> Result<Vec<ListenerState>, StoreError> {
        self.below()?.listeners().await
    }

    async fn hold_listener(
        &self,
        name: &str,
        holder: &str,
        time: Duration,
    ) -> Result<bool, StoreError> {
        self.below()?.hold_listener(name, holder, time).await
    }

    async fn due_changes(
        &self,
        name: &str,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<DueChange>, StoreError> {
        self.below()?.due_changes(name, now, limit).await
    }

    async fn settle(
        &self,
        name: &str,
        done: &[u64],
        again: &[(u64, Timestamp)],
    ) -> Result<(), StoreError> {
        self.below()?.settle(name, done, again).await
    }
}
