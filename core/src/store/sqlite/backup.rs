//! Backups: a copy of the whole database, made while it is in use.

use std::error::Error;
use std::fs::File;
use std::io;
use std::path::Path;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use tempfile::TempPath;

use super::SqliteStore;
use crate::store::StoreError;

type Cause = Box<dyn Error + Send + Sync>;

impl SqliteStore {
    /// Writes a copy of the whole database to a file, also while it is in use: what was committed when the
    /// copy began, with the host's own tables.
    ///
    /// The copy is made in the same folder, is checked, and gets its name when it is whole and durable. So
    /// the file is complete or absent, or still the one that was there before. Only its user can read it. It
    /// takes as much space as the database without its free pages.
    ///
    /// # Errors
    /// If the copy can't be made, is damaged, or has the name of the database itself.
    pub async fn backup(&self, file: impl AsRef<Path>) -> Result<(), StoreError> {
        let made = backup(&self.options, file.as_ref()).await;
        made.map_err(|error| StoreError::new("back up the database", error))
    }
}

/// Copies the database into a file beside `file`, checks the copy, and only then gives it this name.
async fn backup(options: &SqliteConnectOptions, file: &Path) -> Result<(), Cause> {
    let file = std::path::absolute(file)?;
    if is_same_file(options.get_filename(), &file) {
        return Err("a backup needs another file than the database itself".into());
    }
    let copy = new_file(&file)?;
    let mut source = SqliteConnection::connect_with(options).await?;
    // One read transaction, which does not block writers. SQLite accepts an empty file, whose permissions
    // stay as they are.
    sqlx::query("VACUUM INTO ?")
        .bind(utf8(&copy)?)
        .execute(&mut source)
        .await?;
    source.close().await?;
    check(&copy).await?;
    tokio::task::spawn_blocking(move || publish(copy, &file)).await??;
    Ok(())
}

/// A new file in the same folder that only its user can read. It is removed when dropped.
fn new_file(file: &Path) -> Result<TempPath, Cause> {
    let folder = file.parent().ok_or("a backup needs the name of a file")?;
    let named = |error: io::Error| format!("the folder {}: {error}", folder.display());
    let file = tempfile::Builder::new()
        .prefix(".handbill-backup-")
        .tempfile_in(folder)
        .map_err(named)?;
    Ok(file.into_temp_path())
}

async fn check(copy: &Path) -> Result<(), Cause> {
    let options = SqliteConnectOptions::new()
        .filename(copy)
        .read_only(true)
        .disable_statement_logging();
    let mut copy = SqliteConnection::connect_with(&options).await?;
    let found: String = sqlx::query_scalar("PRAGMA integrity_check(1)")
        .fetch_one(&mut copy)
        .await?;
    copy.close().await?;
    match found.as_str() {
        "ok" => Ok(()),
        fault => Err(format!("the copy is damaged: {fault}").into()),
    }
}

/// Makes the copy durable, and then its name.
fn publish(copy: TempPath, file: &Path) -> io::Result<()> {
    File::open(&copy)?.sync_all()?;
    copy.persist(file)?;
    match file.parent() {
        #[cfg(unix)]
        Some(folder) => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

fn is_same_file(database: &Path, file: &Path) -> bool {
    let canonical = |path: &Path| path.canonicalize().ok();
    canonical(database).is_some_and(|database| canonical(file) == Some(database))
}

fn utf8(path: &Path) -> Result<&str, Cause> {
    path.to_str()
        .ok_or_else(|| "SQLite needs a path in UTF-8".into())
}
