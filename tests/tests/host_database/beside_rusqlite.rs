//! A host that uses another crate for SQLite beside Handbill, on the same file.

use rusqlite::{Connection, TransactionBehavior};
use tokio::task::{JoinSet, spawn_blocking};

use super::*;

const TRANSACTIONS: i64 = 100;

/// As the README says: no setting of the mode, a timeout, and `BEGIN IMMEDIATE`.
fn count_to(file: &Path, transactions: i64) {
    let mut connection = Connection::open(file).unwrap();
    connection
        .pragma_update(None, "busy_timeout", 5000)
        .unwrap();
    for _ in 0..transactions {
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .unwrap();
        let count = "SELECT COUNT(*) FROM audit";
        let count: i64 = transaction.query_row(count, [], |row| row.get(0)).unwrap();
        let insert =
            "INSERT INTO audit (number, who, what, subject) VALUES (?1, 'app', 'counted', '')";
        transaction.execute(insert, [count]).unwrap();
        transaction.commit().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rusqlite_and_handbill_write_at_the_same_time() {
    let host = SqliteHost::start().await.unwrap();
    let handbill = service(host.open().await);
    let file = host.file.clone();
    let counting = spawn_blocking(move || count_to(&file, TRANSACTIONS));
    let mut writers = JoinSet::new();
    for writer in 0..4 {
        let handbill = handbill.clone();
        writers.spawn(async move {
            for post in 0..25 {
                let title = format!("{writer}/{post}");
                handbill.posts().create(draft(&title)).await.unwrap();
            }
        });
    }
    writers.join_all().await;
    counting.await.unwrap();
    let posts = "SELECT COUNT(*) FROM handbill_posts";
    let posts: i64 = sqlx::query_scalar(posts)
        .fetch_one(&host.pool)
        .await
        .unwrap();
    assert_eq!((posts, host.audit().await.len()), (100, 100));
}
