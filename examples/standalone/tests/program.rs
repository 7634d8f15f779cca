//! What an operator is promised of the program: options, output, signals, keys, and clients who
//! misbehave.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test stops where it can't go on"
)]

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Output, Stdio};

use handbill_tests::load::{get, post_json};
use handbill_tests::program::Program;
use handbill_tests::wire::{Answer, Connection};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::Command;

const BINARY: &str = env!("CARGO_BIN_EXE_handbill");
const MEBIBYTE: usize = 1024 * 1024;

/// A folder for one test's database and log.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn database(&self) -> String {
        format!("sqlite://{}", self.0.path().join("posts.db").display())
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.0.path().join("log")).unwrap()
    }

    /// The program with these arguments, its log in a file of this folder.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(self.0.path());
        command
            .args(arguments)
            .stderr(File::create(self.0.path().join("log")).unwrap());
        command
    }

    async fn start(&self, arguments: &[&str]) -> Program {
        let database = self.database();
        let common = ["--listen", "127.0.0.1:0", "--database", &database];
        Program::spawn(self.command(&[&common, arguments].concat())).await
    }

    async fn keys(&self, arguments: &[&str]) -> Output {
        let database = self.database();
        let arguments = [&["keys"], arguments, &["--database", &database]].concat();
        command(self.0.path())
            .args(arguments)
            .output()
            .await
            .unwrap()
    }
}

/// The program with nothing of the environment that it would heed.
fn command(folder: &Path) -> Command {
    let mut command = Command::new(BINARY);
    command.current_dir(folder).env_clear();
    command
}

fn stdout(output: &Output) -> &str {
    str::from_utf8(&output.stdout).unwrap()
}

async fn connect(program: &Program) -> Connection {
    Connection::open(program.address).await.unwrap()
}

async fn send(program: &Program, request: &[u8]) -> Answer {
    connect(program).await.send(request).await.unwrap()
}

async fn new_key(program: &Program) -> Value {
    let answer = send(program, &post_json("/api/keys", "", "{}")).await;
    assert_eq!(answer.status, 201);
    answer.json()
}

async fn create(program: &Program, key: &str) -> Answer {
    let headers = format!("X-Api-Key: {key}\r\n");
    let request = post_json("/api/posts", &headers, r#"{"body":"A post."}"#);
    send(program, &request).await
}

/// That the program ends at once, with one line on standard error.
async fn fails(place: &Place, arguments: &[&str], says: &str) {
    let output = command(place.0.path())
        .args(arguments)
        .output()
        .await
        .unwrap();
    let log = str::from_utf8(&output.stderr).unwrap();
    assert!(!output.status.success(), "{arguments:?} succeeds");
    assert_eq!(log.lines().count(), 1, "{arguments:?} says {log:?}");
    assert!(log.starts_with("handbill: "), "{arguments:?} says {log:?}");
    assert!(log.contains(says), "{arguments:?} says {log:?}");
    assert_eq!(stdout(&output), "");
}

#[tokio::test]
async fn what_it_cannot_start_with_is_one_line() {
    let place = Place::new();
    fails(&place, &["--no-such-option"], "--no-such-option").await;
    fails(&place, &["--rate-limits", "maybe"], "maybe").await;
    fails(&place, &["--listen", "nowhere"], "nowhere").await;
    fails(&place, &["--trusted-proxies", "::1, proxy"], "proxy").await;
    fails(&place, &["no-such-command"], "no-such-command").await;
    let anywhere = ["--listen", "127.0.0.1:0", "--database"];
    let fails_with = async |database: &str, says| {
        fails(&place, &[&anywhere[..], &[database]].concat(), says).await;
    };
    fails_with("mysql://root:secret@db/x", "sqlite://").await;
    fails_with("postgres://127.0.0.1:1/x", "PostgreSQL").await;
    fails_with("postgresql://127.0.0.1:1/x", "refused").await;
    fails_with("postgres://127.0.0.1:1/x?sslmodus=require", "not known").await;
    fails_with("postgres://127.0.0.1:1/x?sslmode=maybe", "not possible").await;
    fails_with("sqlite://no-such-folder/posts.db", "could not open").await;
    std::fs::write(place.0.path().join("letter"), "Dear reader,\n".repeat(999)).unwrap();
    fails_with("sqlite://letter", "not a database").await;
    let base_url = ["--listen", "127.0.0.1:0", "--base-url", "not an address"];
    fails(
        &place,
        &[&base_url[..], &["--database", "memory:"]].concat(),
        "",
    )
    .await;
    let keys = ["keys", "list", "--database", "memory:"];
    fails(&place, &keys, "keys in memory").await;
    let keys = [
        "keys",
        "revoke",
        "nonsense",
        "--database",
        "sqlite://posts.db",
    ];
    fails(&place, &keys, "nonsense").await;

    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let arguments = ["--listen", &address, "--database", "memory:"];
    fails(&place, &arguments, "could not listen").await;
}

#[tokio::test]
async fn a_password_in_an_address_is_not_repeated() {
    let place = Place::new();
    for database in [
        "mysql://root:s3cret@db/x",
        "postgres://root:s3cret@127.0.0.1:1/x",
        "postgres://root:s3cret@127.0.0.1:port/x",
        "postgres://root:/s3cret@127.0.0.1:1/x",
        "postgres://127.0.0.1:1/x?passwort=s3cret",
        "postgres://127.0.0.1:1/x?port=s3cret",
        "postgres:s3cret",
    ] {
        let mut command = command(place.0.path());
        command.env("HANDBILL_DATABASE_URL", database);
        let output = command.output().await.unwrap();
        assert!(!output.status.success());
        let log = str::from_utf8(&output.stderr).unwrap();
        assert!(!log.contains("s3cret"), "{log:?}");
    }
}

#[tokio::test]
async fn the_environment_says_what_options_say() {
    let place = Place::new();
    let mut command = place.command(&[]);
    command
        .env("HANDBILL_LISTEN", "127.0.0.1:0")
        .env("HANDBILL_BASE_URL", "https://example.org/blog")
        .env("HANDBILL_DATABASE_URL", place.database())
        .env("HANDBILL_KEY_REQUESTS", "closed")
        .env("HANDBILL_RATE_LIMITS", "off");
    let program = Program::spawn(command).await;
    let refused = send(&program, &post_json("/api/keys", "", "{}")).await;
    assert_eq!(refused.status, 403);
    assert_eq!(refused.json()["code"], "key_requests_closed");

    let issued = place.keys(&["issue"]).await;
    let key = stdout(&issued).trim();
    for _ in 0..40 {
        let created = create(&program, key).await;
        assert_eq!(created.status, 201, "rate limits are off");
        let url = created.json()["url"].as_str().unwrap().to_owned();
        assert!(url.starts_with("https://example.org/blog/p/"), "{url}");
    }
}

#[tokio::test]
async fn posts_are_kept_in_the_file_named_and_links_name_the_address_bound() {
    let place = Place::new();
    let program = place.start(&[]).await;
    let key = new_key(&program).await;
    let created = create(&program, key["api_key"].as_str().unwrap()).await;
    let url = created.json()["url"].as_str().unwrap().to_owned();
    assert!(
        url.starts_with(&format!("http://{}/p/", program.address)),
        "{url}"
    );
    assert!(program.stop().await.success());

    let program = place.start(&[]).await;
    let list = send(&program, &get("/api/posts")).await.json();
    assert_eq!(list["posts"][0]["id"], created.json()["id"]);
}

#[tokio::test]
async fn a_signal_lets_the_request_under_way_finish() {
    let place = Place::new();
    let program = place.start(&[]).await;
    let key = new_key(&program).await;
    let address = program.address;
    let headers = format!(
        "X-Api-Key: {}\r\nExpect: 100-continue\r\n",
        key["api_key"].as_str().unwrap()
    );
    let request = post_json("/api/posts", &headers, r#"{"body":"Half, and the rest."}"#);
    let (half, rest) = request.split_at(request.len() - 10);
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(half).await.unwrap();
    // It has begun to read the body once it asks for it.
    let mut asked = [0; 25];
    stream.read_exact(&mut asked).await.unwrap();
    assert_eq!(&asked, b"HTTP/1.1 100 Continue\r\n\r\n");

    let stopping = tokio::spawn(program.stop());
    // It has heard the signal once it accepts no more.
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    assert!(!stopping.is_finished());
    stream.write_all(rest).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    assert_eq!(stopping.await.unwrap().code(), Some(0));
    let created: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();

    let program = place.start(&[]).await;
    let list = send(&program, &get("/api/posts")).await.json();
    assert_eq!(list["posts"][0]["id"], created["id"]);
}

#[tokio::test]
async fn keys_are_managed_while_it_runs() {
    let place = Place::new();
    let program = place.start(&["--key-requests", "closed"]).await;
    let issued = place.keys(&["issue", "--label", "for tests"]).await;
    assert!(issued.status.success());
    let key = stdout(&issued).trim().to_owned();
    assert!(!str::from_utf8(&issued.stderr).unwrap().contains(&key));
    assert_eq!(create(&program, &key).await.status, 201);

    let listed = place.keys(&["list"]).await;
    let listed = stdout(&listed);
    let [id, issued_at, used, label] = listed.trim().split('\t').collect::<Vec<_>>()[..] else {
        panic!("four columns in {listed:?}");
    };
    assert_eq!(label, "for tests");
    assert!(
        issued_at.ends_with('Z') && used.ends_with('Z'),
        "{listed:?}"
    );
    assert!(!listed.contains(&key));

    assert_eq!(create(&program, &key).await.status, 201);
    assert!(place.keys(&["revoke", id]).await.status.success());
    let refused = create(&program, &key).await;
    assert_eq!(refused.status, 401);
    assert_eq!(refused.json()["code"], "invalid_api_key");
    assert_eq!(stdout(&place.keys(&["list"]).await), "");
    assert!(!place.keys(&["revoke", id]).await.status.success());
}

#[tokio::test]
async fn a_line_is_logged_for_each_request_and_holds_no_secret() {
    let place = Place::new();
    let program = place.start(&["--rate-limits", "off"]).await;
    let key = new_key(&program).await["api_key"]
        .as_str()
        .unwrap()
        .to_owned();
    let created = create(&program, &key).await.json();
    let (id, token) = (
        created["id"].as_str().unwrap(),
        created["edit_token"].as_str().unwrap(),
    );
    let put = |query: &str| {
        let request = post_json(&format!("/api/posts/{id}{query}"), "", r#"{"title":"New"}"#);
        [b"PUT", &request[4..]].concat()
    };
    let updated = send(&program, &put(&format!("?token={token}"))).await;
    assert_eq!(updated.status, 200);
    assert_eq!(send(&program, &put("?token=wr0ng")).await.status, 403);
    send(&program, &get(&format!("/e/{token}"))).await;
    send(&program, &get("/nowhere?quer1ed")).await;
    send(&program, &get("/api/posts?tag=quer1ed")).await;
    assert!(program.stop().await.success());

    let log = place.log();
    for secret in [key.as_str(), token, "wr0ng", "quer1ed"] {
        assert!(!log.contains(secret), "the log holds {secret:?}:\n{log}");
    }
    assert!(!log.contains('\u{1b}'), "colours in a file:\n{log}");
    let lines: Vec<&str> = log.lines().collect();
    let expected = [
        ("POST", "/api/keys", "201"),
        ("POST", "/api/posts", "201"),
        ("PUT", "/api/posts/{id}", "200"),
        ("PUT", "/api/posts/{id}", "403"),
        ("GET", "/e/{", "200"),
        ("GET", "", "404"),
        ("GET", "/api/posts", "200"),
    ];
    assert_eq!(lines.len(), expected.len(), "{log}");
    for (line, (method, route, status)) in lines.into_iter().zip(expected) {
        assert!(line.contains(&format!("method={method}")), "{line}");
        assert!(line.contains(route), "{line}");
        assert!(line.contains(&format!("status={status}")), "{line}");
        let micros = line.split("micros=").nth(1).unwrap();
        assert!(micros.trim().parse::<u64>().is_ok(), "{line}");
    }
}

#[tokio::test]
async fn a_request_is_in_the_log_without_a_further_one() {
    let place = Place::new();
    let (log, writer) = std::io::pipe().unwrap();
    let mut command = place.command(&["--listen", "127.0.0.1:0", "--database", "memory:"]);
    command.stderr(writer);
    let program = Program::spawn(command).await;
    for path in ["/healthz", "/keys"] {
        assert_eq!(send(&program, &get(path)).await.status, 200);
        let mut log = log.try_clone().unwrap();
        let read = move || {
            let mut lines = [0; 1024];
            let len = log.read(&mut lines).unwrap();
            String::from_utf8_lossy(&lines[..len]).into_owned()
        };
        let line = tokio::task::spawn_blocking(read).await.unwrap();
        let expected = format!("  INFO method=GET route=\"{path}\" status=200 micros=");
        assert!(line.contains(&expected), "{line}");
        let time = line.split(' ').next().unwrap();
        assert!(time.ends_with('Z') && time.len() == "2026-11-20T10:00:00.000000Z".len());
    }
}

#[tokio::test]
async fn a_client_that_says_that_it_has_sent_all_is_answered() {
    let place = Place::new();
    let program = place.start(&[]).await;
    let mut stream = TcpStream::connect(program.address).await.unwrap();
    stream.write_all(&get("/docs")).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(answer.trim_end().ends_with("</html>"), "{answer}");
}

#[tokio::test]
async fn slow_clients_do_not_keep_others_waiting() {
    let place = Place::new();
    let program = place.start(&[]).await;
    let mut slow = Vec::new();
    for _ in 0..100 {
        let mut stream = TcpStream::connect(program.address).await.unwrap();
        stream
            .write_all(b"GET /healthz HTTP/1.1\r\nX-")
            .await
            .unwrap();
        slow.push(stream);
    }
    let answer = send(&program, &get("/healthz")).await;
    assert_eq!(answer.status, 200);
    for stream in &mut slow {
        stream
            .write_all(b"End: now\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .await
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
}

/// Sends a head and then so much of a body as is taken, as a client does that reads only after
/// that; returns the status.
async fn status_after(program: &Program, head: &str, chunk: &[u8], times: usize) -> String {
    let mut stream = TcpStream::connect(program.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    for _ in 0..times {
        if stream.write_all(chunk).await.is_err() {
            break;
        }
    }
    let mut status = [0; 12];
    stream
        .read_exact(&mut status)
        .await
        .expect("an answer to read");
    String::from_utf8(status.to_vec()).unwrap()
}

#[tokio::test]
async fn who_sends_too_much_reads_the_answer() {
    let place = Place::new();
    let program = place.start(&[]).await;
    let key = new_key(&program).await["api_key"]
        .as_str()
        .unwrap()
        .to_owned();
    let head = |headers: &str| {
        format!(
            "POST /api/posts HTTP/1.1\r\nHost: localhost\r\n\
             Content-Type: application/json\r\n{headers}\r\n"
        )
    };
    let part = vec![b' '; MEBIBYTE];
    let ten = format!("Content-Length: {}\r\n", 10 * MEBIBYTE);

    let status = status_after(&program, &head(&ten), &part, 10).await;
    assert_eq!(status, "HTTP/1.1 401");
    let with_key = head(&format!("{ten}X-Api-Key: {key}\r\n"));
    let status = status_after(&program, &with_key, &part, 10).await;
    assert_eq!(status, "HTTP/1.1 413");

    let endless = head(&format!(
        "Transfer-Encoding: chunked\r\nX-Api-Key: {key}\r\n"
    ));
    let chunk = [b"100000\r\n", &part[..], b"\r\n"].concat();
    let mut stream = TcpStream::connect(program.address).await.unwrap();
    stream.write_all(endless.as_bytes()).await.unwrap();
    let (mut reader, mut writer) = stream.split();
    let mut status = [0; 12];
    tokio::select! {
        biased;
        read = reader.read_exact(&mut status) => { read.expect("an answer to read"); }
        () = async { while writer.write_all(&chunk).await.is_ok() {} std::future::pending().await } => {}
    }
    assert_eq!(&status, b"HTTP/1.1 413");
    assert_eq!(send(&program, &get("/healthz")).await.status, 200);
}

#[tokio::test]
async fn clients_are_held_to_rates_unless_told_otherwise() {
    let place = Place::new();
    let program = place.start(&[]).await;
    for _ in 0..10 {
        new_key(&program).await;
    }
    let refused = send(&program, &post_json("/api/keys", "", "{}")).await;
    assert_eq!(refused.status, 429);
    assert_eq!(refused.json()["code"], "too_many_requests");
    let seconds = refused.headers["retry-after"].to_str().unwrap();
    assert!(
        (1..=3600).contains(&seconds.parse::<u32>().unwrap()),
        "{seconds}"
    );
    assert!(program.stop().await.success());

    let program = place.start(&["--rate-limits", "off"]).await;
    for _ in 0..11 {
        new_key(&program).await;
    }
}

#[tokio::test]
async fn clients_behind_a_trusted_proxy_are_told_apart() {
    let place = Place::new();
    let program = place
        .start(&["--trusted-proxies", "127.0.0.0/8, ::1"])
        .await;
    let ask = |client: &str| {
        let header = format!("X-Forwarded-For: {client}\r\n");
        post_json("/api/keys", &header, "{}")
    };
    for _ in 0..10 {
        assert_eq!(send(&program, &ask("192.0.2.1")).await.status, 201);
    }
    assert_eq!(send(&program, &ask("192.0.2.1")).await.status, 429);
    assert_eq!(send(&program, &ask("192.0.2.2")).await.status, 201);
}

#[tokio::test]
async fn ctrl_c_stops_it_too() {
    let place = Place::new();
    let mut child = command(place.0.path())
        .args(["--listen", "127.0.0.1:0", "--database", "memory:"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut line = [0; 28];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut line).await.unwrap();
    assert_eq!(&line, b"handbill listening on http:/");
    let id = child.id().unwrap().to_string();
    let killed = Command::new("kill").args(["-INT", &id]).status().await;
    assert!(killed.unwrap().success());
    assert_eq!(child.wait().await.unwrap().code(), Some(0));
}
