//! Tombstones that forget their owner.

use std::error::Error;

use handbill::store::{Outcome, Tombstone};
use handbill_testing::samples::{owner, post, post_id, token};
use handbill_tests::calls::Calls;
use handbill_tests::postgres::Postgres;
use sqlx::{Executor, Row};

use super::{connect, open};

const TOMBSTONES_OF_OWNER: &str =
    "EXPLAIN SELECT id FROM handbill_posts WHERE owner = 'ann' AND deleted LIMIT 1000 FOR UPDATE";

#[tokio::test]
async fn a_forgotten_owner_is_in_no_column_and_was_found_by_an_index() -> Result<(), Box<dyn Error>>
{
    let Some(server) = Postgres::shared().await else {
        return Ok(());
    };
    let address = server.create_database().await;
    let store = open(&address).await;
    let (live, gone) = (post(1), post(2));
    for post in [&live, &gone] {
        assert_eq!(store.insert_post(post.clone()).await?, Outcome::Applied);
    }
    let deleted = store
        .delete_post(gone.summary.id, gone.summary.revision)
        .await?;
    assert_eq!(deleted, Outcome::Applied);
    let imported = Tombstone::new(post_id(3), token("3")).with_owner(Some(owner("ann")));
    assert_eq!(store.insert_tombstone(imported).await?, Outcome::Applied);
    assert_eq!(
        store.forget_owner(owner("ann"), 10).await?,
        Outcome::Applied
    );
    store.close().await;

    let mut host = connect(&address).await;
    let named = "SELECT id FROM handbill_posts WHERE owner IS NOT NULL OR created_by IS NOT NULL";
    let named = host.fetch_all(named).await?;
    let named: Vec<&str> = named.iter().map(|row| row.get(0)).collect();
    assert_eq!(named, [live.summary.id.as_str()]);
    // Otherwise a table of three rows is read as a whole.
    host.execute("SET enable_seqscan = off; SET enable_bitmapscan = off")
        .await?;
    let plan = host.fetch_all(TOMBSTONES_OF_OWNER).await?;
    let plan: Vec<&str> = plan.iter().map(|row| row.get(0)).collect();
    let plan = plan.join("\n");
    assert!(plan.contains("handbill_tombstones_by_owner"), "{plan}");
    Ok(())
}
