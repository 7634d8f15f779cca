//! A primary and a standby that can replace it, behind one address: two patroni nodes, a third
//! process for the majority (patroni's own Raft), and haproxy in front.

mod settings;

use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use handbill_tests::load::get;
use handbill_tests::missing;
use handbill_tests::postgres::programs;
use handbill_tests::server::{free_port, give_away, signal_all, unprivileged_command};
use handbill_tests::wire::Connection;
use sqlx::{Connection as _, PgConnection};
use tempfile::TempDir;
use tokio::process::Child;
use tokio::time::{sleep, timeout};

const NODES: usize = 2;
/// The command that patroni runs.
const OF_POSTGRES: [&str; 6] = [
    "initdb",
    "pg_basebackup",
    "pg_controldata",
    "pg_ctl",
    "pg_rewind",
    "postgres",
];
const PROGRAMS: [&str; 3] = ["patroni", "patroni_raft_controller", "haproxy"];
/// The maximum time for a cluster to start and for a node to come back.
const TIMEOUT: Duration = Duration::from_secs(180);
/// The time between two looks at the state of the cluster.
const PAUSE: Duration = Duration::from_millis(100);

/// A cluster in a folder of its own. It is stopped when dropped.
pub(crate) struct Cluster {
    folder: TempDir,
    programs: PathBuf,
    nodes: [Node; NODES],
    witness: u16,
    entrance: u16,
    /// The processes outside the nodes: the one for the majority, and haproxy.
    others: Vec<Child>,
}

struct Node {
    number: usize,
    raft: u16,
    state: u16,
    database: u16,
    patroni: Option<Child>,
}

impl Cluster {
    /// Starts a cluster whose standby is synchronous. If something that it needs is not installed,
    /// this reports it and returns `None`.
    pub(crate) async fn start() -> Option<Self> {
        let (Some(programs), true) = (
            programs(&OF_POSTGRES),
            PROGRAMS.into_iter().all(is_installed),
        ) else {
            missing::say(
                "PostgreSQL, patroni or haproxy is missing",
                "Install them with: apt-get install postgresql patroni python3-pysyncobj haproxy",
            );
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        give_away(folder.path());
        let mut cluster = Self {
            folder,
            programs,
            nodes: std::array::from_fn(|number| Node {
                number,
                raft: free_port(),
                state: free_port(),
                database: free_port(),
                patroni: None,
            }),
            witness: free_port(),
            entrance: free_port(),
            others: Vec::new(),
        };
        cluster.write_settings();
        let witness = cluster.run("patroni_raft_controller", &["witness.yml"], "witness.log");
        let entrance = cluster.run("haproxy", &["-db", "-f", "haproxy.cfg"], "haproxy.log");
        cluster.others = vec![witness, entrance];
        for number in 0..NODES {
            cluster.start_node(number);
        }
        cluster.is_whole().await;
        Some(cluster)
    }

    /// The address of the primary, whichever node that is.
    pub(crate) fn url(&self) -> String {
        format!("postgres://handbill@127.0.0.1:{}/postgres", self.entrance)
    }

    /// Kills the primary with all its processes, including patroni (`kill -9`), and returns which
    /// node it was.
    pub(crate) async fn kill_primary(&mut self) -> usize {
        self.is_whole().await;
        let number = self.in_state("/primary").await.expect("there is a primary");
        let node = &mut self.nodes[number];
        let mut patroni = node.patroni.take().expect("it runs");
        patroni.kill().await.expect("it can be killed");
        signal_all("KILL", self.server(number).expect("it runs"));
        number
    }

    /// Starts a node, also after it was killed.
    pub(crate) fn start_node(&mut self, number: usize) {
        let settings = format!("node{number}.yml");
        let log = format!("node{number}.log");
        self.nodes[number].patroni = Some(self.run("patroni", &[&settings], &log));
    }

    /// Waits until haproxy reaches a primary and until there is a synchronous standby.
    pub(crate) async fn is_whole(&self) {
        let whole = async {
            while self.in_state("/primary").await.is_none()
                || self.in_state("/synchronous").await.is_none()
                || PgConnection::connect(&self.url()).await.is_err()
            {
                sleep(PAUSE).await;
            }
        };
        if timeout(TIMEOUT, whole).await.is_err() {
            let log = |node: &Node| {
                std::fs::read_to_string(self.path(&format!("node{}.log", node.number)))
            };
            let logs: Vec<_> = self
                .nodes
                .iter()
                .filter_map(|node| log(node).ok())
                .collect();
            panic!("the cluster does not start:\n{}", logs.join("\n\n"));
        }
    }

    /// The node that reports this state.
    async fn in_state(&self, state: &str) -> Option<usize> {
        for node in &self.nodes {
            let address = SocketAddr::from(([127, 0, 0, 1], node.state));
            if let Ok(mut connection) = Connection::open(address).await
                && let Ok(response) = connection.send(&get(state)).await
                && response.status == 200
            {
                return Some(node.number);
            }
        }
        None
    }

    fn run(&self, program: &str, arguments: &[&str], log: &str) -> Child {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.path(log));
        let log = log.unwrap();
        unprivileged_command(Path::new(program))
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .expect("it starts")
    }

    /// The main process of a node's server, if it runs.
    fn server(&self, number: usize) -> Option<u32> {
        let data = self.path(&format!("data{number}"));
        let file = std::fs::read_to_string(data.join("postmaster.pid")).ok()?;
        let id = file.lines().next()?.parse().ok()?;
        // A killed server leaves the file, and its process id may now belong to another process.
        let folder = std::fs::read_link(format!("/proc/{id}/cwd")).ok()?;
        (folder == data).then_some(id)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for node in &mut self.nodes {
            // Without patroni, nothing restarts the server.
            if let Some(mut patroni) = node.patroni.take() {
                let _ = patroni.start_kill();
            }
        }
        for number in 0..NODES {
            if let Some(server) = self.server(number) {
                signal_all("KILL", server);
            }
        }
    }
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Debian installs haproxy in a folder that is only on root's path.
    std::env::split_paths(&path)
        .chain(["/usr/sbin".into()])
        .any(|folder| folder.join(program).is_file())
}
