//! The program as systemd starts it, with a socket that stays open.

use std::fs::File;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Stdio;

use handbill_tests::program;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// A service that can be restarted. It is killed when dropped.
pub(crate) struct Service {
    socket: OwnedFd,
    arguments: Vec<String>,
    log: std::path::PathBuf,
    child: Option<Child>,
}

impl Service {
    /// A service at a free port, and that address.
    pub(crate) async fn at_a_port(folder: &Path, arguments: &[&str]) -> (Self, String) {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap().to_string();
        (Self::start(socket.into(), folder, arguments).await, address)
    }

    pub(crate) async fn at_a_path(path: &Path, folder: &Path, arguments: &[&str]) -> Self {
        let socket = UnixListener::bind(path).unwrap();
        Self::start(socket.into(), folder, arguments).await
    }

    async fn start(socket: OwnedFd, folder: &Path, arguments: &[&str]) -> Self {
        let database = format!("sqlite://{}", folder.join("posts.db").display());
        let common = ["--database", &database, "--trusted-proxies", "127.0.0.1"];
        let arguments = common.iter().chain(arguments);
        let mut service = Self {
            socket,
            arguments: arguments.map(|word| (*word).to_owned()).collect(),
            log: folder.join("handbill.log"),
            child: None,
        };
        service.run().await;
        service
    }

    async fn run(&mut self) {
        let pass_on = r#"exec 3<&0; export LISTEN_PID=$$ LISTEN_FDS=1; exec "$0" "$@""#;
        let mut command = Command::new("sh");
        command.args(["-c", pass_on]).arg(program::path());
        command.args(&self.arguments);
        for (name, _) in std::env::vars_os() {
            let is_setting = name.to_string_lossy().starts_with("HANDBILL_");
            if is_setting || name == "RUST_LOG" {
                command.env_remove(name);
            }
        }
        let log = File::options().create(true).append(true).open(&self.log);
        command.stdin(Stdio::from(self.socket.try_clone().unwrap()));
        command.stdout(Stdio::piped()).stderr(log.unwrap());
        let mut child = command.kill_on_drop(true).spawn().expect("it starts");
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).await.unwrap();
        assert!(
            line.starts_with("handbill listening on"),
            "{line}{}",
            self.log()
        );
        self.child = Some(child);
    }

    pub(crate) async fn restart(&mut self) {
        let mut child = self.child.take().unwrap();
        program::signal(child.id().unwrap(), "TERM").await;
        assert!(child.wait().await.unwrap().success());
        self.run().await;
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }
}
