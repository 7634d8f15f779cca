//! Starts and stops the standalone program and the examples, on free ports.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::server::signal_to;

/// The path of the built program, in the profile of the caller.
pub fn path() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    let program = ["--workspace", "--bin", "handbill"];
    // With a test beside it, its crates have the features that they have in `cargo test`, which has built them.
    let beside_a_test = [&program[..], &["--test", "rooms"]].concat();
    PATH.get_or_init(|| match cfg!(debug_assertions) {
        true => build("handbill", "dev", &beside_a_test),
        false => build("handbill", "release", &program),
    })
}

/// Builds the target of this name in a profile, with these arguments of `cargo build`, and returns its path.
pub fn build(target: &str, profile: &str, arguments: &[&str]) -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = std::process::Command::new(cargo);
    command.args(["build", "--profile", profile, "--message-format", "json"]);
    command.args(arguments);
    // A build script that reads these would run again, and what depends on it would be built again.
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&*name);
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let output = command
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{target} does not build");
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    let messages = messages
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let mut executables = messages.filter_map(|message: serde_json::Value| {
        (message["target"]["name"] == target).then_some(())?;
        message["executable"].as_str().map(PathBuf::from)
    });
    executables.next_back().expect("cargo names it")
}

/// Sends a signal to a process.
pub async fn signal(id: u32, name: &str) {
    let id = id.to_string();
    let killed = Command::new("kill").args(["-s", name, &id]).status().await;
    assert!(killed.expect("kill runs").success());
}

/// A running program. It is killed when dropped.
#[derive(Debug)]
pub struct Program {
    child: Child,
    /// The address that it listens on.
    pub address: SocketAddr,
}

impl Program {
    /// Starts the program with these arguments on a free port and waits until it listens.
    pub async fn start(arguments: &[&str]) -> Self {
        Self::start_under(&[], arguments, Stdio::null()).await
    }

    /// Starts it with another program (for example `taskset -c 0`), which also decides where its
    /// log goes.
    pub async fn start_under(under: &[&str], arguments: &[&str], log: Stdio) -> Self {
        let path = path().to_str().expect("a path in UTF-8");
        let words = [under, &[path, "--listen", "127.0.0.1:0"], arguments].concat();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).stderr(log);
        command.env_remove("HANDBILL_DATABASE_URL");
        Self::spawn(command).await
    }

    /// Starts this binary with these arguments on a free port.
    pub async fn start_binary(binary: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new(binary);
        command.args(["--listen", "127.0.0.1:0"]).args(arguments);
        Self::spawn(command).await
    }

    /// Starts the program with this command and waits until it listens.
    pub async fn spawn(mut command: Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the program starts");
        let stdout = child.stdout.take().expect("its output is piped");
        let mut line = String::new();
        BufReader::new(stdout)
            .read_line(&mut line)
            .await
            .expect("it prints a line");
        let address = line.trim().split_once("listening on http://");
        let (_, address) = address.unwrap_or_else(|| panic!("it prints {line:?}"));
        Self {
            child,
            address: address.parse().expect("an address"),
        }
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    /// Pauses it, until it is killed.
    pub fn pause(&self) {
        signal_to("STOP", &[self.id()]);
    }

    /// Kills it without warning.
    pub async fn kill(mut self) {
        self.child.kill().await.expect("it can be killed");
    }

    /// Sends SIGTERM and returns the exit status.
    pub async fn stop(mut self) -> std::process::ExitStatus {
        signal(self.id(), "TERM").await;
        let stopped = tokio::time::timeout(Duration::from_secs(30), self.child.wait()).await;
        stopped.expect("it stops in time").expect("it has a status")
    }
}
