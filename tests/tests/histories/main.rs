//! Histories of concurrent requests are linearizable, for each post: on one instance with SQLite, and on two
//! instances that share a PostgreSQL database. `faults` records histories while programs are killed, and
//! `store_checks_bite` shows that the same requests find broken stores.
//!
//! `HANDBILL_HISTORIES` sets the number of rounds: three histories each.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test stops where it can't go on"
)]

mod checker;

use std::time::Duration;

use handbill::{Handbill, RateLimits, Store};
use handbill_sql::{PostgresStore, SqliteStore};
use handbill_tests::histories::{CLIENTS, Reads, Recorded, check_round};
use handbill_tests::postgres::Postgres;

fn rounds() -> u32 {
    std::env::var("HANDBILL_HISTORIES").map_or(10, |rounds| {
        rounds.parse().expect("HANDBILL_HISTORIES is a number")
    })
}

fn instance(store: impl Store) -> Handbill {
    let handbill = Handbill::new("https://example.org", store).unwrap();
    handbill.with_rate_limits(RateLimits::off())
}

/// Checks that the histories of posts on these instances are linearizable.
async fn are_linearizable(instances: Vec<Handbill>, reads: Reads) {
    let key = instances[0].keys().issue(None, None).await.unwrap().key;
    let mut recorded = Recorded::default();
    for _ in 0..rounds() {
        let targets = vec![instances.clone(); CLIENTS];
        match check_round(targets, key.expose(), reads).await {
            Ok(round) => recorded.add(round),
            Err(history) => panic!("{history}"),
        }
    }
    println!("{recorded:?}");
    assert_eq!(recorded.unknown, 0, "the store has failed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_sqlite_all_requests_are_linearizable() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("posts.db")).await;
    are_linearizable(vec![instance(store.unwrap())], Reads::All).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_sqlite_with_a_cache_changes_and_current_reads_are_linearizable() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("posts.db")).await;
    are_linearizable(vec![instance(store.unwrap().cached())], Reads::Current).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_two_instances_with_one_sqlite_file_all_requests_are_linearizable() {
    let folder = tempfile::tempdir().unwrap();
    let mut instances = Vec::new();
    for _ in 0..2 {
        let store = SqliteStore::open(folder.path().join("posts.db")).await;
        instances.push(instance(store.unwrap()));
    }
    are_linearizable(instances, Reads::All).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_two_instances_with_postgres_all_requests_are_linearizable() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let mut instances = Vec::new();
    for _ in 0..2 {
        let store = PostgresStore::open(&address).await;
        instances.push(instance(store.unwrap()));
    }
    are_linearizable(instances, Reads::All).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_two_instances_with_caches_changes_and_current_reads_are_linearizable() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let mut instances = Vec::new();
    for _ in 0..2 {
        let store = PostgresStore::open(&address).await.unwrap();
        instances.push(instance(store.cached(Duration::from_secs(1))));
    }
    are_linearizable(instances, Reads::Current).await;
}
