//! The program on PostgreSQL with replicas.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test stops where it can't go on"
)]

use std::time::Duration;

use handbill_tests::load::get;
use handbill_tests::postgres::Postgres;
use handbill_tests::program::Program;
use handbill_tests::wire::{Connection, TestResponse};
use serde_json::json;
use tokio::process::Command;
use tokio::time::{sleep, timeout};

const PROGRAM: &str = env!("CARGO_BIN_EXE_handbill");
const PATIENCE: Duration = Duration::from_secs(60);

async fn send(program: &Program, request: &[u8]) -> TestResponse {
    let mut connection = Connection::open(program.address).await.unwrap();
    connection.send(request).await.unwrap()
}

/// Waits until the program's replicas are in these states, which is all that it tells of them.
async fn replicas(program: &Program, states: &[&str]) {
    let states: Vec<_> = states
        .iter()
        .map(|state| json!({ "state": state }))
        .collect();
    let come = async {
        loop {
            let health = send(program, &get("/healthz")).await;
            if health.json()["replicas"] == json!(states) {
                return;
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, come).await.expect("they come to that")
}

#[tokio::test]
async fn replicas_are_named_by_option_or_environment_and_shown_with_their_health() {
    let Some(primary) = Postgres::shared().await else {
        return;
    };
    let standby = primary.standby(&[]).await;
    let database = primary.create_database().await;
    let (_, name) = database.rsplit_once('/').unwrap();
    let replica = standby.url(name);
    let nobody = "postgres://handbill:secret@127.0.0.1:1/handbill";

    let named = ["--database-replica", &replica, "--database-replica", nobody];
    let arguments = [&["--database", &database], &named[..]].concat();
    let program = Program::start_binary(PROGRAM, &arguments).await;
    replicas(&program, &["up", "down"]).await;
    assert!(program.stop().await.success());

    let mut command = Command::new(PROGRAM);
    command
        .args(["--listen", "127.0.0.1:0", "--post-cache", "off"])
        .env("HANDBILL_DATABASE_URL", &database)
        .env(
            "HANDBILL_DATABASE_REPLICA",
            format!(" {replica}\n{nobody} "),
        );
    let program = Program::spawn(command).await;
    replicas(&program, &["up", "down"]).await;
    assert!(program.stop().await.success());
}

#[tokio::test]
async fn what_has_no_replicas_is_refused_in_one_line_without_the_address() {
    let replica = "postgres://handbill:secret@db2/handbill";
    for (database, replica, says) in [
        ("memory:", replica, "only a database of PostgreSQL"),
        (
            "sqlite://posts.db",
            replica,
            "only a database of PostgreSQL",
        ),
        ("memory:", "sqlite://secret.db", "a replica is postgres://"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(PROGRAM);
        command
            .current_dir(folder.path())
            .args(["--listen", "127.0.0.1:0", "--database", database])
            .args(["--database-replica", replica]);
        let output = command.output().await.unwrap();
        let log = str::from_utf8(&output.stderr).unwrap();
        assert!(!output.status.success());
        assert_eq!(log.lines().count(), 1, "{log:?}");
        assert!(log.contains(says), "{log:?}");
        assert!(!log.contains("secret"), "{log:?}");
    }
}
