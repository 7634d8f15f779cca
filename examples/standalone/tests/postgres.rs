//! The program on PostgreSQL.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

use std::process::Output;

use handbill_tests::load::{get, post_json};
use handbill_tests::postgres::Postgres;
use handbill_tests::program::Program;
use handbill_tests::wire::{Connection, TestResponse};
use tokio::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_handbill");

async fn keys(arguments: &[&str], database: &str) -> Output {
    let mut command = Command::new(PROGRAM);
    command.arg("keys").args(arguments);
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
    let body = r#"{"body": "Kept by PostgreSQL."}"#;
    send(program, &post_json("/api/posts", &headers, body)).await
}

#[tokio::test]
async fn two_programs_serve_one_database_and_keys_are_managed_on_it() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let database = server.create_database().await;
    let key = keys(&["issue", "--label", "ours"], &database).await;
    let key = text(&key.stdout).to_owned();
    let other_scheme = database.replacen("postgres://", "postgresql://", 1);
    let one = Program::start_binary(PROGRAM, &["--database", &database]).await;
    let other = Program::start_binary(PROGRAM, &["--database", &other_scheme]).await;

    let created = create(&one, &key).await;
    assert_eq!(created.status, 201, "{created:?}");
    let id = created.json()["id"].as_str().unwrap().to_owned();
    let read = send(&other, &get(&format!("/api/posts/{id}"))).await;
    assert_eq!(read.json()["body"], "Kept by PostgreSQL.");
    assert_eq!(send(&one, &get("/healthz")).await.status, 200);

    let listed = keys(&["list"], &database).await;
    let (id, _) = text(&listed.stdout).split_once('\t').unwrap();
    keys(&["revoke", id], &database).await;
    for program in [&one, &other] {
        assert_eq!(create(program, &key).await.status, 401);
    }
    for program in [one, other] {
        assert!(program.stop().await.success());
    }
}
