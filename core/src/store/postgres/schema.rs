//! The tables: found, or made.

use sqlx::{Executor, PgConnection, Row};

use super::connections::Pause;

/// Statements, each ended by a semicolon at the end of a line.
const SCHEMA: &str = include_str!("schema.sql");
/// The number of the schema that this release has.
const NUMBER: i64 = 1;
/// How often a statement is tried: instances that start at the same time get into each other's way.
const MOST_TRIES: u32 = 20;

const LOOK: &str = "SELECT value FROM handbill_meta WHERE name = 'schema'";

type OpenError = Box<dyn std::error::Error + Send + Sync>;

/// Looks whether the tables are there, which needs no privilege but to read them, and makes them
/// only if not.
pub(super) async fn prepare(connection: &mut PgConnection) -> Result<(), OpenError> {
    let mut number = find(connection).await?;
    if number.is_none() {
        for statement in SCHEMA.split(";\n") {
            if !statement.trim().is_empty() {
                make(connection, statement).await?;
            }
        }
        number = find(connection).await?;
    }
    match number {
        Some(NUMBER) => Ok(()),
        Some(number) => Err(format!("its schema {number} is of a later release").into()),
        None => Err("its tables were removed while they were made".into()),
    }
}

async fn find(connection: &mut PgConnection) -> sqlx::Result<Option<i64>> {
    match connection.fetch_optional(LOOK).await {
        Ok(row) => row.map(|row| row.try_get("value")).transpose(),
        // undefined_table
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("42P01") => Ok(None),
        Err(error) => Err(error),
    }
}

async fn make(connection: &mut PgConnection, statement: &'static str) -> sqlx::Result<()> {
    let mut pause = Pause::default();
    loop {
        match connection.execute(statement).await {
            Err(error) if met_a_rival(&error) && pause.taken < MOST_TRIES => pause.take().await,
            outcome => return outcome.map(drop),
        }
    }
}

/// Whether another instance was making the same: `IF NOT EXISTS` looks first and makes then, and
/// two may come in between.
fn met_a_rival(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    // unique_violation (in the system's tables), duplicate_table, duplicate_object, internal_error
    // (a row of these tables changed meanwhile), serialization_failure, deadlock_detected
    matches!(
        code.as_deref(),
        Some("23505" | "42P07" | "42710" | "XX000" | "40001" | "40P01")
    )
}
