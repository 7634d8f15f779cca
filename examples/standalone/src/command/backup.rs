//! `handbill backup`: a copy of a SQLite database.

use std::error::Error;
use std::path::Path;

use crate::database::Database;
use crate::database_url::DatabaseUrl;

const USE_PG_DUMP: &str = "PostgreSQL has its own tool for backups: pg_dump";

/// Refuses other databases before they are opened.
pub(crate) fn check_is_sqlite(database: &DatabaseUrl) -> Result<(), &'static str> {
    match database {
        DatabaseUrl::Postgres(_) => Err(USE_PG_DUMP),
        DatabaseUrl::Sqlite(_) | DatabaseUrl::Memory => Ok(()),
    }
}

pub(crate) async fn run(file: &Path, database: &Database) -> Result<(), Box<dyn Error>> {
    let store = database.sqlite().ok_or(USE_PG_DUMP)?;
    store.backup(file).await?;
    eprintln!("the backup is {}", file.display());
    Ok(())
}
