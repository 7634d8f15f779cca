//! The cost of a page: how many rows the server reads.

use std::time::Duration;

use handbill::{PageRequest, Store, Tag};
use handbill_tests::postgres::Postgres;
use sqlx::{Executor, PgConnection};
use tokio::time::{sleep, timeout};

use super::counting::{counted, number};
use super::{connect, open};

/// The entries that are skipped in a block, the posts of a page, and some rows of other tables.
const MAX_ROWS: i64 = 1024 + 200;

const IMPORT: &str = "
INSERT INTO handbill_posts
SELECT TRANSLATE(LPAD(number::TEXT, 10, '0'), '0123456789', 'bcdfghjklm'), FALSE, 1, number,
  number, DECODE(LPAD(number::TEXT, 64, '0'), 'hex'), NULL, NULL, NULL, NULL, NULL,
  '[]', '', ''
FROM GENERATE_SERIES(1, 100000) AS number;
INSERT INTO handbill_list_entries SELECT 'all', created_at, id FROM handbill_posts;
INSERT INTO handbill_list_entries
SELECT 'tag:half', created_at, id FROM handbill_posts WHERE created_at % 2 = 0;
INSERT INTO handbill_list_changes VALUES
  ('all', 'import', 1, 100000, 100000), ('tag:half', 'import', 1, 100000, 50000)";
const OTHERS: &str = "
SELECT COUNT(*) FROM pg_stat_activity
WHERE datname = CURRENT_DATABASE() AND pid <> PG_BACKEND_PID()";
const REPORT: &str = "SELECT PG_STAT_FORCE_NEXT_FLUSH()";
const ROWS_READ: &str = "
SELECT (
  (SELECT SUM(idx_tup_read) FROM pg_stat_user_indexes)
  + (SELECT SUM(seq_tup_read) FROM pg_stat_user_tables)
)::BIGINT";

/// The worst case, right after an import: the tables have no statistics, and plans were made while
/// they were empty.
#[tokio::test(flavor = "multi_thread")]
async fn no_page_scans_a_table() {
    let Some(server) =
        Postgres::start(&std::env::temp_dir(), &["autovacuum=off", "fsync=off"]).await
    else {
        return;
    };
    let address = server.create_database().await;
    let store = open(&address).await;
    let tags = [None, Some(Tag::from_stored("half"))];
    let page = |number, tag: &Option<Tag>| {
        let page = PageRequest::new(number, 20).expect("a page in bounds");
        page.with_tag(tag.clone())
    };
    // Often enough for the server to cache generic plans.
    for number in (1..20).chain(1000..1020) {
        for tag in &tags {
            let page = store.list_posts(page(number, tag)).await.expect("a page");
            assert_eq!(page.total, 0);
        }
    }
    let mut connection = connect(&address).await;
    let others = number(&mut connection, OTHERS).await;
    connection.execute(IMPORT).await.expect("an import");
    let counter = open(&address).await;
    counted(&mut connection).await;
    counter.close().await;
    // A connection reports what it has read when it ends.
    until(&mut connection, others).await;
    connection.execute(REPORT).await.expect("the statistics");
    let before = number(&mut connection, ROWS_READ).await;

    let mut pages = 0;
    for tag in &tags {
        for number in [1, 2, 40, 60, 100, 1000, 1250, 2000, 2400, 2500] {
            let found = store.list_posts(page(number, tag)).await.expect("a page");
            assert_eq!(found.posts.len(), 20, "page {number}");
            pages += 1;
        }
    }
    store.close().await;
    until(&mut connection, 0).await;
    let rows_read = number(&mut connection, ROWS_READ).await - before;
    let each = rows_read / pages;
    assert!(each <= MAX_ROWS, "{each} rows are read for a page");
    // If the statistics were missing, the assertion above would prove nothing.
    assert!(each >= 40, "{each} rows are read for a page of 20");
}

async fn until(connection: &mut PgConnection, others: i64) {
    let gone = async {
        while number(connection, OTHERS).await > others {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(60), gone)
        .await
        .expect("the other connections end");
}
