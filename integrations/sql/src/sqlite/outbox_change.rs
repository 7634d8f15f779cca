//! What a transaction does to the outbox.

use handbill::store::{Authority, MAX_LEASE, NewChange, Outcome, Retry};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

use super::change::{IS_NOT_BARRED, push_authority};
use super::reader::json;
use crate::outbox::{self, applied_or, millis};
use crate::query::Query;
use crate::request::OutboxChange;

const HAS_LISTENERS: &str = "BEGIN IMMEDIATE; SELECT EXISTS (SELECT 1 FROM handbill_listeners)";
/// In milliseconds, by the clock of the machine, which all processes that have the file share.
const LEASE: &str = "
WITH clock (now) AS (SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER))
UPDATE handbill_listeners SET holder = ?2, held_until = now + ?3 FROM clock
WHERE name = ?1 AND (holder IS NULL OR holder = ?2 OR held_until <= now OR held_until > now + ?4)";

/// Begins a transaction, and returns whether there are listeners.
pub(super) async fn begin(connection: &mut SqliteConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar(HAS_LISTENERS)
        .fetch_one(connection)
        .await
}

/// Adds statements that put changes into the outbox, each for a post whose identifier is still free and that may be
/// inserted by its authority. So they come before the statement that inserts these posts.
pub(super) fn push_new_posts(
    query: &mut QueryBuilder<Sqlite>,
    changes: &[(&NewChange, Option<Authority>)],
) {
    if changes.is_empty() {
        return;
    }
    query.push("WITH change (place, subject, made_at, text, by_owner, by_at) AS (");
    query.push_values(
        changes.iter().zip(1_i64..),
        |mut row, ((change, by), place)| {
            row.push_bind(place)
                .push_bind(change.subject())
                .push_bind(change.at().as_micros())
                .push_bind(change.to_text());
            push_authority(&mut row, by.as_ref());
        },
    );
    query.push(
        ") INSERT INTO handbill_waiting_changes (listener, number, subject, made_at, change)
         SELECT name, last_change + place, subject, made_at, text
         FROM handbill_listeners CROSS JOIN handbill_meta CROSS JOIN change
         WHERE NOT EXISTS (SELECT 1 FROM handbill_posts WHERE id = subject) AND ",
    );
    query.push(IS_NOT_BARRED);
    query.push("; UPDATE handbill_meta SET last_change = last_change + ");
    query.push_bind(changes.len() as i64);
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
            Ok(applied_or(Outcome::Conflict, added.rows_affected()))
        }
        OutboxChange::Remove(name) => {
            let [changes, listener] = outbox::remove(name).map(Query::into_statement);
            changes.execute(&mut *connection).await?;
            let removed = listener.execute(connection).await?;
            Ok(applied_or(Outcome::NotFound, removed.rows_affected()))
        }
        OutboxChange::Lease {
            listener,
            instance,
            time,
        } => {
            let leased = sqlx::query(LEASE)
                .bind(listener)
                .bind(instance)
                .bind(millis(*time))
                .bind(millis(MAX_LEASE))
                .execute(connection)
                .await?;
            Ok(applied_or(Outcome::Conflict, leased.rows_affected()))
        }
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

async fn settle(
    connection: &mut SqliteConnection,
    listener: &str,
    done: &[u64],
    again: &[Retry],
) -> sqlx::Result<()> {
    sqlx::query(
        "DELETE FROM handbill_waiting_changes
         WHERE listener = ?1 AND number IN (SELECT value FROM json_each(?2))",
    )
    .bind(listener)
    .bind(json(done))
    .execute(&mut *connection)
    .await?;
    for retry in again {
        // The later changes of its subject wait for it, so they are put off, too.
        sqlx::query(
            "UPDATE handbill_waiting_changes SET due = ?3, attempts = attempts + (number = ?2)
             WHERE listener = ?1 AND subject = (
               SELECT subject FROM handbill_waiting_changes WHERE listener = ?1 AND number = ?2
             )",
        )
        .bind(listener)
        .bind(retry.number.cast_signed())
        .bind(retry.due.as_micros())
        .execute(&mut *connection)
        .await?;
    }
    if let Some(Retry { failure, .. }) = again.last() {
        let failed = outbox::set_failure(listener, failure).into_statement();
        failed.execute(connection).await?;
    }
    Ok(())
}
