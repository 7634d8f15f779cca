//! A private MariaDB server in a temporary folder, on a free port.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use sqlx::{Connection, MySqlConnection, Row};
use tempfile::TempDir;
use tokio::process::Command;
use tokio::sync::Mutex;

use crate::missing;
use crate::server::{Process, free_port, give_away, unprivileged};

/// Debian's server, which is not on every user's path.
const DEBIAN: &str = "/usr/sbin/mariadbd";
/// A user with the rights of an application on its databases. One statement a line.
const USER: &str = "FLUSH PRIVILEGES;\n\
    CREATE USER handbill@'%';\n\
    GRANT ALL ON `test\\_%`.* TO handbill@'%';\n";
const INSTALL: [&str; 4] = [
    "--skip-test-db",
    "--skip-name-resolve",
    "--debug-no-sync",
    "--auth-root-authentication-method=normal",
];

/// Settings with which commits are in the files, but may be lost in a power cut.
pub(crate) const WITHOUT_SYNC: [&str; 2] = ["debug-no-sync", "innodb-flush-log-at-trx-commit=2"];

/// A server that tests of a process share.
pub type Shared = Mutex<Weak<MariaDb>>;

/// A server. It is killed when dropped.
#[derive(Debug)]
pub struct MariaDb {
    /// It ends before its folder is deleted.
    process: Process,
    folder: TempDir,
    /// The network namespace that it runs in, if it has its own.
    namespace: Option<String>,
    host: String,
    port: u16,
    settings: Vec<String>,
    databases: AtomicUsize,
}

impl MariaDb {
    /// The server that the tests of this process share. It is stopped when the last test drops it.
    /// If MariaDB is not installed, this reports it and returns `None`.
    pub async fn shared() -> Option<Arc<Self>> {
        static SHARED: Shared = Mutex::const_new(Weak::new());
        Self::shared_as(&SHARED, &[]).await
    }

    /// The same with settings, for tests that have another `SHARED`.
    pub async fn shared_as(shared: &Shared, settings: &[&str]) -> Option<Arc<Self>> {
        let mut shared = shared.lock().await;
        if let Some(mariadb) = shared.upgrade() {
            return Some(mariadb);
        }
        let settings = [&WITHOUT_SYNC, settings].concat();
        let mariadb = Arc::new(Self::start(&std::env::temp_dir(), &settings).await?);
        *shared = Arc::downgrade(&mariadb);
        Some(mariadb)
    }

    /// A new server with its files in a new folder below this one, and with settings such as
    /// `max-connections=20`.
    pub async fn start(parent: &Path, settings: &[&str]) -> Option<Self> {
        if is_missing() {
            return None;
        }
        let host = "127.0.0.1".to_owned();
        let mariadb = Self::new(parent, None, host, free_port(), settings);
        mariadb.initialise().await;
        mariadb.run().await;
        Some(mariadb)
    }

    /// A server that does not run yet, and has no files.
    pub(crate) fn new(
        parent: &Path,
        namespace: Option<String>,
        host: String,
        port: u16,
        settings: &[&str],
    ) -> Self {
        let folder = tempfile::tempdir_in(parent).expect("a folder");
        let data = folder.path().join("data");
        std::fs::create_dir(&data).expect("a folder");
        give_away(folder.path());
        give_away(&data);
        Self {
            process: Process::new(folder.path().join("log"), "KILL"),
            folder,
            namespace,
            host,
            port,
            settings: settings.iter().map(|&setting| setting.into()).collect(),
            databases: AtomicUsize::new(0),
        }
    }

    /// Copies the files of a new server, which the first test makes below `target`: that takes seconds.
    pub(crate) async fn initialise(&self) {
        let version = Command::new(program()).arg("--version").output().await;
        let version = version.expect("the server is run").stdout;
        let mut hasher = DefaultHasher::new();
        (version, INSTALL, USER).hash(&mut hasher);
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/mariadb");
        let installed = target.join(format!("{:016x}", hasher.finish()));
        let data = self.file("data");
        if installed.is_dir() {
            return copy(&installed, &data).await;
        }
        self.install().await;
        std::fs::create_dir_all(&target).expect("a folder");
        let copied = tempfile::tempdir_in(&target).expect("a folder");
        copy(&data, copied.path()).await;
        let renamed = std::fs::rename(copied.path(), &installed);
        assert!(renamed.is_ok() || installed.is_dir(), "{renamed:?}");
    }

    async fn install(&self) {
        let users = self.folder.path().join("users.sql");
        std::fs::write(&users, USER).expect("the users are written");
        let mut install = self.command("mariadb-install-db");
        install.args(INSTALL);
        install.arg(format!("--extra-file={}", users.display()));
        let output = install.output().await.expect("mariadb-install-db runs");
        assert!(output.status.success(), "{output:?}");
    }

    /// Starts the server, also after it was stopped, killed or failed, and waits until it accepts
    /// connections.
    pub async fn run(&self) {
        self.run_with(&[]).await;
    }

    pub(crate) async fn run_with(&self, options: &[&str]) {
        let root = self.url_as_root("mysql");
        let accepts = async || MySqlConnection::connect(&root).await.is_ok();
        let command = || {
            let mut command = self.command(program());
            for (name, file) in [("socket", self.socket()), ("pid-file", self.file("pid"))] {
                command.arg(format!("--{name}={}", file.display()));
            }
            command.args(["--skip-networking=0", "--skip-name-resolve"]);
            command.arg(format!("--bind-address={}", self.host));
            command.arg(format!("--port={}", self.port));
            command.args([
                "--innodb-buffer-pool-size=256M",
                "--character-set-server=utf8mb4",
            ]);
            command.args(self.settings.iter().map(|setting| format!("--{setting}")));
            command.args(options);
            command
        };
        self.process.run(command, accepts).await;
    }

    /// The last transaction of Galera in its files, while it does not run.
    pub(crate) async fn galera_position(&self) -> String {
        let mut recover = self.command(program());
        recover.args(["--wsrep-recover", "--skip-networking"]);
        recover.arg(format!("--socket={}", self.socket().display()));
        recover.args(self.settings.iter().map(|setting| format!("--{setting}")));
        let output = recover.output().await.expect("the server starts");
        let log = String::from_utf8_lossy(&output.stderr);
        let (_, position) = log
            .split_once("Recovered position: ")
            .unwrap_or_else(|| panic!("no position of Galera:\n{log}"));
        position.lines().next().unwrap_or_default().to_owned()
    }

    /// Deletes its files, while it does not run.
    pub(crate) fn lose_files(&self) {
        let data = self.file("data");
        std::fs::remove_dir_all(&data).expect("the files are deleted");
        std::fs::create_dir(&data).expect("a folder");
        give_away(&data);
    }

    /// A program of MariaDB for the server's data, as an unprivileged user.
    fn command(&self, program: &str) -> Command {
        let mut command = match &self.namespace {
            Some(namespace) => {
                // `ip netns exec` would also hold the file systems that other tests have mounted.
                let mut command = Command::new("nsenter");
                command.arg(format!("--net=/run/netns/{namespace}"));
                command.arg(program);
                command
            }
            None => Command::new(program),
        };
        command.arg("--no-defaults");
        command.arg(format!("--datadir={}", self.file("data").display()));
        // A server deletes the temporary tables of others in the same folder when it starts.
        command.arg(format!("--tmpdir={}", self.folder.path().display()));
        command.arg("--innodb-log-file-size=16M");
        if let Some((user, _)) = unprivileged() {
            command.arg(format!("--user={user}"));
        }
        command.stdin(Stdio::null()).kill_on_drop(true);
        command
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn socket(&self) -> PathBuf {
        self.file("socket")
    }

    /// The address of the database with this name, for a user without rights on the server.
    pub fn url(&self, database: &str) -> String {
        format!("mysql://handbill@{}:{}/{database}", self.host, self.port)
    }

    /// The same for the user with all rights, by the server's socket.
    pub fn url_as_root(&self, database: &str) -> String {
        let socket = self.socket();
        format!(
            "mysql://root@localhost/{database}?socket={}",
            socket.display()
        )
    }

    /// Creates an empty database in `utf8mb4` and returns its address.
    pub async fn create_database(&self) -> String {
        self.create_database_in("utf8mb4").await
    }

    /// The same in another character set, with its default collation.
    pub async fn create_database_in(&self, character_set: &str) -> String {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let statement = format!("CREATE DATABASE {name} CHARACTER SET {character_set}");
        self.execute(&statement).await;
        self.url(&name)
    }

    /// Runs statements as root.
    pub async fn execute(&self, statements: &str) {
        let statements = sqlx::raw_sql(sqlx::AssertSqlSafe(statements));
        let mut connection = self.connect().await.expect("a connection");
        let done = statements.execute(&mut connection).await;
        done.expect("the statements succeed");
    }

    /// A status variable of the server, such as `Threads_connected`.
    pub async fn status(&self, variable: &str) -> sqlx::Result<String> {
        let statement = format!("SHOW GLOBAL STATUS LIKE '{variable}'");
        let statement = sqlx::raw_sql(sqlx::AssertSqlSafe(statement));
        let row = statement.fetch_one(&mut self.connect().await?).await?;
        Ok(row.get(1))
    }

    async fn connect(&self) -> sqlx::Result<MySqlConnection> {
        let url = self.url_as_root("mysql") + "&ssl-mode=disabled";
        MySqlConnection::connect(&url).await
    }

    /// The port. It stays the same while the server is stopped.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Stops it normally.
    pub async fn stop(&self) {
        self.process.end("TERM").await;
    }
}

impl Deref for MariaDb {
    type Target = Process;

    fn deref(&self) -> &Process {
        &self.process
    }
}

/// Copies what is in a folder, with its owners.
async fn copy(from: &Path, to: &Path) {
    let mut copy = Command::new("cp");
    copy.arg("-a").arg(from.join(".")).arg(to);
    assert!(copy.status().await.expect("cp runs").success());
}

/// Whether the server is not installed. Reports it.
pub(crate) fn is_missing() -> bool {
    missing::program(program(), "apt-get install mariadb-server")
}

fn program() -> &'static str {
    if Path::new(DEBIAN).is_file() {
        DEBIAN
    } else {
        "mariadbd"
    }
}
