//! The outbox: changes that wait for durable listeners.

use std::time::Duration;

use async_trait::async_trait;
use handbill::store::{DueChange, ListenerState, MAX_PAUSE, Outbox, Retry, StoreError, Timestamp};

use super::MySqlStore;
use crate::outbox::{STATES, due_change, state};

/// Of those in a range of times, the ones before which no other change of the same subject waits.
const DUE: &str = "
(SELECT number, attempts, `change` FROM handbill_waiting_changes AS waiting
 WHERE listener = ? AND due <= ? AND NOT EXISTS (
   SELECT 1 FROM handbill_waiting_changes AS earlier
   WHERE earlier.listener = waiting.listener AND earlier.subject = waiting.subject AND earlier.number < waiting.number
 )
 ORDER BY due, number LIMIT ?)
UNION ALL
(SELECT number, attempts, `change` FROM handbill_waiting_changes AS waiting
 WHERE listener = ? AND due > ? AND NOT EXISTS (
   SELECT 1 FROM handbill_waiting_changes AS earlier
   WHERE earlier.listener = waiting.listener AND earlier.subject = waiting.subject AND earlier.number < waiting.number
 )
 ORDER BY due, number LIMIT ?)
LIMIT ?";

#[async_trait]
impl Outbox for MySqlStore {
    async fn add_listener(&self, name: &str) -> Result<(), StoreError> {
        self.writer.add_listener(name).await
    }

    async fn remove_listener(&self, name: &str) -> Result<bool, StoreError> {
        self.writer.remove_listener(name).await
    }

    async fn listeners(&self) -> Result<Vec<ListenerState>, StoreError> {
        let (doing, query) = ("list the durable listeners", || sqlx::query(STATES));
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
        let now = now.as_micros();
        let query = || {
            sqlx::query(DUE)
                .bind(name)
                .bind(now)
                .bind(limit)
                .bind(name)
                .bind(now.saturating_add(longest))
                .bind(limit)
                .bind(limit)
        };
        let doing = "read the changes that wait";
        self.reader.rows(doing, query, due_change).await
    }

    async fn settle(&self, name: &str, done: &[u64], again: &[Retry]) -> Result<(), StoreError> {
        self.writer.settle(name, done, again).await
    }
}
