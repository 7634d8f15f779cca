//! Databases to measure on: files of SQLite, and databases of a PostgreSQL server of our own, all on
//! the disk that the build is on. What is in them is durable.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use handbill_tests::postgres::Postgres;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tempfile::TempDir;

/// As a machine of this size would be set up, with durable commits, which are the default. The log
/// is large enough that filling does not write every page several times.
const SETTINGS: [&str; 4] = [
    "shared_buffers=256MB",
    "max_connections=200",
    "max_wal_size=2GB",
    "jit=off",
];

pub(crate) struct Databases {
    /// Of files that nobody needs after the run.
    folder: TempDir,
    /// None where it is not installed.
    postgres: Option<Postgres>,
    made: RefCell<BTreeSet<String>>,
}

/// What is kept from one run to the next.
pub(crate) fn kept() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("million")
}

impl Databases {
    /// Starts PostgreSQL. Its processes run on the cores that the caller may use.
    pub(crate) async fn open() -> Self {
        Self {
            folder: tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap(),
            postgres: Postgres::start_kept(&kept().join("postgres"), &SETTINGS).await,
            made: RefCell::default(),
        }
    }

    /// Where a new file of SQLite may be.
    pub(crate) fn sqlite_file(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.db"))
    }

    pub(crate) fn sqlite(&self, name: &str) -> String {
        sqlite_url(&self.sqlite_file(name))
    }

    /// A new and empty database of PostgreSQL, gone after the run.
    pub(crate) async fn postgres(&self, name: &str) -> Option<String> {
        self.postgres_like(name, "template1").await
    }

    /// A copy of another database, which nobody may be connected to; gone after the run.
    pub(crate) async fn postgres_like(&self, name: &str, template: &str) -> Option<String> {
        self.drop_postgres(name).await;
        self.command(&format!(
            "CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy"
        ))
        .await;
        self.made.borrow_mut().insert(name.to_owned());
        Some(self.postgres.as_ref()?.url(name))
    }

    /// The database of this name, which is kept.
    pub(crate) fn postgres_kept(&self, name: &str) -> Option<String> {
        Some(self.postgres.as_ref()?.url(name))
    }

    /// Makes the database of this name anew, to be kept.
    pub(crate) async fn make_postgres_kept(&self, name: &str) {
        self.drop_postgres(name).await;
        self.command(&format!("CREATE DATABASE {name}")).await;
    }

    async fn drop_postgres(&self, name: &str) {
        self.command(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
            .await;
    }

    /// The release of PostgreSQL.
    pub(crate) async fn postgres_version(&self) -> Option<String> {
        let mut connection = self.connect().await?;
        let version = sqlx::query_scalar("SHOW server_version");
        Some(version.fetch_one(&mut connection).await.unwrap())
    }

    /// Does now what the server would do later to a database that was filled, while something else is
    /// measured: counts read an index alone then, and all is in its files.
    pub(crate) async fn settle(&self, name: &str) {
        let url = self.postgres_kept(name);
        let Some(url) = url else { return };
        let mut connection = PgConnection::connect(&url).await.unwrap();
        for command in ["VACUUM ANALYZE", "CHECKPOINT"] {
            sqlx::raw_sql(command)
                .execute(&mut connection)
                .await
                .unwrap();
        }
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
        for name in self.made.take() {
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
