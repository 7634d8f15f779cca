//! An author, who publishes files on a server with the commands `post`, `get` and `list`.

use std::fs;
use std::path::PathBuf;
use std::process::{Output, Stdio};

use handbill_tests::load::get;
use handbill_tests::program::Program;
use serde_json::Value;
use tokio::process::{Child, Command};

use crate::faulty_server::{Answer, FaultyServer, Heard};
use crate::place::{Place, command, new_key, send, stdout};

/// A folder with files, and a server with an API key.
pub(crate) struct Author {
    place: Place,
    /// Where the program has its database, if that is for this author alone.
    _of_program: Option<Place>,
    /// The address that the commands are given.
    pub(crate) server: String,
    pub(crate) key: String,
}

impl Author {
    /// A user with a new key of the program, who reaches it at its own address.
    pub(crate) async fn new(program: &Program) -> Self {
        Self {
            place: Place::new(),
            _of_program: None,
            server: format!("http://{}", program.address),
            key: new_key(program).await,
        }
    }

    /// The same, of a program on a database of its own.
    pub(crate) async fn started() -> (Self, Program) {
        let (place, program) = Place::started().await;
        let author = Self {
            _of_program: Some(place),
            ..Self::new(&program).await
        };
        (author, program)
    }

    /// The same, with a server in front of the program.
    pub(crate) async fn behind(
        decide: impl Fn(&Heard, usize) -> Answer + Send + Sync + 'static,
    ) -> (Self, FaultyServer, Program) {
        let (author, program) = Self::started().await;
        let front = FaultyServer::start(program.address, decide).await;
        let author = Self {
            server: front.url.clone(),
            ..author
        };
        (author, front, program)
    }

    /// The same, at another address of the program.
    pub(crate) async fn at(server: &str, program: &Program) -> Self {
        Self {
            server: server.to_owned(),
            ..Self::new(program).await
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.file(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let file = self.path(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Replaces a part of a file.
    pub(crate) fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{from} is in {text}");
        self.write(name, &text.replace(from, to));
    }

    /// The value of a line of front matter in YAML.
    pub(crate) fn line(&self, name: &str, key: &str) -> String {
        let text = self.read(name);
        let line = text.lines().find_map(|line| line.strip_prefix(key));
        let value =
            line.and_then(|line| line.trim_start_matches([':', '=', ' ']).strip_prefix('"'));
        let value = value.and_then(|value| value.strip_suffix('"'));
        value
            .unwrap_or_else(|| panic!("{key} in {text}"))
            .to_owned()
    }

    pub(crate) fn id(&self, name: &str) -> String {
        self.line(name, "handbill_id")
    }

    /// A command for the server with the key.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(&self.path(""));
        command.args(arguments);
        command.env("HANDBILL_SERVER", &self.server);
        command.env("HANDBILL_API_KEY", &self.key);
        command
    }

    pub(crate) async fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().await.unwrap()
    }

    /// Starts a command, which is killed when dropped.
    pub(crate) fn spawn(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.kill_on_drop(true).spawn().unwrap()
    }

    /// Publishes, and returns what became of each file.
    pub(crate) async fn post(&self, arguments: &[&str]) -> Vec<(String, String)> {
        let output = self.run(&[&["post"], arguments].concat()).await;
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        outcomes(&output)
    }
}

/// What became of each file, and its name.
pub(crate) fn outcomes(output: &Output) -> Vec<(String, String)> {
    let row = |line: &str| {
        let cells: Vec<_> = line.split('\t').collect();
        let [outcome, file, _] = cells[..] else {
            panic!("three columns in {line:?}");
        };
        (outcome.to_owned(), file.to_owned())
    };
    stdout(output).lines().map(row).collect()
}

/// The only outcome of a run.
pub(crate) fn outcome(output: &Output) -> String {
    let mut outcomes = outcomes(output);
    assert_eq!(outcomes.len(), 1, "{output:?}");
    outcomes.remove(0).0
}

/// How many public posts there are.
pub(crate) async fn total(program: &Program) -> u64 {
    let list = send(program, &get("/api/posts")).await.json();
    list["total"].as_u64().unwrap()
}

/// A public post.
pub(crate) async fn read_post(program: &Program, id: &str) -> Value {
    let response = send(program, &get(&format!("/api/posts/{id}"))).await;
    assert_eq!(response.status, 200);
    response.json()
}

/// Changes a post, as a user with a key of its owner.
pub(crate) async fn change(program: &Program, id: &str, key: &str, change: &str) {
    let request = format!(
        "PATCH /api/posts/{id} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nX-Api-Key: {key}\r\n\
         Content-Length: {}\r\n\r\n{change}",
        change.len()
    );
    assert_eq!(send(program, request.as_bytes()).await.status, 200);
}

/// Deletes a post.
pub(crate) async fn delete(program: &Program, id: &str, key: &str) {
    let request =
        format!("DELETE /api/posts/{id} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: {key}\r\n\r\n");
    assert_eq!(send(program, request.as_bytes()).await.status, 204);
}
