//! The settings of a cluster's processes, as files in its folder.

use serde_json::{Value, json};

use super::{Cluster, Node};

/// haproxy forwards to the node that says that it is the primary, and cuts connections to other
/// nodes.
const ENTRANCE: &str = "defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen primary
  option httpchk GET /primary
  default-server inter 500ms fall 1 rise 1 on-marked-down shutdown-sessions
";
impl Cluster {
    pub(super) fn write_settings(&self) {
        let everyone = self.nodes.iter().map(|node| node.raft);
        let everyone: Vec<u16> = everyone.chain([self.witness]).collect();
        let raft = |name: &str, own: u16| {
            let partners = everyone.iter().filter(|port| **port != own);
            let partners: Vec<_> = partners.map(|port| format!("127.0.0.1:{port}")).collect();
            json!({
                "data_dir": self.path(&format!("raft-{name}")),
                "self_addr": format!("127.0.0.1:{own}"),
                "partner_addrs": partners,
            })
        };
        // YAML is a superset of JSON.
        let witness = json!({ "raft": raft("witness", self.witness) });
        self.write("witness.yml", &witness.to_string());
        for node in &self.nodes {
            let name = format!("node{}", node.number);
            let settings = self.node_settings(node, &name, raft(&name, node.raft));
            self.write(&format!("{name}.yml"), &settings.to_string());
        }
        let server = |node: &Node| {
            let (number, database, state) = (node.number, node.database, node.state);
            format!("  server node{number} 127.0.0.1:{database} check port {state}\n")
        };
        let servers: String = self.nodes.iter().map(server).collect();
        let entrance = format!("{ENTRANCE}  bind 127.0.0.1:{}\n{servers}", self.entrance);
        self.write("haproxy.cfg", &entrance);
    }

    fn node_settings(&self, node: &Node, name: &str, raft: Value) -> Value {
        let state = format!("127.0.0.1:{}", node.state);
        let database = format!("127.0.0.1:{}", node.database);
        json!({
            "scope": "handbill",
            "name": name,
            "restapi": { "listen": state, "connect_address": state },
            "raft": raft,
            "bootstrap": {
                "dcs": {
                    "ttl": 5,
                    "loop_wait": 1,
                    "retry_timeout": 2,
                    "synchronous_mode": true,
                    "postgresql": { "use_pg_rewind": true },
                },
                "initdb": [{ "encoding": "UTF8" }, { "locale": "C" }, "no-sync"],
            },
            "postgresql": {
                "listen": database,
                "connect_address": database,
                "bin_dir": self.programs,
                "data_dir": self.path(&format!("data{}", node.number)),
                "pgpass": self.path(&format!("pgpass{}", node.number)),
                "authentication": {
                    "superuser": { "username": "handbill", "password": "trusted" },
                    "replication": { "username": "replicator", "password": "trusted" },
                },
                "basebackup": [{ "checkpoint": "fast" }],
                "parameters": {
                    "unix_socket_directories": "",
                    // The folder is deleted, so files of a killed server do not matter.
                    "dynamic_shared_memory_type": "mmap",
                },
                "pg_hba": [
                    "host all all 127.0.0.1/32 trust",
                    "host replication all 127.0.0.1/32 trust",
                ],
            },
        })
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.path(file), text).unwrap();
    }
}
