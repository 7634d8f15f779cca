//! Owners who may not write.

use handbill::store::Authority;
use sqlx::query_builder::Separated;
use sqlx::{Sqlite, SqliteConnection};

/// A condition of writes whose authority is in the columns `by_owner` and `by_at`. Without an owner, it holds.
pub(super) const IS_NOT_BARRED: &str = "
NOT EXISTS (SELECT 1 FROM handbill_bars AS bar WHERE bar.owner = by_owner AND bar.until >= by_at)";

/// Adds the values of these columns.
pub(super) fn push_authority(
    row: &mut Separated<'_, Sqlite, &'static str>,
    by: Option<&Authority>,
) {
    row.push_bind(by.map(|by| by.owner.as_bytes().as_slice()))
        .push_bind(by.map(|by| by.at.as_micros()));
}

pub(super) async fn is_barred(
    connection: &mut SqliteConnection,
    by: Authority,
) -> sqlx::Result<bool> {
    let query = "SELECT EXISTS (SELECT 1 FROM handbill_bars WHERE owner = ?1 AND until >= ?2)";
    sqlx::query_scalar(query)
        .bind(by.owner.as_bytes().as_slice())
        .bind(by.at.as_micros())
        .fetch_one(connection)
        .await
}
