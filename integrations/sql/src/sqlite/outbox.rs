//! The outbox: changes that wait for durable listeners.

use std::time::Duration;

use async_trait::async_trait;
use handbill::store::{
    DueChange, ListenerState, MAX_HOLD, MAX_PAUSE, NewChange, Outbox, Outcome, StoreError,
    Timestamp,
};
use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row, Sqlite, SqliteConnection};

use super::SqliteStore;
use super::change::{Request, applied_or};
use super::lookup::json;
use crate::outbox_row::OutboxRow;

const HAS_LISTENERS: &str = "BEGIN IMMEDIATE; SELECT EXISTS (SELECT 1 FROM handbill_listeners)";
/// In milliseconds, by the clock of the machine, which all processes that have the file share.
const HOLD: &str = "
WITH clock (now) AS (SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER))
UPDATE handbill_listeners SET holder = ?2, held_until = now + ?3 FROM clock
WHERE name = ?1 AND (holder IS NULL OR holder = ?2 OR held_until <= now OR held_until > now + ?4)";

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
SELECT name, COUNT(number) AS waiting, MAX(number) AS last, (
  SELECT made_at FROM handbill_waiting_changes WHERE listener = name ORDER BY number LIMIT 1
) AS oldest
FROM handbill_listeners LEFT JOIN handbill_waiting_changes ON listener = name
GROUP BY name ORDER BY name";

/// What a write changes in the outbox itself.
#[derive(Debug)]
pub(super) enum OutboxChange {
    Add(String),
    Remove(String),
    Hold {
        listener: String,
        holder: String,
        time: Duration,
    },
    Settle {
        listener: String,
        done: Vec<u64>,
        again: Vec<(u64, Timestamp)>,
    },
}

impl OutboxChange {
    /// Whether data is deleted.
    pub(super) fn erases(&self) -> bool {
        match self {
            Self::Settle { done, .. } => !done.is_empty(),
            Self::Remove(_) => true,
            Self::Add(_) | Self::Hold { .. } => false,
        }
    }
}

/// Begins a transaction, and returns whether there are listeners.
pub(super) async fn begin(connection: &mut SqliteConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar(HAS_LISTENERS)
        .fetch_one(connection)
        .await
}

/// Adds statements that put changes into the outbox, each for a post whose identifier is still free. So they come
/// before the statement that inserts these posts.
pub(super) fn push_new_posts(query: &mut QueryBuilder<Sqlite>, rows: &[OutboxRow]) {
    if rows.is_empty() {
        return;
    }
    query.push("WITH change (place, subject, made_at, text) AS (");
    query.push_values(rows.iter().zip(1_i64..), |mut values, (row, place)| {
        values
            .push_bind(place)
            .push_bind(&row.subject)
            .push_bind(row.made_at)
            .push_bind(&row.text);
    });
    query.push(
        ") INSERT INTO handbill_waiting_changes (listener, number, subject, made_at, change)
         SELECT name, last_change + place, subject, made_at, text
         FROM handbill_listeners CROSS JOIN handbill_meta CROSS JOIN change
         WHERE NOT EXISTS (SELECT 1 FROM handbill_posts WHERE id = subject);
         UPDATE handbill_meta SET last_change = last_change + ",
    );
    query.push_bind(rows.len() as i64);
    query.push(" WHERE EXISTS (SELECT 1 FROM handbill_listeners); ");
}

/// Numbers a change that was made, and puts it into the outbox if there are listeners.
pub(super) async fn add(
    connection: &mut SqliteConnection,
    change: &NewChange,
    has_listeners: bool,
) -> sqlx::Result<u64> {
    let number: i64 = sqlx::query_scalar(
        "UPDATE handbill_meta SET last_change = last_change + 1;
         INSERT INTO handbill_waiting_changes (listener, number, subject, made_at, change)
         SELECT name, last_change, ?, ?, ? FROM handbill_listeners CROSS JOIN handbill_meta;
         SELECT last_change FROM handbill_meta",
    )
    .bind(change.subject())
    .bind(change.at().as_micros())
    .bind(has_listeners.then(|| change.to_text()))
    .fetch_one(connection)
    .await?;
    Ok(number.cast_unsigned())
}

/// Makes a change of the outbox.
pub(super) async fn change(
    connection: &mut SqliteConnection,
    change: &OutboxChange,
) -> sqlx::Result<Outcome> {
    match change {
        OutboxChange::Add(name) => {
            let query = "INSERT INTO handbill_listeners (name) VALUES (?1) ON CONFLICT DO NOTHING";
            let added = sqlx::query(query).bind(name).execute(connection).await?;
            Ok(applied_or(Outcome::Conflict, &added))
        }
        OutboxChange::Remove(name) => {
            sqlx::query("DELETE FROM handbill_waiting_changes WHERE listener = ?1")
                .bind(name)
                .execute(&mut *connection)
                .await?;
            let query = "DELETE FROM handbill_listeners WHERE name = ?1";
            let removed = sqlx::query(query).bind(name).execute(connection).await?;
            Ok(applied_or(Outcome::NotFound, &removed))
        }
        OutboxChange::Hold {
            listener,
            holder,
            time,
        } => hold(connection, listener, holder, *time).await,
        OutboxChange::Settle {
            listener,
            done,
            again,
        } => {
            settle(connection, listener, done, again).await?;
            Ok(Outcome::Applied)
        }
    }
}

async fn hold(
    connection: &mut SqliteConnection,
    listener: &str,
    holder: &str,
    time: Duration,
) -> sqlx::Result<Outcome> {
    let held = sqlx::query(HOLD)
        .bind(listener)
        .bind(holder)
        .bind(millis(time))
        .bind(millis(MAX_HOLD))
        .execute(connection)
        .await?;
    Ok(applied_or(Outcome::Conflict, &held))
}

async fn settle(
    connection: &mut SqliteConnection,
    listener: &str,
    done: &[u64],
    again: &[(u64, Timestamp)],
) -> sqlx::Result<()> {
    sqlx::query(
        "DELETE FROM handbill_waiting_changes
         WHERE listener = ?1 AND number IN (SELECT value FROM json_each(?2))",
    )
    .bind(listener)
    .bind(json(done))
    .execute(&mut *connection)
    .await?;
    for (number, due) in again {
        // The later changes of its subject wait for it, so they are put off, too.
        sqlx::query(
            "UPDATE handbill_waiting_changes SET due = ?3, attempts = attempts + (number = ?2)
             WHERE listener = ?1 AND subject = (
               SELECT subject FROM handbill_waiting_changes WHERE listener = ?1 AND number = ?2
             )",
        )
        .bind(listener)
        .bind(number.cast_signed())
        .bind(due.as_micros())
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn due_change(row: &SqliteRow) -> sqlx::Result<DueChange> {
    let (number, attempts): (i64, u32) = (row.try_get("number")?, row.try_get("attempts")?);
    Ok(DueChange {
        number: number.cast_unsigned(),
        attempts,
        text: row.try_get("change")?,
    })
}

fn state(row: &SqliteRow) -> sqlx::Result<ListenerState> {
    let state = ListenerState::new(row.try_get("name")?);
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

    async fn hold_listener(
        &self,
        name: &str,
        holder: &str,
        time: Duration,
    ) -> Result<bool, StoreError> {
        let hold = OutboxChange::Hold {
            listener: name.to_owned(),
            holder: holder.to_owned(),
            time,
        };
        let held = self.change_outbox("hold a durable listener", hold).await;
        Ok(held? == Outcome::Applied)
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

    async fn settle(
        &self,
        name: &str,
        done: &[u64],
        again: &[(u64, Timestamp)],
    ) -> Result<(), StoreError> {
        let settle = OutboxChange::Settle {
            listener: name.to_owned(),
            done: done.to_vec(),
            again: again.to_vec(),
        };
        let settled = self.change_outbox("note what was told", settle).await;
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
