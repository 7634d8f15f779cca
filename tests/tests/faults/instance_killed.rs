//! `kill -9` of one instance, of the other one, and of both at once.

use std::path::Path;

use handbill_tests::postgres::Postgres;
use rand::RngExt;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, SqliteConnection};

use super::form::form;
use super::trial::Trial;

#[tokio::test(flavor = "multi_thread")]
async fn instances_on_sqlite_are_killed() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().join("posts.db");
    let database = format!("sqlite://{}", file.display());
    kill_in_turn("kill -9 of instances over SQLite", &database).await;
    assert_eq!(integrity(&file).await, "ok");
}

#[tokio::test(flavor = "multi_thread")]
async fn instances_on_postgres_are_killed() {
    let Some(postgres) = Postgres::start(&std::env::temp_dir(), &[]).await else {
        return;
    };
    let database = postgres.create_database().await;
    kill_in_turn("kill -9 of instances over PostgreSQL", &database).await;
}

async fn kill_in_turn(fault: &'static str, database: &str) {
    let mut trial = Trial::begin(fault, database).await;
    for round in 0..form().kills {
        let some = rand::rng().random_range(1..form().load);
        trial.load(some).await;
        let killed: &[usize] = match round % 3 {
            0 => &[0],
            1 => &[1],
            _ => &[0, 1],
        };
        for &instance in killed {
            trial.kill(instance).await;
        }
        for &instance in killed {
            trial.start(instance).await;
        }
        trial.recover().await;
        trial.check_and_go_on().await;
    }
    trial.end().await;
}

async fn integrity(file: &Path) -> String {
    let options = SqliteConnectOptions::new().filename(file);
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::query_scalar("PRAGMA integrity_check")
        .fetch_one(&mut connection)
        .await
        .unwrap()
}
