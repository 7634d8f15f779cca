//! Histories of concurrent requests are linearizable, for each post: on one instance with SQLite, and on two instances
//! that share a database, also with caches, where current reads are. `faults` records histories while programs are
//! killed, and `store_checks_bite` shows that the same requests find broken stores.
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
use handbill_sql::{MySqlStore, PostgresStore, SqliteStore};
use handbill_tests::histories::{CLIENTS, Reads, Recorded, check_round};
use handbill_tests::mariadb::MariaDb;
use handbill_tests::postgres::Postgres;

/// By how much reads that are not current may be behind the changes of the other instance.
const BOUND: Duration = Duration::from_secs(1);

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

/// Checks them on two instances.
async fn two_are_linearizable<S: Store>(open: impl AsyncFn() -> S, reads: Reads) {
    let instances = vec![instance(open().await), instance(open().await)];
    are_linearizable(instances, reads).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_two_instances_with_one_sqlite_file_all_requests_are_linearizable() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("posts.db");
    let open = async || SqliteStore::open(&file).await.unwrap();
    two_are_linearizable(open, Reads::All).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_two_instances_with_postgres_all_requests_are_linearizable() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let open = async || PostgresStore::open(&address).await.unwrap();
    two_are_linearizable(open, Reads::All).await;
    let open = async || open().await.cached(BOUND);
    two_are_linearizable(open, Reads::Current).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_two_instances_with_mysql_all_requests_are_linearizable() {
    let Some(server) = MariaDb::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let open = async || MySqlStore::open(&address).await.unwrap();
    two_are_linearizable(open, Reads::All).await;
    let open = async || open().await.cached(BOUND);
    two_are_linearizable(open, Reads::Current).await;
}
