//! Creates the tables, or upgrades those of an earlier version.

use include_dir::{Dir, include_dir};
use sqlx::{Connection, Executor, PgConnection, Row};
use tokio::time::{Instant, timeout};

use super::failure::Failure;
use crate::backoff::{Backoff, TIMEOUT};
use crate::migration::{self, Migration, OpenError, Schema, UPGRADE_TIMEOUT};

static MIGRATIONS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/postgres/migrations");
const FIND_SCHEMA: &str = "SELECT value FROM handbill_meta WHERE name = 'schema'";
/// Waits while another instance upgrades the tables.
const LOCK_SCHEMA: &str = "SELECT value FROM handbill_meta WHERE name = 'schema' FOR UPDATE";
/// While a migration waits for a lock, all who come later wait for the migration. So it waits for a second at
/// most, lets them go on, and retries.
const LIMIT_WAITS: &str = "SET LOCAL lock_timeout = '1s'";

/// Creates the tables if there are none, and upgrades them. To find that nothing is to be done takes no privilege
/// except `SELECT`.
pub(super) async fn prepare(connection: &mut PgConnection) -> Result<(), OpenError> {
    let started = Instant::now();
    let mut conflicts = Backoff::until(started + TIMEOUT);
    let mut locks = Backoff::until(started + UPGRADE_TIMEOUT);
    let mut is_new = false;
    loop {
        let schema = find_in_time(connection).await?;
        let Some(migration) = migration::next(&MIGRATIONS, schema)? else {
            return Ok(());
        };
        let has_tables = schema.is_some();
        is_new |= !has_tables;
        match apply(connection, migration, has_tables).await {
            Ok(()) if is_new => {}
            Ok(()) => tracing::info!(schema = migration.schema, "upgraded the tables"),
            Err(error) if is_conflict(&error) && conflicts.wait().await => {}
            Err(error) if is_locked(&error) && locks.wait().await => {
                tracing::warn!("waiting for others who use the tables, to upgrade them");
            }
            Err(error) if is_forbidden(&error) => {
                return Err(format!(
                    "the tables need schema {}, which this user may not make: open the database once as the owner of \
                     the tables: {error}",
                    migration.schema
                )
                .into());
            }
            Err(sqlx::Error::Database(error)) => {
                let schema = migration.schema;
                return Err(format!("schema {schema} cannot be made: {}", error.message()).into());
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// The schema of the tables, which stay as they are.
pub(super) async fn find(connection: &mut PgConnection) -> Result<Schema, OpenError> {
    let found = find_in_time(connection).await?;
    Ok(Schema::new(&MIGRATIONS, found)?)
}

async fn find_in_time(connection: &mut PgConnection) -> Result<Option<i64>, OpenError> {
    let schema = timeout(TIMEOUT, find_schema(connection)).await;
    schema.map_err(|_| Failure::TimedOut)?
}

/// Applies a migration, unless another instance has done so.
async fn apply(
    connection: &mut PgConnection,
    migration: Migration,
    has_tables: bool,
) -> sqlx::Result<()> {
    let mut transaction = connection.begin().await?;
    transaction.execute(LIMIT_WAITS).await?;
    if has_tables {
        let schema: i64 = transaction.fetch_one(LOCK_SCHEMA).await?.try_get("value")?;
        if schema >= migration.schema {
            return transaction.rollback().await;
        }
    }
    sqlx::raw_sql(migration.sql)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await
}

async fn find_schema(connection: &mut PgConnection) -> Result<Option<i64>, OpenError> {
    match connection.fetch_optional(FIND_SCHEMA).await {
        Ok(row) => Ok(row.map(|row| row.try_get("value")).transpose()?),
        // undefined_table
        Err(error) if has_code(&error, &["42P01"]) => Ok(None),
        // undefined_column
        Err(error) if has_code(&error, &["42703"]) => {
            Err(format!("handbill_meta is not a table of Handbill: {error}").into())
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether another instance was creating the same tables, or changed the same rows.
fn is_conflict(error: &sqlx::Error) -> bool {
    // unique_violation (in the system's tables), duplicate_table, duplicate_object, internal_error
    // ("tuple concurrently updated"), serialization_failure, deadlock_detected
    has_code(
        error,
        &["23505", "42P07", "42710", "XX000", "40001", "40P01"],
    )
}

/// Whether another connection had a lock for longer than [`LIMIT_WAITS`] allows.
fn is_locked(error: &sqlx::Error) -> bool {
    // lock_not_available
    has_code(error, &["55P03"])
}

fn is_forbidden(error: &sqlx::Error) -> bool {
    // insufficient_privilege
    has_code(error, &["42501"])
}

fn has_code(error: &sqlx::Error, codes: &[&str]) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| codes.contains(&&*code))
}
