//! `handbill backup`: a copy of a SQLite database.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use handbill_sql::SqliteStore;

use crate::command::progress::ProgressLine;
use crate::database::{check_exists, in_memory};
use crate::database_url::DatabaseUrl;

pub(crate) async fn run(file: &Path, database: &DatabaseUrl) -> Result<(), Box<dyn Error>> {
    match database {
        DatabaseUrl::Postgres(_) => Err("PostgreSQL has its own tool for backups: pg_dump".into()),
        DatabaseUrl::MySql(_) => {
            Err("MySQL and MariaDB have their own tools for backups, such as mariadb-dump".into())
        }
        DatabaseUrl::Memory => Err(in_memory()),
        DatabaseUrl::Sqlite(path) => {
            check_exists(path)?;
            let (backup, start) = (SqliteStore::backup_as_it_is(path, file), Instant::now());
            let text = async || format!("copying, for {} s", start.elapsed().as_secs());
            ProgressLine::during(backup, text).await?;
            eprintln!("the backup is {}", file.display());
            Ok(())
        }
    }
}
