//! A private Galera cluster of MariaDB servers, each in a network namespace of its own.

mod network;

use std::path::Path;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::{sleep, timeout};

use crate::mariadb::{self, MariaDb, WITHOUT_SYNC};
use crate::missing;
use network::Network;

const PROVIDER: &str = "/usr/lib/galera/libgalera_smm.so";
/// The maximum time until a node is a member of a group after a failure, also by a copy of all data.
const JOIN_TIMEOUT: Duration = Duration::from_secs(120);

/// A cluster. It is killed when dropped.
#[derive(Debug)]
pub struct Galera {
    nodes: Vec<MariaDb>,
    /// It is deleted after the nodes ended.
    network: Network,
}

impl Galera {
    /// A new cluster of up to 200 nodes. If something for it is missing, this reports it and returns
    /// `None`.
    pub async fn start(nodes: u8) -> Option<Self> {
        Self::start_in(&std::env::temp_dir(), nodes, &WITHOUT_SYNC).await
    }

    /// The same with its files below this folder, and with more settings of each node.
    pub async fn start_in(parent: &Path, nodes: u8, settings: &[&str]) -> Option<Self> {
        let remedy = "apt-get install galera-4 rsync iproute2";
        if mariadb::is_missing() || missing::program("rsync", remedy) {
            return None;
        }
        if !Path::new(PROVIDER).is_file() {
            missing::say("Galera is missing", &format!("Install it with: {remedy}"));
            return None;
        }
        let network = Network::create(nodes)?;
        let hosts: Vec<_> = (0..nodes).map(|node| network.host(node)).collect();
        let cluster = format!("wsrep-cluster-address=gcomm://{}", hosts.join(","));
        let nodes = (0..nodes).map(|node| {
            let host = network.host(node);
            let of_galera = [
                "wsrep-on=ON",
                &format!("wsrep-provider={PROVIDER}"),
                "wsrep-provider-options=gcache.size=32M",
                &cluster,
                &format!("wsrep-node-address={host}"),
                "wsrep-sst-method=rsync",
                "binlog-format=ROW",
                "innodb-autoinc-lock-mode=2",
            ];
            let settings = [settings, &of_galera].concat();
            let namespace = Some(network.namespace(node));
            MariaDb::new(parent, namespace, host, 3306, &settings)
        });
        let nodes: Vec<_> = nodes.collect();
        let galera = Self { nodes, network };
        let (first, others) = galera.nodes.split_first().expect("a node");
        first.initialise().await;
        first.run_with(&["--wsrep-new-cluster"]).await;
        join_all(others.iter().map(MariaDb::run)).await;
        for node in 0..galera.nodes.len() {
            galera.joined(node, galera.nodes.len()).await;
        }
        Some(galera)
    }

    /// The server of a node.
    pub fn node(&self, node: usize) -> &MariaDb {
        &self.nodes[node]
    }

    /// Creates an empty database and returns its address on each node.
    pub async fn create_database(&self) -> Vec<String> {
        let database = self.nodes[0].create_database().await;
        let name = database.rsplit('/').next().expect("a name");
        for node in &self.nodes {
            node.execute("SET SESSION wsrep_sync_wait = 1; SELECT 1")
                .await;
        }
        self.nodes.iter().map(|node| node.url(name)).collect()
    }

    /// Runs a node again after it was stopped or killed, as its service does: it looks up what it has, so that the
    /// others only send what it missed. Returns when it is a member of a whole cluster.
    pub async fn run(&self, node: usize) {
        let position = self.nodes[node].galera_position().await;
        let position = format!("--wsrep-start-position={position}");
        self.nodes[node].run_with(&[&position]).await;
        self.joined(node, self.nodes.len()).await;
    }

    /// Runs a node again after its files were lost: another one sends all that it has.
    pub async fn run_without_files(&self, node: usize) {
        self.nodes[node].lose_files();
        self.nodes[node].run().await;
        self.joined(node, self.nodes.len()).await;
    }

    /// Cuts a node off from the others. Clients still reach it.
    pub fn cut(&self, node: u8) {
        self.network.cut(node);
    }

    /// Undoes a cut.
    pub fn join(&self, node: u8) {
        self.network.join(node);
    }

    /// Waits until a node is ready in a group of this many nodes.
    pub async fn joined(&self, node: usize, size: usize) {
        let size = size.to_string();
        self.reaches(node, "wsrep_cluster_size", &size).await;
        self.reaches(node, "wsrep_local_state_comment", "Synced")
            .await;
        self.reaches(node, "wsrep_ready", "ON").await;
    }

    /// Waits until a node has noticed that it is cut off. It then refuses statements.
    pub async fn refuses(&self, node: usize) {
        self.reaches(node, "wsrep_ready", "OFF").await;
    }

    async fn reaches(&self, node: usize, variable: &str, value: &str) {
        let node = &self.nodes[node];
        let reached = async {
            // A node that receives what it missed closes connections.
            while node.status(variable).await.ok().as_deref() != Some(value) {
                sleep(Duration::from_millis(50)).await;
            }
        };
        if timeout(JOIN_TIMEOUT, reached).await.is_err() {
            panic!("{variable} does not become {value}:\n{}", node.log());
        }
    }
}
