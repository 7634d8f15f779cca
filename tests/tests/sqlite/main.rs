//! The guarantees of `SqliteStore`: files, tables, and other users of the file.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod backup;
mod cached;
mod erasing;
mod lists;
mod sql;
mod words;

use std::error::Error;
use std::path::{Path, PathBuf};

use handbill::store::{
    Entry, InstallationSecret, KeyRecord, Outcome, Post, SecretHash, StoreError,
};
use handbill::{KeyId, PageRequest, PostId, PostSummary, Revision, Store, Tag, Timestamp};
use handbill_sql::SqliteStore;
use handbill_tests::calls::Calls;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, SqliteConnection};
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// A folder, and the path of a database in it.
fn database() -> (TempDir, PathBuf) {
    let folder = folder();
    let path = folder.path().join("posts.db");
    (folder, path)
}

async fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path).await.unwrap()
}

/// Opens the file without the store.
async fn host(path: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true);
    SqliteConnection::connect_with(&options).await.unwrap()
}

fn token(number: u64) -> SecretHash {
    let mut bytes = [7; 32];
    bytes[8..16].copy_from_slice(&number.to_be_bytes());
    SecretHash::from_bytes(bytes)
}

/// A different identifier for each number, in another order than the numbers.
fn id(number: u64) -> PostId {
    const LETTERS: &[u8; 20] = b"bcdfghjklmnpqrstvwxz";
    let digits = (0..10).map(|place| number / 20_u64.pow(place) % 20);
    let letters = digits.map(|digit| char::from(LETTERS[digit as usize]));
    letters.collect::<String>().parse().unwrap()
}

fn post(number: u64) -> Post {
    let at = Timestamp::from_micros(1_795_168_800_000_000 + number.cast_signed());
    let summary = PostSummary::new(id(number), at)
        .with_title(Some(format!("Post {number}")))
        .with_excerpt(format!("Of {number}."))
        .with_tags(vec![Tag::from_stored("rust")]);
    Post::new(summary, format!("Of *{number}*."), token(number))
}

fn revised(post: &Post, tags: &[&str]) -> Post {
    let mut post = post.clone();
    post.summary.revision = Revision::from_number(post.summary.revision.number() + 1);
    post.summary.tags = tags.iter().copied().map(Tag::from_stored).collect();
    post
}

fn key(number: u64) -> KeyRecord {
    let id: KeyId = id(number).as_str().parse().unwrap();
    let created_at = Timestamp::from_micros(number.cast_signed());
    KeyRecord::new(id, token(number), created_at)
}

fn first_page() -> PageRequest {
    PageRequest::new(1, 50).unwrap()
}

async fn ids(store: &impl Store, tag: Option<&str>) -> Vec<PostId> {
    let request = first_page().with_tag(tag.map(Tag::from_stored));
    let page = store.list_posts(request).await.unwrap();
    assert_eq!(page.posts.len() as u64, page.total);
    page.posts.iter().map(|post| post.summary.id).collect()
}

/// Inserts many posts concurrently.
async fn insert(store: &SqliteStore, posts: &[Post]) {
    let inserts = posts.iter().map(|post| {
        let (store, post) = (store.clone(), post.clone());
        tokio::spawn(async move { store.insert_post(post).await.unwrap() })
    });
    for insert in inserts.collect::<Vec<_>>() {
        assert_eq!(insert.await.unwrap(), Outcome::Applied);
    }
}

#[tokio::test]
async fn a_file_that_is_absent_is_not_made_to_be_read() {
    let (_folder, path) = database();
    for refused in [
        SqliteStore::open_as_it_is(&path).await.map(drop),
        SqliteStore::schema(&path).await.map(drop),
    ] {
        let refused = refused.unwrap_err();
        let reason = refused.source().unwrap().to_string();
        assert!(reason.contains("No such file or directory"), "{reason}");
    }
    assert!(!path.exists());
}

#[tokio::test]
async fn a_file_that_is_opened_again_has_everything() {
    let (_folder, path) = database();
    let store = open(&path).await;
    for number in 0..3 {
        assert_eq!(
            store.insert_post(post(number)).await.unwrap(),
            Outcome::Applied
        );
        assert_eq!(
            store.insert_key(key(number)).await.unwrap(),
            Outcome::Applied
        );
    }
    let changed = revised(&post(1), &["changed"]);
    let updated = store.update_post(Revision::from_number(1), changed.clone());
    assert_eq!(updated.await.unwrap(), Outcome::Applied);
    let gone = post(2);
    let deleted = store.delete_post(gone.summary.id, gone.summary.revision);
    assert_eq!(deleted.await.unwrap(), Outcome::Applied);
    assert_eq!(store.revoke_key(key(2).id).await.unwrap(), Outcome::Applied);
    store.close().await;
    assert!(
        store.read_post(gone.summary.id).await.is_err(),
        "it is closed"
    );
    assert!(store.insert_post(post(9)).await.is_err(), "it is closed");

    let store = open(&path).await;
    let live = |post: &Post| Some(Entry::Live(post.clone().into()));
    assert_eq!(
        store.read_post(post(0).summary.id).await.unwrap(),
        live(&post(0))
    );
    assert_eq!(
        store.read_post(changed.summary.id).await.unwrap(),
        live(&changed)
    );
    let tombstone = Some(Entry::Gone(gone.clone().into_tombstone()));
    assert_eq!(store.read_post(gone.summary.id).await.unwrap(), tombstone);
    assert_eq!(
        store.post_by_token(gone.edit_token).await.unwrap(),
        tombstone
    );
    assert_eq!(
        ids(&store, None).await,
        [changed.summary.id, post(0).summary.id]
    );
    assert_eq!(ids(&store, Some("changed")).await, [changed.summary.id]);
    let mut keys = [key(0), key(1)];
    keys.sort_by_key(|key| key.id);
    assert_eq!(store.walk_keys(None, 10).await.unwrap(), keys);
    assert_eq!(store.insert_post(gone).await.unwrap(), Outcome::Conflict);
    assert_eq!(store.insert_post(post(9)).await.unwrap(), Outcome::Applied);
    assert_eq!(
        ids(&store, None).await,
        [9, 1, 0].map(|number| post(number).summary.id)
    );
}

#[tokio::test]
async fn a_file_that_was_not_closed_has_everything() {
    let (folder, path) = database();
    let first = open(&path).await;
    let _ = first.insert_post(post(1)).await.unwrap();
    // As after a crash, the writes may be only in the write-ahead log.
    let copy = folder.path().join("copy.db");
    std::fs::copy(&path, &copy).unwrap();
    std::fs::copy(
        folder.path().join("posts.db-wal"),
        folder.path().join("copy.db-wal"),
    )
    .unwrap();
    let store = open(&copy).await;
    assert_eq!(ids(&store, None).await, [post(1).summary.id]);
}

#[tokio::test]
async fn its_tables_live_beside_a_hosts_own() {
    let folder = folder();
    let path = folder.path().join("host.db");
    let mut host = host(&path).await;
    for statement in [
        "CREATE TABLE posts (id INTEGER PRIMARY KEY, title TEXT)",
        "CREATE TABLE keys (id INTEGER PRIMARY KEY)",
        "INSERT INTO posts (title) VALUES ('of the host')",
    ] {
        sqlx::query(statement).execute(&mut host).await.unwrap();
    }
    for number in 0..2 {
        let store = open(&path).await;
        let written = store.insert_post(post(number)).await.unwrap();
        assert_eq!(written, Outcome::Applied);
        store.close().await;
    }
    let names = "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'";
    let names: Vec<String> = sqlx::query_scalar(names)
        .fetch_all(&mut host)
        .await
        .unwrap();
    let (own, hosts): (Vec<_>, Vec<_>) = names
        .iter()
        .map(String::as_str)
        .partition(|name| name.starts_with("handbill_"));
    assert_eq!(hosts, ["posts", "keys"]);
    assert!(own.contains(&"handbill_posts"));
    let title: String = sqlx::query_scalar("SELECT title FROM posts")
        .fetch_one(&mut host)
        .await
        .unwrap();
    assert_eq!(title, "of the host");
    assert_eq!(ids(&open(&path).await, None).await.len(), 2);
}

#[tokio::test]
async fn two_stores_on_one_file_see_each_others_writes_at_once() {
    let (_folder, path) = database();
    let (one, other) = (open(&path).await, open(&path).await);
    for round in 0..30 {
        let (one, other) = match round % 2 {
            0 => (&one, &other),
            _ => (&other, &one),
        };
        let first = post(round);
        let id = first.summary.id;
        assert_eq!(other.read_post(id).await.unwrap(), None);
        assert_eq!(other.find_key(key(round).secret).await.unwrap(), None);
        assert_eq!(
            one.insert_post(first.clone()).await.unwrap(),
            Outcome::Applied
        );
        let found = other.read_post(id).await.unwrap();
        assert_eq!(found, Some(Entry::Live(first.clone().into())));
        assert_eq!(ids(other, None).await, [id]);

        let changed = revised(&first, &["changed"]);
        let updated = one.update_post(first.summary.revision, changed.clone());
        assert_eq!(updated.await.unwrap(), Outcome::Applied);
        let found = other.read_post(id).await.unwrap();
        assert_eq!(found, Some(Entry::Live(changed.clone().into())));
        assert_eq!(ids(other, Some("changed")).await, [id]);
        let late = other.update_post(first.summary.revision, changed.clone());
        assert_eq!(late.await.unwrap(), Outcome::Conflict);

        assert_eq!(one.insert_key(key(round)).await.unwrap(), Outcome::Applied);
        for reader in [one, other] {
            let found = reader.find_key(key(round).secret).await.unwrap();
            assert_eq!(found, Some(key(round)));
        }
        // The other store writes only posts.
        let mut older = post(1000 + round);
        older.summary.tags = Vec::new();
        assert_eq!(
            other.insert_post(older.clone()).await.unwrap(),
            Outcome::Applied
        );
        let found = other.find_key(key(round).secret).await.unwrap();
        assert_eq!(found, Some(key(round)));
        assert_eq!(
            one.revoke_key(key(round).id).await.unwrap(),
            Outcome::Applied
        );
        assert_eq!(other.find_key(key(round).secret).await.unwrap(), None);
        let removed = other.delete_post(older.summary.id, older.summary.revision);
        assert_eq!(removed.await.unwrap(), Outcome::Applied);
        for reader in [one, other] {
            let found = reader.find_key(key(round).secret).await.unwrap();
            assert_eq!(found, None, "a revoked key after a post was written");
        }

        let deleted = one.delete_post(id, changed.summary.revision);
        assert_eq!(deleted.await.unwrap(), Outcome::Applied);
        let gone = Some(Entry::Gone(changed.into_tombstone()));
        assert_eq!(other.read_post(id).await.unwrap(), gone);
        assert!(ids(other, None).await.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_stores_that_open_one_file_at_once_have_one_secret() {
    let (_folder, path) = database();
    let opened = (0..10).map(|number| {
        let path = path.clone();
        tokio::spawn(async move {
            let candidate = InstallationSecret::from_bytes([number; 32]);
            let store = open(&path).await;
            let secret = store.get_or_insert_installation_secret(candidate).await;
            store.close().await;
            secret.unwrap()
        })
    });
    let mut secrets = Vec::new();
    for opened in opened.collect::<Vec<_>>() {
        secrets.push(opened.await.unwrap());
    }
    assert!(secrets.iter().all(|secret| *secret == secrets[0]));
    // A person finds it as the schema says.
    let found = sqlx::query_scalar("SELECT installation_secret FROM handbill_meta");
    let found: Vec<u8> = found.fetch_one(&mut host(&path).await).await.unwrap();
    assert!(found == secrets[0].as_bytes());
}

#[tokio::test]
async fn a_hosts_own_connection_does_not_hide_its_commits() {
    let (_folder, path) = database();
    let store = open(&path).await;
    let _ = store.insert_key(key(1)).await.unwrap();
    assert!(store.find_key(key(1).secret).await.unwrap().is_some());
    let mut host = host(&path).await;
    sqlx::query("DELETE FROM handbill_keys")
        .execute(&mut host)
        .await
        .unwrap();
    assert_eq!(store.find_key(key(1).secret).await.unwrap(), None);
    let truncated = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)");
    truncated.execute(&mut host).await.unwrap();
    let _ = store.insert_key(key(1)).await.unwrap();
    assert!(store.find_key(key(1).secret).await.unwrap().is_some());
    let _ = store.insert_post(post(1)).await.unwrap();
    assert_eq!(ids(&store, None).await, [post(1).summary.id]);
}

#[tokio::test]
async fn a_taken_identifier_conflicts_beside_others_and_leaves_its_post_alone() {
    let folder = folder();
    let store = open(&folder.path().join("posts.db")).await;
    let posts: Vec<Post> = (0..100).map(post).collect();
    insert(&store, &posts).await;
    for there in &posts {
        let mut other = there.clone();
        other.body = "By another author.".into();
        let alone = store.insert_post(other.clone()).await.unwrap();
        let new = post(1000 + there.summary.created_at.as_micros().cast_unsigned() % 1000);
        let id_of_new = new.summary.id;
        let (again, new, twice) = tokio::join!(
            store.insert_post(other),
            store.insert_post(new.clone()),
            store.insert_post(new)
        );
        assert_eq!(
            (alone, again.unwrap()),
            (Outcome::Conflict, Outcome::Conflict)
        );
        assert_eq!(new.unwrap(), Outcome::Applied, "beside one that is taken");
        assert_eq!(twice.unwrap(), Outcome::Conflict, "beside one with its id");
        assert!(store.read_post(id_of_new).await.unwrap().is_some());
        assert_eq!(
            store.read_post(there.summary.id).await.unwrap(),
            Some(Entry::Live(there.clone().into())),
            "it was overwritten"
        );
    }
}

/// The error with its sources, as a log shows it.
fn chain(error: &StoreError) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    assert!(!text.contains('\n'), "{text}");
    text
}

async fn refusal(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    let error = chain(&SqliteStore::open(path).await.unwrap_err());
    let start = format!("could not open the SQLite database: {}: ", path.display());
    assert!(error.starts_with(&start), "{error}");
    error[start.len()..].to_owned()
}

#[tokio::test]
async fn a_file_that_is_not_a_database_gives_one_clear_error() {
    let folder = folder();
    let path = folder.path().join("letter.txt");
    let letter = "Dear reader, this is a letter. ".repeat(1000);
    std::fs::write(&path, &letter).unwrap();
    let error = refusal(&path).await;
    assert!(error.contains("file is not a database"), "{error}");
    let left = std::fs::read_to_string(&path).unwrap();
    assert_eq!(left, letter, "the file is as it was");
}

#[tokio::test]
async fn a_path_that_cannot_be_opened_is_an_error_with_the_reason() {
    let folder = folder();
    let missing = folder.path().join("no such folder");
    let error = refusal(missing.join("posts.db")).await;
    let reason = format!("the folder {}: No such file", missing.display());
    assert!(error.starts_with(&reason), "{error}");

    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = refusal(file.join("posts.db")).await;
    assert!(error.contains("is not a folder"), "{error}");

    let error = refusal(folder.path()).await;
    assert!(error.contains("this is a folder"), "{error}");
}

#[tokio::test]
async fn urls_are_refused_and_make_no_file() {
    for url in [
        ":memory:",
        "sqlite::memory:",
        "sqlite:posts.db",
        "sqlite:///tmp/posts.db",
        "file:posts.db?mode=ro",
    ] {
        let error = refusal(url).await;
        assert!(error.contains("a file's path is expected"), "{error}");
        assert!(!Path::new(url).exists(), "{url}");
    }
}

/// A schema before the first that can be upgraded, or after the last that is known.
#[tokio::test]
async fn a_database_of_another_schema_is_refused_by_its_number_and_left_alone() {
    for (schema, remedy) in [
        (1, "export an archive"),
        (5, "export an archive"),
        (1000, "a later version"),
    ] {
        let tables = format!(
            "CREATE TABLE handbill_meta (schema INTEGER NOT NULL, opened INTEGER NOT NULL) STRICT;
             CREATE TABLE handbill_posts (number INTEGER PRIMARY KEY, id INTEGER NOT NULL) STRICT;
             INSERT INTO handbill_meta VALUES ({schema}, 1)"
        );
        let reason = refusal_of_tables(&tables).await;
        assert!(
            reason.contains(&format!("its tables have schema {schema}")),
            "{reason}"
        );
        assert!(reason.contains(remedy), "{reason}");
    }
}

#[tokio::test]
async fn tables_of_the_host_that_are_named_like_those_of_handbill_are_refused_and_left_alone() {
    for (tables, expected) in [
        (
            "CREATE TABLE handbill_posts (title TEXT)",
            "table handbill_posts already exists",
        ),
        (
            "CREATE TABLE handbill_meta (version INTEGER)",
            "handbill_meta is not a table of Handbill",
        ),
        (
            "CREATE TABLE handbill_meta (schema INTEGER)",
            "handbill_meta is not a table of Handbill",
        ),
        (
            "CREATE VIEW handbill_meta AS SELECT 1 AS schema",
            "its tables have schema 1",
        ),
    ] {
        let reason = refusal_of_tables(tables).await;
        assert!(reason.contains(expected), "{reason}");
    }
}

/// Why a file with these tables is not opened. Expects that it is not changed.
async fn refusal_of_tables(tables: &str) -> String {
    let (_folder, path) = database();
    let mut host = host(&path).await;
    let tables = format!("PRAGMA journal_mode = WAL; {tables}");
    let tables = sqlx::raw_sql(sqlx::AssertSqlSafe(tables));
    tables.execute(&mut host).await.unwrap();
    let version = || sqlx::query_scalar::<_, i64>("PRAGMA data_version");
    let before = version().fetch_one(&mut host).await.unwrap();
    let reason = refusal(&path).await;
    let after = version().fetch_one(&mut host).await.unwrap();
    assert_eq!(before, after, "the file was changed");
    reason
}
