//! Handbill in the host's own database: its pool, its statements in the transaction of each change, its triggers, and
//! what it may read.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod beside_rusqlite;
mod kills;
mod pools;
mod statements;
mod tables;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use handbill::{Draft, Handbill, RateLimits, Store};
use handbill_sql::{MySqlStore, PostgresStore, SqliteStore};
use handbill_tests::mariadb::MariaDb;
use handbill_tests::postgres::Postgres;
use sqlx::mysql::MySqlPoolOptions;
use sqlx::postgres::PgPoolOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions};
use sqlx::{MySqlPool, PgPool, SqlitePool};
use tempfile::TempDir;

/// A table of the host, in each database.
const AUDIT: &str = "CREATE TABLE audit (
  number BIGINT PRIMARY KEY, who TEXT NOT NULL, what TEXT NOT NULL, subject TEXT NOT NULL, revision BIGINT
)";
/// Another one, which the triggers of the README write to.
const APP_AUDIT: &str =
    "CREATE TABLE app_audit (what TEXT NOT NULL, post TEXT NOT NULL, revision BIGINT NOT NULL)";
const README: &str = include_str!("../../../integrations/sql/README.md");

/// The triggers of the README.
fn triggers(database: &str) -> String {
    let (_, block) = README.split_once(&format!("```sql {database}\n")).unwrap();
    block.split_once("```").unwrap().0.to_owned()
}

/// A row of the audit by statements.
type Row = (i64, String, String, String, Option<i64>);

/// A host with a SQLite file, its pool and its audit.
struct SqliteHost {
    file: PathBuf,
    pool: SqlitePool,
    _folder: TempDir,
}

impl SqliteHost {
    async fn start() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("app.db");
        let pool = sqlite_pool(&file, 5).await;
        sqlx::query(AUDIT).execute(&pool).await.unwrap();
        Some(Self {
            file,
            pool,
            _folder: folder,
        })
    }

    async fn open(&self) -> SqliteStore {
        SqliteStore::open(&self.file).await.unwrap()
    }

    async fn add_triggers(&self) {
        sqlx::query(APP_AUDIT).execute(&self.pool).await.unwrap();
        let triggers = sqlx::AssertSqlSafe(triggers("sqlite"));
        sqlx::raw_sql(triggers).execute(&self.pool).await.unwrap();
    }

    async fn audit(&self) -> Vec<Row> {
        let rows = sqlx::query_as("SELECT * FROM audit ORDER BY number");
        rows.fetch_all(&self.pool).await.unwrap()
    }
}

async fn sqlite_pool(file: &Path, connections: u32) -> SqlitePool {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal);
    let pool = SqlitePoolOptions::new().max_connections(connections);
    pool.connect_with(options).await.unwrap()
}

/// A host with a database on a server, its pool and its audit.
macro_rules! host {
    ($name:ident, $Host:ident, $Server:ident, $Store:ident, $Pool:ident, $Options:ident, $pool:ident) => {
        struct $Host {
            url: String,
            pool: $Pool,
            _server: Arc<$Server>,
        }

        impl $Host {
            async fn start() -> Option<Self> {
                let server = $Server::shared().await?;
                let url = server.create_database().await;
                let pool = $pool(&url, 5).await;
                sqlx::query(AUDIT).execute(&pool).await.unwrap();
                Some(Self {
                    url,
                    pool,
                    _server: server,
                })
            }

            async fn open(&self) -> $Store {
                $Store::open(&self.url).await.unwrap()
            }

            async fn add_triggers(&self) {
                sqlx::query(APP_AUDIT).execute(&self.pool).await.unwrap();
                let triggers = sqlx::AssertSqlSafe(triggers(stringify!($name)));
                sqlx::raw_sql(triggers).execute(&self.pool).await.unwrap();
            }

            async fn audit(&self) -> Vec<Row> {
                let rows = sqlx::query_as("SELECT * FROM audit ORDER BY number");
                rows.fetch_all(&self.pool).await.unwrap()
            }
        }

        async fn $pool(url: &str, connections: u32) -> $Pool {
            let pool = $Options::new().max_connections(connections);
            pool.connect(url).await.unwrap()
        }
    };
}

host!(
    postgres,
    PostgresHost,
    Postgres,
    PostgresStore,
    PgPool,
    PgPoolOptions,
    postgres_pool
);
host!(
    mysql,
    MySqlHost,
    MariaDb,
    MySqlStore,
    MySqlPool,
    MySqlPoolOptions,
    mysql_pool
);

fn service(store: impl Store) -> Handbill {
    let handbill = Handbill::new("https://example.org/blog", store).unwrap();
    handbill.with_rate_limits(RateLimits::off())
}

/// Writes a row for each change, with the host's own statements.
macro_rules! record {
    ($connection:expr, $change:expr) => {{
        let mut insert = sqlx::QueryBuilder::new(
            "INSERT INTO audit (number, who, what, subject, revision) VALUES (",
        );
        let revision = $change.revision;
        insert
            .separated(", ")
            .push_bind($change.number.cast_signed())
            .push_bind($change.by.to_string())
            .push_bind($change.event.name())
            .push_bind($change.event.subject())
            .push_bind(revision.map(|revision| revision.number().cast_signed()))
            .push_unseparated(")");
        insert.build().execute($connection).await
    }};
}
use record;

fn draft(title: &str) -> Draft {
    Draft::new().title(title).body("Some text.")
}
