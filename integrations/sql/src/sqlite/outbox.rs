//! The outbox: changes that wait for durable listeners.

use std::time::Duration;

use async_trait::async_trait;
use handbill::store::{
    DueChange, ListenerFailure, ListenerState, MAX_PAUSE, Outbox, Outcome, Retry, StoreError,
    Timestamp,
};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::SqliteStore;
use super::change::Request;
use super::outbox_change::OutboxChange;

/// Of those in a range of times, the ones before which no other change of the same subject waits.
const DUE: &str = "
SELECT number, attempts, change FROM (
  SELECT * FROM handbill_waiting_changes AS waiting
  WHERE listener = ?1 AND due <= ?2 AND NOT EXISTS (
    SELECT 1 FROM handbill_waiting_changes AS earlier
    WHERE earlier.listener = ?1 AND earlier.subject = waiting.subject AND earlier.number < waiting.number
  )
  ORDER BY due, number LIMIT ?4
)
UNION ALL
SELECT number, attempts, change FROM (
  SELECT * FROM handbill_waiting_changes AS waiting
  WHERE listener = ?1 AND due > ?3 AND NOT EXISTS (
    SELECT 1 FROM handbill_waiting_changes AS earlier
    WHERE earlier.listener = ?1 AND earlier.subject = waiting.subject AND earlier.number < waiting.number
  )
  ORDER BY due, number LIMIT ?4
)
LIMIT ?4";

const STATES: &str = "
SELECT name, failure, failed_at, COUNT(number) AS waiting, MAX(number) AS last, (
  SELECT made_at FROM handbill_waiting_changes WHERE listener = name ORDER BY number LIMIT 1
) AS oldest
FROM handbill_listeners LEFT JOIN handbill_waiting_changes ON listener = name
GROUP BY name ORDER BY name";

fn due_change(row: &SqliteRow) -> sqlx::Result<DueChange> {
    let (number, attempts): (i64, u32) = (row.try_get("number")?, row.try_get("attempts")?);
    Ok(DueChange {
        number: number.cast_unsigned(),
        attempts,
        text: row.try_get("change")?,
    })
}

fn state(row: &SqliteRow) -> sqlx::Result<ListenerState> {
    let failure: Option<String> = row.try_get("failure")?;
    let failed_at: Option<i64> = row.try_get("failed_at")?;
    let failure = failure.zip(failed_at).map(|(error, at)| ListenerFailure {
        at: Timestamp::from_micros(at),
        error,
    });
    let state = ListenerState::new(row.try_get("name")?).with_last_failure(failure);
    let waiting: i64 = row.try_get("waiting")?;
    let (oldest, last): (Option<i64>, Option<i64>) = (row.try_get("oldest")?, row.try_get("last")?);
    Ok(match (oldest, last) {
        (Some(oldest), Some(last)) => state.with_waiting(
            waiting.cast_unsigned(),
            Timestamp::from_micros(oldest),
            last.cast_unsigned(),
        ),
        _ => state,
    })
}

#[async_trait]
impl Outbox for SqliteStore {
    async fn add_listener(&self, name: &str) -> Result<(), StoreError> {
        let add = OutboxChange::Add(name.to_owned());
        let added = self.change_outbox("add a durable listener", add).await;
        added.map(|_| ())
    }

    async fn remove_listener(&self, name: &str) -> Result<bool, StoreError> {
        let remove = OutboxChange::Remove(name.to_owned());
        let removed = self
            .change_outbox("remove a durable listener", remove)
            .await;
        Ok(removed? == Outcome::Applied)
    }

    async fn listeners(&self) -> Result<Vec<ListenerState>, StoreError> {
        let states = self.reader.rows(sqlx::query(STATES), state).await;
        states.map_err(|error| StoreError::new("list the durable listeners", error))
    }

    async fn lease_listener(
        &self,
        name: &str,
        instance: &str,
        time: Duration,
    ) -> Result<bool, StoreError> {
        let lease = OutboxChange::Lease {
            listener: name.to_owned(),
            instance: instance.to_owned(),
            time,
        };
        let leased = self.change_outbox("lease a durable listener", lease).await;
        Ok(leased? == Outcome::Applied)
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
        let due = self.reader.rows(query, due_change).await;
        due.map_err(|error| StoreError::new("read the changes that wait", error))
    }

    async fn settle(&self, name: &str, done: &[u64], again: &[Retry]) -> Result<(), StoreError> {
        let settle = OutboxChange::Settle {
            listener: name.to_owned(),
            done: done.to_vec(),
            again: again.to_vec(),
        };
        let settled = self.change_outbox("settle changes", settle).await;
        settled.map(|_| ())
    }
}

impl SqliteStore {
    async fn change_outbox(
        &self,
        doing: &'static str,
        change: OutboxChange,
    ) -> Result<Outcome, StoreError> {
        self.writer.write(doing, Request::Outbox(change)).await
    }
}
