//! Several instances on one PostgreSQL database, each with a cache of posts.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

use std::time::Duration;

use handbill::{Cached, Entry, Outcome, Owner, Post, Revision, Tombstone};
use handbill_sql::PostgresStore;
use handbill_tests::calls::Calls;
use handbill_tests::postgres::Postgres;
use handbill_tests::postgres::posts::{self, revised};
use sqlx::{Connection, PgConnection};
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};

/// The time limit for changes in the background, on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);
/// A bound that no test waits for.
const LONG: Duration = Duration::from_secs(24 * 60 * 60);
const SHORT: Duration = Duration::from_secs(1);

type Instance = Cached<PostgresStore>;

async fn instance(address: &str, bound: Duration) -> Instance {
    PostgresStore::open(address).await.unwrap().cached(bound)
}

fn post() -> Post {
    posts::post(1, 0, &[])
}

async fn insert(store: &Instance, post: &Post) {
    let inserted = store.insert_post(post.clone()).await;
    assert_eq!(inserted.unwrap(), Outcome::Applied);
}

async fn update(store: &Instance, post: &Post) {
    let before = Revision::from_number(post.summary.revision.number() - 1);
    let updated = store.update_post(before, post.clone()).await;
    assert_eq!(updated.unwrap(), Outcome::Applied);
}

async fn shows(store: &Instance, post: &Post) -> bool {
    store.read_post(post.summary.id).await.unwrap() == Some(Entry::Live(post.clone().into()))
}

async fn eventually(what: &str, is_so: impl AsyncFn() -> bool) {
    let comes = async {
        while !is_so().await {
            sleep(Duration::from_millis(20)).await;
        }
    };
    assert!(timeout(TIMEOUT, comes).await.is_ok(), "{what}: never");
}

/// How many reads of posts and how many heartbeats the server has received. It logs each statement.
fn received(server: &Postgres) -> (usize, usize) {
    let log = server.log();
    let reads = log.matches("FROM handbill_posts WHERE id = $1");
    (reads.count(), log.matches("'heartbeat:").count())
}

#[tokio::test]
async fn each_instance_sees_its_own_changes_at_once_and_those_of_others_soon() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let (one, other) = (
        instance(&address, LONG).await,
        instance(&address, LONG).await,
    );
    both_listen(&address).await;
    let mut latest = post();
    insert(&one, &latest).await;
    for _ in 0..3 {
        for (writer, reader) in [(&one, &other), (&other, &one)] {
            eventually("the other shows it", async || shows(reader, &latest).await).await;
            latest = revised(&latest);
            update(writer, &latest).await;
            assert!(shows(writer, &latest).await);
        }
    }
    eventually("both show it", async || {
        shows(&one, &latest).await && shows(&other, &latest).await
    })
    .await;
    let id = latest.summary.id;
    let deleted = one.delete_post(id, latest.summary.revision).await;
    assert_eq!(deleted.unwrap(), Outcome::Applied);
    let gone = Some(Entry::Gone(latest.into_tombstone()));
    assert_eq!(one.read_post(id).await.unwrap(), gone);
    eventually("it is gone", async || {
        other.read_post(id).await.unwrap() == gone
    })
    .await;
}

#[tokio::test]
async fn each_instance_soon_shows_no_owner_that_was_forgotten() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let (one, other) = (
        instance(&address, LONG).await,
        instance(&address, LONG).await,
    );
    both_listen(&address).await;
    let owner: Owner = "user:42".parse().unwrap();
    let tombstone = post().into_tombstone().with_owner(Some(owner.clone()));
    let inserted = one.insert_tombstone(tombstone.clone()).await;
    assert_eq!(inserted.unwrap(), Outcome::Applied);
    let shows = async |store: &Instance, tombstone: &Tombstone| {
        let found = store.read_post(tombstone.id).await.unwrap();
        found == Some(Entry::Gone(tombstone.clone()))
    };
    assert!(shows(&one, &tombstone).await && shows(&other, &tombstone).await);
    let forgotten = one.forget_owner(owner, 10).await;
    assert_eq!(forgotten.unwrap(), Outcome::Applied);
    let tombstone = tombstone.with_owner(None);
    assert!(shows(&one, &tombstone).await);
    eventually("the other forgets it", async || {
        shows(&other, &tombstone).await
    })
    .await;
}

#[tokio::test]
async fn an_unchanged_post_is_not_read_again() {
    let settings = ["fsync=off", "log_statement=all"];
    let Some(server) = Postgres::start(&std::env::temp_dir(), &settings).await else {
        return;
    };
    let store = instance(&server.create_database().await, SHORT).await;
    insert(&store, &post()).await;
    let since = std::cell::Cell::new(received(&server));
    // Without the confirmations of the heartbeats, it would be read again within three of them.
    eventually("several heartbeats pass without a read", async || {
        assert!(shows(&store, &post()).await);
        let (reads, heartbeats) = received(&server);
        if reads != since.get().0 {
            since.set((reads, heartbeats));
        }
        heartbeats >= since.get().1 + 6
    })
    .await;
    assert!(since.get().0 > 0, "the first read is in the log");
}

#[tokio::test]
async fn a_lost_connection_does_not_make_posts_stale_beyond_the_bound() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let (one, other) = (
        instance(&address, SHORT).await,
        instance(&address, SHORT).await,
    );
    let mut latest = post();
    insert(&one, &latest).await;
    for _ in 0..3 {
        other.read_post(latest.summary.id).await.unwrap();
        cut_listeners(&address).await;
        latest = revised(&latest);
        update(&one, &latest).await;
        assert!(shows(&one, &latest).await);
        eventually("the other shows it", async || shows(&other, &latest).await).await;
    }
}

/// Waits until both instances on this database listen. What they read earlier may be cached up to the bound.
async fn both_listen(address: &str) -> PgConnection {
    let connection = PgConnection::connect(address).await.unwrap();
    let connection = Mutex::new(connection);
    let listening = "SELECT COUNT(*) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN%' AND state = 'idle'";
    eventually("both listen", async || {
        let mut connection = connection.lock().await;
        let count = sqlx::query_scalar::<_, i64>(listening).fetch_one(&mut *connection);
        count.await.unwrap() == 2
    })
    .await;
    connection.into_inner()
}

/// Cuts the connections to this database that listen.
async fn cut_listeners(address: &str) {
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN%'";
    let cut = sqlx::query(cut);
    cut.execute(&mut both_listen(address).await).await.unwrap();
}

#[tokio::test]
async fn without_notifications_posts_are_read_again_after_the_bound() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    // As behind a pooler in transaction mode, which delivers no notifications.
    let address = server.create_database().await + "?statement-cache-capacity=0";
    let (one, other) = (
        instance(&address, SHORT).await,
        instance(&address, SHORT).await,
    );
    insert(&one, &post()).await;
    assert!(shows(&other, &post()).await);
    let changed = revised(&post());
    update(&one, &changed).await;
    eventually("the other shows it", async || shows(&other, &changed).await).await;
}

#[tokio::test]
async fn a_bound_of_zero_switches_the_cache_off() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let off = Duration::ZERO;
    let (one, other) = (instance(&address, off).await, instance(&address, off).await);
    let mut latest = post();
    insert(&one, &latest).await;
    for _ in 0..20 {
        assert!(shows(&other, &latest).await);
        latest = revised(&latest);
        update(&one, &latest).await;
    }
    assert!(shows(&other, &latest).await);
}
