//! Connections that are killed, and servers that stop, crash or take no writes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use handbill::store::{Outcome, Post};
use handbill::{Handbill, RateLimits, Store};
use handbill_sql::MySqlStore;
use handbill_testing::samples::post;
use handbill_tests::calls::Calls;
use handbill_tests::histories::{CLIENTS, Reads, Recorded, check_round};
use handbill_tests::mariadb::MariaDb;
use sqlx::{AssertSqlSafe, Executor};
use tokio::time::timeout;

use super::counting::{counted, counts_are_right};
use super::{connect, open, reason};

async fn insert(store: &MySqlStore, post: Post) {
    let inserted = store.insert_post(post).await;
    assert_eq!(inserted.unwrap(), Outcome::Applied);
}

const KILLS: u32 = 300;
const RESTARTS: u32 = 2;

/// Checks histories on two instances, while and after something happens to the server: what is acknowledged is there,
/// once, and what fails was not read before.
async fn stay_linearizable(server: &MariaDb, happens: impl AsyncFnOnce()) {
    let address = server.create_database().await;
    let mut instances = Vec::new();
    for _ in 0..2 {
        let handbill = Handbill::new("https://example.org", open(&address).await).unwrap();
        instances.push(handbill.with_rate_limits(RateLimits::off()));
    }
    let key = instances[0].keys().issue(None, None).await.unwrap().key;
    let (mut recorded, has_happened) = (Recorded::default(), AtomicBool::new(false));
    let check = async {
        loop {
            let was_last = has_happened.load(Ordering::Relaxed);
            let targets = vec![instances.clone(); CLIENTS];
            let round = check_round(targets, key.expose(), Reads::All).await;
            let round = round.unwrap_or_else(|history| panic!("{history}"));
            recorded.add(round);
            if was_last {
                return round.unknown;
            }
        }
    };
    let happens = async {
        happens().await;
        has_happened.store(true, Ordering::Relaxed);
    };
    let (unknown, ()) = tokio::join!(check, happens);
    println!("{recorded:?}");
    assert_eq!(unknown, 0, "it has recovered");
    let mut connection = connect(&address).await;
    counted(&mut connection).await;
    counts_are_right(&mut connection).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_linearizable_while_connections_are_killed() {
    let Some(server) = MariaDb::start(&std::env::temp_dir(), &[]).await else {
        return;
    };
    let kill = async || {
        let mut root = connect(&server.url_as_root("mysql")).await;
        for _ in 0..KILLS {
            // It may end before it is killed.
            let kill = "SET @id = (
                  SELECT id FROM information_schema.processlist
                  WHERE user = 'handbill' ORDER BY command = 'Sleep', RAND() LIMIT 1
                );
                EXECUTE IMMEDIATE IF(@id IS NULL, 'DO 0', CONCAT('KILL ', @id))";
            let _ = root.execute(kill).await;
        }
    };
    stay_linearizable(&server, kill).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_linearizable_while_the_server_is_stopped_and_crashes() {
    let Some(server) = MariaDb::start(&std::env::temp_dir(), &[]).await else {
        return;
    };
    let restart = async || {
        for _ in 0..RESTARTS {
            server.stop().await;
            server.run().await;
            server.kill().await;
            server.run().await;
        }
    };
    stay_linearizable(&server, restart).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_wait_for_a_server_that_is_away_and_health_does_not() {
    let Some(server) = MariaDb::start(&std::env::temp_dir(), &[]).await else {
        return;
    };
    let store = open(&server.create_database().await).await;
    let id = post(1).summary.id;
    assert!(store.read_post(id).await.unwrap().is_none());
    store.health().await.unwrap();
    server.stop().await;
    tokio::select! {
        biased;
        read = store.read_post(id) => panic!("the read did not wait: {read:?}"),
        health = store.health() => assert!(health.is_err()),
    }
    assert!(store.read_post(id).await.is_err());
    assert!(store.insert_post(post(1)).await.is_err());
    server.run().await;
    // All connections were idle when the server stopped.
    assert!(store.read_post(id).await.unwrap().is_none());
    store.health().await.unwrap();
    let inserted = store.insert_post(post(1)).await.unwrap();
    assert_eq!(inserted, Outcome::Applied);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_takes_too_long_is_an_error_and_its_connection_is_not_used_again() {
    let Some(server) = MariaDb::start(&std::env::temp_dir(), &[]).await else {
        return;
    };
    let store = open(&server.create_database().await).await;
    let first = post(1);
    insert(&store, first.clone()).await;
    server.pause().await;
    let (read, written) = tokio::join!(
        store.read_post(first.summary.id),
        store.insert_post(post(2))
    );
    assert!(read.is_err());
    assert!(reason(written).contains("timed out"));
    server.resume().await;
    let found = store.read_post(first.summary.id).await.unwrap();
    assert!(found.is_some());
    // The server does not know that the caller stopped waiting, so it may have made the change.
    let again = store.insert_post(post(2)).await;
    again.map(drop).unwrap();
    assert!(store.read_post(post(2).summary.id).await.unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_becomes_read_only_is_not_healthy_and_still_read() {
    let Some(server) = MariaDb::start(&std::env::temp_dir(), &[]).await else {
        return;
    };
    let store = open(&server.create_database().await).await;
    insert(&store, post(1)).await;
    server.execute("SET GLOBAL read_only = ON").await;
    let health = reason(store.health().await);
    assert!(health.contains("the server is read-only"), "{health}");
    assert!(store.read_post(post(1).summary.id).await.unwrap().is_some());
    let refused = reason(store.insert_post(post(2)).await);
    assert!(refused.contains("read-only"), "{refused}");
    // A write that waits is made when the server takes writes again.
    let waits = store.insert_post(post(3));
    let ends = server.execute("SET GLOBAL read_only = OFF");
    let (written, ()) = tokio::join!(biased; waits, ends);
    assert_eq!(written.unwrap(), Outcome::Applied);
    store.health().await.unwrap();
}

/// Otherwise the writes of this instance would fail until another program ends its transaction.
#[tokio::test]
async fn a_change_that_waited_for_a_lock_can_be_repeated() {
    let Some(server) = MariaDb::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let store = open(&address).await;
    let first = post(1);
    insert(&store, first.clone()).await;
    let mut locking = connect(&address).await;
    let id = first.summary.id;
    let lock =
        format!("START TRANSACTION; SELECT 1 FROM handbill_posts WHERE id = '{id}' FOR UPDATE");
    locking.execute(AssertSqlSafe(lock)).await.unwrap();
    let delete = || store.delete_post(first.summary.id, first.summary.revision);
    let waited = reason(delete().await);
    println!("{waited}");
    let written = timeout(Duration::from_secs(60), store.insert_post(post(2))).await;
    assert_eq!(written.unwrap().unwrap(), Outcome::Applied);
    locking.execute("ROLLBACK").await.unwrap();
    assert_eq!(delete().await.unwrap(), Outcome::Applied);
}
