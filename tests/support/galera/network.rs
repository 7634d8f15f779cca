//! A bridge with a network namespace for each node.

use std::process::{Command, Output};

use crate::missing;
use crate::server::signal_to;

/// A network. It is deleted when dropped, and all processes in it are killed.
#[derive(Debug)]
pub(super) struct Network {
    /// Its bridge has the address 10.213.`number`.1.
    number: u8,
    nodes: u8,
}

impl Network {
    /// A new network. If this machine does not permit it, this reports it and returns `None`.
    pub(super) fn create(nodes: u8) -> Option<Self> {
        // Other tests may have a network at the same time. A name can be taken only once.
        let mut numbers = (0..8).map(|_| rand::random());
        let taken = numbers.find(|number| ip(&format!("link add handbill{number} type bridge")));
        let network = taken.map(|number| Self { number, nodes });
        if let Some(network) = network.filter(Self::connect) {
            return Some(network);
        }
        missing::say_only(
            "a network namespace can't be created",
            "Run it as root, where that may create one, with: apt-get install iproute2",
        );
        None
    }

    fn connect(&self) -> bool {
        let bridge = format!("handbill{}", self.number);
        let mut commands = vec![
            format!("address add 10.213.{}.1/24 dev {bridge}", self.number),
            format!("link set {bridge} up"),
        ];
        for node in 0..self.nodes {
            let (name, host) = (self.namespace(node), self.host(node));
            commands.push(format!("netns add {name}"));
            commands.push(format!(
                "link add {name} type veth peer name eth0 netns {name}"
            ));
            commands.push(format!("link set {name} master {bridge} up"));
            commands.push(format!("-n {name} address add {host}/24 dev eth0"));
            commands.push(format!("-n {name} link set eth0 up"));
            commands.push(format!("-n {name} link set lo up"));
        }
        commands.iter().all(|command| ip(command))
    }

    /// The name of a node's namespace, and of its end of the link at the bridge.
    pub(super) fn namespace(&self, node: u8) -> String {
        format!("handbill{}-{node}", self.number)
    }

    /// The address of a node.
    pub(super) fn host(&self, node: u8) -> String {
        format!("10.213.{}.{}", self.number, node + 2)
    }

    /// Drops all packets between a node and the others, in both directions.
    pub(super) fn cut(&self, node: u8) {
        // They are sent to a hardware address that no node has.
        self.neighbours(node, "replace", "lladdr 02:00:00:00:00:01 nud permanent");
    }

    /// Undoes a cut.
    pub(super) fn join(&self, node: u8) {
        self.neighbours(node, "flush", "nud permanent");
    }

    fn neighbours(&self, node: u8, change: &str, to: &str) {
        for other in (0..self.nodes).filter(|other| *other != node) {
            for (from, at) in [(node, other), (other, node)] {
                let (name, host) = (self.namespace(from), self.host(at));
                let changed = ip(&format!(
                    "-n {name} neighbour {change} {host} dev eth0 {to}"
                ));
                assert!(changed, "the neighbours of {name} can't be changed");
            }
        }
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for node in 0..self.nodes {
            let name = self.namespace(node);
            // A copy of all data has processes of its own.
            let processes = run(&format!("netns pids {name}"));
            let processes = processes.map(|output| output.stdout).unwrap_or_default();
            let processes = String::from_utf8_lossy(&processes);
            let processes = processes.split_whitespace().map(str::parse);
            signal_to("KILL", &processes.flatten().collect::<Vec<_>>());
            ip(&format!("link delete {name}"));
            ip(&format!("netns delete {name}"));
        }
        ip(&format!("link delete handbill{}", self.number));
    }
}

fn ip(arguments: &str) -> bool {
    run(arguments).is_ok_and(|output| output.status.success())
}

fn run(arguments: &str) -> std::io::Result<Output> {
    Command::new("ip")
        .args(arguments.split_whitespace())
        .output()
}
