//! The outbox: changes that wait for durable listeners.

use std::time::Duration;

use async_trait::async_trait;
use handbill::store::{DueChange, ListenerState, MAX_PAUSE, Outbox, Retry, StoreError, Timestamp};

use super::SqliteStore;
use crate::outbox::{DUE, STATES, due_change, state};

#[async_trait]
impl Outbox for SqliteStore {
    async fn add_listener(&self, name: &str) -> Result<(), StoreError> {
        self.writer.add_listener(name).await
    }

    async fn remove_listener(&self, name: &str) -> Result<bool, StoreError> {
        self.writer.remove_listener(name).await
    }

    async fn listeners(&self) -> Result<Vec<ListenerState>, StoreError> {
        let (doing, query) = ("list the durable listeners", sqlx::query(STATES));
        self.reader.rows(doing, query, state).await
    }

    async fn lease_listener(
        &self,
        name: &str,
        instance: &str,
        time: Duration,
    ) -> Result<bool, StoreError> {
        self.writer.lease_listener(name, instance, time).await
    }

    async fn due_changes(
        &self,
        name: &str,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<DueChange>, StoreError> {
        let longest = i64::try_from(MAX_PAUSE.as_micros()).unwrap_or(i64::MAX);
        let query = sqlx::query(DUE)
            .bind(name)
            .bind(now.as_micros())
            .bind(now.as_micros().saturating_add(longest))
            .bind(limit);
        let doing = "read the changes that wait";
        self.reader.rows(doing, query, due_change).await
    }

    async fn settle(&self, name: &str, done: &[u64], again: &[Retry]) -> Result<(), StoreError> {
        self.writer.settle(name, done, again).await
    }
}
