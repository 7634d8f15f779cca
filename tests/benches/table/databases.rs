//! Databases to measure on: SQLite files, and databases of a PostgreSQL server that the benchmark
//! starts. All of them are on the disk that the build is on, and their commits are durable.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use handbill_tests::postgres::Postgres;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tempfile::TempDir;

/// A usual set-up for a machine of this size. The log is so large that the server does not write
/// every page several times while a database is filled.
const SETTINGS: [&str; 4] = [
    "shared_buffers=256MB",
    "max_connections=200",
    "max_wal_size=2GB",
    "jit=off",
];

pub(crate) struct Databases {
    /// The SQLite files of this run.
    folder: TempDir,
    /// None where PostgreSQL is not installed.
    postgres: Option<Postgres>,
    /// The PostgreSQL databases of this run.
    temporary: RefCell<BTreeSet<String>>,
}

/// The folder of the databases that are reused by the next run.
pub(crate) fn reused() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("million")
}

impl Databases {
    /// Starts PostgreSQL. Its processes run on the cores that the caller may use.
    pub(crate) async fn open() -> Self {
        Self {
            folder: tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap(),
            postgres: Postgres::start_kept(&reused().join("postgres"), &SETTINGS).await,
            temporary: RefCell::default(),
        }
    }

    /// The URL of a SQLite database that is removed after the run.
    pub(crate) fn sqlite(&self, name: &str) -> String {
        sqlite_url(&self.folder.path().join(format!("{name}.db")))
    }

    /// A copy of a SQLite database that no process has open. It is removed after the run.
    pub(crate) fn copy_of_sqlite(&self, name: &str, original: &str) -> String {
        let url = self.sqlite(name);
        let (original, copy) = (sqlite_file(original), sqlite_file(&url));
        // A server that was killed leaves a log, which belongs to the database.
        for suffix in ["", "-wal"] {
            let original = with_suffix(original, suffix);
            if original.exists() {
                let copy = with_suffix(copy, suffix);
                std::fs::copy(original, &copy).unwrap();
                // Otherwise the system would write it to the disk during the next measurement.
                std::fs::File::open(copy).unwrap().sync_all().unwrap();
            }
        }
        url
    }

    /// Removes a SQLite database of this run.
    pub(crate) fn remove_sqlite(&self, url: &str) {
        remove_sqlite(sqlite_file(url));
    }

    pub(crate) fn has_postgres(&self) -> bool {
        self.postgres.is_some()
    }

    /// An empty PostgreSQL database that is removed after the run.
    pub(crate) async fn postgres(&self, name: &str) -> Option<String> {
        self.copy_of_postgres(name, "template1").await
    }

    /// A copy of a PostgreSQL database that has no connections. It is removed after the run.
    pub(crate) async fn copy_of_postgres(&self, name: &str, original: &str) -> Option<String> {
        self.drop_postgres(name).await;
        self.temporary.borrow_mut().insert(name.to_owned());
        // PostgreSQL copies no database that is in use: a session of a server that was stopped may still end.
        let end = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname =";
        self.command(&format!("{end} '{original}'")).await;
        let create = format!("CREATE DATABASE {name} TEMPLATE {original} STRATEGY file_copy");
        self.command(&create).await;
        Some(self.postgres.as_ref()?.url(name))
    }

    /// The URL of the PostgreSQL database of this name.
    pub(crate) fn postgres_url(&self, name: &str) -> Option<String> {
        Some(self.postgres.as_ref()?.url(name))
    }

    /// The PostgreSQL databases whose name begins so.
    pub(crate) async fn postgres_named(&self, prefix: &str) -> Vec<String> {
        let Some(mut connection) = self.connect().await else {
            return Vec::new();
        };
        let names = "SELECT datname::TEXT FROM pg_database WHERE starts_with(datname::TEXT, $1)";
        let names = sqlx::query_scalar(names).bind(prefix);
        names.fetch_all(&mut connection).await.unwrap()
    }

    pub(crate) async fn create_postgres(&self, name: &str) {
        self.command(&format!("CREATE DATABASE {name}")).await;
    }

    pub(crate) async fn rename_postgres(&self, name: &str, new_name: &str) {
        self.command(&format!("ALTER DATABASE {name} RENAME TO {new_name}"))
            .await;
    }

    pub(crate) async fn drop_postgres(&self, name: &str) {
        self.command(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
            .await;
    }

    /// The release of PostgreSQL.
    pub(crate) async fn postgres_version(&self) -> Option<String> {
        let mut connection = self.connect().await?;
        let version = sqlx::query_scalar("SHOW server_version");
        Some(version.fetch_one(&mut connection).await.unwrap())
    }

    async fn command(&self, text: &str) {
        if let Some(mut connection) = self.connect().await {
            let text = AssertSqlSafe(text.to_owned());
            sqlx::raw_sql(text).execute(&mut connection).await.unwrap();
        }
    }

    async fn connect(&self) -> Option<PgConnection> {
        let url = self.postgres.as_ref()?.url("postgres");
        Some(PgConnection::connect(&url).await.unwrap())
    }

    pub(crate) async fn close(self) {
        for name in self.temporary.take() {
            self.drop_postgres(&name).await;
        }
        if let Some(postgres) = &self.postgres {
            postgres.stop().await;
        }
    }
}

pub(crate) fn sqlite_url(file: &Path) -> String {
    format!("sqlite://{}", file.display())
}

pub(crate) fn sqlite_file(url: &str) -> &Path {
    Path::new(url.strip_prefix("sqlite://").unwrap())
}

/// Removes a SQLite file and the files that belong to it, as far as they exist.
pub(crate) fn remove_sqlite(file: &Path) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let _ = std::fs::remove_file(with_suffix(file, suffix));
    }
}

fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
