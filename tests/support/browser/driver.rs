//! The WebDriver program of a browser, with a folder for the files that both write.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};

use super::DEADLINE;
use crate::missing;

/// How often a driver is started. chromedriver takes a free port of IPv6, and the same one of IPv4. If
/// another test has that one, chromedriver exits.
const ATTEMPTS: usize = 5;

/// The programs of a browser.
pub(super) struct Programs {
    pub(super) browser: &'static str,
    pub(super) driver: &'static str,
    /// How to install both.
    pub(super) install: &'static str,
    /// What the driver prints before its port.
    pub(super) before_port: &'static str,
}

/// A running driver. It is stopped with its browser when dropped.
#[derive(Debug)]
pub(super) struct Driver {
    child: Child,
    pub(super) address: SocketAddr,
    pub(super) folder: TempDir,
    /// The session of the running browser.
    pub(super) session: Option<String>,
    /// Its output must not be a pipe that nothing reads.
    _output: BufReader<tokio::process::ChildStdout>,
}

impl Driver {
    /// Starts the driver on a free port. Reports what is missing if it can't.
    pub(super) async fn start(programs: &Programs) -> Option<Self> {
        for program in [programs.driver, programs.browser] {
            if missing::program(program, programs.install) {
                return None;
            }
        }
        let mut output = String::new();
        for _ in 0..ATTEMPTS {
            match Self::spawn(programs).await {
                Ok(driver) => return Some(driver),
                Err(printed) => output = printed,
            }
        }
        panic!("{} does not start:\n{output}", programs.driver)
    }

    /// Starts the driver. If it exits before it names its port, the error is what it printed.
    async fn spawn(programs: &Programs) -> Result<Self, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let mut child = Command::new(programs.driver)
            .arg("--port=0")
            .env("TMPDIR", folder.path())
            .env("HOME", folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the driver starts");
        let output = child.stdout.take().expect("its output is piped");
        let output = tokio::process::ChildStdout::from_std(output).expect("a pipe");
        let mut output = BufReader::new(output);
        let mut printed = String::new();
        let port = loop {
            let start = printed.len();
            let read = output.read_line(&mut printed).await;
            if read.expect("its output is text") == 0 {
                let _ = child.kill();
                let _ = child.wait();
                return Err(printed);
            }
            if let Some((_, port)) = printed[start..].split_once(programs.before_port) {
                break port.trim().trim_end_matches('.').parse().expect("a port");
            }
        };
        Ok(Self {
            child,
            address: SocketAddr::from(([127, 0, 0, 1], port)),
            folder,
            session: None,
            _output: output,
        })
    }

    /// Stops the browser of the session. The driver responds when it has stopped.
    fn end(&self, session: &str) -> io::Result<()> {
        let address = self.address;
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(DEADLINE))?;
        write!(
            stream,
            "DELETE /session/{session} HTTP/1.1\r\nHost: {address}\r\n\r\n"
        )?;
        stream.read_exact(&mut [0; 12])
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(session) = &self.session {
            let _ = self.end(session);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
