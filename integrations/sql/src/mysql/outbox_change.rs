//! What a transaction does to the outbox.

use std::time::Duration;

use handbill::store::{MAX_LEASE, NewChange, Outcome, Retry};

use super::change::Transaction;
use super::statement::statement;
use crate::outbox::{self, millis};
use crate::query::Query;
use crate::request::OutboxChange;

/// Of those in a range of times, the ones before which no other change of the same subject waits.
pub(crate) const DUE_CHANGES: &str = "
(SELECT number, attempts, `change` FROM handbill_waiting_changes AS waiting
 WHERE listener = $1 AND due <= $2 AND NOT EXISTS (
   SELECT 1 FROM handbill_waiting_changes AS earlier
   WHERE earlier.listener = waiting.listener AND earlier.subject = waiting.subject AND earlier.number < waiting.number
 )
 ORDER BY due, number LIMIT $4)
UNION ALL
(SELECT number, attempts, `change` FROM handbill_waiting_changes AS waiting
 WHERE listener = $1 AND due > $3 AND NOT EXISTS (
   SELECT 1 FROM handbill_waiting_changes AS earlier
   WHERE earlier.listener = waiting.listener AND earlier.subject = waiting.subject AND earlier.number < waiting.number
 )
 ORDER BY due, number LIMIT $4)
LIMIT $4";

/// The condition and the times of a lease, in milliseconds by the server's clock. The columns are set in this order.
pub(super) const LEASE: &str = "
SET holder = $1, held_until = CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) + $2
WHERE (holder IS NULL OR holder = $1 OR held_until <= CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)
  OR held_until > CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) + $3)";
/// Puts a change into the outbox.
const ADD: &str = "
INSERT INTO handbill_waiting_changes (listener, number, subject, made_at, `change`)
SELECT name, $1, $2, $3, $4 FROM handbill_listeners";
/// The later changes of its subject wait for the one that failed, so they are put off, too.
const PUT_OFF: &str = "
UPDATE handbill_waiting_changes AS waiting
JOIN handbill_waiting_changes AS failed
  ON failed.listener = waiting.listener AND failed.subject = waiting.subject
SET waiting.due = $3, waiting.attempts = waiting.attempts + (waiting.number = failed.number)
WHERE failed.listener = $1 AND failed.number = $2";

/// Numbers a change that was made, and puts it into the outbox. The server gives numbers in ascending order, also where
/// several nodes do. Only the number of the row is needed.
pub(super) async fn add(
    transaction: &mut Transaction<'_>,
    change: &NewChange,
) -> sqlx::Result<u64> {
    let numbered = Query::new("INSERT INTO handbill_change_numbers () VALUES ()");
    let numbered = statement(&numbered).execute(&mut *transaction.connection);
    let number = numbered.await?.last_insert_id();
    let taken = Query::new("DELETE FROM handbill_change_numbers WHERE number = $1");
    transaction.run(taken.bind(number.cast_signed())).await?;
    let add = Query::new(ADD)
        .bind(number.cast_signed())
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
            let add = "INSERT INTO handbill_listeners (name) VALUES ($1) ON DUPLICATE KEY UPDATE name = name";
            transaction.run(Query::new(add).bind(&**name)).await?;
            Ok(Outcome::Applied)
        }
        OutboxChange::Remove(name) => {
            let [changes, listener] = outbox::remove(name);
            transaction.run(changes).await?;
            transaction.write(listener, Outcome::NotFound).await
        }
        OutboxChange::Lease {
            listener,
            instance,
            time,
        } => {
            let lease = format!("UPDATE handbill_listeners {LEASE} AND name = $4");
            let lease = leased(lease, instance, *time).bind(&**listener);
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
pub(super) fn leased(sql: String, instance: &str, time: Duration) -> Query<'_> {
    Query::new(sql)
        .bind(instance)
        .bind(millis(time))
        .bind(millis(MAX_LEASE))
}

async fn settle(
    transaction: &mut Transaction<'_>,
    listener: &str,
    done: &[u64],
    again: &[Retry],
) -> sqlx::Result<()> {
    for number in done {
        let done = "DELETE FROM handbill_waiting_changes WHERE listener = $1 AND number = $2";
        let done = Query::new(done).bind(listener);
        transaction.run(done.bind(number.cast_signed())).await?;
    }
    for retry in again {
        let put_off = Query::new(PUT_OFF)
            .bind(listener)
            .bind(retry.number.cast_signed())
            .bind(retry.due.as_micros());
        transaction.run(put_off).await?;
    }
    if let Some(Retry { failure, .. }) = again.last() {
        let failed = outbox::set_failure(listener, failure);
        transaction.run(failed).await?;
    }
    Ok(())
}
