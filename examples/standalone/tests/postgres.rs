//! The program on PostgreSQL, and what it also does on MariaDB.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

use std::net::UdpSocket;
use std::process::Output;

use handbill_tests::load::{get, post_json};
use handbill_tests::mariadb::MariaDb;
use handbill_tests::missing;
use handbill_tests::postgres::Postgres;
use handbill_tests::postgres::tls::Authority;
use handbill_tests::program::Program;
use handbill_tests::wire::{Connection, TestResponse};
use tokio::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_handbill");

async fn handbill(arguments: &[&str], database: &str) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(arguments);
    let output = command.args(["--database", database]).output().await;
    let output = output.unwrap();
    assert!(output.status.success(), "{output:?}");
    output
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap().trim()
}

async fn send(program: &Program, request: &[u8]) -> TestResponse {
    let mut connection = Connection::open(program.address).await.unwrap();
    connection.send(request).await.unwrap()
}

async fn create(program: &Program, key: &str) -> TestResponse {
    let headers = format!("X-Api-Key: {key}\r\n");
    let body = r#"{"body": "Kept by a database."}"#;
    send(program, &post_json("/api/posts", &headers, body)).await
}

#[tokio::test]
async fn two_programs_serve_one_database_and_keys_are_managed_on_it() {
    if let Some(server) = Postgres::shared().await {
        two_programs_serve(&server.create_database().await, "postgresql").await;
    }
    if let Some(server) = MariaDb::shared().await {
        two_programs_serve(&server.create_database().await, "mariadb").await;
    }
}

async fn two_programs_serve(database: &str, other_scheme: &str) {
    let empty = handbill(&["check"], database).await;
    assert!(text(&empty.stdout).contains("the start would make its tables"));
    let key = handbill(&["keys", "issue", "--label", "ours"], database).await;
    let key = text(&key.stdout).to_owned();
    let current = handbill(&["check"], database).await;
    assert!(text(&current.stdout).ends_with("as needed"), "{current:?}");
    let (scheme, _) = database.split_once(':').unwrap();
    let other = database.replacen(scheme, other_scheme, 1);
    let one = Program::start_binary(PROGRAM, &["--database", database]).await;
    let other = Program::start_binary(PROGRAM, &["--database", &other]).await;

    let created = create(&one, &key).await;
    assert_eq!(created.status, 201, "{created:?}");
    let id = created.json()["id"].as_str().unwrap().to_owned();
    let read = send(&other, &get(&format!("/api/posts/{id}"))).await;
    assert_eq!(read.json()["body"], "Kept by a database.");
    assert_eq!(send(&one, &get("/healthz")).await.status, 200);
    let posts = handbill(&["posts", "list"], database).await;
    assert!(text(&posts.stdout).contains(&id), "{posts:?}");

    let listed = handbill(&["keys", "list"], database).await;
    let (id, _) = text(&listed.stdout).split_once('\t').unwrap();
    handbill(&["keys", "revoke", id], database).await;
    for program in [&one, &other] {
        assert_eq!(create(program, &key).await.status, 401);
    }
    for program in [one, other] {
        assert!(program.stop().await.success());
    }
}

#[tokio::test]
async fn the_certificate_of_the_database_is_verified_with_the_authorities_of_the_system() {
    let authority = Authority::new();
    let Some(server) = authority.start_server(2099).await else {
        return;
    };
    let database = server.create_database().await;
    let database = database.replacen("127.0.0.1", "localhost", 1) + "?sslmode=verify-full";
    let start = || {
        let mut command = Command::new(PROGRAM);
        command.args(["--listen", "127.0.0.1:0"]);
        command.env("HANDBILL_DATABASE_URL", &database);
        command
    };
    let refused = start().output().await.unwrap();
    assert!(!refused.status.success());
    let reason = text(&refused.stderr);
    assert!(reason.contains("invalid peer certificate"), "{reason}");
    assert_eq!(reason.lines().count(), 1, "{reason}");

    let mut command = start();
    command.env("SSL_CERT_FILE", authority.certificate());
    let program = Program::spawn(command).await;
    assert_eq!(send(&program, &get("/healthz")).await.status, 200);
}

/// This machine's address on a network, if it has one.
fn own_address() -> Option<String> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    // This only looks up the way; nothing is sent.
    socket.connect("198.51.100.1:9").ok()?;
    Some(socket.local_addr().ok()?.ip().to_string())
}

/// The warnings of a program that uses this database and serves some requests.
async fn warnings(database: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut command = Command::new(PROGRAM);
    command.args(["--listen", "127.0.0.1:0"]);
    command.env("HANDBILL_DATABASE_URL", database);
    command.stderr(std::fs::File::create(&log).unwrap());
    let program = Program::spawn(command).await;
    let issued = send(&program, &post_json("/api/keys", "", "{}"))
        .await
        .json();
    assert_eq!(
        create(&program, issued["api_key"].as_str().unwrap())
            .await
            .status,
        201
    );
    assert_eq!(send(&program, &get("/api/posts")).await.status, 200);
    assert!(program.stop().await.success());
    let log = std::fs::read_to_string(&log).unwrap();
    let warnings = log.lines().filter(|line| line.contains("WARN"));
    warnings.map(str::to_owned).collect()
}

#[tokio::test]
async fn a_connection_to_another_machine_in_plain_text_is_reported_once() {
    let Some(own_address) = own_address() else {
        missing::say_only(
            "this machine has no address but 127.0.0.1",
            "Connect it to a network.",
        );
        return;
    };
    let authority = Authority::new();
    let Some(server) = authority.start_server(2099).await else {
        return;
    };
    let Some(plain) = Postgres::start(&std::env::temp_dir(), &["listen_addresses=*"]).await else {
        return;
    };
    for server in [&server, &plain] {
        server.allow_only("host all all samehost trust").await;
    }
    let remote = |local: &str| {
        local.replacen(
            "handbill@127.0.0.1",
            &format!("handbill:s3cret@{own_address}"),
            1,
        )
    };
    let local = plain.create_database().await;
    for mode in ["prefer", "allow", "disable"] {
        let warnings = warnings(&format!("{}?sslmode={mode}", remote(&local))).await;
        assert_eq!(warnings.len(), 1, "{mode}: {warnings:?}");
        assert!(warnings[0].contains("in plain text"), "{warnings:?}");
        assert!(warnings[0].contains(&own_address), "{warnings:?}");
        assert!(!warnings[0].contains("s3cret"), "{warnings:?}");
    }
    assert_eq!(warnings(&local).await, [""; 0]);
    let encrypted = remote(&server.create_database().await);
    assert_eq!(warnings(&encrypted).await, [""; 0]);
}

/// The lines of the guide for operators that move a database.
fn move_of_the_guide() -> String {
    let guide = include_str!("../../../docs/operating.md");
    let (_, rest) = guide.split_once("```sh move\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

#[tokio::test]
async fn the_guide_s_lines_move_a_service_from_sqlite_to_another_database() {
    if let Some(server) = Postgres::shared().await {
        move_to(&server.create_database().await).await;
    }
    if let Some(server) = MariaDb::shared().await {
        move_to(&server.create_database().await).await;
    }
}

async fn move_to(database: &str) {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = format!("sqlite://{}", folder.path().join("handbill.db").display());
    let key = handbill(&["keys", "issue"], &sqlite).await;
    let key = text(&key.stdout).to_owned();
    let program = Program::start_binary(PROGRAM, &["--database", &sqlite]).await;
    let post = create(&program, &key).await.json();
    let gone = create(&program, &key).await.json();
    let [address, gone] = [&post, &gone].map(|post| {
        let id = post["id"].as_str().unwrap();
        format!("/api/posts/{id}")
    });
    let delete = post_json(&gone, &format!("X-Api-Key: {key}\r\n"), "");
    let delete = String::from_utf8(delete)
        .unwrap()
        .replacen("POST", "DELETE", 1);
    assert_eq!(send(&program, delete.as_bytes()).await.status, 204);
    program.stop().await;

    let example = "postgres://handbill:secret@127.0.0.1/handbill";
    let lines = move_of_the_guide();
    assert_eq!(lines.lines().count(), 3);
    assert!(lines.contains(example));
    let path = std::env::var("PATH").unwrap();
    let programs = std::path::Path::new(PROGRAM).parent().unwrap();
    let moved = Command::new("sh")
        .args(["-eu", "-c", &lines.replace(example, database)])
        .current_dir(folder.path())
        .env("PATH", format!("{}:{path}", programs.display()))
        .output()
        .await
        .unwrap();
    assert!(moved.status.success(), "{moved:?}");

    let program = Program::start_binary(PROGRAM, &["--database", database]).await;
    assert_eq!(
        send(&program, &get(&address)).await.json()["body"],
        "Kept by a database."
    );
    assert_eq!(send(&program, &get(&gone)).await.status, 410);
    let edit = format!("/e/{}", post["edit_token"].as_str().unwrap());
    assert_eq!(send(&program, &get(&edit)).await.status, 200);
    assert_eq!(create(&program, &key).await.status, 201);
}
