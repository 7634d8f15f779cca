//! The cost of pages and changes: how many rows the server reads.

use std::time::Duration;

use handbill::store::{Outcome, PageStart, Place, Post, TagCount};
use handbill::{List, PageRequest, PageSize, Revision, Store, Tag};
use handbill::{Timestamp, Visibility};
use handbill_sql::PostgresStore;
use handbill_tests::calls::Calls;
use handbill_tests::postgres::Postgres;
use handbill_tests::postgres::posts::{post, revised};
use sqlx::{Executor, PgConnection};
use tokio::time::{sleep, timeout};

use super::counting::{counted, number};
use super::{connect, open};

/// The entries that are skipped in a block, the posts of a page, and some rows of other tables.
const MAX_ROWS: i64 = 1024 + 200;

/// 100,000 posts, and as many tags of one post each.
const IMPORT: &str = "
INSERT INTO handbill_posts (
  id, deleted, revision, created_at, updated_at, edit_token, tags, excerpt, visibility, owner,
  published_at, listed_at, body
)
SELECT TRANSLATE(LPAD(number::TEXT, 10, '0'), '0123456789', 'bcdfghjklm'), FALSE, 1, number,
  number, DECODE(LPAD(number::TEXT, 64, '0'), 'hex'),
  CASE number % 2 WHEN 0 THEN '[\"half\"]' ELSE '[]' END, '', 'public', 'owner:' || number % 500,
  number, number, ''
FROM GENERATE_SERIES(1, 100000) AS number;
INSERT INTO handbill_list_entries
SELECT 'all', listed_at, id FROM handbill_posts WHERE listed_at > 0;
INSERT INTO handbill_list_entries
SELECT 'tag:half', listed_at, id FROM handbill_posts WHERE listed_at % 2 = 0;
INSERT INTO handbill_list_totals SELECT 'tag:' || number, 1 FROM GENERATE_SERIES(1, 100000) AS number;
INSERT INTO handbill_list_changes VALUES
  ('all', 'import', 1, 100000, 100000), ('tag:half', 'import', 1, 100000, 50000)";
const COUNTERS: &str = "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'counter'";
const OTHERS: &str = "
SELECT COUNT(*) FROM pg_stat_activity
WHERE datname = CURRENT_DATABASE() AND pid <> PG_BACKEND_PID()";
const REPORT: &str = "SELECT PG_STAT_FORCE_NEXT_FLUSH()";
const ROWS_READ: &str = "
SELECT (
  (SELECT SUM(idx_tup_read) FROM pg_stat_user_indexes)
  + (SELECT SUM(seq_tup_read) FROM pg_stat_user_tables)
)::BIGINT";
/// Rows that a scan of the whole index passes over are not counted above.
const BLOCKS_OF_ENTRIES_READ: &str = "
SELECT idx_blks_read + idx_blks_hit FROM pg_statio_user_indexes
WHERE indexrelname = 'handbill_list_entries_pkey'";

/// What `question` counts for each of `calls`, in the worst case, right after an import: the tables have
/// no statistics, and plans were made while they were empty, by `earlier`. `None` if there is no server.
async fn cost_of_each(
    calls: i64,
    question: &'static str,
    earlier: impl AsyncFnOnce(&PostgresStore),
    measured: impl AsyncFnOnce(&PostgresStore),
) -> Option<i64> {
    let settings = ["autovacuum=off", "fsync=off"];
    let server = Postgres::start(&std::env::temp_dir(), &settings).await?;
    let address = server.create_database().await;
    let store = open(&address).await;
    earlier(&store).await;
    let mut connection = connect(&address).await;
    connection.execute(IMPORT).await.expect("an import");
    let counter = open(&format!("{address}?application_name=counter")).await;
    counted(&mut connection).await;
    counter.close().await;
    // A connection reports what it has read when it ends.
    none_is_left(&mut connection, COUNTERS).await;
    connection.execute(REPORT).await.expect("the statistics");
    let before = number(&mut connection, question).await;
    measured(&store).await;
    store.close().await;
    none_is_left(&mut connection, OTHERS).await;
    Some((number(&mut connection, question).await - before) / calls)
}

async fn page(store: &PostgresStore, number: u64, owner: Option<&str>, tag: Option<&str>) -> usize {
    let page = PageRequest::new(number, 20)
        .expect("a page in bounds")
        .with_list(owner.map_or(List::Public, |name| {
            List::AllOf(name.parse().expect("an owner"))
        }))
        .with_tag(tag.map(Tag::from_stored));
    store.list_posts(page).await.expect("a page").posts.len()
}

/// The posts on the pages after and before the middle of a list.
async fn beside(store: &PostgresStore, tag: Option<&str>) -> [usize; 2] {
    let place = Place {
        time: Timestamp::from_micros(50_000),
        id: post(0, 0, &[]).summary.id,
    };
    let mut posts = [0; 2];
    for (posts, start) in posts
        .iter_mut()
        .zip([PageStart::After(place), PageStart::Before(place)])
    {
        let page = PageRequest::first(PageSize::of::<20>()).with_tag(tag.map(Tag::from_stored));
        let page = store.list_posts(page.with_start(start)).await;
        *posts = page.expect("a page").posts.len();
    }
    posts
}

#[tokio::test(flavor = "multi_thread")]
async fn no_page_scans_a_table() {
    let tags = [None, Some("half")];
    let pages = [1, 2, 40, 60, 100, 1000, 1250, 2000, 2400, 2500];
    // Often enough for the server to cache generic plans.
    let earlier = async |store: &PostgresStore| {
        for number in (1..20).chain(1000..1020) {
            for tag in tags {
                assert_eq!(page(store, number, None, tag).await, 0);
                assert_eq!(beside(store, tag).await, [0, 0]);
            }
        }
    };
    let measured = async |store: &PostgresStore| {
        for tag in tags {
            for number in pages {
                assert_eq!(page(store, number, None, tag).await, 20, "page {number}");
            }
            assert_eq!(beside(store, tag).await, [20, 20]);
        }
    };
    let Some(each) = cost_of_each(24, ROWS_READ, earlier, measured).await else {
        return;
    };
    assert!(each <= MAX_ROWS, "{each} rows are read for a page");
    // If the statistics were missing, the assertion above would prove nothing.
    assert!(each >= 40, "{each} rows are read for a page of 20");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_an_owner_reads_only_that_owner_s_posts() {
    // Each of the 500 owners has 200 posts.
    let tags = [None, Some("half")];
    let earlier = async |store: &PostgresStore| {
        for number in 1..20 {
            for tag in tags {
                assert_eq!(page(store, number, Some("owner:42"), tag).await, 0);
            }
        }
    };
    let measured = async |store: &PostgresStore| {
        for tag in tags {
            for number in 1..=10 {
                let posts = page(store, number, Some("owner:42"), tag).await;
                assert_eq!(posts, 20, "page {number}");
            }
        }
    };
    let Some(each) = cost_of_each(20, ROWS_READ, earlier, measured).await else {
        return;
    };
    assert!(each <= 600, "{each} rows are read for a page");
    assert!(each >= 220, "{each} rows are read for 200 posts");
}

#[tokio::test(flavor = "multi_thread")]
async fn walks_and_tags_do_not_scan_a_table() {
    async fn tags(store: &PostgresStore) -> Vec<TagCount> {
        store.list_tags(20).await.expect("tags")
    }
    let earlier = async |store: &PostgresStore| {
        for number in 0..20 {
            let id = post(number, 0, &[]).summary.id;
            let found = store.walk_entries(Some(id), 20).await.expect("a walk");
            assert!(found.is_empty() && tags(store).await.is_empty());
        }
    };
    let measured = async |store: &PostgresStore| {
        for number in 0..20 {
            let id = post(number * 4000, 0, &[]).summary.id;
            let found = store.walk_entries(Some(id), 20).await.expect("a walk");
            assert_eq!(found.len(), 20);
            let tags = tags(store).await;
            let half = TagCount::new(Tag::from_stored("half"), 50_000);
            assert_eq!((tags.len(), &tags[0]), (20, &half));
        }
    };
    let Some(each) = cost_of_each(20, ROWS_READ, earlier, measured).await else {
        return;
    };
    assert!(each <= 100, "{each} rows are read for a step");
    assert!(each >= 20, "{each} rows are read for a step of 20");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_change_scans_a_table() {
    async fn hide_and_delete(store: &PostgresStore, post: &Post) {
        let mut hidden = revised(post);
        hidden.summary.visibility = Visibility::Unlisted;
        let updated = store.update_post(post.summary.revision, hidden).await;
        assert_eq!(updated.expect("a write"), Outcome::Applied);
        let deleted = store.delete_post(post.summary.id, Revision::from_number(2));
        assert_eq!(deleted.await.expect("a write"), Outcome::Applied);
    }
    let earlier = async |store: &PostgresStore| {
        for number in 200_000..200_050 {
            let post = post(number, 0, &["half"]);
            let inserted = store.insert_post(post.clone()).await;
            assert_eq!(inserted.expect("a write"), Outcome::Applied);
            hide_and_delete(store, &post).await;
        }
    };
    let measured = async |store: &PostgresStore| {
        for number in 0..100 {
            // It has the identifier of an imported post.
            hide_and_delete(store, &post(1000 * number + 2, 0, &["half"])).await;
        }
    };
    let Some(each) = cost_of_each(200, BLOCKS_OF_ENTRIES_READ, earlier, measured).await else {
        return;
    };
    assert!(each <= 50, "{each} blocks are read for a change");
    assert!(each >= 1, "{each} blocks are read for a change");
}

async fn none_is_left(connection: &mut PgConnection, connections: &'static str) {
    let gone = async {
        while number(connection, connections).await > 0 {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(60), gone)
        .await
        .expect("the other connections end");
}
