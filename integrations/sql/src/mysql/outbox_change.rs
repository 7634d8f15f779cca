//! What a transaction does to the outbox.

use std::time::Duration;

use handbill::store::{MAX_LEASE, NewChange, Outcome, Retry};
use sqlx::AssertSqlSafe;

use super::change::{Statement, Transaction};
use crate::outbox::millis;
use crate::request::OutboxChange;

/// The condition and the times of a lease, in milliseconds by the server's clock. The columns are set in this order.
pub(super) const LEASE: &str = "
SET holder = ?, held_until = CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) + ?
WHERE (holder IS NULL OR holder = ? OR held_until <= CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)
  OR held_until > CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) + ?)";

/// Numbers a change that was made, and puts it into the outbox. The server gives numbers in ascending order, also where
/// several nodes do. Only the number of the row is needed.
pub(super) async fn add(
    transaction: &mut Transaction<'_>,
    change: &NewChange,
) -> sqlx::Result<u64> {
    let numbered = sqlx::query("INSERT INTO handbill_change_numbers () VALUES ()");
    let number = numbered
        .execute(&mut *transaction.connection)
        .await?
        .last_insert_id();
    let taken = sqlx::query("DELETE FROM handbill_change_numbers WHERE number = ?");
    transaction.run(taken.bind(number)).await?;
    let add = sqlx::query(
        "INSERT INTO handbill_waiting_changes (listener, number, subject, made_at, `change`)
         SELECT name, ?, ?, ?, ? FROM handbill_listeners",
    );
    let add = add
        .bind(number)
        .bind(change.subject())
        .bind(change.at().as_micros())
        .bind(change.to_text());
    transaction.run(add).await?;
    Ok(number)
}

/// Makes a change of the outbox.
pub(super) async fn change(
    transaction: &mut Transaction<'_>,
    change: &OutboxChange,
) -> sqlx::Result<Outcome> {
    match change {
        OutboxChange::Add(name) => {
            let add = "INSERT INTO handbill_listeners (name) VALUES (?) ON DUPLICATE KEY UPDATE name = name";
            transaction.run(sqlx::query(add).bind(name)).await?;
            Ok(Outcome::Applied)
        }
        OutboxChange::Remove(name) => {
            let changes = sqlx::query("DELETE FROM handbill_waiting_changes WHERE listener = ?");
            transaction.run(changes.bind(name)).await?;
            let listener = sqlx::query("DELETE FROM handbill_listeners WHERE name = ?");
            transaction
                .write(listener.bind(name), Outcome::NotFound)
                .await
        }
        OutboxChange::Lease {
            listener,
            instance,
            time,
        } => {
            let lease = format!("UPDATE handbill_listeners {LEASE} AND name = ?");
            let lease = leased(&lease, instance, *time).bind(listener);
            transaction.write(lease, Outcome::Conflict).await
        }
        OutboxChange::Settle {
            listener,
            done,
            again,
        } => {
            settle(transaction, listener, done, again).await?;
            Ok(Outcome::Applied)
        }
    }
}

/// A statement with [`LEASE`].
pub(super) fn leased<'q>(sql: &'q str, instance: &'q str, time: Duration) -> Statement<'q> {
    sqlx::query(AssertSqlSafe(sql))
        .bind(instance)
        .bind(millis(time))
        .bind(instance)
        .bind(millis(MAX_LEASE))
}

async fn settle(
    transaction: &mut Transaction<'_>,
    listener: &str,
    done: &[u64],
    again: &[Retry],
) -> sqlx::Result<()> {
    for number in done {
        let done = "DELETE FROM handbill_waiting_changes WHERE listener = ? AND number = ?";
        transaction
            .run(sqlx::query(done).bind(listener).bind(number))
            .await?;
    }
    for retry in again {
        // The later changes of its subject wait for it, so they are put off, too.
        let put_off = sqlx::query(
            "UPDATE handbill_waiting_changes AS waiting
             JOIN handbill_waiting_changes AS failed
               ON failed.listener = waiting.listener AND failed.subject = waiting.subject
             SET waiting.due = ?, waiting.attempts = waiting.attempts + (waiting.number = failed.number)
             WHERE failed.listener = ? AND failed.number = ?",
        );
        let put_off = put_off
            .bind(retry.due.as_micros())
            .bind(listener)
            .bind(retry.number);
        transaction.run(put_off).await?;
    }
    if let Some(Retry { failure, .. }) = again.last() {
        let failed = "UPDATE handbill_listeners SET failure = ?, failed_at = ? WHERE name = ?";
        let failed = sqlx::query(failed)
            .bind(&*failure.error)
            .bind(failure.at.as_micros())
            .bind(listener);
        transaction.run(failed).await?;
    }
    Ok(())
}
