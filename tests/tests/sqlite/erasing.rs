//! What was deleted leaves the write-ahead log, too.

use std::fs;
use std::time::Duration;

use handbill_tests::warnings::Warnings;
use tokio::time::{pause, sleep};

use super::*;

#[tokio::test]
async fn a_reader_that_does_not_end_is_reported_and_what_was_deleted_is_erased_after_it() {
    let (warnings, _guard) = Warnings::collect();
    let (_folder, path) = database();
    let log_bytes = || fs::metadata(path.with_extension("db-wal")).unwrap().len();
    let store = open(&path).await;
    let _ = store.insert_post(post(1)).await.unwrap();
    let mut other_program = host(&path).await;
    let mut reading = other_program.begin().await.unwrap();
    let read = sqlx::query("SELECT count(*) FROM handbill_posts");
    read.execute(&mut *reading).await.unwrap();

    let (id, revision) = (post(1).summary.id, post(1).summary.revision);
    let _ = store.delete_post(id, revision).await.unwrap();
    pause();
    warnings
        .wait_for("deleted data is still in the write-ahead log")
        .await;
    sleep(Duration::from_secs(90)).await;
    assert!(log_bytes() > 0);
    assert_eq!(warnings.texts().len(), 1, "it is said once");

    reading.rollback().await.unwrap();
    while log_bytes() > 0 {
        sleep(Duration::from_secs(1)).await;
    }
}
