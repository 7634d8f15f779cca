//! Lists and their totals are exact at any time, while several instances write and count.

use std::time::Duration;

use handbill::store::Entry;
use handbill::{PageRequest, Store};
use handbill_sql::PostgresStore;
use handbill_tests::calls::Calls;
use handbill_tests::counting::{MAX_ENTRIES, lists_are_right};
use handbill_tests::postgres::Postgres;
use sqlx::{Executor, PgConnection, Row};
use tokio::time::{sleep, timeout};

use super::{connect, open};

/// Returns when a counter has counted all changes.
pub(crate) async fn counted(connection: &mut PgConnection) {
    let all = async {
        let changes = "SELECT COUNT(*) FROM handbill_list_changes";
        while number(connection, changes).await > 0 {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(60), all)
        .await
        .expect("all changes are counted");
}

pub(crate) async fn number(connection: &mut PgConnection, question: &'static str) -> i64 {
    let row = connection.fetch_one(question).await.expect("a response");
    row.get(0)
}

/// Checks that the counts match the entries, and that each block has fewer than `max_entries`.
pub(crate) async fn counts_are_right(connection: &mut PgConnection, max_entries: i64) {
    let wrong_totals = "
        SELECT COUNT(*) FROM handbill_list_totals AS total
        FULL JOIN (
          SELECT list, COUNT(*) AS entries FROM handbill_list_entries GROUP BY list
        ) AS counted USING (list)
        WHERE total.entries IS DISTINCT FROM counted.entries";
    assert_eq!(number(connection, wrong_totals).await, 0, "wrong totals");
    let wrong_blocks = "
        SELECT COUNT(*) FROM handbill_list_blocks AS block WHERE entries_before <> (
          SELECT COUNT(*) FROM handbill_list_entries AS entry
          WHERE entry.list = block.list AND entry.listed_at < block.start
        )";
    assert_eq!(number(connection, wrong_blocks).await, 0, "wrong blocks");
    let longest = "
        SELECT COALESCE(MAX(entries), 0) FROM (
          SELECT LEAD(entries_before, 1, total) OVER (PARTITION BY list ORDER BY start)
            - entries_before AS entries
          FROM (
            SELECT list, start, entries_before FROM handbill_list_blocks
            UNION ALL SELECT list, -1, 0 FROM handbill_list_totals
          ) AS block
          JOIN (
            SELECT list, entries AS total FROM handbill_list_totals
          ) AS total USING (list)
        ) AS lengths";
    let longest = number(connection, longest).await;
    assert!(longest < max_entries, "a block of {longest} entries");
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_right_with_three_instances_writing_and_counting() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    let stores = [
        open(&address).await,
        open(&address).await,
        open(&address).await,
    ];
    let mut connection = connect(&address).await;
    let right = async || {
        counted(&mut connection).await;
        counts_are_right(&mut connection, MAX_ENTRIES).await;
    };
    lists_are_right(stores, right).await;
    let left = "SELECT (SELECT COUNT(*) FROM handbill_list_totals)
        + (SELECT COUNT(*) FROM handbill_list_blocks)
        + (SELECT COUNT(*) FROM handbill_list_entries)";
    assert_eq!(
        number(&mut connection, left).await,
        0,
        "counts of empty lists"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_opened_as_it_is_stays_as_it_is() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    open(&address).await.close().await;
    let mut connection = connect(&address).await;
    let left = "INSERT INTO handbill_list_changes VALUES ('all', 'left', 1, 1, 1)";
    connection.execute(left).await.expect("a row");
    let store = PostgresStore::open_as_it_is(&address).await;
    let store = store.expect("a store");
    // A counter would start with a run.
    sleep(Duration::from_millis(500)).await;
    let changes = "SELECT COUNT(*) FROM handbill_list_changes";
    assert_eq!(number(&mut connection, changes).await, 1);
    store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_that_an_instance_did_not_count_are_counted_by_the_next_instance() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    open(&address).await.close().await;
    let mut connection = connect(&address).await;
    // As if an instance had written these posts and crashed before it counted them.
    let left = "
        INSERT INTO handbill_posts (
          id, deleted, revision, created_at, updated_at, edit_token, tags, excerpt, visibility,
          published_at, listed_at, body
        )
        SELECT TRANSLATE(LPAD(number::TEXT, 10, '0'), '0123456789', 'bcdfghjklm'), FALSE, 1, number,
          number, DECODE(LPAD(number::TEXT, 64, '0'), 'hex'), '[]', '', 'public', number, number, ''
        FROM GENERATE_SERIES(1, 5000) AS number;
        INSERT INTO handbill_list_entries SELECT 'all', listed_at, id FROM handbill_posts;
        INSERT INTO handbill_list_changes VALUES ('all', 'left', 1, 5000, 5000)";
    connection.execute(left).await.expect("rows");
    let store = open(&address).await;
    let page = PageRequest::new(150, 20).expect("a page in bounds");
    let before = store.list_posts(page.clone()).await.expect("a page");
    counted(&mut connection).await;
    counts_are_right(&mut connection, MAX_ENTRIES).await;
    let after = store.list_posts(page).await.expect("a page");
    assert_eq!(before, after);
    assert_eq!((after.total, after.posts.len()), (5000, 20));
    let first = &after.posts[0].summary;
    assert_eq!(first.created_at.as_micros(), 5000 - 149 * 20);
    let entry = store.read_post(first.id).await.expect("a read");
    assert!(matches!(entry, Some(Entry::Live(_))));
}
