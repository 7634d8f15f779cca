//! Durable creations a second with 1, 8, 32 and 128 clients, as a multiple of what SQLite does on
//! the same disk with one transaction for each insert.
//!
//! `cargo bench -p handbill-tests --bench creations`

#![expect(clippy::unwrap_used, reason = "a benchmark stops where it can't go on")]

use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use handbill_tests::load::{key_header, median, prose, publish_note, throughput};
use handbill_tests::program::{self, Program};
use handbill_tests::wire::Connection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{Connection as _, SqliteConnection};

const ROUNDS: usize = 3;
const DURATION: Duration = Duration::from_secs(4);
const CLIENTS: [usize; 4] = [1, 8, 32, 128];
const BODY_BYTES: usize = 1000;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    program::path();
    println!("creations a second, about 1 KB each, and their multiple of the single-insert rate");
    let mut multiples = vec![Vec::new(); CLIENTS.len()];
    for round in 1..=ROUNDS {
        // On the disk that the build is on: temporary folders may be in memory.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let single = single_inserts(folder.path()).await;
        print!("round {round}: one insert a transaction {single:.0}");
        for (clients, multiples) in CLIENTS.into_iter().zip(&mut multiples) {
            let rate = creations(folder.path(), clients).await;
            multiples.push(rate / single);
            print!("; {clients} clients {rate:.0} ({:.2})", rate / single);
        }
        println!();
    }
    for (clients, multiples) in CLIENTS.into_iter().zip(&multiples) {
        println!(
            "{clients} clients: {:.2} times the single-insert rate",
            median(multiples)
        );
    }
}

async fn single_inserts(folder: &std::path::Path) -> f64 {
    let options = SqliteConnectOptions::new()
        .filename(folder.join("reference.db"))
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full);
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    let table = "CREATE TABLE posts (id INTEGER PRIMARY KEY, title TEXT, body TEXT)";
    sqlx::query(table).execute(&mut connection).await.unwrap();
    let body = prose(1, BODY_BYTES);
    let (started, mut inserted) = (Instant::now(), 0);
    while started.elapsed() < DURATION {
        sqlx::query("INSERT INTO posts (title, body) VALUES (?1, ?2)")
            .bind("A note")
            .bind(&body)
            .execute(&mut connection)
            .await
            .unwrap();
        inserted += 1;
    }
    f64::from(inserted) / started.elapsed().as_secs_f64()
}

async fn creations(folder: &std::path::Path, clients: usize) -> f64 {
    let database = format!(
        "sqlite://{}",
        folder.join(format!("{clients}.db")).display()
    );
    let arguments = ["--rate-limits", "off", "--database", &database];
    let log = std::fs::File::create(folder.join("log")).unwrap();
    let program = Program::start_under(&[], &arguments, Stdio::from(log)).await;
    let mut connection = Connection::open(program.address).await.unwrap();
    let key = key_header(&mut connection, "").await;
    let requests = (0..512)
        .map(|seed| publish_note(&key, "", seed, BODY_BYTES))
        .collect();
    let requests = Arc::new(requests);
    let rate = throughput(program.address, clients, DURATION, requests, 201).await;
    assert!(program.stop().await.success());
    rate
}
