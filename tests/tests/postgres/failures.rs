//! Lost connections, servers that go away, and concurrent transactions.

use std::time::Duration;

use handbill::{PostgresStore, Store, Write};
use handbill_tests::postgres::Postgres;
use sqlx::postgres::PgListener;
use sqlx::{Connection, Executor};
use tokio::time::timeout;

use super::posts::{post, retagged};
use super::{connect, open};

const TIMEOUT: Duration = Duration::from_secs(60);

/// Writes until one write succeeds, and returns its number.
async fn writes_again(store: &PostgresStore, from: u64) -> u64 {
    let again = async {
        for number in from.. {
            if let Ok(write) = store.insert_post(post(number, 0, &[])).await {
                assert_eq!(write, Write::Applied);
                return number;
            }
        }
        unreachable!("numbers do not end")
    };
    timeout(TIMEOUT, again).await.expect("it recovers")
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_continue_when_connections_are_cut_and_writes_recover() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let store = open(&address).await;
    let mut other = connect(&address).await;
    let mut next = writes_again(&store, 0).await + 1;
    let first = post(0, 0, &[]);
    for _ in 0..5 {
        let reads = (0..20).map(|_| store.post(first.summary.id));
        for read in reads {
            assert!(read.await.expect("a read").is_some());
        }
        let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
            WHERE datname = CURRENT_DATABASE() AND pid <> pg_backend_pid()";
        other.execute(cut).await.expect("connections are cut");
        let read = store.post(first.summary.id).await;
        assert!(read.expect("a read on a new connection").is_some());
        next = writes_again(&store, next).await + 1;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_first_reads_wait_for_an_absent_server() {
    let Some(server) = Postgres::start(&std::env::temp_dir(), &[]).await else {
        return;
    };
    let address = server.create_database().await;
    let (store, other) = (open(&address).await, open(&address).await);
    let id = post(0, 0, &[]).summary.id;
    server.stop().await;
    tokio::select! {
        biased;
        read = store.post(id) => panic!("the read did not wait: {read:?}"),
        health = store.health() => assert!(health.is_err()),
    }
    assert!(store.post(id).await.is_err());
    tokio::select! {
        biased;
        read = other.post(id) => panic!("the read did not wait: {read:?}"),
        read = store.post(id) => assert!(read.is_err()),
    }
    server.run().await;
    assert!(store.post(id).await.expect("a read").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_writes_survive_a_crash_of_the_server() {
    let Some(server) = Postgres::start(&std::env::temp_dir(), &[]).await else {
        return;
    };
    let store = open(&server.create_database().await).await;
    let mut kept = vec![writes_again(&store, 0).await];
    for _ in 0..2 {
        server.crash().await;
        let lost = post(1_000_000, 0, &[]);
        assert!(store.post(lost.summary.id).await.is_err());
        server.run().await;
        kept.push(writes_again(&store, kept.len() as u64 * 1000).await);
        for number in &kept {
            let found = store.post(post(*number, 0, &[]).summary.id).await;
            assert!(found.expect("a read").is_some(), "post {number} is lost");
        }
    }
}

#[tokio::test]
async fn a_call_that_times_out_is_an_error_and_its_connection_is_closed() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let store = open(&address).await;
    let first = post(1, 0, &["a"]);
    let written = store.insert_post(first.clone()).await;
    assert_eq!(written.expect("a write"), Write::Applied);

    let mut other = connect(&address).await;
    let mut locking = other.begin().await.expect("a transaction");
    locking
        .execute("SELECT * FROM handbill_posts FOR UPDATE")
        .await
        .expect("a lock");
    let changed = retagged(&first, &["b"]);
    let expected = first.summary.revision;
    let waiting = store.update_post(expected, changed.clone()).await;
    let error = waiting.expect_err("it waits for ever");
    assert!(error.to_string().contains("took too long"), "{error}");
    locking.rollback().await.expect("the lock is released");

    // The server does not know yet that the caller has given up. It may have made the change.
    let again = store.update_post(expected, changed).await;
    again.map(drop).expect("a write on another connection");
    assert!(
        store
            .post(first.summary.id)
            .await
            .expect("a read")
            .is_some()
    );
}

#[tokio::test]
async fn changes_are_notified_and_creations_are_not() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let store = open(&address).await;
    let mut listener = PgListener::connect(&address).await.expect("a listener");
    listener
        .listen("handbill_changes")
        .await
        .expect("the program listens");

    let (first, second) = (post(1, 0, &["a"]), post(2, 0, &[]));
    for post in [&first, &second] {
        let written = store.insert_post(post.clone()).await;
        assert_eq!(written.expect("a write"), Write::Applied);
    }
    let changed = retagged(&first, &["b"]);
    let updated = store.update_post(first.summary.revision, changed.clone());
    assert_eq!(updated.await.expect("a write"), Write::Applied);
    let late = store.update_post(first.summary.revision, changed);
    assert_eq!(late.await.expect("a write"), Write::Conflict);
    let deleted = store.delete_post(second.summary.id, second.summary.revision);
    assert_eq!(deleted.await.expect("a write"), Write::Applied);
    for post in [&first, &second] {
        let told = timeout(TIMEOUT, listener.recv()).await.expect("in time");
        assert_eq!(told.expect("it tells").payload(), post.summary.id.as_str());
    }
}
