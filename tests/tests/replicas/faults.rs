//! No read fails or is wrong when a replica fails, hangs or follows another server.

use handbill::store::{Entry, Outcome, Post, ReplicaState};
use handbill_sql::PostgresStore;
use handbill_tests::calls::Calls;
use handbill_tests::postgres::Postgres;
use handbill_tests::relay::Relay;

use crate::servers::{Pair, becomes, eventually, post, replica};

async fn insert(store: &PostgresStore, post: &Post) {
    let inserted = store.insert_post(post.clone()).await;
    assert_eq!(inserted.unwrap(), Outcome::Applied);
}

async fn is_there(store: &PostgresStore, post: &Post) {
    let found = store.read_post(post.summary.id).await;
    assert_eq!(found.unwrap(), Some(Entry::Live(post.clone().into())));
}

/// Waits until the store's replica is in this state, reading all the time.
async fn becomes_under_reads(store: &PostgresStore, post: &Post, state: ReplicaState) {
    let what = format!("the replica is {state:?}");
    eventually(&what, async || {
        for _ in 0..10 {
            is_there(store, post).await;
        }
        replica(store).await.state() == state
    })
    .await;
}

#[tokio::test]
async fn a_replica_that_is_down_is_not_read_from_until_it_recovers() {
    let Some(pair) = Pair::start().await else {
        return;
    };
    let database = pair.database().await;
    let first = post(1);

    pair.standby.crash().await;
    let store = database.open_with(&database.on_standby()).await;
    insert(&store, &first).await;
    is_there(&store, &first).await;
    assert_eq!(replica(&store).await.state(), ReplicaState::Down);
    let address = format!("127.0.0.1:{}", pair.standby.port());
    assert_eq!(replica(&store).await.address(), address);

    for _ in 0..2 {
        pair.standby.run().await;
        becomes(&store, ReplicaState::Up).await;
        database
            .is_read_from_standby(&store, first.summary.id)
            .await;
        pair.standby.crash().await;
        becomes_under_reads(&store, &first, ReplicaState::Down).await;
    }
}

#[tokio::test]
async fn a_replica_that_hangs_fails_no_read() {
    let Some(pair) = Pair::shared().await else {
        return;
    };
    let database = pair.database().await;
    let relay = Relay::to(pair.standby.port()).await;
    let store = database.open_with(&database.on_port(relay.port())).await;
    becomes(&store, ReplicaState::Up).await;
    let first = post(1);
    insert(&store, &first).await;
    database
        .is_read_from_standby(&store, first.summary.id)
        .await;

    relay.go_silent();
    becomes_under_reads(&store, &first, ReplicaState::Down).await;
    relay.turn_to(pair.standby.port());
    becomes(&store, ReplicaState::Up).await;
    database
        .is_read_from_standby(&store, first.summary.id)
        .await;
}

#[tokio::test]
async fn a_server_that_is_not_a_standby_of_the_primary_is_not_read_from() {
    let Some(pair) = Pair::start().await else {
        return;
    };
    let database = pair.database().await;
    let store = database.open().await;
    let first = post(1);
    insert(&store, &first).await;
    database
        .is_read_from_standby(&store, first.summary.id)
        .await;

    pair.standby.promote().await;
    becomes(&store, ReplicaState::Down).await;
    // A change that is made on the promoted standby must not be visible.
    let elsewhere = PostgresStore::open(&database.on_standby()).await.unwrap();
    let deleted = elsewhere
        .delete_post(first.summary.id, first.summary.revision)
        .await;
    assert_eq!(deleted.unwrap(), Outcome::Applied);
    is_there(&store, &first).await;

    let Some(stranger) = Pair::shared().await else {
        return;
    };
    let address = database.on_port(stranger.standby.port());
    let store = database.open_with(&address).await;
    is_there(&store, &first).await;
    assert_eq!(replica(&store).await.state(), ReplicaState::Down);
}

/// After a failover, the old primary's log may be longer than that of the new primary, so a standby of
/// the old one must not count as caught up.
#[tokio::test]
async fn a_standby_of_the_old_primary_is_not_read_from_after_a_failover() {
    let Some(pair) = Pair::start().await else {
        return;
    };
    let Pair { primary, standby } = &pair;
    let successor: Postgres = primary.standby(&[]).await;
    let database = pair.database().await;
    let relay = Relay::to(primary.port()).await;
    let store = PostgresStore::open(&database.on_port(relay.port())).await;
    let store = store.unwrap().with_replica(&database.on_standby()).unwrap();
    becomes(&store, ReplicaState::Up).await;

    let arrived = async |server: &Postgres, post: &Post| {
        let Ok(store) = PostgresStore::open(&database.on_port(server.port())).await else {
            return false;
        };
        matches!(store.read_post(post.summary.id).await, Ok(Some(_)))
    };
    insert(&store, &post(0)).await;
    eventually("the successor has it", async || {
        arrived(&successor, &post(0)).await
    })
    .await;
    successor.crash().await;
    // Only the standby receives these, and its log becomes longer than that of the successor.
    for number in 1..=100 {
        insert(&store, &post(number)).await;
    }
    eventually("the standby has it", async || {
        arrived(standby, &post(100)).await
    })
    .await;
    primary.crash().await;
    successor.run().await;
    successor.promote().await;
    relay.turn_to(successor.port());

    eventually("the successor takes writes", async || {
        store.insert_post(post(1000)).await.is_ok()
    })
    .await;
    for _ in 0..100 {
        is_there(&store, &post(1000)).await;
    }
    becomes(&store, ReplicaState::Down).await;
    is_there(&store, &post(1000)).await;
}
