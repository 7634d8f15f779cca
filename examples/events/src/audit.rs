//! The audit: a row for each change.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use handbill::{Change, DurableListenerError, Handbill, Revision};
use sqlx::SqlitePool;

/// A row of the audit: number, time, who, what, the post or key, and its revision.
type Entry = (i64, String, String, String, String, Option<i64>);

pub(crate) async fn create_table(pool: &SqlitePool) -> sqlx::Result<()> {
    sqlx::query(
        "CREATE TABLE IF NOT EXISTS audit (
           number INTEGER PRIMARY KEY, -- The number of the change: a repetition finds its row.
           at TEXT NOT NULL,
           by TEXT NOT NULL,
           event TEXT NOT NULL,
           subject TEXT NOT NULL,
           revision INTEGER
         )",
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// Writes a row for each change from now on.
pub(crate) fn listen(
    handbill: Handbill,
    pool: &SqlitePool,
) -> Result<Handbill, DurableListenerError> {
    let pool = pool.clone();
    handbill.with_durable_listener("audit", move |change| {
        let pool = pool.clone();
        async move { Ok(record(&pool, &change).await?) }
    })
}

async fn record(pool: &SqlitePool, change: &Change) -> sqlx::Result<()> {
    let revision = change.revision.map(Revision::number);
    sqlx::query(
        "INSERT INTO audit (number, at, by, event, subject, revision)
         VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO NOTHING",
    )
    .bind(change.number.cast_signed())
    .bind(change.at.to_rfc3339())
    .bind(change.by.to_string())
    .bind(change.event.name())
    .bind(change.event.subject())
    .bind(revision.map(u64::cast_signed))
    .execute(pool)
    .await?;
    Ok(())
}

/// The last 100 rows.
pub(crate) async fn show(State(pool): State<SqlitePool>) -> Result<Json<Vec<Entry>>, StatusCode> {
    let entries = sqlx::query_as("SELECT * FROM audit ORDER BY number DESC LIMIT 100");
    let entries = entries.fetch_all(&pool).await;
    entries
        .map(Json)
        .map_err(|_| StatusCode::SERVICE_UNAVAILABLE)
}
