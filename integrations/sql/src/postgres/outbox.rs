//! The outbox: changes that wait for durable listeners.

use std::time::Duration;

use async_trait::async_trait;
use handbill::store::{
    DueChange, ListenerState, MAX_LEASE, NewChange, Outbox, Outcome, Retry, StoreError, Timestamp,
};
use sqlx::postgres::PgRow;

use super::PostgresStore;
use super::connections::Statement;
use crate::outbox::{DUE, STATES, applied_or, due_change, due_changes, millis, state};
use crate::query::Query;

const ADD: &str = "INSERT INTO handbill_listeners (name) VALUES ($1) ON CONFLICT (name) DO NOTHING";
const REMOVE: &str = "
WITH removed AS (DELETE FROM handbill_listeners WHERE name = $1 RETURNING name),
     changes AS (DELETE FROM handbill_waiting_changes WHERE listener = $1)
SELECT name FROM removed";

/// In milliseconds, by the server's clock.
const LEASE: &str = "
WITH clock (now) AS (SELECT (EXTRACT(EPOCH FROM CLOCK_TIMESTAMP()) * 1000)::BIGINT)
UPDATE handbill_listeners SET holder = $2, held_until = now + $3 FROM clock
WHERE name = $1 AND (holder IS NULL OR holder = $2 OR held_until <= now OR held_until > now + $4)
RETURNING name";

/// The later changes of a subject wait for one that has failed, so they are put off, too.
const SETTLE: &str = "
WITH done AS (
  DELETE FROM handbill_waiting_changes WHERE listener = $1 AND number = ANY ($2::BIGINT[])
),
failed AS (
  SELECT failed.number, failed.due, waiting.subject
  FROM UNNEST($3::BIGINT[], $4::BIGINT[]) AS failed (number, due)
  JOIN handbill_waiting_changes AS waiting ON waiting.listener = $1 AND waiting.number = failed.number
),
noted AS (
  UPDATE handbill_listeners SET failure = $5, failed_at = $6 WHERE name = $1 AND $5 IS NOT NULL
)
UPDATE handbill_waiting_changes AS waiting SET
  due = failed.due, attempts = attempts + CASE WHEN waiting.number = failed.number THEN 1 ELSE 0 END
FROM failed
WHERE waiting.listener = $1 AND waiting.subject = failed.subject";

/// What a statement does for durable listeners.
#[derive(Clone, Copy)]
pub(super) enum ForListeners<'a> {
    /// Nothing.
    Nothing,
    /// Nothing, but if there is a listener, the statement does nothing at all and has no row.
    NothingIfAbsent,
    /// It adds a row for each of these and each listener, and its own rows have a column `has_listeners`.
    Add(&'a [&'a NewChange]),
}

/// A statement that makes writes in its part `changed`, with and without the outbox.
pub(super) struct Forms {
    plain: String,
    with_outbox: String,
}

impl Forms {
    /// `statement` makes the text of a form. It is called with a condition of the write, and after a comma each, with
    /// more parts and more columns of the result. The parameters from `first` on are those that `query` binds.
    pub(super) fn new(first: usize, statement: impl Fn(&str, &str, &str) -> String) -> Self {
        let [subject, made_at, text] = [first, first + 1, first + 2];
        let guard = format!("(${first}::BOOLEAN OR NOT EXISTS (SELECT 1 FROM handbill_listeners))");
        let parts = format!(
            ",
             numbered AS MATERIALIZED (
               SELECT NEXTVAL('handbill_change_numbers') AS number, change.*
               FROM UNNEST(${subject}::TEXT[], ${made_at}::BIGINT[], ${text}::TEXT[])
                 AS change (subject, made_at, text)
               JOIN changed ON changed.id = change.subject
               WHERE EXISTS (SELECT 1 FROM handbill_listeners)
             ),
             added_changes AS (
               INSERT INTO handbill_waiting_changes (listener, number, subject, made_at, change)
               SELECT name, number, subject, made_at, text
               FROM handbill_listeners CROSS JOIN numbered
             )"
        );
        let columns = ", EXISTS (SELECT 1 FROM handbill_listeners) AS has_listeners";
        Self {
            plain: statement(&guard, "", ""),
            with_outbox: statement("TRUE", &parts, columns),
        }
    }

    /// A query, to which `bind` adds the parameters before those of the form.
    pub(super) fn query<'q>(
        &'static self,
        for_listeners: ForListeners<'_>,
        bind: impl FnOnce(Statement<'q>) -> Statement<'q>,
    ) -> Statement<'q> {
        match for_listeners {
            ForListeners::Nothing => bind(sqlx::query(self.plain.as_str())).bind(true),
            ForListeners::NothingIfAbsent => bind(sqlx::query(self.plain.as_str())).bind(false),
            ForListeners::Add(changes) => {
                let subjects = changes.iter().map(|change| change.subject());
                let times = changes.iter().map(|change| change.at().as_micros());
                let texts = changes.iter().map(|change| change.to_text());
                bind(sqlx::query(self.with_outbox.as_str()))
                    .bind(subjects.collect::<Vec<_>>())
                    .bind(times.collect::<Vec<_>>())
                    .bind(texts.collect::<Vec<_>>())
            }
        }
    }
}

/// A statement that returns no row has made no write.
pub(super) const fn outcome(rows: &[PgRow], otherwise: Outcome) -> Outcome {
    applied_or(otherwise, rows.len() as u64)
}

/// Numbers a change that the transaction has made, and puts it into the outbox.
pub(super) fn add<'q>(change: &NewChange) -> Statement<'q> {
    sqlx::query(
        "WITH numbered AS MATERIALIZED (SELECT NEXTVAL('handbill_change_numbers') AS number),
         added_changes AS (
           INSERT INTO handbill_waiting_changes (listener, number, subject, made_at, change)
           SELECT name, number, $1, $2, $3 FROM handbill_listeners CROSS JOIN numbered
         )
         SELECT number FROM numbered",
    )
    .bind(change.subject())
    .bind(change.at().as_micros())
    .bind(change.to_text())
}

#[async_trait]
impl Outbox for PostgresStore {
    async fn add_listener(&self, name: &str) -> Result<(), StoreError> {
        let statement = || sqlx::query(ADD).bind(name);
        self.run("add a durable listener", statement)
            .await
            .map(drop)
    }

    async fn remove_listener(&self, name: &str) -> Result<bool, StoreError> {
        let statement = || sqlx::query(REMOVE).bind(name);
        let removed = self.run("remove a durable listener", statement).await?;
        Ok(!removed.is_empty())
    }

    async fn listeners(&self) -> Result<Vec<ListenerState>, StoreError> {
        let doing = "list the durable listeners";
        self.read(doing, Query::new(STATES), state).await
    }

    async fn lease_listener(
        &self,
        name: &str,
        instance: &str,
        time: Duration,
    ) -> Result<bool, StoreError> {
        let statement = || {
            sqlx::query(LEASE)
                .bind(name)
                .bind(instance)
                .bind(millis(time))
                .bind(millis(MAX_LEASE))
        };
        let leased = self.run("lease a durable listener", statement).await?;
        Ok(!leased.is_empty())
    }

    async fn due_changes(
        &self,
        name: &str,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<DueChange>, StoreError> {
        let query = due_changes(DUE, name, now, limit);
        let doing = "read the changes that wait";
        self.read(doing, query, due_change).await
    }

    async fn settle(&self, name: &str, done: &[u64], again: &[Retry]) -> Result<(), StoreError> {
        let done: Vec<_> = done.iter().map(|number| number.cast_signed()).collect();
        let failed = again
            .iter()
            .map(|retry| (retry.number.cast_signed(), retry.due.as_micros()));
        let (failed, due): (Vec<_>, Vec<_>) = failed.unzip();
        let last = again.last().map(|retry| &retry.failure);
        let statement = || {
            sqlx::query(SETTLE)
                .bind(name)
                .bind(&done)
                .bind(&failed)
                .bind(&due)
                .bind(last.map(|failure| &*failure.error))
                .bind(last.map(|failure| failure.at.as_micros()))
        };
        self.run("settle changes", statement).await.map(drop)
    }
}
