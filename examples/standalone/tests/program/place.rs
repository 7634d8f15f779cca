//! Where a test's program runs, and what is sent to it.

use std::fs::File;
use std::path::Path;
use std::process::Output;

use handbill_tests::load::post_json;
use handbill_tests::program::Program;
use handbill_tests::wire::{Connection, TestResponse};
use serde_json::Value;
use tempfile::TempDir;
use tokio::process::Command;

const BINARY: &str = env!("CARGO_BIN_EXE_handbill");

/// A folder for one test's database and log.
pub(crate) struct Place(pub(crate) TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn database(&self) -> String {
        format!("sqlite://{}", self.0.path().join("posts.db").display())
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.0.path().join("log")).unwrap()
    }

    /// The program with these arguments, its log in a file of this folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(self.0.path());
        command
            .args(arguments)
            .stderr(File::create(self.0.path().join("log")).unwrap());
        command
    }

    pub(crate) async fn start(&self, arguments: &[&str]) -> Program {
        let database = self.database();
        let common = ["--listen", "127.0.0.1:0", "--database", &database];
        Program::spawn(self.command(&[&common, arguments].concat())).await
    }

    /// A program on a database of its own.
    pub(crate) async fn started() -> (Self, Program) {
        let place = Self::new();
        let program = place.start(&[]).await;
        (place, program)
    }

    pub(crate) async fn keys(&self, arguments: &[&str]) -> Output {
        self.run(&[&["keys"], arguments].concat()).await
    }

    /// Runs a command on the database.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Output {
        let database = self.database();
        let mut command = command(self.0.path());
        command.args(arguments).args(["--database", &database]);
        command.output().await.unwrap()
    }

    /// A file in this folder.
    pub(crate) fn file(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }
}

/// The program with nothing of the environment that it would heed.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(BINARY);
    command.current_dir(folder).env_clear();
    command
}

pub(crate) fn stderr(output: &Output) -> &str {
    str::from_utf8(&output.stderr).unwrap()
}

pub(crate) fn stdout(output: &Output) -> &str {
    str::from_utf8(&output.stdout).unwrap()
}

pub(crate) async fn connect(program: &Program) -> Connection {
    Connection::open(program.address).await.unwrap()
}

pub(crate) async fn send(program: &Program, request: &[u8]) -> TestResponse {
    connect(program).await.send(request).await.unwrap()
}

/// A new API key, as the program returns it.
pub(crate) async fn issued_key(program: &Program) -> Value {
    let answer = send(program, &post_json("/api/keys", "", "{}")).await;
    assert_eq!(answer.status, 201);
    answer.json()
}

pub(crate) async fn new_key(program: &Program) -> String {
    let key = issued_key(program).await;
    key["api_key"].as_str().unwrap().to_owned()
}

pub(crate) async fn create(program: &Program, key: &str) -> TestResponse {
    let headers = format!("X-Api-Key: {key}\r\n");
    let request = post_json("/api/posts", &headers, r#"{"body":"A post."}"#);
    send(program, &request).await
}

/// A character that a terminal could obey.
pub(crate) fn raw_in(text: &str) -> Option<char> {
    let is_raw = |letter: &char| letter.is_control() && *letter != '\n';
    text.chars().find(is_raw)
}
