//! Handbill on a Galera cluster.

use handbill_tests::galera::Galera;
use sqlx::{Connection, Executor, MySqlConnection};

/// The fixture does what the other tests rely on.
#[tokio::test]
async fn nodes_share_rows_and_come_back_after_a_kill_and_a_cut() {
    let Some(galera) = Galera::start(3).await else {
        return;
    };
    let database = galera.node(0).create_database().await;
    let database = database.rsplit('/').next().unwrap();
    let connect = async |node| {
        let url = galera.node(node).url(database);
        let mut connection = MySqlConnection::connect(&url).await.unwrap();
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
    galera.node(1).run().await;
    galera.joined(1, 3).await;
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
