//! The audit and the index miss nothing, however often the app is killed.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use handbill::Visibility;
use handbill::store::{Entry, Store};
use handbill_sql::SqliteStore;
use handbill_tests::load::{get, post_json};
use handbill_tests::program::Program;
use handbill_tests::wire::Connection;
use serde_json::Value;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection as _, Row, SqliteConnection};
use tokio::task::JoinSet;

const BINARY: &str = env!("CARGO_BIN_EXE_handbill-example-events");
const WRITERS: usize = 4;
/// `HANDBILL_KILLS` sets another number.
const KILLS: usize = 5;

/// What one writer was told that it did: events and subjects with their revisions.
type Acknowledged = Vec<(String, String, u64)>;

#[tokio::test]
async fn the_app_and_handbill_work() {
    let folder = tempfile::tempdir().unwrap();
    let program = start(folder.path()).await;
    let mut connection = Connection::open(program.address).await.unwrap();
    let mut ask = async |request: Vec<u8>| connection.send(&request).await.unwrap();
    let key = ask(post_json("/blog/api/keys", "", "")).await.json();
    let key = format!("X-Api-Key: {}\r\n", key["api_key"].as_str().unwrap());
    let post = r#"{"title": "Hello", "body": "Some *Markdown*."}"#;
    let created = ask(post_json("/blog/api/posts", &key, post)).await.json();
    drop(connection);
    assert!(program.stop().await.success());

    let program = start(folder.path()).await;
    let mut connection = Connection::open(program.address).await.unwrap();
    let mut ask = async |path: &str| connection.send(&get(path)).await.unwrap();
    let found = ask("/search?q=markdown").await.json();
    assert_eq!(found[0][0], created["id"]);
    assert_eq!(
        ask("/search?q=%22%20OR%20nothing").await.json(),
        Value::from(Vec::<Value>::new())
    );
    let audit = ask("/audit").await.json();
    assert_eq!(
        (&audit[0][3], &audit[0][4]),
        (&"post.created".into(), &created["id"])
    );
    assert!(audit[0][2].as_str().unwrap().starts_with("key "), "{audit}");
    drop(connection);
    assert!(program.stop().await.success());
}

#[tokio::test]
async fn nothing_is_lost_when_the_app_is_killed() {
    let kills = std::env::var("HANDBILL_KILLS").ok();
    let kills = kills.map_or(KILLS, |kills| kills.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = Acknowledged::new();
    for kill in 0..kills {
        let program = start(folder.path()).await;
        let mut writers = JoinSet::new();
        for _ in 0..WRITERS {
            let address = program.address;
            writers.spawn(async move { write(address).await });
        }
        // Each writer ends with the app. The first one is told to stop earlier, and the app is killed then.
        let first = write_some(program.address, 5 + kill % 20).await;
        program.kill().await;
        acknowledged.extend(first);
        acknowledged.extend(writers.join_all().await.into_iter().flatten());
    }
    // A clean stop tells what is left over, as far as it comes in its time.
    loop {
        assert!(start(folder.path()).await.stop().await.success());
        if waiting(folder.path()).await == 0 {
            break;
        }
    }
    check(folder.path(), &acknowledged).await;
}

async fn start(folder: &Path) -> Program {
    let database = folder.join("posts.db");
    let database = database.to_str().unwrap();
    Program::start_binary(BINARY, &["--database", database, "--rate-limits", "off"]).await
}

/// Writes until the app is killed.
async fn write(address: std::net::SocketAddr) -> Acknowledged {
    write_some(address, usize::MAX).await
}

/// Creates posts, and changes or deletes some of them, so often or until the app is killed.
async fn write_some(address: std::net::SocketAddr, times: usize) -> Acknowledged {
    let mut acknowledged = Acknowledged::new();
    let Ok(mut connection) = Connection::open(address).await else {
        return acknowledged;
    };
    let issued = connection.send(&post_json("/blog/api/keys", "", "")).await;
    let Ok(issued) = issued else {
        return acknowledged;
    };
    let key = issued.json()["api_key"].as_str().unwrap().to_owned();
    for round in 0..times {
        let headers = format!("X-Api-Key: {key}\r\n");
        let post = format!(r#"{{"title": "Post {round}", "body": "word{round} of it."}}"#);
        let create = post_json("/blog/api/posts", &headers, &post);
        let Ok(created) = connection.send(&create).await else {
            break;
        };
        let id = created.json()["id"].as_str().unwrap().to_owned();
        acknowledged.push(("post.created".to_owned(), id.clone(), 1));
        let (method, body, event) = match round % 3 {
            0 => ("PATCH", r#"{"visibility": "unlisted"}"#, "post.updated"),
            1 => ("DELETE", "", "post.deleted"),
            _ => continue,
        };
        let change = format!(
            "{method} /blog/api/posts/{id} HTTP/1.1\r\nHost: x\r\n{headers}\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let Ok(changed) = connection.send(change.as_bytes()).await else {
            break;
        };
        assert!(changed.status.is_success(), "{}", changed.status);
        let revision = if method == "PATCH" { 2 } else { 1 };
        acknowledged.push((event.to_owned(), id, revision));
    }
    acknowledged
}

async fn connect(folder: &Path) -> SqliteConnection {
    let file = SqliteConnectOptions::new().filename(folder.join("posts.db"));
    SqliteConnection::connect_with(&file).await.unwrap()
}

/// How many changes the listeners have not heard of yet.
async fn waiting(folder: &Path) -> i64 {
    let waiting = sqlx::query_scalar("SELECT COUNT(*) FROM handbill_waiting_changes");
    waiting.fetch_one(&mut connect(folder).await).await.unwrap()
}

/// The audit has each acknowledged change once, and the index each public post as it is now.
async fn check(folder: &Path, acknowledged: &Acknowledged) {
    let mut database = connect(folder).await;
    let rows = sqlx::query("SELECT event, subject, revision FROM audit WHERE revision IS NOT NULL");
    let rows = rows.fetch_all(&mut database).await.unwrap();
    let audited = rows.iter().map(|row| {
        let revision: i64 = row.get(2);
        (row.get(0), row.get(1), revision.cast_unsigned())
    });
    let audited: Vec<(String, String, u64)> = audited.collect();
    let once: BTreeSet<_> = audited.iter().collect();
    assert_eq!(once.len(), audited.len(), "a change is in the audit twice");
    for change in acknowledged {
        assert!(once.contains(change), "{change:?} is not in the audit");
    }
    let store = SqliteStore::open(folder.join("posts.db")).await.unwrap();
    let entries = store.walk_entries(None, u32::MAX).await.unwrap();
    let public = entries.iter().filter_map(|entry| match entry {
        Entry::Live(post) if post.summary.visibility == Visibility::Public => {
            Some((post.summary.id.to_string(), post.body.clone()))
        }
        _ => None,
    });
    let rows = sqlx::query("SELECT id, body FROM search")
        .fetch_all(&mut database)
        .await
        .unwrap();
    let indexed: BTreeMap<String, String> =
        rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    assert_eq!(indexed.len(), rows.len(), "a post is in the index twice");
    assert_eq!(indexed, public.collect());
    // Each entry of the store, whether it was acknowledged or not, has its creation in the audit.
    for entry in &entries {
        let created = ("post.created".to_owned(), entry.id().to_string(), 1);
        assert!(once.contains(&created), "{created:?} is not in the audit");
    }
    println!(
        "{} changes acknowledged, {} in the audit, {} posts in the index, none lost",
        acknowledged.len(),
        audited.len(),
        indexed.len()
    );
}
