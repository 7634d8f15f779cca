//! Acknowledged changes are visible, even if the replica has not replayed them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use handbill::store::{Entry, Outcome, Post, ReplicaState};
use handbill::{PageRequest, Revision, Store};
use handbill_sql::PostgresStore;
use handbill_tests::calls::Calls;
use handbill_tests::pgbouncer::Pgbouncer;
use handbill_tests::postgres::Postgres;
use handbill_tests::postgres::posts::{key, revised};

use crate::servers::{Pair, becomes, eventually, post, replica};

async fn insert(store: &PostgresStore, post: &Post) {
    let inserted = store.insert_post(post.clone()).await;
    assert_eq!(inserted.unwrap(), Outcome::Applied);
}

async fn update(store: &PostgresStore, post: &Post) {
    let before = Revision::from_number(post.summary.revision.number() - 1);
    let updated = store.update_post(before, post.clone()).await;
    assert_eq!(updated.unwrap(), Outcome::Applied);
}

async fn total(store: &PostgresStore) -> u64 {
    let page = PageRequest::new(1, 20).unwrap();
    store.list_posts(page).await.unwrap().total
}

/// Checks that each of these stores shows the changes that the first has just acknowledged.
async fn changes_are_seen_at_once(stores: [&PostgresStore; 2]) {
    static ROUNDS: AtomicU64 = AtomicU64::new(1000);
    let [first, _] = stores;
    let before = total(first).await;
    let created = post(ROUNDS.fetch_add(1, Ordering::Relaxed));
    let id = created.summary.id;
    insert(first, &created).await;
    for store in stores {
        let found = store.read_post(id).await.unwrap();
        assert_eq!(found, Some(Entry::Live(created.clone().into())));
        assert_eq!(total(store).await, before + 1);
    }
    let changed = revised(&created);
    update(first, &changed).await;
    for store in stores {
        let found = store.read_post(id).await.unwrap();
        assert_eq!(found, Some(Entry::Live(changed.clone().into())));
    }
    let key = key(0);
    assert_eq!(
        first.insert_key(key.clone()).await.unwrap(),
        Outcome::Applied
    );
    for store in stores {
        let found = store.find_key(key.secret).await.unwrap();
        assert_eq!(found.as_ref(), Some(&key));
        assert_eq!(
            store.walk_keys(None, 10).await.unwrap(),
            std::slice::from_ref(&key)
        );
    }
    assert_eq!(first.revoke_key(key.id).await.unwrap(), Outcome::Applied);
    for store in stores {
        assert_eq!(store.find_key(key.secret).await.unwrap(), None);
    }
    let deleted = first.delete_post(id, changed.summary.revision).await;
    assert_eq!(deleted.unwrap(), Outcome::Applied);
    for store in stores {
        let gone = Entry::Gone(changed.clone().into_tombstone());
        assert_eq!(store.read_post(id).await.unwrap(), Some(gone));
        assert_eq!(total(store).await, before);
    }
}

#[tokio::test]
async fn a_replica_is_read_from_only_if_it_has_caught_up() {
    let Some(pair) = Pair::start().await else {
        return;
    };
    let database = pair.database().await;
    let (store, other) = (database.open().await, database.open().await);
    let first = post(1);
    insert(&store, &first).await;
    for store in [&store, &other] {
        database.is_read_from_standby(store, first.summary.id).await;
    }
    changes_are_seen_at_once([&store, &other]).await;

    pair.standby.pause_replay().await;
    changes_are_seen_at_once([&store, &other]).await;
    eventually("its lag is visible", async || {
        let replica = replica(&store).await;
        let is_behind = |bytes| bytes > 0;
        replica.state() == ReplicaState::Lagging
            && replica.lag_bytes().is_some_and(is_behind)
            && replica.lag().is_some_and(|lag| !lag.is_zero())
    })
    .await;
    let before = database.reads();
    changes_are_seen_at_once([&other, &store]).await;
    assert_eq!(database.reads(), before, "a lagging replica served a read");

    pair.standby.resume_replay().await;
    becomes(&store, ReplicaState::Up).await;
    for store in [&store, &other] {
        database.is_read_from_standby(store, first.summary.id).await;
    }
    changes_are_seen_at_once([&other, &store]).await;
    eventually("it has no lag", async || {
        let replica = replica(&store).await;
        replica.lag_bytes() == Some(0) && replica.lag().is_some_and(|lag| lag.is_zero())
    })
    .await;
}

/// Reads a post again and again. Each read must show what was acknowledged before it, or newer.
async fn read_on(store: &PostgresStore, first: &Post, acknowledged: &AtomicU64, over: &AtomicBool) {
    while !over.load(Ordering::SeqCst) {
        let at_least = acknowledged.load(Ordering::SeqCst);
        let Some(Entry::Live(found)) = store.read_post(first.summary.id).await.unwrap() else {
            panic!("the post is gone");
        };
        let revision = found.summary.revision.number();
        assert!(revision >= at_least, "{revision} after {at_least}");
    }
}

/// Changes a post while others read it, and pauses and resumes replay.
async fn change_on(
    standby: &Postgres,
    store: &PostgresStore,
    first: &Post,
    acknowledged: &AtomicU64,
    over: &AtomicBool,
) {
    let mut latest = first.clone();
    for round in 0..200 {
        match round % 50 {
            20 => standby.pause_replay().await,
            40 => standby.resume_replay().await,
            _ => {}
        }
        latest = revised(&latest);
        update(store, &latest).await;
        acknowledged.store(latest.summary.revision.number(), Ordering::SeqCst);
    }
    over.store(true, Ordering::SeqCst);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_read_is_older_than_an_acknowledged_change() {
    let Some(pair) = Pair::start().await else {
        return;
    };
    let database = pair.database().await;
    let (store, other) = (database.open().await, database.open().await);
    let first = post(1);
    insert(&store, &first).await;
    let (acknowledged, over) = (AtomicU64::new(1), AtomicBool::new(false));
    let before = database.reads();
    tokio::join!(
        change_on(&pair.standby, &store, &first, &acknowledged, &over),
        read_on(&store, &first, &acknowledged, &over),
        read_on(&other, &first, &acknowledged, &over),
        read_on(&other, &first, &acknowledged, &over),
    );
    assert!(database.reads() > before, "the standby was never read from");
}

#[tokio::test]
async fn behind_a_pooler_reads_go_to_replicas_in_transactions() {
    let Some(pair) = Pair::shared().await else {
        return;
    };
    let database = pair.database().await;
    let Some(pooler) = Pgbouncer::start(&pair.standby).await else {
        return;
    };
    let pooled = pooler.url(&database.on_standby()) + "?statement-cache-capacity=0";
    let store = database.open_with(&pooled).await;
    becomes(&store, ReplicaState::Up).await;
    insert(&store, &post(1)).await;
    let id = post(1).summary.id;
    database.is_read_from_standby(&store, id).await;
    changes_are_seen_at_once([&store, &store.clone()]).await;
}
