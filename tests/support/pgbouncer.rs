//! A private pgbouncer in front of a PostgreSQL server, in transaction mode.

use std::process::Stdio;
use std::time::Duration;

use sqlx::ConnectOptions;
use sqlx::postgres::PgConnectOptions;
use tempfile::TempDir;
use tokio::process::Child;
use tokio::time::{sleep, timeout};

use crate::missing;
use crate::postgres::Postgres;
use crate::server::{free_port, give_away, unprivileged_command};

/// Debian's folder for it, which is not on every user's path.
const DEBIAN: &str = "/usr/sbin/pgbouncer";
const START_TIMEOUT: Duration = Duration::from_secs(20);

/// A pooler. It is killed when dropped.
#[derive(Debug)]
pub struct Pgbouncer {
    port: u16,
    server_port: u16,
    _process: Child,
    _folder: TempDir,
}

impl Pgbouncer {
    /// Starts a pooler. If pgbouncer is not installed, this reports it and returns `None`.
    pub async fn start(server: &Postgres) -> Option<Self> {
        let found = std::path::Path::new(DEBIAN).is_file();
        let program = if found { DEBIAN } else { "pgbouncer" };
        if missing::program(program, "apt-get install pgbouncer") {
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let (port, server_port) = (free_port(), server.port());
        let (settings, users) = (folder.path().join("ini"), folder.path().join("users"));
        let text = format!(
            "[databases]\n\
             * = host=127.0.0.1 port={server_port}\n\
             [pgbouncer]\n\
             listen_addr = 127.0.0.1\n\
             listen_port = {port}\n\
             unix_socket_dir =\n\
             auth_type = trust\n\
             auth_file = {}\n\
             pool_mode = transaction\n\
             server_round_robin = 1\n",
            users.display(),
        );
        std::fs::write(&settings, text).expect("the settings are written");
        std::fs::write(&users, "\"handbill\" \"\"\n").expect("the users are written");
        give_away(folder.path());
        let mut command = unprivileged_command(program.as_ref());
        command.arg(&settings);
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let pooler = Self {
            port,
            server_port,
            _process: process.expect("the pooler starts"),
            _folder: folder,
        };
        let url = pooler.url(&server.url("postgres"));
        let options: PgConnectOptions = url.parse().expect("an address");
        // pgbouncer does not know this setting.
        let options = options.extra_float_digits(None);
        let ready = async {
            while options.connect().await.is_err() {
                sleep(Duration::from_millis(20)).await;
            }
        };
        let started = timeout(START_TIMEOUT, ready).await;
        started.expect("the pooler accepts connections");
        Some(pooler)
    }

    /// The address of a database through the pooler.
    pub fn url(&self, of_server: &str) -> String {
        of_server.replace(
            &format!(":{}/", self.server_port),
            &format!(":{}/", self.port),
        )
    }
}
