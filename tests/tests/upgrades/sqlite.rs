//! SQLite files of each schema.

use std::error::Error;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use handbill_sql::SqliteStore;
use handbill_tests::disk::Disk;
use handbill_tests::program;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, Executor, SqliteConnection};
use tempfile::TempDir;

use crate::{exchanges, read, service, site, stored, write_and_read, write_exchanges};

/// The earliest schema that can be upgraded.
pub(crate) const FIRST_SCHEMA: i64 = 6;

/// A copy of the file that was stored with this schema.
pub(crate) fn copy(schema: i64) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("posts.db");
    std::fs::write(&path, read(&format!("sqlite-{schema}.db"))).unwrap();
    (folder, path)
}

pub(crate) async fn connect(path: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(path);
    SqliteConnection::connect_with(&options).await.unwrap()
}

async fn schema_of(path: &Path) -> i64 {
    let schema = sqlx::query_scalar("SELECT schema FROM handbill_meta");
    schema.fetch_one(&mut connect(path).await).await.unwrap()
}

/// The schema of this version.
pub(crate) async fn latest_schema() -> i64 {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("posts.db");
    SqliteStore::open(&path).await.unwrap().close().await;
    schema_of(&path).await
}

#[tokio::test]
async fn a_file_of_each_schema_does_what_it_did() {
    for schema in FIRST_SCHEMA..=latest_schema().await {
        let (_folder, path) = copy(schema);
        check(&path, schema).await;
        assert_eq!(schema_of(&path).await, latest_schema().await);
    }
}

#[tokio::test]
async fn an_upgraded_file_has_the_tables_of_a_new_one() {
    let (folder, old) = copy(FIRST_SCHEMA);
    let new = folder.path().join("new.db");
    let mut tables = Vec::new();
    for path in [old, new] {
        SqliteStore::open(&path).await.unwrap().close().await;
        let statement = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name";
        let statement = sqlx::query_as::<_, (String, String, Option<String>)>(statement);
        tables.push(
            statement
                .fetch_all(&mut connect(&path).await)
                .await
                .unwrap(),
        );
    }
    assert_eq!(tables[0], tables[1]);
}

/// Its statements were prepared before.
#[tokio::test]
async fn a_process_goes_on_when_a_later_version_adds_a_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("posts.db");
    let store = SqliteStore::open(&path).await.unwrap();
    write_and_read(&store, 1).await;
    let add = "ALTER TABLE handbill_posts ADD COLUMN added_later TEXT;
        ALTER TABLE handbill_keys ADD COLUMN added_later TEXT";
    connect(&path).await.execute(add).await.unwrap();
    write_and_read(&store, 2).await;
    store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_that_open_one_file_at_once_one_upgrades_it() {
    let (_folder, path) = copy(FIRST_SCHEMA);
    let opened = (0..10).map(|_| {
        let path = path.clone();
        tokio::spawn(async move { SqliteStore::open(&path).await })
    });
    for opened in opened.collect::<Vec<_>>() {
        opened.await.unwrap().unwrap().close().await;
    }
    check(&path, FIRST_SCHEMA).await;
}

/// Each try gets a little further: a process that writes more to a file than it may is killed on the spot.
#[tokio::test]
async fn an_upgrade_that_is_killed_anywhere_can_be_repeated() {
    let (_folder, path) = copy(FIRST_SCHEMA);
    let url = format!("sqlite://{}", path.display());
    let mut kills = 0;
    for blocks in (8..).step_by(16) {
        let limit = format!("ulimit -c 0; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let mut program = Command::new("sh");
        program.arg("-c").arg(limit).arg(program::path());
        program.args([
            "--database",
            &url,
            "posts",
            "delete",
            "--tag",
            "none",
            "--yes",
        ]);
        let status = program.stdout(Stdio::null()).status().unwrap();
        if status.success() {
            break;
        }
        assert!(status.signal().is_some(), "{status}");
        kills += 1;
    }
    assert!(kills > 3, "{kills}");
    check(&path, FIRST_SCHEMA).await;
}

/// Each try has a little more room. Each step of an upgrade is made whole or not at all.
#[tokio::test]
async fn an_upgrade_on_a_full_disk_ends_between_two_steps_and_can_be_repeated() {
    let Some(disk) = Disk::mount(1) else {
        return;
    };
    let (_folder, original) = copy(FIRST_SCHEMA);
    let path = disk.path().join("posts.db");
    std::fs::copy(original, &path).unwrap();
    let mut refusals = 0;
    for room in (0..).step_by(4096) {
        let ballast = disk.fill_but(room);
        let opened = SqliteStore::open(&path).await;
        drop(ballast);
        let Err(error) = opened else {
            break;
        };
        let error = error.source().unwrap().to_string();
        assert!(error.contains("posts.db"), "{error}");
        assert!(schema_of(&path).await < latest_schema().await);
        refusals += 1;
    }
    assert!(refusals > 3, "{refusals}");
    check(&path, FIRST_SCHEMA).await;
}

/// Expects that the file does what it did.
async fn check(path: &Path, recorded: i64) {
    let store = SqliteStore::open(path).await.unwrap();
    let service = service(store.clone());
    for exchange in exchanges(&format!("sqlite-{recorded}.json")) {
        exchange.check(&service).await;
    }
    store.close().await;
}

#[tokio::test]
#[ignore = "writes the files of a new schema"]
async fn record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("posts.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let schema = schema_of(&path).await;
    let file = stored(&format!("sqlite-{schema}.db"));
    if file.exists() {
        return;
    }
    let service = service(store.clone());
    let exchanges = site::record(&service).await;
    store.backup(&file).await.unwrap();
    let mut archive = Vec::new();
    service.archive().export(&mut archive).await.unwrap();
    std::fs::write(stored(&format!("sqlite-{schema}.ndjson")), archive).unwrap();
    write_exchanges(&format!("sqlite-{schema}.json"), &exchanges);
}
