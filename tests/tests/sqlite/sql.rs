//! A person can read the database with plain SQL, and SQLite uses an index for it.

use handbill::Tag;
use handbill::store::Outcome;
use handbill_tests::calls::Calls;
use sqlx::{Row, SqliteConnection};

use super::{database, host, id, insert, open, post, revised};

const TITLE: &str = "SELECT title FROM handbill_posts WHERE id = ?1";
const OF_TAG: &str = "SELECT post FROM handbill_list_entries WHERE list = 'tag:rust'
    ORDER BY listed_at DESC, post DESC";
const TITLES_OF_TAG: &str = "SELECT title FROM handbill_list_entries AS entry
    JOIN handbill_posts ON id = entry.post WHERE list = 'tag:rust'
    ORDER BY entry.listed_at DESC, entry.post DESC LIMIT 2";
const COUNT: &str = "SELECT posts FROM handbill_lists WHERE name = 'tag:rust'";
const COUNT_OF_ENTRIES: &str = "SELECT COUNT(*) FROM handbill_list_entries WHERE list = 'tag:rust'";
const MOST_USED_TAGS: &str = "SELECT SUBSTR(name, 5), posts FROM handbill_lists
    WHERE SUBSTR(name, 1, 4) = 'tag:' ORDER BY posts DESC, name LIMIT 10";
const OF_OWNER_AND_TAG: &str = "SELECT COUNT(*) FROM handbill_posts
    WHERE owner = 'user:42' AND deleted = 0
    AND INSTR(',' || SUBSTR(tags, 2), ',\"rust\"')";
const TOMBSTONES_OF_OWNER: &str = "SELECT id FROM handbill_posts
    WHERE owner = 'user:42' AND deleted = 1 LIMIT 1000";
const WHEN: &str =
    "SELECT datetime(created_at / 1000000, 'unixepoch') FROM handbill_posts WHERE id = ?1";

/// Runs a statement that begins with `EXPLAIN QUERY PLAN`.
async fn plan(host: &mut SqliteConnection, statement: &str) -> String {
    let explain = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}"));
    let rows = sqlx::query(explain).fetch_all(host).await.unwrap();
    let steps = rows.iter().map(|row| row.get::<String, _>("detail"));
    steps.collect::<Vec<_>>().join("; ")
}

#[tokio::test]
async fn posts_are_found_listed_and_counted_in_plain_sql_by_an_index() {
    let (_folder, path) = database();
    let store = open(&path).await;
    let mut posts: Vec<_> = (0..9).map(post).collect();
    posts[4].summary.tags = vec![Tag::from_stored("other"), Tag::from_stored("rust")];
    posts[5].summary.tags = Vec::new();
    insert(&store, &posts).await;
    let deleted = store.delete_post(id(8), posts[8].summary.revision).await;
    assert_eq!(deleted.unwrap(), Outcome::Applied);
    let untagged = revised(&posts[7], &["other"]);
    let updated = store.update_post(posts[7].summary.revision, untagged).await;
    assert_eq!(updated.unwrap(), Outcome::Applied);

    let mut host = host(&path).await;
    let title = sqlx::query_scalar::<_, String>(TITLE).bind(id(3).as_str().to_owned());
    assert_eq!(title.fetch_one(&mut host).await.unwrap(), "Post 3");
    let when = sqlx::query_scalar::<_, String>(WHEN).bind(id(3).as_str().to_owned());
    assert_eq!(
        when.fetch_one(&mut host).await.unwrap(),
        "2026-11-20 10:00:00"
    );
    let of_tag = sqlx::query_scalar::<_, String>(OF_TAG);
    assert_eq!(
        of_tag.fetch_all(&mut host).await.unwrap(),
        [6, 4, 3, 2, 1, 0].map(|number| id(number).to_string())
    );
    let titles = sqlx::query_scalar::<_, String>(TITLES_OF_TAG);
    let titles = titles.fetch_all(&mut host).await.unwrap();
    assert_eq!(titles, ["Post 6", "Post 4"]);
    for count in [COUNT, COUNT_OF_ENTRIES] {
        let count = sqlx::query_scalar::<_, i64>(count).fetch_one(&mut host);
        assert_eq!(count.await.unwrap(), 6);
    }

    for statement in [TITLE, OF_TAG, TITLES_OF_TAG, COUNT, COUNT_OF_ENTRIES] {
        let plan = plan(&mut host, statement).await;
        assert!(plan.contains("SEARCH"), "{statement}: {plan}");
        for costly in ["SCAN", "TEMP B-TREE"] {
            assert!(!plan.contains(costly), "{statement}: {plan}");
        }
    }
    for (statement, index) in [
        (MOST_USED_TAGS, "handbill_lists_by_posts"),
        (OF_OWNER_AND_TAG, "handbill_posts_by_owner_with_tags"),
        (TOMBSTONES_OF_OWNER, "handbill_posts_by_owner_with_tags"),
    ] {
        let plan = plan(&mut host, statement).await;
        let by_index = format!("USING COVERING INDEX {index}");
        assert!(plan.contains(&by_index), "{statement}: {plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{statement}: {plan}");
    }
}

/// Without these options, which `.cargo/config.toml` sets, readers wait for each other.
#[tokio::test]
async fn sqlite_is_compiled_for_many_readers() {
    let (_folder, path) = database();
    let _store = open(&path).await;
    let options = "SELECT sqlite_compileoption_used('DEFAULT_MEMSTATUS=0'),
        sqlite_compileoption_used('ENABLE_MEMORY_MANAGEMENT'), sqlite_compileoption_used('ENABLE_QPSG')";
    let mut host = host(&path).await;
    let used: (bool, bool, bool) = sqlx::query_as(options).fetch_one(&mut host).await.unwrap();
    assert_eq!(used, (true, false, true));
}
