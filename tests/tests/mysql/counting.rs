//! Lists and their totals are exact at any time, and no page scans a table.

use std::time::Duration;

use handbill::Store;
use handbill::store::{List, Outcome, PageRequest, PageStart, Place, Timestamp};
use handbill_testing::samples::{owner, tag};
use handbill_tests::calls::Calls;
use handbill_tests::counting::{MAX_ENTRIES, lists_are_right};
use handbill_tests::mariadb::MariaDb;
use handbill_tests::postgres::posts::{post, revised};
use sqlx::{AssertSqlSafe, Executor, MySqlConnection, Row};
use tokio::time::{sleep, timeout};

use super::{connect, open};

/// Returns when a counter has counted all changes.
pub(crate) async fn counted(connection: &mut MySqlConnection) {
    let all = async {
        let changes = "SELECT COUNT(*) FROM handbill_list_changes";
        while number(connection, changes).await > 0 {
            sleep(Duration::from_millis(20)).await;
        }
    };
    let all = timeout(Duration::from_secs(60), all).await;
    all.unwrap();
}

async fn number(connection: &mut MySqlConnection, question: &'static str) -> i64 {
    connection.fetch_one(question).await.unwrap().get(0)
}

/// Checks that the counts match the entries, and that no block is too long.
pub(crate) async fn counts_are_right(connection: &mut MySqlConnection) {
    let wrong_totals = "
        SELECT COUNT(*) FROM (
          SELECT list FROM (
            SELECT list, entries FROM handbill_list_totals
            UNION ALL SELECT list, -COUNT(*) FROM handbill_list_entries WHERE list NOT LIKE 'word:%' GROUP BY list
          ) AS counted GROUP BY list HAVING SUM(entries) <> 0
        ) AS wrong";
    assert_eq!(number(connection, wrong_totals).await, 0, "wrong totals");
    let wrong_blocks = "
        SELECT COUNT(*) FROM handbill_list_blocks AS block WHERE entries_before <> (
          SELECT COUNT(*) FROM handbill_list_entries AS entry
          WHERE entry.list = block.list
            AND (entry.time < block.time OR (entry.time = block.time AND entry.post < block.post))
        )";
    assert_eq!(number(connection, wrong_blocks).await, 0, "wrong blocks");
    let longest = "
        SELECT CAST(COALESCE(MAX(entries), 0) AS SIGNED) FROM (
          SELECT COALESCE(LEAD(entries_before) OVER (PARTITION BY block.list ORDER BY time, post), total.entries)
            - entries_before AS entries
          FROM (
            SELECT list, time, post, entries_before FROM handbill_list_blocks
            UNION ALL SELECT list, -1, '', 0 FROM handbill_list_totals
          ) AS block
          JOIN handbill_list_totals AS total ON total.list = block.list
        ) AS lengths";
    let longest = number(connection, longest).await;
    assert!(longest < MAX_ENTRIES, "a block of {longest} entries");
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_right_with_three_instances_writing_and_counting() {
    let Some(server) = MariaDb::shared().await else {
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
        counts_are_right(&mut connection).await;
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

/// 100,000 posts of 500 owners, and as many tags of one post each, as if an instance had written them and crashed
/// before it counted them.
fn import() -> String {
    let letters = (0..).zip("bcdfghjklm".chars());
    let id = letters.fold("LPAD(seq, 10, '0')".to_owned(), |id, (digit, letter)| {
        format!("REPLACE({id}, '{digit}', '{letter}')")
    });
    format!(
        "INSERT INTO handbill_posts (
           id, revision, created_at, updated_at, edit_token, tags, excerpt, visibility, owner, published_at, listed_at,
           words, words_version, body
         )
         SELECT {id}, 1, seq, seq, UNHEX(LPAD(seq, 64, '0')), IF(seq % 2 = 0, '[\"half\"]', '[]'), '', 'public',
           CONCAT('owner:', seq % 500), seq, seq, IF(seq % 1000 = 0, ' common rare ', ' common '), 1, ''
         FROM seq_1_to_100000;
         INSERT INTO handbill_list_entries SELECT 'all', listed_at, id FROM handbill_posts;
         INSERT INTO handbill_list_entries SELECT 'tag:half', listed_at, id FROM handbill_posts WHERE listed_at % 2 = 0;
         INSERT INTO handbill_list_entries SELECT 'word:common', listed_at, id FROM handbill_posts;
         INSERT INTO handbill_list_entries SELECT 'word:rare', listed_at, id FROM handbill_posts WHERE listed_at % 1000 = 0;
         INSERT INTO handbill_list_changes (list, time, post, entries)
         SELECT list, time, post, 1 FROM handbill_list_entries WHERE list NOT LIKE 'word:%';
         INSERT INTO handbill_list_totals SELECT CONCAT('tag:', seq), 1 FROM seq_1_to_100000"
    )
}

/// The rows that the server reads for a call.
async fn rows_read<T>(server: &MariaDb, call: impl Future<Output = T>) -> (T, i64) {
    let read = async || -> i64 { server.status("Rows_read").await.unwrap().parse().unwrap() };
    let before = read().await;
    let done = call.await;
    (done, read().await - before)
}

#[tokio::test(flavor = "multi_thread")]
async fn after_an_import_no_call_scans_a_table() {
    // The statistics of tables are those of empty ones.
    let settings = [
        "debug-no-sync",
        "innodb-flush-log-at-trx-commit=2",
        "innodb-stats-auto-recalc=0",
    ];
    let Some(server) = MariaDb::start(&std::env::temp_dir(), &settings).await else {
        return;
    };
    let address = server.create_database().await;
    open(&address).await.close().await;
    let mut connection = connect(&address).await;
    connection.execute(AssertSqlSafe(import())).await.unwrap();
    let store = open(&address).await;
    counted(&mut connection).await;

    let page = |list, tag_: Option<&str>, start| {
        let page = PageRequest::new(1, 20).unwrap().with_list(list);
        page.with_tag(tag_.map(tag)).with_start(start)
    };
    let middle = Place {
        time: Timestamp::from_micros(50_000),
        id: post(0, 0, &[]).summary.id,
    };
    let mut starts = vec![PageStart::After(middle), PageStart::Before(middle)];
    starts.extend([0, 20, 980, 2000, 20_000, 25_000, 49_980].map(PageStart::Skip));
    let on_disk = async || server.status("Created_tmp_disk_tables").await.unwrap();
    let before = on_disk().await;
    for start in starts {
        for tag in [None, Some("half")] {
            let page = page(List::Public, tag, start);
            let (found, rows) = rows_read(&server, store.list_posts(page)).await;
            assert_eq!(found.unwrap().posts.len(), 20, "{start:?}");
            assert!(
                rows < MAX_ENTRIES + 200,
                "{rows} rows for {start:?} of {tag:?}"
            );
        }
    }
    // Each owner has 200 posts.
    for start in [PageStart::Skip(0), PageStart::Skip(180)] {
        let page = page(List::AllOf(owner("owner:42")), None, start);
        let (found, rows) = rows_read(&server, store.list_posts(page)).await;
        assert_eq!(found.unwrap().posts.len(), 20);
        assert!(rows < 700, "{rows} rows for a page of an owner");
    }
    assert_eq!(on_disk().await, before, "temporary tables on the disk");
    let (tags, rows) = rows_read(&server, store.list_tags(20)).await;
    assert_eq!(tags.unwrap()[0].posts, 50_000);
    assert!(rows < 100, "{rows} rows for the tags");
    let (walked, rows) = rows_read(&server, store.walk_entries(Some(middle.id), 20)).await;
    assert_eq!(walked.unwrap().len(), 20);
    assert!(rows < 100, "{rows} rows for a step of a walk");
    for number in (1..10).map(|number| 10_000 * number) {
        let old = post(number, 0, &["half"]);
        let mut new = revised(&old);
        new.summary.visibility = handbill::Visibility::Unlisted;
        let update = store.update_post(old.summary.revision, new.clone());
        let (updated, rows) = rows_read(&server, update).await;
        assert_eq!(updated.unwrap(), Outcome::Applied);
        assert!(rows < 100, "{rows} rows for a change");
        let delete = store.delete_post(new.summary.id, new.summary.revision);
        let (deleted, rows) = rows_read(&server, delete).await;
        assert_eq!(deleted.unwrap(), Outcome::Applied);
        assert!(rows < 100, "{rows} rows for a deletion");
    }
}
