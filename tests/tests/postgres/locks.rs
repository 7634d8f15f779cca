//! Statements that wait for a lock.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use handbill::store::{Outcome, Post};
use handbill::{PageRequest, Store};
use handbill_sql::PostgresStore;
use handbill_tests::calls::Calls;
use handbill_tests::pgbouncer::Pgbouncer;
use handbill_tests::postgres::Postgres;
use handbill_tests::postgres::posts::{post, retagged};
use sqlx::{Executor, PgConnection};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::{connect, open};

const TIMEOUT: Duration = Duration::from_secs(60);

/// A post that another program has locked.
struct Locked {
    store: PostgresStore,
    post: Post,
    locking: PgConnection,
    watching: PgConnection,
    _pooler: Option<Pgbouncer>,
    _server: Arc<Postgres>,
}

impl Locked {
    async fn new(is_pooled: bool) -> Option<Self> {
        let server = Postgres::shared().await?;
        let mut address = server.create_database().await;
        let (mut locking, watching) = (connect(&address).await, connect(&address).await);
        let mut pooler = None;
        if is_pooled {
            let started = Pgbouncer::start(&server).await?;
            address = started.url(&address) + "?statement-cache-capacity=0";
            pooler = Some(started);
        }
        let store = open(&address).await;
        let post = post(1, 0, &["a"]);
        let written = store.insert_post(post.clone()).await;
        assert_eq!(written.expect("a write"), Outcome::Applied);
        let lock = sqlx::raw_sql("BEGIN; SELECT * FROM handbill_posts FOR UPDATE");
        locking.execute(lock).await.expect("a lock");
        Some(Self {
            store,
            post,
            locking,
            watching,
            _pooler: pooler,
            _server: server,
        })
    }

    async fn update(&self) -> Result<Outcome, handbill::store::StoreError> {
        let changed = retagged(&self.post, &["b"]);
        self.store
            .update_post(self.post.summary.revision, changed)
            .await
    }

    /// Waits until this many statements wait for a lock.
    async fn until_waiting(&mut self, expected: i64) {
        let count = "SELECT count(*) FROM pg_stat_activity \
            WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let until = async {
            loop {
                let waiting = sqlx::query_scalar::<_, i64>(count);
                let waiting = waiting.fetch_one(&mut self.watching).await;
                if waiting.expect("a count") == expected {
                    return;
                }
                sleep(Duration::from_millis(20)).await;
            }
        };
        let reached = timeout(TIMEOUT, until).await;
        reached.unwrap_or_else(|_| panic!("{expected} statements wait"));
    }
}

/// The caller knows that nothing was done, so a repeated change is made once.
async fn a_change_that_waited_for_a_lock_can_be_repeated(is_pooled: bool) {
    let Some(mut locked) = Locked::new(is_pooled).await else {
        return;
    };
    let mut reason = String::new();
    // On a busy machine, the call may end before the server does.
    for _ in 0..5 {
        let error = locked.update().await.expect_err("it waits without end");
        reason = error.source().expect("a reason").to_string();
        if reason.contains("lock timeout") {
            break;
        }
        locked.until_waiting(0).await;
    }
    assert!(reason.contains("lock timeout"), "{reason}");
    locked.locking.execute("ROLLBACK").await.expect("an end");
    let again = locked.update().await;
    assert_eq!(again.expect("a write"), Outcome::Applied);
}

/// Otherwise clients that hang up could take all connections of the server.
async fn the_server_gives_up_after_a_caller_has_gone(is_pooled: bool) {
    let Some(mut locked) = Locked::new(is_pooled).await else {
        return;
    };
    let store = locked.store.clone();
    let (expected, changed) = (locked.post.summary.revision, retagged(&locked.post, &["b"]));
    tokio::select! {
        updated = store.update_post(expected, changed) => panic!("it is locked: {updated:?}"),
        () = locked.until_waiting(1) => {}
    }
    locked.until_waiting(0).await;
}

/// Otherwise a balancer would take an instance out of service because of what its clients read.
#[tokio::test]
async fn a_probe_succeeds_while_all_reads_wait() {
    const READERS: i64 = 8;
    let Some(mut locked) = Locked::new(false).await else {
        return;
    };
    let lock = sqlx::raw_sql("LOCK TABLE handbill_list_entries IN ACCESS EXCLUSIVE MODE");
    locked.locking.execute(lock).await.expect("a lock");
    let store = locked.store.clone();
    let page = PageRequest::new(1, 20).expect("a page in bounds");
    // On a busy machine, the reads may end before the probe does.
    for _ in 0..5 {
        let mut reads: JoinSet<_> = (0..READERS)
            .map(|_| {
                let (store, page) = (store.clone(), page.clone());
                async move { store.list_posts(page).await }
            })
            .collect();
        locked.until_waiting(READERS).await;
        tokio::select! {
            health = store.health() => {
                health.expect("a healthy store");
                return;
            }
            _ = reads.join_next() => {}
        }
    }
    panic!("probes wait for reads");
}

#[tokio::test]
async fn a_change_that_waited_for_a_lock_can_be_repeated_without_a_pooler() {
    a_change_that_waited_for_a_lock_can_be_repeated(false).await;
}

#[tokio::test]
async fn a_change_that_waited_for_a_lock_can_be_repeated_behind_a_pooler() {
    a_change_that_waited_for_a_lock_can_be_repeated(true).await;
}

#[tokio::test]
async fn the_server_gives_up_after_a_caller_has_gone_without_a_pooler() {
    the_server_gives_up_after_a_caller_has_gone(false).await;
}

#[tokio::test]
async fn the_server_gives_up_after_a_caller_has_gone_behind_a_pooler() {
    the_server_gives_up_after_a_caller_has_gone(true).await;
}

/// Otherwise the writes that wait for a bar would see the database as it was before.
#[tokio::test]
async fn writes_see_the_bar_that_they_waited_for_whatever_isolation_is_the_databases_default() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let set = "DO $$ BEGIN EXECUTE FORMAT(
      'ALTER DATABASE %I SET default_transaction_isolation = ''repeatable read''', CURRENT_DATABASE()
    ); END $$";
    let mut connection = connect(&address).await;
    connection.execute(set).await.expect("a setting");
    let store = open(&address).await;
    handbill_testing::store::a_write_in_progress_is_seen_or_barred(Arc::new(store)).await;
}
