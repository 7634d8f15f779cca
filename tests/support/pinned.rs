//! Runs servers on the first core: other programs, and the benchmark itself.

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

/// Starts this program as a server of `what` on the first core and waits until it listens. The server is killed when
/// dropped.
pub async fn start(what: &str) -> (Child, SocketAddr) {
    let program = std::env::current_exe().expect("a path");
    listen(on_the_first_core(&program).env(SERVE, what)).await
}

/// Starts another program with this argument on the first core, which prints its address when it listens.
pub async fn start_other(program: &Path, argument: &Path) -> (Child, SocketAddr) {
    listen(on_the_first_core(program).arg(argument)).await
}

fn on_the_first_core(program: &Path) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", "0"]).arg(program);
    command
}

async fn listen(command: &mut Command) -> (Child, SocketAddr) {
    let command = command.stdout(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().expect("the server starts");
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
