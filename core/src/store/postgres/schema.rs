//! Creates the tables, or checks that they have the schema of this version.

use sqlx::{Executor, PgConnection, Row};
use tokio::time::Instant;

use super::connections::{Backoff, TIMEOUT};

/// Statements, separated by blank lines.
const SCHEMA: &str = include_str!("schema.sql");
const VERSION: i64 = 4;
/// A statement that creates an index, and one that says whether it is there. The first takes a lock and needs
/// the owner of the table, even if there is nothing to do.
const CREATE_INDEX: &str = include_str!("indexes.sql");
const HAS_INDEX: &str = "
SELECT EXISTS (
  SELECT 1 FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
  WHERE indrelid = TO_REGCLASS('handbill_list_totals') AND relname = 'handbill_list_totals_by_entries'
)";
const FIND_VERSION: &str = "SELECT value FROM handbill_meta WHERE name = 'schema'";

type OpenError = Box<dyn std::error::Error + Send + Sync>;

/// Creates the tables if there are none. To check them takes no privilege except `SELECT`.
pub(super) async fn prepare(connection: &mut PgConnection) -> Result<(), OpenError> {
    let mut version = find_version(connection).await?;
    if version.is_none() {
        for statement in SCHEMA.split(";\n\n") {
            create(connection, statement).await?;
        }
        version = find_version(connection).await?;
    }
    match version {
        Some(VERSION) => Ok(create_index(connection).await?),
        Some(version) if version < VERSION => Err(format!(
            "its tables have schema {version} of an earlier version of Handbill, and this version \
             needs schema {VERSION}: use an empty database, or another schema of this one"
        )
        .into()),
        Some(version) => Err(format!(
            "its tables have schema {version} of a later version of Handbill, and this version \
             needs schema {VERSION}"
        )
        .into()),
        None => Err("its tables were removed while Handbill created them".into()),
    }
}

async fn find_version(connection: &mut PgConnection) -> sqlx::Result<Option<i64>> {
    match connection.fetch_optional(FIND_VERSION).await {
        Ok(row) => row.map(|row| row.try_get("value")).transpose(),
        // undefined_table
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("42P01") => Ok(None),
        Err(error) => Err(error),
    }
}

/// Creates the index that was added later. Without it everything works, but lists of tags take longer.
async fn create_index(connection: &mut PgConnection) -> sqlx::Result<()> {
    let has_index = connection.fetch_one(HAS_INDEX).await?.try_get(0)?;
    if has_index {
        return Ok(());
    }
    match create(connection, CREATE_INDEX).await {
        // insufficient_privilege
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("42501") => {
            tracing::warn!(
                "the owner of the tables must create the index handbill_list_totals_by_entries; \
                 without it, lists of tags take longer the more tags there are"
            );
            Ok(())
        }
        outcome => outcome,
    }
}

async fn create(connection: &mut PgConnection, statement: &'static str) -> sqlx::Result<()> {
    let mut backoff = Backoff::until(Instant::now() + TIMEOUT);
    loop {
        match connection.execute(statement).await {
            Err(error) if is_conflict(&error) && backoff.wait().await => {}
            outcome => return outcome.map(drop),
        }
    }
}

/// Whether another instance was creating the same: `IF NOT EXISTS` looks and creates in two steps.
fn is_conflict(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    // unique_violation (in the system's tables), duplicate_table, duplicate_object, internal_error
    // ("tuple concurrently updated"), serialization_failure, deadlock_detected
    matches!(
        code.as_deref(),
        Some("23505" | "42P07" | "42710" | "XX000" | "40001" | "40P01")
    )
}
