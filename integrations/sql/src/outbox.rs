//! The rows of the outbox, whatever the database.

use std::time::Duration;

use handbill::store::{DueChange, ListenerFailure, ListenerState, MAX_PAUSE, Outcome, Timestamp};

use crate::query::Query;
use crate::row::{Row, required};

/// Reads the listeners.
pub(crate) const STATES: &str = "
SELECT name, failure, failed_at, COUNT(number) AS waiting, MAX(number) AS last, (
  SELECT made_at FROM handbill_waiting_changes WHERE listener = name ORDER BY number LIMIT 1
) AS oldest
FROM handbill_listeners LEFT JOIN handbill_waiting_changes ON listener = name
GROUP BY name ORDER BY name";

/// Of those in a range of times, the ones before which no other change of the same subject waits.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) const DUE: &str = "
SELECT number, attempts, change FROM (
  SELECT * FROM handbill_waiting_changes AS waiting
  WHERE listener = $1 AND due <= $2 AND NOT EXISTS (
    SELECT 1 FROM handbill_waiting_changes AS earlier
    WHERE earlier.listener = $1 AND earlier.subject = waiting.subject AND earlier.number < waiting.number
  )
  ORDER BY due, number LIMIT $4
) AS due
UNION ALL
SELECT number, attempts, change FROM (
  SELECT * FROM handbill_waiting_changes AS waiting
  WHERE listener = $1 AND due > $3 AND NOT EXISTS (
    SELECT 1 FROM handbill_waiting_changes AS earlier
    WHERE earlier.listener = $1 AND earlier.subject = waiting.subject AND earlier.number < waiting.number
  )
  ORDER BY due, number LIMIT $4
) AS due
LIMIT $4";

/// Reads by `due`, which is [`DUE`] or MySQL's, the changes that are due for a listener.
pub(crate) fn due_changes<'q>(
    due: &'static str,
    name: &'q str,
    now: Timestamp,
    limit: u32,
) -> Query<'q> {
    let longest = i64::try_from(MAX_PAUSE.as_micros()).unwrap_or(i64::MAX);
    Query::new(due)
        .bind(name)
        .bind(now.as_micros())
        .bind(now.as_micros().saturating_add(longest))
        .bind(limit)
}

/// Removes a listener, after the changes that wait for it.
#[cfg(any(feature = "sqlite", feature = "mysql"))]
pub(crate) fn remove(name: &str) -> [Query<'_>; 2] {
    [
        "DELETE FROM handbill_waiting_changes WHERE listener = $1",
        "DELETE FROM handbill_listeners WHERE name = $1",
    ]
    .map(|sql| Query::new(sql).bind(name))
}

/// Sets the last failure of a listener.
#[cfg(any(feature = "sqlite", feature = "mysql"))]
pub(crate) fn set_failure<'q>(name: &'q str, failure: &'q ListenerFailure) -> Query<'q> {
    Query::new("UPDATE handbill_listeners SET failure = $2, failed_at = $3 WHERE name = $1")
        .bind(name)
        .bind(&*failure.error)
        .bind(failure.at.as_micros())
}

pub(crate) fn due_change(row: &impl Row) -> sqlx::Result<DueChange> {
    let attempts = required(row, "attempts", Row::integer)?;
    Ok(DueChange {
        number: required(row, "number", Row::integer)?.cast_unsigned(),
        attempts: u32::try_from(attempts).unwrap_or(u32::MAX),
        text: required(row, "change", Row::text)?.to_owned(),
    })
}

/// A listener, as [`STATES`] reads it.
pub(crate) fn state(row: &impl Row) -> sqlx::Result<ListenerState> {
    let failure = row.text("failure")?.zip(row.integer("failed_at")?);
    let failure = failure.map(|(error, at)| ListenerFailure {
        at: Timestamp::from_micros(at),
        error: error.to_owned(),
    });
    let name = required(row, "name", Row::text)?.to_owned();
    let state = ListenerState::new(name).with_last_failure(failure);
    let waiting = required(row, "waiting", Row::integer)?.cast_unsigned();
    Ok(match row.integer("oldest")?.zip(row.integer("last")?) {
        Some((oldest, last)) => {
            let oldest = Timestamp::from_micros(oldest);
            state.with_waiting(waiting, oldest, last.cast_unsigned())
        }
        None => state,
    })
}

/// What became of a write, by how many rows its statement changed.
pub(crate) const fn applied_or(otherwise: Outcome, rows: u64) -> Outcome {
    match rows {
        0 => otherwise,
        _ => Outcome::Applied,
    }
}

/// As stores have the times of leases.
pub(crate) fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
