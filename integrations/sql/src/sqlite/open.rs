//! Opening the file: settings, migrations, and errors that name the path and the reason.

use std::error::Error;
use std::fmt;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::time::Duration;

use include_dir::{Dir, include_dir};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Row, SqliteConnection, SqlitePool};
use tokio::time::{Instant, sleep};

use super::connections::Source;
use crate::connections::Source as _;
use crate::migration::{self, Migration, Schema, UPGRADE_TIMEOUT};

static MIGRATIONS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/sqlite/migrations");
const HAS_TABLES: &str = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'handbill_meta')";
/// How long to wait for another process that writes to the same file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(10);
/// The first release of SQLite without a rare corruption of write-ahead logs.
const SOUND_VERSION: (u32, u32, u32) = (3, 51, 3);

pub(super) type Cause = Box<dyn Error + Send + Sync>;

/// Why a file was not opened: its path, and the cause in one line.
#[derive(Debug)]
pub(super) struct OpenError {
    path: PathBuf,
    cause: Cause,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.cause)
    }
}

impl Error for OpenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.source()
    }
}

/// Makes the file and its tables if they are absent. Returns how to connect to it.
pub(super) async fn open(path: &Path) -> Result<SqliteConnectOptions, OpenError> {
    let failed = |cause| OpenError {
        path: path.to_owned(),
        cause,
    };
    let text = path.to_string_lossy();
    if text == ":memory:" || text.starts_with("sqlite:") || text.starts_with("file:") {
        let cause = "a file's path is expected, not a URL; for posts in memory, use MemoryStore";
        return Err(failed(cause.into()));
    }
    // Connections that are made later must not depend on the working directory.
    let absolute = std::path::absolute(path).map_err(|error| failed(error.into()))?;
    create(&absolute);
    let options = as_it_is(&absolute)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal);
    let deadline = Instant::now() + BUSY_TIMEOUT;
    let prepared = loop {
        match connect_and_prepare(&options).await {
            // SQLite does not wait where two connections turn a new file to write-ahead logging.
            Err(cause)
                if cause.downcast_ref().is_some_and(is_busy) && Instant::now() < deadline =>
            {
                sleep(PAUSE).await;
            }
            prepared => break prepared,
        }
    };
    match prepared {
        Ok(()) => Ok(options.create_if_missing(false)),
        Err(cause) => {
            let cause = reason(&absolute, true).map_or(cause, Cause::from);
            Err(failed(cause))
        }
    }
}

/// How to connect to a file without making or changing anything.
pub(super) fn as_it_is(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        // sqlx would log whole statements that take longer than a second.
        .disable_statement_logging()
}

/// The schema of the tables in a file, which stays as it is.
pub(super) async fn schema(path: &Path) -> Result<Schema, OpenError> {
    let path = &std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let found = async {
        let mut connection = as_it_is(path).connect().await?;
        let found = find_schema(&mut connection).await?;
        connection.close().await?;
        Ok(Schema::new(&MIGRATIONS, found)?)
    };
    found.await.map_err(|cause: Cause| OpenError {
        path: path.to_owned(),
        cause: reason(path, false).map_or(cause, Cause::from),
    })
}

/// Returns how to connect to a file whose tables are those of this version.
pub(super) async fn open_as_it_is(path: &Path) -> Result<SqliteConnectOptions, OpenError> {
    schema(path)
        .await?
        .check_is_current()
        .map_err(|reason| OpenError {
            path: path.to_owned(),
            cause: reason.into(),
        })?;
    Ok(as_it_is(path))
}

/// Makes an empty file that only its user can read; SQLite gives its other files the same permissions. An
/// existing file stays as it is. SQLite reports what is wrong with the path, so errors are ignored here.
fn create(path: &Path) {
    let mut new = OpenOptions::new();
    new.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut new, 0o600);
    let _ = new.open(path);
}

/// Makes the tables in the database of the host's pool if they are absent.
pub(super) async fn open_in_pool(pool: &SqlitePool, source: &Source) -> Result<(), Cause> {
    // The store sets some of them on the connections that it takes out.
    check_settings(&mut *pool.acquire().await?).await?;
    let mut connection = source.connect().await?;
    prepare(&mut connection).await?;
    connection.close().await?;
    Ok(())
}

/// What the connections of a pool may be set to. With `synchronous=OFF`, a checkpoint of the host's could lose in a
/// power cut what the store has acknowledged.
const SETTINGS: [(&str, &[&str]); 4] = [
    ("journal_mode", &["wal"]),
    ("locking_mode", &["normal"]),
    ("query_only", &["0"]),
    ("synchronous", &["1", "2", "3"]),
];

async fn check_settings(connection: &mut SqliteConnection) -> Result<(), Cause> {
    for (name, allowed) in SETTINGS {
        let query = AssertSqlSafe(format!("PRAGMA {name}"));
        let row = sqlx::query(query).fetch_one(&mut *connection).await?;
        let found = row.try_get_unchecked::<String, _>(0)?;
        if !allowed.contains(&found.as_str()) {
            return Err(format!(
                "the connections of the pool have {name}={found}, and Handbill needs {}",
                allowed.join(" or ")
            )
            .into());
        }
    }
    let writing = connection.begin_with("BEGIN IMMEDIATE").await?;
    writing.rollback().await.map_err(Cause::from)
}

async fn connect_and_prepare(options: &SqliteConnectOptions) -> Result<(), Cause> {
    let mut connection = SqliteConnection::connect_with(options).await?;
    prepare(&mut connection).await?;
    connection.close().await?;
    Ok(())
}

/// Whether another connection has a lock on the file.
fn is_busy(error: &sqlx::Error) -> bool {
    // SQLITE_BUSY
    let error = error.as_database_error();
    error.is_some_and(|error| error.code().as_deref() == Some("5"))
}

async fn prepare(connection: &mut SqliteConnection) -> Result<(), Cause> {
    let version: String = sqlx::query_scalar("SELECT sqlite_version()")
        .fetch_one(&mut *connection)
        .await?;
    if parse_version(&version).is_none_or(|version| version < SOUND_VERSION) {
        tracing::warn!(
            version,
            "this SQLite has a rare bug that can corrupt databases; use 3.51.3 or later",
        );
    }
    let mut schema = find_schema(connection).await?;
    let is_new = schema.is_none();
    while let Some(migration) = migration::next(&MIGRATIONS, schema)? {
        apply(connection, migration).await?;
        if !is_new {
            tracing::info!(schema = migration.schema, "upgraded the tables");
        }
        schema = find_schema(connection).await?;
    }
    Ok(())
}

/// Applies a migration, unless another process has done so.
async fn apply(connection: &mut SqliteConnection, migration: Migration) -> Result<(), Cause> {
    let deadline = Instant::now() + UPGRADE_TIMEOUT;
    let mut transaction = loop {
        match connection.begin_with("BEGIN IMMEDIATE").await {
            Err(error) if is_busy(&error) && Instant::now() < deadline => {
                tracing::warn!(
                    "waiting for another process that writes to the file, or upgrades it"
                );
            }
            outcome => break outcome?,
        }
    };
    if find_schema(&mut transaction).await? < Some(migration.schema) {
        sqlx::raw_sql(migration.sql)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await?;
    Ok(())
}

/// The number of the schema, or `None` if there are no tables yet.
async fn find_schema(connection: &mut SqliteConnection) -> Result<Option<i64>, Cause> {
    let has_tables: bool = sqlx::query_scalar(HAS_TABLES)
        .fetch_one(&mut *connection)
        .await?;
    if !has_tables {
        return Ok(None);
    }
    let schema = sqlx::query_scalar("SELECT schema FROM handbill_meta");
    match schema.fetch_one(connection).await {
        Ok(schema) => Ok(Some(schema)),
        Err(error) if is_busy(&error) => Err(error.into()),
        Err(error) => Err(format!("handbill_meta is not a table of Handbill: {error}").into()),
    }
}

fn parse_version(text: &str) -> Option<(u32, u32, u32)> {
    let mut numbers = text.split('.').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??, numbers.next()??))
}

/// What SQLite does not say when it is "unable to open database file". An existing file is not opened:
/// that would release the locks of other connections of this process.
fn reason(path: &Path, may_be_made: bool) -> Option<String> {
    let folder = path.parent()?;
    match folder.metadata() {
        Err(error) => return Some(format!("the folder {}: {error}", folder.display())),
        Ok(folder_is) if !folder_is.is_dir() => {
            return Some(format!("{} is not a folder", folder.display()));
        }
        Ok(_) => {}
    }
    match path.metadata() {
        Ok(file) if file.is_dir() => Some("this is a folder, not a file".to_owned()),
        Ok(file) if file.permissions().readonly() => Some("the file is read-only".to_owned()),
        Ok(_) => None,
        Err(_) if may_be_made => Some(format!(
            "no file can be made in the folder {}",
            folder.display()
        )),
        Err(error) => Some(error.to_string()),
    }
}
