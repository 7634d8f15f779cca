//! Standbys of a server.

use std::process::Stdio;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use sqlx::{Connection, PgConnection};
use tokio::time::{sleep, timeout};

use super::{Postgres, USER};
use crate::server::{Process, START_TIMEOUT, free_port, give_away};

impl Postgres {
    /// A new standby of this server, with its own settings, that serves reads.
    pub async fn standby(&self, settings: &[&str]) -> Self {
        let temporary = tempfile::tempdir().expect("a folder");
        let standby = Self {
            programs: self.programs.clone(),
            folder: temporary.path().to_owned(),
            process: Process::new(temporary.path().join("log"), "QUIT"),
            _temporary: Some(temporary),
            port: free_port(),
            databases: AtomicUsize::new(0),
        };
        give_away(&standby.folder);
        let mut copy = standby.command("pg_basebackup");
        copy.args(["--host=127.0.0.1", "--checkpoint=fast", "--no-sync"]);
        copy.args(["--username", USER, "--write-recovery-conf"]);
        copy.args(["--port", &self.port.to_string(), "--pgdata"]);
        let copied = copy.arg(standby.data()).stdout(Stdio::null()).status();
        assert!(copied.await.expect("pg_basebackup runs").success());
        // The copied configuration has the settings of the primary. The last of two settings
        // applies.
        let port = format!("port={}", standby.port);
        standby.add([port.as_str()].iter().chain(settings));
        standby.run().await;
        standby
    }

    fn add<'a>(&self, settings: impl Iterator<Item = &'a &'a str>) {
        let file = self.data().join("postgresql.auto.conf");
        let mut text = std::fs::read_to_string(&file).expect("settings");
        for setting in settings {
            let (name, value) = setting.split_once('=').expect("name=value");
            text += &format!("{name} = '{value}'\n");
        }
        std::fs::write(file, text).expect("the settings are written");
    }

    /// Pauses the replay of the primary's log.
    pub async fn pause_replay(&self) {
        self.execute("SELECT pg_wal_replay_pause()").await;
        let paused = async {
            while self.query("SELECT pg_get_wal_replay_pause_state()").await != "paused" {
                sleep(Duration::from_millis(5)).await;
            }
        };
        let paused = timeout(START_TIMEOUT, paused).await;
        paused.expect("replay pauses");
    }

    /// Resumes the replay.
    pub async fn resume_replay(&self) {
        self.execute("SELECT pg_wal_replay_resume()").await;
    }

    /// Promotes it to a primary without standbys.
    pub async fn promote(&self) {
        self.execute("SELECT pg_promote()").await;
    }

    /// Runs one statement in its database `postgres`.
    pub async fn execute(&self, statement: &'static str) {
        let mut connection = self.connect().await;
        sqlx::raw_sql(statement)
            .execute(&mut connection)
            .await
            .expect("it does that");
    }

    /// The text that a statement returns.
    pub async fn query(&self, statement: &'static str) -> String {
        let mut connection = self.connect().await;
        let result = sqlx::query_scalar(statement).fetch_one(&mut connection);
        result.await.expect("a result")
    }

    async fn connect(&self) -> PgConnection {
        let connection = PgConnection::connect(&self.url("postgres")).await;
        connection.expect("a connection")
    }
}
