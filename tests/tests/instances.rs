//! Several instances on one database, each with cached responses.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

use std::cell::Cell;
use std::time::Duration;

use handbill::{Draft, Handbill, PostId, RateLimits};
use handbill_sql::{MySqlStore, PostgresStore};
use handbill_tests::bare::{LOCAL, call};
use handbill_tests::mariadb::MariaDb;
use handbill_tests::postgres::Postgres;
use http::Request;
use sqlx::{Connection, PgConnection};
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};

/// The time limit for changes in the background, on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);
/// A bound that no test waits for.
const LONG: Duration = Duration::from_secs(24 * 60 * 60);
const SHORT: Duration = Duration::from_secs(1);

async fn instance(address: &str, bound: Duration) -> Handbill {
    let base_url = "https://example.org";
    let handbill = if address.starts_with("mysql:") {
        let store = MySqlStore::open(address).await.unwrap();
        Handbill::new(base_url, store.cached(bound))
    } else {
        let store = PostgresStore::open(address).await.unwrap();
        Handbill::new(base_url, store.cached(bound))
    };
    handbill.unwrap().with_rate_limits(RateLimits::off())
}

async fn create(instance: &Handbill, text: &str) -> PostId {
    let created = instance.posts().create(Draft::new().body(text)).await;
    created.unwrap().id
}

async fn update(instance: &Handbill, id: PostId, text: &str) {
    let updated = instance.posts().update(id, Draft::new().body(text)).await;
    updated.unwrap();
}

/// Whether both addresses of the post have this text.
async fn shows(instance: &Handbill, id: PostId, text: &str) -> bool {
    for address in [format!("/api/posts/{id}"), format!("/p/{id}")] {
        let request = Request::get(address).body(Default::default()).unwrap();
        let response = call(instance.clone(), LOCAL, request).await;
        if !String::from_utf8_lossy(response.body()).contains(text) {
            return false;
        }
    }
    true
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
    let mut latest = "text0.".to_owned();
    let id = create(&one, &latest).await;
    for round in 0..6 {
        let (writer, reader) = match round % 2 {
            0 => (&one, &other),
            _ => (&other, &one),
        };
        eventually("the other shows it", async || {
            shows(reader, id, &latest).await
        })
        .await;
        latest = format!("text{}.", round + 1);
        update(writer, id, &latest).await;
        assert!(shows(writer, id, &latest).await);
    }
    eventually("both show it", async || {
        shows(&one, id, &latest).await && shows(&other, id, &latest).await
    })
    .await;
    one.posts().delete(id).await.unwrap();
    assert!(shows(&one, id, "gone").await);
    eventually("it is gone", async || shows(&other, id, "gone").await).await;
}

#[tokio::test]
async fn an_unchanged_post_is_not_read_again() {
    let settings = ["fsync=off", "log_statement=all"];
    let Some(server) = Postgres::start(&std::env::temp_dir(), &settings).await else {
        return;
    };
    let instance = instance(&server.create_database().await, SHORT).await;
    let id = create(&instance, "text").await;
    let since = Cell::new(received(&server));
    // Without the confirmations of the heartbeats, it would be read again within three of them.
    eventually("several heartbeats pass without a read", async || {
        assert!(shows(&instance, id, "text").await);
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
    let id = create(&one, "text").await;
    for round in 0..3 {
        shows(&other, id, "text").await;
        cut_listeners(&address).await;
        let latest = format!("round{round}");
        update(&one, id, &latest).await;
        assert!(shows(&one, id, &latest).await);
        eventually("the other shows it", async || {
            shows(&other, id, &latest).await
        })
        .await;
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
    if let Some(server) = Postgres::shared().await {
        // As behind a pooler in transaction mode, which delivers no notifications.
        let address = server.create_database().await + "?statement-cache-capacity=0";
        others_changes_are_seen_after_the_bound(&address).await;
    }
    if let Some(server) = MariaDb::shared().await {
        others_changes_are_seen_after_the_bound(&server.create_database().await).await;
    }
}

async fn others_changes_are_seen_after_the_bound(address: &str) {
    let (one, other) = (
        instance(address, SHORT).await,
        instance(address, SHORT).await,
    );
    let id = create(&one, "before").await;
    assert!(shows(&other, id, "before").await);
    update(&one, id, "after").await;
    assert!(shows(&one, id, "after").await);
    eventually("the other shows it", async || {
        shows(&other, id, "after").await
    })
    .await;
}

#[tokio::test]
async fn a_bound_of_zero_switches_the_cache_off() {
    if let Some(server) = Postgres::shared().await {
        others_changes_are_seen_at_once(&server.create_database().await).await;
    }
    if let Some(server) = MariaDb::shared().await {
        others_changes_are_seen_at_once(&server.create_database().await).await;
    }
}

async fn others_changes_are_seen_at_once(address: &str) {
    let off = Duration::ZERO;
    let (one, other) = (instance(address, off).await, instance(address, off).await);
    let id = create(&one, "text0.").await;
    for round in 0..20 {
        assert!(shows(&other, id, &format!("text{round}.")).await);
        update(&one, id, &format!("text{}.", round + 1)).await;
    }
    assert!(shows(&other, id, "text20.").await);
}
