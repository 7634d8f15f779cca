//! Runs a build of the benchmark as a server on the first core.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// The environment variable that selects what the program serves.
const SERVE: &str = "HANDBILL_BENCH_SERVE";

/// What this program must serve, if [`start`] started it.
pub fn to_serve() -> Option<String> {
    std::env::var(SERVE).ok()
}

/// Prints the address of the server, which tells the parent process that it listens.
pub fn listening(address: SocketAddr) {
    println!("{address}");
}

/// Starts this build of the benchmark as a server of `what` on the first core and waits until it listens. The
/// server is killed when dropped.
pub async fn start(benchmark: &Path, what: &str) -> (Child, SocketAddr) {
    let mut child = Command::new("taskset")
        .args(["-c", "0"])
        .arg(benchmark)
        .env(SERVE, what)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the server starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("its output is piped"))
        .read_line(&mut line)
        .await
        .expect("it prints a line");
    let address = line.trim().parse();
    (child, address.expect("an address"))
}

/// Pins the client, which is this process, to the second core.
pub fn client_on_its_own_core() {
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    assert!(
        cores.len() > 1,
        "the server and the client each need a core"
    );
    assert!(core_affinity::set_for_current(cores[1]));
}
