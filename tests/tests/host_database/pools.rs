//! A store in the pool of the host.

use handbill::store::StoreError;
use handbill::{Code, PageRequest};
use handbill_sql::{MySqlStore, PostgresStore, SqliteStore};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteLockingMode, SqliteSynchronous};

use super::*;

/// The contract of `Store`, in a pool with one connection, which everything waits for, and with statements of the host:
/// one run for both, since the other connections and writes are those of a store without them.
macro_rules! contract {
    ($name:ident, $Host:ident, $Store:ident, $pool:ident, $place:ident) => {
        mod $name {
            use super::*;

            handbill_testing::store_checks!(async {
                let host = $Host::start().await?;
                let pool = $pool(&host.$place, 1).await;
                let store = $Store::with_pool(pool).await.unwrap();
                let store = store.with_statements(|connection, change| {
                    Box::pin(statements::$name::audit(connection, change))
                });
                Some((store, host))
            });

            #[tokio::test]
            async fn a_closed_store_leaves_the_pool_open() {
                let Some(host) = $Host::start().await else {
                    return;
                };
                let store = $Store::with_pool(host.pool.clone()).await.unwrap();
                let handbill = service(store.clone());
                handbill.posts().create(draft("a post")).await.unwrap();
                store.close().await;
                assert!(host.audit().await.is_empty());
            }
        }
    };
}

contract!(sqlite, SqliteHost, SqliteStore, sqlite_pool, file);
contract!(postgres, PostgresHost, PostgresStore, postgres_pool, url);
contract!(mysql, MySqlHost, MySqlStore, mysql_pool, url);

/// The host has all connections: requests fail after a few seconds, and work again when it returns one.
macro_rules! exhausted {
    ($name:ident, $Host:ident, $Store:ident, $pool:ident) => {
        #[tokio::test]
        async fn $name() {
            let Some(host) = $Host::start().await else {
                return;
            };
            let pool = $pool(&host.url, 1).await;
            let store = $Store::with_pool(pool.clone()).await.unwrap();
            let handbill = service(store);
            let held = pool.acquire().await.unwrap();
            let refused = handbill.posts().create(draft("too early")).await;
            assert_eq!(refused.unwrap_err().code(), Code::StoreUnavailable);
            drop(held);
            handbill.posts().create(draft("a post")).await.unwrap();
            let page = PageRequest::new(1, 10).unwrap();
            let posts = handbill.posts().list(page).await.unwrap().posts;
            let titles = posts.iter().map(|post| post.summary.title.as_deref());
            let titles: Vec<_> = titles.collect();
            // A caller that got an error does not know what became of its post.
            assert!(
                titles.contains(&Some("a post")) && titles.len() <= 2,
                "{titles:?}"
            );
        }
    };
}

exhausted!(
    an_exhausted_postgres_pool_delays_requests_and_loses_nothing,
    PostgresHost,
    PostgresStore,
    postgres_pool
);
exhausted!(
    an_exhausted_mysql_pool_delays_requests_and_loses_nothing,
    MySqlHost,
    MySqlStore,
    mysql_pool
);

#[tokio::test]
async fn what_does_not_fit_in_a_sqlite_pool_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = SqliteConnectOptions::new().filename(folder.path().join("app.db"));
    let file = file.create_if_missing(true);
    let wal = file.clone().journal_mode(SqliteJournalMode::Wal);
    let refusal = async |options| {
        let pool = SqlitePool::connect_with(options).await.unwrap();
        let opened = SqliteStore::with_pool(pool.clone()).await;
        pool.close().await;
        reason(&opened.unwrap_err())
    };
    for (options, expected) in [
        (
            file.journal_mode(SqliteJournalMode::Delete),
            "journal_mode=delete",
        ),
        (SqliteConnectOptions::new(), "journal_mode=memory"),
        (wal.clone().pragma("query_only", "ON"), "query_only=1"),
        (
            wal.clone().synchronous(SqliteSynchronous::Off),
            "synchronous=0",
        ),
        (
            wal.clone().locking_mode(SqliteLockingMode::Exclusive),
            "locking_mode=exclusive",
        ),
        (wal.read_only(true), "readonly"),
    ] {
        let reason = refusal(options).await;
        assert!(
            reason.contains(expected),
            "{reason} does not name {expected}"
        );
    }
}

#[tokio::test]
async fn what_does_not_fit_in_a_postgres_pool_is_named() {
    let Some(host) = PostgresHost::start().await else {
        return;
    };
    for (setting, expected) in [
        (
            "default_transaction_read_only=on",
            "transaction_read_only=on",
        ),
        ("synchronous_commit=off", "synchronous_commit=off"),
    ] {
        let url = format!("{}?options=-c%20{setting}", host.url);
        let pool = postgres_pool(&url, 1).await;
        let reason = reason(&PostgresStore::with_pool(pool).await.unwrap_err());
        assert!(
            reason.contains(expected),
            "{reason} does not name {expected}"
        );
    }
}

/// The file is in another mode, and the host has it open: Handbill says so instead of changing it.
#[tokio::test]
async fn a_file_that_the_host_holds_open_in_delete_mode_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.db");
    let options = SqliteConnectOptions::new()
        .filename(&path)
        .create_if_missing(true);
    let host = SqlitePool::connect_with(options).await.unwrap();
    sqlx::query(AUDIT).execute(&host).await.unwrap();
    let mut reading = host.begin().await.unwrap();
    sqlx::query("SELECT * FROM audit")
        .fetch_all(&mut *reading)
        .await
        .unwrap();
    let reason = reason(&SqliteStore::open(&path).await.unwrap_err());
    assert!(
        reason.contains("app.db") && reason.contains("locked"),
        "{reason}"
    );
    drop(reading);
    host.close().await;
    SqliteStore::open(&path).await.unwrap();
}

fn reason(error: &StoreError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
