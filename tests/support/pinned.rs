//! This benchmark's own program as a server, on the first core.

use std::net::SocketAddr;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// Names what the program is to serve, where it runs as a server.
const SERVE: &str = "HANDBILL_BENCH_SERVE";

/// What this program is to serve, if it was started by [`start`].
pub fn to_serve() -> Option<String> {
    std::env::var(SERVE).ok()
}

/// Says where the server listens: once it does, whoever started it goes on.
pub fn listening(address: SocketAddr) {
    println!("{address}");
}

/// Starts this program as a server of `what`, on the first core, and waits until it listens. It is
/// killed when dropped.
pub async fn start(what: &str) -> (Child, SocketAddr) {
    let mut child = Command::new("taskset")
        .args(["-c", "0"])
        .arg(std::env::current_exe().expect("a path"))
        .env(SERVE, what)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the server starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("its output is piped"))
        .read_line(&mut line)
        .await
        .expect("it says something");
    let address = line.trim().parse();
    (child, address.expect("an address"))
}

/// Keeps the client, which is this program itself, on the second core.
pub fn client_on_its_own_core() {
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    assert!(
        cores.len() > 1,
        "the server and the client need a core each"
    );
    assert!(core_affinity::set_for_current(cores[1]));
}
