//! A private PostgreSQL server in a temporary folder, on a free port.

pub mod posts;
mod standby;
pub mod tls;

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, Weak};
use std::time::Duration;

use sqlx::{Connection, PgConnection};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};

use crate::missing;

const USER: &str = "handbill";
/// The users that can run the server when the tests run as root, which PostgreSQL refuses. The
/// first one that exists is used.
const UNPRIVILEGED: [&str; 2] = ["postgres", "nobody"];
/// The maximum time until a server accepts connections, including recovery after a crash.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// A server. It is killed when dropped.
#[derive(Debug)]
pub struct Postgres {
    programs: PathBuf,
    folder: PathBuf,
    /// Deletes the folder when dropped, unless the caller owns it.
    _temporary: Option<TempDir>,
    port: u16,
    server: Mutex<Option<Child>>,
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
        let postgres = Self {
            programs,
            folder,
            _temporary: temporary,
            port: free_port(),
            server: Mutex::new(None),
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
        let mut server = self.server.lock().await;
        let ready = async {
            loop {
                let running = server.as_mut().map(Child::try_wait);
                if !matches!(running, Some(Ok(None))) {
                    *server = Some(self.spawn());
                }
                if PgConnection::connect(&self.url("postgres")).await.is_ok() {
                    return;
                }
                sleep(Duration::from_millis(20)).await;
            }
        };
        if timeout(START_TIMEOUT, ready).await.is_err() {
            panic!("the server does not accept connections:\n{}", self.log());
        }
    }

    fn spawn(&self) -> Child {
        let log = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.folder.join("log"));
        let mut command = self.command("postgres");
        command.stdout(Stdio::null()).stderr(log.expect("a log"));
        command.spawn().expect("the server starts")
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

    /// Its log so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    /// Stops it normally and cuts its connections (`fast`).
    pub async fn stop(&self) {
        self.end("INT").await;
    }

    /// Stops it as a crash would, without writing anything more (`immediate`).
    pub async fn crash(&self) {
        self.end("QUIT").await;
    }

    async fn end(&self, signal: &str) {
        let mut server = self.server.lock().await.take().expect("it runs");
        signal_to(signal, &[server.id().expect("it runs")]);
        server.wait().await.expect("it ends");
    }

    /// Pauses all its processes, until they resume or are killed.
    pub async fn pause(&self) {
        self.signal("STOP").await;
    }

    /// Lets its processes go on after a pause.
    pub async fn resume(&self) {
        self.signal("CONT").await;
    }

    async fn signal(&self, signal: &str) {
        let server = self.server.lock().await;
        let id = server.as_ref().and_then(Child::id);
        signal_all(signal, id.expect("it runs"));
    }

    /// Kills all its processes (`kill -9`).
    pub async fn kill(&self) {
        let mut server = self.server.lock().await.take().expect("it runs");
        signal_all("KILL", server.id().expect("it runs"));
        server.wait().await.expect("it ends");
    }

    /// Runs a program of PostgreSQL on the server's data, as an unprivileged user.
    pub fn command(&self, program: &str) -> Command {
        let mut command = unprivileged_command(&self.programs.join(program));
        command.env("PGDATA", self.data()).current_dir(&self.folder);
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // Its other processes end with it, but only a normal stop releases its shared memory.
        if let Some(id) = self.server.get_mut().as_ref().and_then(Child::id) {
            signal_to("QUIT", &[id]);
            signal_all("CONT", id);
            while self
                .server
                .get_mut()
                .as_mut()
                .is_some_and(|server| matches!(server.try_wait(), Ok(None)))
            {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

/// Sends a signal to a server and all its processes.
pub fn signal_all(signal: &str, server: u32) {
    let children = std::fs::read_to_string(format!("/proc/{server}/task/{server}/children"));
    let children = children.unwrap_or_default();
    let children = children.split_whitespace().map(str::parse);
    let mut all: Vec<u32> = children.map(|id| id.expect("an id")).collect();
    all.push(server);
    signal_to(signal, &all);
}

/// Some of them may have ended already.
pub(crate) fn signal_to(signal: &str, processes: &[u32]) {
    let sent = std::process::Command::new("kill")
        .args(["-s", signal])
        .args(processes.iter().map(u32::to_string))
        .stderr(Stdio::null())
        .status();
    sent.expect("kill runs");
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

/// A program that an unprivileged user runs. It is killed when dropped.
pub fn unprivileged_command(program: &Path) -> Command {
    let mut command = std::process::Command::new(program);
    if let Some((user, group)) = unprivileged() {
        command.uid(user).gid(group);
    }
    let mut command = Command::from(command);
    command.kill_on_drop(true);
    command
}

/// Gives a folder to the user of [`unprivileged_command`].
pub fn give_away(folder: &Path) {
    if let Some((user, group)) = unprivileged() {
        std::os::unix::fs::chown(folder, Some(user), Some(group))
            .expect("the folder gets its owner");
    }
}

/// The user and group that run the server, if they are not those of the tests.
pub(crate) fn unprivileged() -> Option<(u32, u32)> {
    if std::fs::metadata("/proc/self").ok()?.uid() != 0 {
        return None;
    }
    let accounts = std::fs::read_to_string("/etc/passwd").ok()?;
    UNPRIVILEGED.iter().find_map(|name| {
        let account = accounts
            .lines()
            .find(|line| line.split(':').next() == Some(name))?;
        let mut numbers = account.split(':').skip(2).map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    })
}

/// A free port on 127.0.0.1 outside the range that systems assign to clients (from 32,768 on, or
/// later). Otherwise, while a server is down, one of its clients could get its port and connect to
/// itself.
pub fn free_port() -> u16 {
    // Those that were returned before: their servers may not have bound them yet.
    static RETURNED: std::sync::Mutex<BTreeSet<u16>> = std::sync::Mutex::new(BTreeSet::new());
    let mut returned = RETURNED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let ports = std::iter::repeat_with(|| rand::random_range(10_000..32_768));
    let mut free = ports.filter(is_free);
    free.find(|port| returned.insert(*port))
        .expect("there are free ports")
}
