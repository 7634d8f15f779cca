//! Handbill on a Galera cluster: the contract of stores, with each call at another node than the one before. `faults`
//! has what happens when nodes fail.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use futures_util::future::join_all;
use handbill::Store;
use handbill::store::{Decorated, Decorator};
use handbill_sql::MySqlStore;
use handbill_tests::galera::Galera;
use sqlx::{Connection, Executor, MySqlConnection};
use tokio::sync::Mutex;

/// The cluster that these tests share.
async fn shared() -> Option<Arc<Galera>> {
    static SHARED: Mutex<Weak<Galera>> = Mutex::const_new(Weak::new());
    let mut shared = SHARED.lock().await;
    if let Some(galera) = shared.upgrade() {
        return Some(galera);
    }
    let galera = Arc::new(Galera::start(3).await?);
    *shared = Arc::downgrade(&galera);
    Some(galera)
}

/// A store on each node. Each call goes to the next one.
struct InTurn {
    stores: Vec<MySqlStore>,
    calls: AtomicUsize,
}

impl Decorator for InTurn {
    fn inner(&self) -> &dyn Store {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        &self.stores[call % self.stores.len()]
    }
}

handbill_testing::store_checks!(async {
    let galera = shared().await?;
    let databases = galera.create_database().await;
    let stores = join_all(databases.iter().map(|address| MySqlStore::open(address))).await;
    let stores = stores.into_iter().map(Result::unwrap).collect();
    let calls = AtomicUsize::new(0);
    Some((Decorated(InTurn { stores, calls }), galera))
});

/// The fixture does what the other tests rely on.
#[tokio::test]
async fn nodes_share_rows_and_come_back_after_a_kill_and_a_cut() {
    let Some(galera) = Galera::start(3).await else {
        return;
    };
    let databases = galera.create_database().await;
    let connect = async |node: usize| {
        let url = &databases[node];
        let mut connection = MySqlConnection::connect(url).await.unwrap();
        let wait = "SET SESSION wsrep_sync_wait = 1";
        connection.execute(wait).await.unwrap();
        connection
    };
    let count = async |node| -> i64 {
        let count = sqlx::query_scalar("SELECT COUNT(*) FROM posts");
        count.fetch_one(&mut connect(node).await).await.unwrap()
    };
    let insert = "INSERT INTO posts (id) VALUES (NULL)";
    let mut first = connect(0).await;
    let create = "CREATE TABLE posts (id BIGINT AUTO_INCREMENT PRIMARY KEY)";
    first.execute(create).await.unwrap();
    first.execute(insert).await.unwrap();
    assert_eq!(count(1).await, 1);

    galera.node(1).kill().await;
    galera.joined(0, 2).await;
    first.execute(insert).await.unwrap();
    galera.run(1).await;
    assert_eq!(count(1).await, 2);

    let mut last = connect(2).await;
    galera.cut(2);
    galera.refuses(2).await;
    last.execute(insert).await.unwrap_err();
    galera.joined(0, 2).await;
    first.execute(insert).await.unwrap();
    galera.join(2);
    galera.joined(2, 3).await;
    assert_eq!(count(2).await, 3);
}
