//! Owners who may not write.

use handbill::store::{Authority, Outcome, SecretHash, Timestamp};
use sqlx::Row;
use sqlx::postgres::PgRow;

use super::connections::Connections;
use super::failure::Failure;
use super::outbox::outcome;

/// A bar waits for the writes in progress. PostgreSQL takes a statement's snapshot after the locks of its tables, so
/// each write that waits for the bar sees it.
const LOCK: &str = "LOCK TABLE handbill_posts, handbill_keys IN SHARE ROW EXCLUSIVE MODE";
const BAR: &str = "
INSERT INTO handbill_bars AS bar (owner, until) VALUES ($1, $2)
ON CONFLICT (owner) DO UPDATE SET until = excluded.until WHERE bar.until < excluded.until
RETURNING owner";
const UNBAR: &str =
    "UPDATE handbill_bars SET until = $2 WHERE owner = $1 AND until > $2 RETURNING owner";
const ARE_BARRED: &str = "
SELECT COALESCE((SELECT until FROM handbill_bars AS bar WHERE bar.owner = by_owner) >= by_at, FALSE)
FROM UNNEST($1::BYTEA[], $2::BIGINT[]) WITH ORDINALITY AS write (by_owner, by_at, place) ORDER BY place";

/// A condition of a write by an authority in these columns or parameters. Without an owner, it holds. It is no
/// `NOT EXISTS`: a join that is planned while the table is empty would scan its index.
pub(super) fn is_not_barred(by_owner: &str, by_at: &str) -> String {
    format!(
        "COALESCE((SELECT until FROM handbill_bars AS bar WHERE bar.owner = {by_owner}) < {by_at}, TRUE)"
    )
}

/// The parameters of an authority.
pub(super) fn parameters(by: Option<&Authority>) -> (Option<&[u8]>, Option<i64>) {
    let owner = by.map(|by| by.owner.as_bytes().as_slice());
    (owner, by.map(|by| by.at.as_micros()))
}

/// What became of a write by this authority. Only one that was not made asks why.
pub(super) async fn outcome_by(
    by: Option<Authority>,
    connections: &Connections,
    rows: &[PgRow],
) -> Result<Outcome, Failure> {
    if rows.is_empty()
        && let Some(by) = by
        && are_barred(connections, &[by]).await? == [true]
    {
        return Ok(Outcome::Barred);
    }
    Ok(outcome(rows, Outcome::Conflict))
}

pub(super) async fn are_barred(
    connections: &Connections,
    by: &[Authority],
) -> Result<Vec<bool>, Failure> {
    let (owners, times): (Vec<_>, Vec<_>) = by.iter().map(|by| parameters(Some(by))).unzip();
    let statement = || sqlx::query(ARE_BARRED).bind(&owners).bind(&times);
    let rows = connections.rows(statement).await?;
    Ok(rows
        .iter()
        .map(|row| row.try_get(0))
        .collect::<sqlx::Result<_>>()?)
}

pub(super) async fn bar(
    connections: &Connections,
    owner: SecretHash,
    until: Timestamp,
) -> Result<Outcome, Failure> {
    let statement = || {
        sqlx::query(BAR)
            .bind(owner.as_bytes().as_slice())
            .bind(until.as_micros())
    };
    let rows = connections.rows_with_locks(LOCK, statement).await?;
    Ok(outcome(&rows, Outcome::Conflict))
}

pub(super) async fn unbar(
    connections: &Connections,
    owner: SecretHash,
    at: Timestamp,
) -> Result<Outcome, Failure> {
    let statement = || {
        sqlx::query(UNBAR)
            .bind(owner.as_bytes().as_slice())
            .bind(at.as_micros())
    };
    let rows = connections.rows(statement).await?;
    Ok(outcome(&rows, Outcome::NotFound))
}
