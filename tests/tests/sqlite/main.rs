//! What only `SqliteStore` guarantees: files, tables, and other programs that use them.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod lists;

use std::path::Path;

use handbill::{
    Entry, KeyId, KeyRecord, PageRequest, Post, PostId, PostSummary, Revision, SecretHash,
    SqliteStore, Store, Tag, Timestamp, Write,
};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, SqliteConnection};
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
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
    // The identifier is derived from the beginning of the token.
    bytes[8..16].copy_from_slice(&(number + 1).to_be_bytes());
    SecretHash::from_bytes(bytes)
}

fn post(number: u64) -> Post {
    let at = Timestamp::from_micros(1_795_168_800_000_000 + number.cast_signed());
    Post {
        summary: PostSummary {
            id: PostId::named_by(&token(number)),
            title: Some(format!("Post {number}")),
            excerpt: format!("Of {number}."),
            tags: vec![Tag::from_stored("rust")],
            focus_keyword: None,
            created_at: at,
            updated_at: at,
            revision: Revision::from_number(1),
        },
        body: format!("Of *{number}*."),
        edit_token: token(number),
        created_by: None,
        creation: None,
    }
}

fn revised(post: &Post, tags: &[&str]) -> Post {
    let mut post = post.clone();
    post.summary.revision = Revision::from_number(post.summary.revision.number() + 1);
    post.summary.tags = tags.iter().copied().map(Tag::from_stored).collect();
    post
}

fn key(number: u64) -> KeyRecord {
    KeyRecord {
        id: KeyId::parse(PostId::named_by(&token(number)).as_str()).unwrap(),
        label: None,
        secret: token(number),
        created_at: Timestamp::from_micros(number.cast_signed()),
        last_used_at: None,
    }
}

fn first_page() -> PageRequest {
    PageRequest::new(1, 50).unwrap()
}

async fn ids(store: &SqliteStore, tag: Option<&str>) -> Vec<PostId> {
    let request = first_page().with_tag(tag.map(Tag::from_stored));
    let page = store.posts(request).await.unwrap();
    assert_eq!(page.posts.len() as u64, page.total);
    page.posts.iter().map(|(post, _)| post.id).collect()
}

/// Inserts posts, many at once.
async fn insert(store: &SqliteStore, posts: &[Post]) {
    let inserts = posts.iter().map(|post| {
        let (store, post) = (store.clone(), post.clone());
        tokio::spawn(async move { store.insert_post(post).await.unwrap() })
    });
    for insert in inserts.collect::<Vec<_>>() {
        assert_eq!(insert.await.unwrap(), Write::Applied);
    }
}

#[tokio::test]
async fn a_reopened_file_has_everything() {
    let folder = folder();
    let path = folder.path().join("posts.db");
    let store = open(&path).await;
    for number in 0..3 {
        assert_eq!(
            store.insert_post(post(number)).await.unwrap(),
            Write::Applied
        );
        assert_eq!(store.insert_key(key(number)).await.unwrap(), Write::Applied);
    }
    let changed = revised(&post(1), &["changed"]);
    let updated = store.update_post(Revision::from_number(1), changed.clone());
    assert_eq!(updated.await.unwrap(), Write::Applied);
    let gone = post(2);
    let deleted = store.delete_post(gone.summary.id, gone.summary.revision);
    assert_eq!(deleted.await.unwrap(), Write::Applied);
    assert_eq!(store.revoke_key(key(2).id).await.unwrap(), Write::Applied);
    store.close().await;
    assert!(store.post(gone.summary.id).await.is_err(), "it is closed");
    assert!(store.insert_post(post(9)).await.is_err(), "it is closed");

    let store = open(&path).await;
    let live = |post: &Post| Some(Entry::Live(post.clone().into()));
    assert_eq!(
        store.post(post(0).summary.id).await.unwrap(),
        live(&post(0))
    );
    assert_eq!(
        store.post(changed.summary.id).await.unwrap(),
        live(&changed)
    );
    let tombstone = Some(Entry::Gone(gone.clone().into_tombstone()));
    assert_eq!(store.post(gone.summary.id).await.unwrap(), tombstone);
    assert_eq!(
        store.post_by_edit_token(gone.edit_token).await.unwrap(),
        tombstone
    );
    assert_eq!(
        ids(&store, None).await,
        [changed.summary.id, post(0).summary.id]
    );
    assert_eq!(ids(&store, Some("changed")).await, [changed.summary.id]);
    assert_eq!(store.keys().await.unwrap(), [key(0), key(1)]);
    assert_eq!(store.insert_post(gone).await.unwrap(), Write::Conflict);
    assert_eq!(store.insert_post(post(9)).await.unwrap(), Write::Applied);
    assert_eq!(
        ids(&store, None).await,
        [9, 1, 0].map(|number| post(number).summary.id)
    );
}

#[tokio::test]
async fn a_file_that_was_not_closed_has_everything() {
    let folder = folder();
    let path = folder.path().join("posts.db");
    let first = open(&path).await;
    let _ = first.insert_post(post(1)).await.unwrap();
    // As after a crash, the latest writes may only be in the write-ahead log.
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
async fn its_tables_share_a_file_with_the_hosts_tables() {
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
        assert_eq!(written, Write::Applied);
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
    let folder = folder();
    let path = folder.path().join("posts.db");
    let (one, other) = (open(&path).await, open(&path).await);
    for round in 0..30 {
        let (one, other) = match round % 2 {
            0 => (&one, &other),
            _ => (&other, &one),
        };
        let first = post(round);
        let id = first.summary.id;
        assert_eq!(other.post(id).await.unwrap(), None);
        assert_eq!(other.key_by_secret(key(round).secret).await.unwrap(), None);
        assert_eq!(
            one.insert_post(first.clone()).await.unwrap(),
            Write::Applied
        );
        let found = other.post(id).await.unwrap();
        assert_eq!(found, Some(Entry::Live(first.clone().into())));
        assert_eq!(ids(other, None).await, [id]);

        let changed = revised(&first, &["changed"]);
        let updated = one.update_post(first.summary.revision, changed.clone());
        assert_eq!(updated.await.unwrap(), Write::Applied);
        let found = other.post(id).await.unwrap();
        assert_eq!(found, Some(Entry::Live(changed.clone().into())));
        assert_eq!(ids(other, Some("changed")).await, [id]);
        let late = other.update_post(first.summary.revision, changed.clone());
        assert_eq!(late.await.unwrap(), Write::Conflict);

        assert_eq!(one.insert_key(key(round)).await.unwrap(), Write::Applied);
        for reader in [one, other] {
            let found = reader.key_by_secret(key(round).secret).await.unwrap();
            assert_eq!(found, Some(key(round)));
        }
        // The other store continues to write posts, which does not change the keys.
        let mut older = post(1000 + round);
        older.summary.tags = Vec::new();
        assert_eq!(
            other.insert_post(older.clone()).await.unwrap(),
            Write::Applied
        );
        let found = other.key_by_secret(key(round).secret).await.unwrap();
        assert_eq!(found, Some(key(round)));
        assert_eq!(one.revoke_key(key(round).id).await.unwrap(), Write::Applied);
        assert_eq!(other.key_by_secret(key(round).secret).await.unwrap(), None);
        let removed = other.delete_post(older.summary.id, older.summary.revision);
        assert_eq!(removed.await.unwrap(), Write::Applied);
        for reader in [one, other] {
            let found = reader.key_by_secret(key(round).secret).await.unwrap();
            assert_eq!(found, None, "a revoked key after a post was written");
        }

        let deleted = one.delete_post(id, changed.summary.revision);
        assert_eq!(deleted.await.unwrap(), Write::Applied);
        let gone = Some(Entry::Gone(changed.into_tombstone()));
        assert_eq!(other.post(id).await.unwrap(), gone);
        assert!(ids(other, None).await.is_empty());
    }
}

#[tokio::test]
async fn commits_of_a_hosts_own_connection_are_seen() {
    let folder = folder();
    let path = folder.path().join("posts.db");
    let store = open(&path).await;
    let _ = store.insert_key(key(1)).await.unwrap();
    assert!(store.key_by_secret(key(1).secret).await.unwrap().is_some());
    let mut host = host(&path).await;
    sqlx::query("DELETE FROM handbill_keys")
        .execute(&mut host)
        .await
        .unwrap();
    assert_eq!(store.key_by_secret(key(1).secret).await.unwrap(), None);
    let truncated = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)");
    truncated.execute(&mut host).await.unwrap();
    let _ = store.insert_key(key(1)).await.unwrap();
    assert!(store.key_by_secret(key(1).secret).await.unwrap().is_some());
    let _ = store.insert_post(post(1)).await.unwrap();
    assert_eq!(ids(&store, None).await, [post(1).summary.id]);
}

#[tokio::test]
async fn identifiers_are_found_and_not_given_again_once_they_are_carried_over() {
    let folder = folder();
    let store = open(&folder.path().join("posts.db")).await;
    let posts: Vec<Post> = (0..4200).map(post).collect();
    for posts in posts.chunks(300) {
        insert(&store, posts).await;
    }
    let mut host = host(&folder.path().join("posts.db")).await;
    for (table, most) in [("handbill_new_ids", 4095), ("handbill_ids", 4200)] {
        let count = format!("SELECT COUNT(*) FROM {table}");
        let count = sqlx::query_scalar(sqlx::AssertSqlSafe(count));
        let count: i64 = count.fetch_one(&mut host).await.unwrap();
        assert!((1..=most).contains(&count), "{count} in {table}");
    }
    for number in [0, 1, 2000, 4000, 4199] {
        let there = &posts[number];
        let id = there.summary.id;
        let found = Some(Entry::Live(there.clone().into()));
        assert_eq!(store.post(id).await.unwrap(), found);
        assert_eq!(
            store.post_by_edit_token(there.edit_token).await.unwrap(),
            found
        );

        let mut other = there.clone();
        other.body = "By another author.".into();
        let alone = store.insert_post(other.clone()).await.unwrap();
        let new = post(5000 + number as u64);
        let id_of_new = new.summary.id;
        let (again, new) = tokio::join!(store.insert_post(other), store.insert_post(new));
        assert_eq!((alone, again.unwrap()), (Write::Conflict, Write::Conflict));
        assert_eq!(new.unwrap(), Write::Applied, "next to one that is taken");
        assert!(store.post(id_of_new).await.unwrap().is_some());
        assert_eq!(store.post(id).await.unwrap(), found, "no write replaced it");
    }
}

#[tokio::test]
async fn a_file_that_is_not_a_database_is_one_clear_error() {
    let folder = folder();
    let path = folder.path().join("letter.txt");
    let letter = "Dear reader, this is a letter. ".repeat(1000);
    std::fs::write(&path, &letter).unwrap();
    let error = SqliteStore::open(&path).await.unwrap_err().to_string();
    assert!(
        error.starts_with("could not open the SQLite database: ")
            && error.contains("file is not a database")
            && !error.contains('\n'),
        "{error}"
    );
    let left = std::fs::read_to_string(&path).unwrap();
    assert_eq!(left, letter, "the file is as it was");

    let nowhere = folder.path().join("no such folder").join("posts.db");
    let error = SqliteStore::open(&nowhere).await.unwrap_err().to_string();
    assert!(error.contains("unable to open database file"), "{error}");
}

#[tokio::test]
async fn a_database_of_another_release_is_refused_and_left_alone() {
    let folder = folder();
    let path = folder.path().join("posts.db");
    open(&path).await.close().await;
    let mut host = host(&path).await;
    sqlx::query("UPDATE handbill_meta SET schema = 4")
        .execute(&mut host)
        .await
        .unwrap();
    sqlx::query("DROP TABLE handbill_keys")
        .execute(&mut host)
        .await
        .unwrap();
    let version = "PRAGMA data_version";
    let before: i64 = sqlx::query_scalar(version)
        .fetch_one(&mut host)
        .await
        .unwrap();
    let error = SqliteStore::open(&path).await.unwrap_err().to_string();
    assert!(error.contains("schema 4 is of another release"), "{error}");
    let after: i64 = sqlx::query_scalar(version)
        .fetch_one(&mut host)
        .await
        .unwrap();
    assert_eq!(before, after, "the file is unchanged");
}
