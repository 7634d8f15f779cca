//! Backups: a copy of the whole database, made while it is in use.

use std::error::Error;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use handbill::store::StoreError;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use tempfile::{NamedTempFile, TempDir, TempPath};

use super::SqliteStore;
use super::connections::Source;
use super::open::as_it_is;
use crate::connections::Source as _;

/// Steps of SQLite's virtual machine between two looks whether the backup was dropped: less than a
/// millisecond.
const STEPS: i32 = 100;

const BACKING_UP: &str = "back up the database";

type Cause = Box<dyn Error + Send + Sync>;

impl SqliteStore {
    /// Writes a copy of the whole database to a file, also while it is in use: what was committed when the
    /// copy began, with the host's own tables.
    ///
    /// The copy is made in a new folder beside the file, is checked, and gets its name when it is whole and
    /// durable. So the file is complete or absent, or still the one that was there before. Only its user can
    /// read it. It takes as much space as the database without its free pages. A backup that is dropped
    /// stops, and leaves nothing unfinished behind.
    ///
    /// # Errors
    /// If the copy can't be made, is damaged, or has the name of the database itself.
    pub async fn backup(&self, file: impl AsRef<Path>) -> Result<(), StoreError> {
        let made = backup(&self.source, file.as_ref()).await;
        made.map_err(|error| StoreError::new(BACKING_UP, error))
    }

    /// Writes a copy of the database at a path as [`backup`](Self::backup) does, whatever the schema of its tables,
    /// which stay as they are.
    ///
    /// # Errors
    /// Those of [`backup`](Self::backup).
    pub async fn backup_as_it_is(
        database: impl AsRef<Path>,
        file: impl AsRef<Path>,
    ) -> Result<(), StoreError> {
        let failed = |error: Cause| StoreError::new(BACKING_UP, error);
        let database = std::path::absolute(database).map_err(|error| failed(error.into()))?;
        let made = backup(&Source::file(as_it_is(&database)), file.as_ref()).await;
        made.map_err(failed)
    }
}

/// Copies the database into a file beside `file`, checks the copy, and only then gives it this name. Boxed, so that
/// this crate compiles it, and not each program again.
fn backup<'a>(source: &'a Source, file: &'a Path) -> BoxFuture<'a, Result<(), Cause>> {
    Box::pin(async move {
        let file = std::path::absolute(file)?;
        if is_same_file(source.path(), &file) {
            return Err("a backup needs another file than the database itself".into());
        }
        let folder = CopyFolder::beside(&file)?;
        let copy = NamedTempFile::new_in(&folder.0)?.into_temp_path();
        let backup = Arc::new(());
        let mut database = source.connect().await?;
        stop_with(&mut database, &backup).await?;
        // One read transaction, which does not block writers. SQLite accepts an empty file, whose permissions
        // stay as they are.
        sqlx::query("VACUUM INTO ?")
            .bind(utf8(&copy)?)
            .execute(&mut database)
            .await?;
        database.close().await?;
        check(&copy, &backup).await?;
        tokio::task::spawn_blocking(move || publish(copy, folder, &file)).await??;
        Ok(())
    })
}

/// Ends the statements of a connection when the backup is dropped: SQLite would go on without it.
async fn stop_with(connection: &mut SqliteConnection, backup: &Arc<()>) -> sqlx::Result<()> {
    let backup = Arc::downgrade(backup);
    let mut handle = connection.lock_handle().await?;
    handle.set_progress_handler(STEPS, move || backup.strong_count() > 0);
    Ok(())
}

/// The folder in which the copy is made. It is removed when dropped.
struct CopyFolder(TempDir);

impl CopyFolder {
    fn beside(file: &Path) -> Result<Self, Cause> {
        let folder = file.parent().ok_or("a backup needs the name of a file")?;
        let named = |error: io::Error| format!("the folder {}: {error}", folder.display());
        let made = tempfile::Builder::new()
            .prefix(".handbill-backup-")
            .tempdir_in(folder)
            .map_err(named)?;
        Ok(Self(made))
    }
}

impl Drop for CopyFolder {
    fn drop(&mut self) {
        // When a backup is dropped, SQLite has not stopped yet. It may still make the copy and its journal,
        // and each of them can make one removal fail. Then `TempDir` removes the folder.
        for _ in 0..2 {
            if fs::remove_dir_all(&self.0).is_ok() {
                return;
            }
        }
    }
}

async fn check(copy: &Path, backup: &Arc<()>) -> Result<(), Cause> {
    let options = SqliteConnectOptions::new()
        .filename(copy)
        .read_only(true)
        .disable_statement_logging();
    let mut copy = options.connect().await?;
    stop_with(&mut copy, backup).await?;
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
fn publish(copy: TempPath, folder: CopyFolder, file: &Path) -> io::Result<()> {
    File::open(&copy)?.sync_all()?;
    copy.persist(file)?;
    drop(folder);
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
