//! What the private servers of the tests have in common: a process, its user and its port.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::PoisonError;
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};

/// The users that can run the server when the tests run as root, which PostgreSQL refuses. The
/// first one that exists is used.
const UNPRIVILEGED: [&str; 2] = ["postgres", "nobody"];
/// The maximum time until a server accepts connections, including recovery after a crash.
pub(crate) const START_TIMEOUT: Duration = Duration::from_secs(120);

/// The process of a server. It ends when dropped.
#[derive(Debug)]
pub struct Process {
    child: Mutex<Option<Child>>,
    log: PathBuf,
    /// The signal that ends it when dropped.
    last_signal: &'static str,
}

impl Process {
    pub(crate) fn new(log: PathBuf, last_signal: &'static str) -> Self {
        let child = Mutex::new(None);
        Self {
            child,
            log,
            last_signal,
        }
    }

    /// Starts the command, again if it fails, and waits until the server accepts connections.
    pub(crate) async fn run(&self, command: impl Fn() -> Command, accepts: impl AsyncFn() -> bool) {
        let mut child = self.child.lock().await;
        let ready = async {
            loop {
                let running = child.as_mut().map(Child::try_wait);
                if !matches!(running, Some(Ok(None))) {
                    *child = Some(self.spawn(command()));
                }
                if accepts().await {
                    return;
                }
                sleep(Duration::from_millis(20)).await;
            }
        };
        if timeout(START_TIMEOUT, ready).await.is_err() {
            panic!("the server does not accept connections:\n{}", self.log());
        }
    }

    fn spawn(&self, mut command: Command) -> Child {
        let log = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.log);
        command.stdout(Stdio::null()).stderr(log.expect("a log"));
        command.spawn().expect("the server starts")
    }

    /// Its log so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Sends this signal and waits until it has ended.
    pub(crate) async fn end(&self, signal: &str) {
        let mut child = self.child.lock().await.take().expect("it runs");
        signal_to(signal, &[child.id().expect("it runs")]);
        child.wait().await.expect("it ends");
    }

    /// Pauses all its processes, until they resume or are killed.
    pub async fn pause(&self) {
        self.signal("STOP").await;
    }

    /// Lets its processes go on after a pause.
    pub async fn resume(&self) {
        self.signal("CONT").await;
    }

    async fn signal(&self, signal: &str) {
        let child = self.child.lock().await;
        let id = child.as_ref().and_then(Child::id);
        signal_all(signal, id.expect("it runs"));
    }

    /// Kills all its processes (`kill -9`).
    pub async fn kill(&self) {
        let mut child = self.child.lock().await.take().expect("it runs");
        signal_all("KILL", child.id().expect("it runs"));
        child.wait().await.expect("it ends");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let Some(child) = self.child.get_mut() else {
            return;
        };
        if let Some(id) = child.id() {
            signal_to(self.last_signal, &[id]);
            signal_all("CONT", id);
            while matches!(child.try_wait(), Ok(None)) {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

/// Sends a signal to a server and all its processes.
pub fn signal_all(signal: &str, server: u32) {
    let children = std::fs::read_to_string(format!("/proc/{server}/task/{server}/children"));
    let children = children.unwrap_or_default();
    let children = children.split_whitespace().map(str::parse);
    let mut all: Vec<u32> = children.map(|id| id.expect("an id")).collect();
    all.push(server);
    signal_to(signal, &all);
}

/// Some of them may have ended already.
pub(crate) fn signal_to(signal: &str, processes: &[u32]) {
    let sent = std::process::Command::new("kill")
        .args(["-s", signal])
        .args(processes.iter().map(u32::to_string))
        .stderr(Stdio::null())
        .status();
    sent.expect("kill runs");
}

/// A program that an unprivileged user runs. It is killed when dropped.
pub fn unprivileged_command(program: &Path) -> Command {
    let mut command = std::process::Command::new(program);
    if let Some((user, group)) = unprivileged() {
        command.uid(user).gid(group);
    }
    let mut command = Command::from(command);
    command.kill_on_drop(true);
    command
}

/// Gives a folder to the user of [`unprivileged_command`].
pub fn give_away(folder: &Path) {
    if let Some((user, group)) = unprivileged() {
        std::os::unix::fs::chown(folder, Some(user), Some(group))
            .expect("the folder gets its owner");
    }
}

/// The user and group that run the server, if they are not those of the tests.
pub(crate) fn unprivileged() -> Option<(u32, u32)> {
    if std::fs::metadata("/proc/self").ok()?.uid() != 0 {
        return None;
    }
    let accounts = std::fs::read_to_string("/etc/passwd").ok()?;
    UNPRIVILEGED.iter().find_map(|name| {
        let account = accounts
            .lines()
            .find(|line| line.split(':').next() == Some(name))?;
        let mut numbers = account.split(':').skip(2).map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    })
}

/// A free port on 127.0.0.1 outside the range that systems assign to clients (from 32,768 on, or
/// later). Otherwise, while a server is down, one of its clients could get its port and connect to
/// itself.
pub fn free_port() -> u16 {
    // Those that were returned before: their servers may not have bound them yet.
    static RETURNED: std::sync::Mutex<BTreeSet<u16>> = std::sync::Mutex::new(BTreeSet::new());
    let mut returned = RETURNED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let ports = std::iter::repeat_with(|| rand::random_range(10_000..32_768));
    let mut free = ports.filter(is_free);
    free.find(|port| returned.insert(*port))
        .expect("there are free ports")
}
