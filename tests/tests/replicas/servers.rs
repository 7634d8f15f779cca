//! A primary with a standby, and stores that read from it.

use std::sync::{Arc, Weak};
use std::time::Duration;

use handbill::store::{Post, Replica, ReplicaState};
use handbill::{PostId, Store};
use handbill_sql::PostgresStore;
use handbill_tests::calls::Calls;
use handbill_tests::postgres::{Postgres, posts};
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};

/// The time limit for changes in the background, on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A primary, and a standby that logs each statement.
pub(crate) struct Pair {
    pub(crate) primary: Postgres,
    pub(crate) standby: Postgres,
}

impl Pair {
    /// A new pair, or `None` with a message if PostgreSQL is not installed.
    pub(crate) async fn start() -> Option<Self> {
        let primary = Postgres::start(&std::env::temp_dir(), &["fsync=off"]).await?;
        let standby = primary.standby(&["log_statement=all"]).await;
        Some(Self { primary, standby })
    }

    /// The pair that is shared by the tests that change nothing about its servers.
    pub(crate) async fn shared() -> Option<Arc<Self>> {
        static SHARED: Mutex<Weak<Pair>> = Mutex::const_new(Weak::new());
        let mut shared = SHARED.lock().await;
        if let Some(pair) = shared.upgrade() {
            return Some(pair);
        }
        let pair = Arc::new(Self::start().await?);
        *shared = Arc::downgrade(&pair);
        Some(pair)
    }

    /// A new database.
    pub(crate) async fn database(&self) -> Database<'_> {
        let address = self.primary.create_database().await;
        let (_, name) = address.rsplit_once('/').unwrap();
        Database {
            pair: self,
            name: name.to_owned(),
        }
    }
}

/// A database on both.
pub(crate) struct Database<'a> {
    pair: &'a Pair,
    name: String,
}

impl Database<'_> {
    pub(crate) fn on_primary(&self) -> String {
        self.pair.primary.url(&self.name)
    }

    pub(crate) fn on_standby(&self) -> String {
        self.pair.standby.url(&self.name)
    }

    /// The same address on another port.
    pub(crate) fn on_port(&self, port: u16) -> String {
        let own = format!(":{}/", self.pair.primary.port());
        self.on_primary().replace(&own, &format!(":{port}/"))
    }

    /// A store that reads from the standby, which has caught up.
    pub(crate) async fn open(&self) -> PostgresStore {
        let store = self.open_with(&self.on_standby()).await;
        becomes(&store, ReplicaState::Up).await;
        store
    }

    /// A store with a replica at this address.
    pub(crate) async fn open_with(&self, replica: &str) -> PostgresStore {
        let store = PostgresStore::open(&self.on_primary()).await.unwrap();
        store.with_replica(replica).unwrap()
    }

    /// How many reads of single posts the standby has received from all stores.
    pub(crate) fn reads(&self) -> usize {
        let log = self.pair.standby.log();
        log.matches("FROM handbill_posts WHERE id = $1").count()
    }

    /// Reads this post until a read reaches the standby.
    pub(crate) async fn is_read_from_standby(&self, store: &PostgresStore, id: PostId) {
        let before = self.reads();
        eventually("the standby is read from", async || {
            store.read_post(id).await.unwrap();
            self.reads() > before
        })
        .await;
    }
}

/// Waits until the condition holds.
pub(crate) async fn eventually(what: &str, is_so: impl AsyncFn() -> bool) {
    let comes = async {
        while !is_so().await {
            sleep(Duration::from_millis(20)).await;
        }
    };
    assert!(timeout(TIMEOUT, comes).await.is_ok(), "{what}: never");
}

/// The state of the store's only replica.
pub(crate) async fn replica(store: &PostgresStore) -> Replica {
    let health = store.health().await.unwrap();
    let [replica] = health.replicas() else {
        panic!("{health:?}");
    };
    replica.clone()
}

/// Waits until the store's replica is in this state.
pub(crate) async fn becomes(store: &PostgresStore, state: ReplicaState) {
    let what = format!("the replica is {state:?}");
    eventually(&what, async || replica(store).await.state() == state).await;
}

pub(crate) fn post(number: u64) -> Post {
    posts::post(number, number.cast_signed(), &["rust"])
}
