//! A private PostgreSQL server in a temporary folder, on a free port.

pub mod posts;
mod standby;
pub mod tls;

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use sqlx::{Connection, PgConnection};
use tempfile::TempDir;
use tokio::process::Command;
use tokio::sync::Mutex;

use crate::missing;
use crate::server::{Process, free_port, give_away, unprivileged_command};

const USER: &str = "handbill";

/// A server. It is killed when dropped.
#[derive(Debug)]
pub struct Postgres {
    /// It ends before its folder is deleted.
    process: Process,
    programs: PathBuf,
    folder: PathBuf,
    /// Deletes the folder when dropped, unless the caller owns it.
    _temporary: Option<TempDir>,
    port: u16,
    databases: AtomicUsize,
}

impl Postgres {
    /// The server that the tests of this process share. It is stopped when the last test drops it.
    /// If PostgreSQL is not installed, this reports it and returns `None`.
    pub async fn shared() -> Option<Arc<Self>> {
        static SHARED: Mutex<Weak<Postgres>> = Mutex::const_new(Weak::new());
        let mut shared = SHARED.lock().await;
        if let Some(postgres) = shared.upgrade() {
            return Some(postgres);
        }
        let postgres = Arc::new(Self::start(&std::env::temp_dir(), &["fsync=off"]).await?);
        *shared = Arc::downgrade(&postgres);
        Some(postgres)
    }

    /// A new server with its files in a new folder below this one, and with settings such as
    /// `max_connections=20`.
    pub async fn start(parent: &Path, settings: &[&str]) -> Option<Self> {
        let temporary = tempfile::tempdir_in(parent).expect("a folder");
        let folder = temporary.path().to_owned();
        Self::start_on(folder, Some(temporary), settings).await
    }

    /// A server with its files in this folder, which is created if absent and not deleted. An
    /// existing server's data is used.
    pub async fn start_kept(folder: &Path, settings: &[&str]) -> Option<Self> {
        std::fs::create_dir_all(folder).expect("a folder");
        Self::start_on(folder.to_owned(), None, settings).await
    }

    async fn start_on(
        folder: PathBuf,
        temporary: Option<TempDir>,
        settings: &[&str],
    ) -> Option<Self> {
        let Some(programs) = programs(&["initdb", "postgres", "pg_basebackup"]) else {
            missing::say(
                "PostgreSQL (initdb, postgres) is missing",
                "Install it with: apt-get install postgresql",
            );
            return None;
        };
        // Its other processes end with it, but only this signal and `INT` release its shared memory.
        let process = Process::new(folder.join("log"), "QUIT");
        let postgres = Self {
            programs,
            folder,
            _temporary: temporary,
            port: free_port(),
            process,
            databases: AtomicUsize::new(0),
        };
        if !postgres.data().join("PG_VERSION").is_file() {
            postgres.initialise().await;
        }
        postgres.set(settings);
        postgres.run().await;
        Some(postgres)
    }

    async fn initialise(&self) {
        give_away(&self.folder);
        let mut initdb = self.command("initdb");
        initdb.args(["--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]);
        initdb.args(["--username", USER]);
        let status = initdb.stdout(Stdio::null()).status().await;
        assert!(status.expect("initdb runs").success());
    }

    fn set(&self, settings: &[&str]) {
        let port = format!("port={}", self.port);
        let own = [
            &port,
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
        ];
        let lines = own.iter().chain(settings).map(|setting| {
            let (name, value) = setting.split_once('=').expect("name=value");
            format!("{name} = '{value}'\n")
        });
        let file = self.data().join("postgresql.auto.conf");
        std::fs::write(file, lines.collect::<String>()).expect("the settings are written");
    }

    /// Starts the server, also after it was stopped, killed or failed, and waits until it accepts
    /// connections.
    pub async fn run(&self) {
        let accepts = async || PgConnection::connect(&self.url("postgres")).await.is_ok();
        self.process.run(|| self.command("postgres"), accepts).await;
    }

    /// The address of the database with this name.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{USER}@127.0.0.1:{}/{database}", self.port)
    }

    /// Creates an empty database and returns its address.
    pub async fn create_database(&self) -> String {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let mut connection = PgConnection::connect(&self.url("postgres"))
            .await
            .expect("the server accepts connections");
        let statement = format!("CREATE DATABASE {name}");
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement))
            .execute(&mut connection)
            .await
            .expect("a database is created");
        self.url(&name)
    }

    /// The port on 127.0.0.1. It stays the same while the server is stopped.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The folder of its files.
    pub fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Stops it normally and cuts its connections (`fast`).
    pub async fn stop(&self) {
        self.process.end("INT").await;
    }

    /// Stops it as a crash would, without writing anything more (`immediate`).
    pub async fn crash(&self) {
        self.process.end("QUIT").await;
    }

    /// Runs a program of PostgreSQL on the server's data, as an unprivileged user.
    pub fn command(&self, program: &str) -> Command {
        let mut command = unprivileged_command(&self.programs.join(program));
        command.env("PGDATA", self.data()).current_dir(&self.folder);
        command
    }
}

impl Deref for Postgres {
    type Target = Process;

    fn deref(&self) -> &Process {
        &self.process
    }
}

/// The folder of these programs: on the path, or Debian's folder of the latest release.
pub fn programs(names: &[&str]) -> Option<PathBuf> {
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let debian = std::fs::read_dir("/usr/lib/postgresql").ok();
    let mut debian: Vec<PathBuf> = debian
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .collect();
    debian.sort_by_key(|bin| std::cmp::Reverse(release(bin)));
    std::env::split_paths(&on_path)
        .chain(debian)
        .find(|folder| names.iter().all(|name| folder.join(name).is_file()))
}

fn release(bin: &Path) -> Option<u32> {
    bin.parent()?.file_name()?.to_str()?.parse().ok()
}
