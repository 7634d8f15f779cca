//! Lost connections, servers that are away or do not respond, and notifications.

use std::error::Error;
use std::time::Duration;

use handbill::store::Outcome;
use handbill::{Store, Timestamp};
use handbill_sql::PostgresStore;
use handbill_tests::calls::Calls;
use handbill_tests::postgres::Postgres;
use sqlx::Executor;
use sqlx::postgres::PgListener;
use tokio::time::timeout;

use super::{connect, open};
use handbill_tests::postgres::posts::{post, retagged};

const TIMEOUT: Duration = Duration::from_secs(60);

/// Writes until one succeeds, and returns its number.
async fn writes_again(store: &PostgresStore, from: u64) -> u64 {
    let again = async {
        for number in from.. {
            if let Ok(write) = store.insert_post(post(number, 0, &[])).await {
                assert_eq!(write, Outcome::Applied);
                return number;
            }
        }
        unreachable!("numbers do not end")
    };
    timeout(TIMEOUT, again).await.expect("it recovers")
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_go_on_when_connections_are_cut_and_writes_soon_do() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let store = open(&address).await;
    let mut other = connect(&address).await;
    let mut next = writes_again(&store, 0).await + 1;
    let first = post(0, 0, &[]);
    for _ in 0..5 {
        let reads = (0..20).map(|_| store.read_post(first.summary.id));
        for read in reads {
            assert!(read.await.expect("a read").is_some());
        }
        let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
            WHERE datname = CURRENT_DATABASE() AND pid <> pg_backend_pid()";
        other.execute(cut).await.expect("connections are cut");
        let read = store.read_post(first.summary.id).await;
        assert!(read.expect("a read on a new connection").is_some());
        next = writes_again(&store, next).await + 1;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_wait_for_a_server_that_is_away_for_five_seconds_and_health_does_not() {
    let Some(server) = Postgres::start(&std::env::temp_dir(), &[]).await else {
        return;
    };
    let address = server.create_database().await;
    let (store, other) = (open(&address).await, open(&address).await);
    let id = post(0, 0, &[]).summary.id;
    server.stop().await;
    tokio::select! {
        biased;
        read = store.read_post(id) => panic!("the read did not wait: {read:?}"),
        health = store.health() => assert!(health.is_err()),
    }
    assert!(store.read_post(id).await.is_err());
    tokio::select! {
        biased;
        read = other.read_post(id) => panic!("the read did not wait: {read:?}"),
        read = store.read_post(id) => assert!(read.is_err()),
    }
    server.run().await;
    assert!(store.read_post(id).await.expect("a read").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_acknowledged_post_is_lost_when_the_server_crashes() {
    let Some(server) = Postgres::start(&std::env::temp_dir(), &[]).await else {
        return;
    };
    let store = open(&server.create_database().await).await;
    let mut acknowledged = vec![writes_again(&store, 0).await];
    for _ in 0..2 {
        server.crash().await;
        let lost = post(1_000_000, 0, &[]);
        assert!(store.read_post(lost.summary.id).await.is_err());
        server.run().await;
        acknowledged.push(writes_again(&store, acknowledged.len() as u64 * 1000).await);
        for number in &acknowledged {
            let found = store.read_post(post(*number, 0, &[]).summary.id).await;
            assert!(found.expect("a read").is_some(), "post {number} is lost");
        }
    }
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_an_error_and_its_connection_is_not_used_again() {
    let Some(server) = Postgres::start(&std::env::temp_dir(), &[]).await else {
        return;
    };
    let store = open(&server.create_database().await).await;
    let first = post(1, 0, &["a"]);
    let written = store.insert_post(first.clone()).await;
    assert_eq!(written.expect("a write"), Outcome::Applied);

    server.pause().await;
    let changed = retagged(&first, &["b"]);
    let expected = first.summary.revision;
    let waiting = store.update_post(expected, changed.clone()).await;
    let error = waiting.expect_err("it waits without end");
    let reason = error.source().expect("a reason").to_string();
    assert_eq!(reason, "it took too long");
    server.resume().await;

    // The server does not know that the caller stopped waiting, so it may have made the change.
    let again = store.update_post(expected, changed).await;
    again.map(drop).expect("a write on another connection");
    let found = store.read_post(first.summary.id).await;
    assert!(found.expect("a read").is_some());
}

/// A post that has a time may be published by another instance.
#[tokio::test]
async fn changes_send_notifications_and_of_creations_those_with_a_time() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let store = open(&address).await;
    let mut listener = PgListener::connect(&address).await.expect("a listener");
    listener
        .listen("handbill_changes")
        .await
        .expect("it listens");

    let (first, second, mut timed) = (post(1, 0, &["a"]), post(2, 0, &[]), post(3, 0, &[]));
    timed.summary.expires_at = Some(Timestamp::from_micros(i64::MAX));
    for post in [&first, &second, &timed] {
        let written = store.insert_post(post.clone()).await;
        assert_eq!(written.expect("a write"), Outcome::Applied);
    }
    let changed = retagged(&first, &["b"]);
    let updated = store.update_post(first.summary.revision, changed.clone());
    assert_eq!(updated.await.expect("a write"), Outcome::Applied);
    let late = store.update_post(first.summary.revision, changed);
    assert_eq!(late.await.expect("a write"), Outcome::Conflict);
    let deleted = store.delete_post(second.summary.id, second.summary.revision);
    assert_eq!(deleted.await.expect("a write"), Outcome::Applied);
    for post in [&timed, &first, &second] {
        let notification = timeout(TIMEOUT, listener.recv()).await.expect("in time");
        assert_eq!(
            notification.expect("a notification").payload(),
            post.summary.id.as_str()
        );
    }
}
