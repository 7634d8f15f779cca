//! Reads. They never wait for the writer.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};
use std::thread::available_parallelism;

use handbill::store::{
    Entry, InstallationSecret, KeyRecord, PageSize, PostId, SecretHash, StoreError,
};
use serde::Serialize;
use sqlx::pool::PoolConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions, SqliteRow};
use sqlx::{Sqlite, SqliteConnection, SqlitePool};
use tokio::time::timeout;

use super::connections::Source;
use crate::columns::{keys_where, posts_where};
use crate::connections::{ACQUIRE_TIMEOUT, Connections, acquire};
use crate::lookup::Lookup;
use crate::query::Query;
use crate::row;

const MAX_CONNECTIONS: u32 = 8;
/// Memory for the pages of the database that a connection has read, in KiB, as SQLite wants it:
/// negative. The operating system caches the file.
const CACHE_SIZE: &str = "-512";

/// At a time. More of them wait for the disk together; fewer share more of their trips to the
/// database's threads. Keys are few, and in memory.
const POST_QUERIES: u32 = 4;
const KEY_QUERIES: u32 = 1;

static POSTS: LazyLock<String> =
    LazyLock::new(|| posts_where("id IN (SELECT value FROM json_each(?1))"));
static KEYS: LazyLock<String> =
    LazyLock::new(|| keys_where("secret IN (SELECT unhex(value) FROM json_each(?1))"));

pub(crate) struct Reader {
    pool: SqlitePool,
    /// A pool of the host stays open when the store is closed.
    owns_pool: bool,
    /// For lookups of single rows.
    lookups: Connections<Source>,
    posts: Lookup<PostId, Entry>,
    keys: Lookup<SecretHash, KeyRecord>,
    /// For probes, which must not wait for other reads.
    probe: Connections<Source>,
}

impl Reader {
    /// Reads with connections of its own.
    pub(super) async fn open(options: SqliteConnectOptions) -> sqlx::Result<Self> {
        let options = options.row_buffer_size(PageSize::MAX.get() as usize);
        let source = Source::file(options.clone());
        let options = options
            .pragma("query_only", "ON")
            .pragma("cache_size", CACHE_SIZE);
        let cores = available_parallelism().map_or(1, |cores| cores.get() as u32);
        let pool = SqlitePoolOptions::new()
            .min_connections(1)
            .max_connections((2 * cores).min(MAX_CONNECTIONS))
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
            .connect_with(options)
            .await?;
        Ok(Self::new(pool, source, true))
    }

    /// Reads with the host's pool.
    pub(super) fn with_pool(pool: SqlitePool) -> Self {
        Self::new(pool.clone(), Source::pool(pool), false)
    }

    fn new(pool: SqlitePool, source: Source, owns_pool: bool) -> Self {
        let source = source
            .with_pragma("query_only", "ON")
            .with_pragma("cache_size", CACHE_SIZE);
        Self {
            pool,
            owns_pool,
            lookups: Connections::new(source.clone(), POST_QUERIES + KEY_QUERIES),
            posts: Lookup::new(POST_QUERIES as usize),
            keys: Lookup::new(KEY_QUERIES as usize),
            probe: Connections::new(source, 1),
        }
    }

    pub(super) async fn close(&self) {
        self.lookups.close().await;
        self.probe.close().await;
        if self.owns_pool {
            self.pool.close().await;
        }
    }

    /// Succeeds as soon as reads do.
    pub(super) async fn check(&self) -> sqlx::Result<()> {
        let query = sqlx::query("SELECT schema FROM handbill_meta");
        self.probe
            .with(async |connection| query.fetch_one(connection).await)
            .await?;
        Ok(())
    }

    pub(super) async fn post(&self, id: PostId) -> Result<Option<Entry>, Arc<sqlx::Error>> {
        let query = async |ids: HashSet<PostId>| {
            let ids: Vec<_> = ids.iter().map(PostId::as_str).collect();
            self.look_up(&POSTS, json(&ids)).await
        };
        self.posts.find(id, query, row::entry_by_id).await
    }

    pub(super) async fn key(
        &self,
        secret: SecretHash,
    ) -> Result<Option<KeyRecord>, Arc<sqlx::Error>> {
        let query = async |secrets: HashSet<SecretHash>| {
            let secrets = secrets.iter().map(|secret| hex::encode(secret.as_bytes()));
            let secrets: Vec<_> = secrets.collect();
            self.look_up(&KEYS, json(&secrets)).await
        };
        self.keys.find(secret, query, row::key_by_secret).await
    }

    /// The rows of some names, as JSON. Callers share a query, since a trip to the database's thread takes longer than
    /// to find a row: with 32 callers a lookup takes a third of the time.
    async fn look_up(
        &self,
        sql: &'static str,
        names: String,
    ) -> Result<Vec<SqliteRow>, Arc<sqlx::Error>> {
        let query = sqlx::query(sql).bind(names);
        let fetch = async |connection: &mut SqliteConnection| query.fetch_all(connection).await;
        let rows = timeout(ACQUIRE_TIMEOUT, self.lookups.with(fetch)).await;
        Ok(rows.unwrap_or(Err(sqlx::Error::PoolTimedOut))?)
    }

    pub(super) async fn connection(&self) -> sqlx::Result<PoolConnection<Sqlite>> {
        acquire(&self.pool).await
    }

    /// What a query finds. `doing` says what it is for.
    pub(crate) async fn rows<T>(
        &self,
        doing: &'static str,
        query: Query<'_>,
        read: fn(&SqliteRow) -> sqlx::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let query = query.into_statement();
        let rows = async { query.fetch_all(&mut *self.connection().await?).await };
        let found = rows.await.and_then(|rows| rows.iter().map(read).collect());
        found.map_err(|error| StoreError::new(doing, error))
    }

    /// Expects that there is one.
    pub(super) async fn installation_secret(&self) -> sqlx::Result<InstallationSecret> {
        let found = sqlx::query("SELECT installation_secret FROM handbill_meta")
            .fetch_one(&mut *self.connection().await?)
            .await?;
        row::installation_secret(&found, "installation_secret")
    }
}

/// Texts as SQLite's `json_each` reads them.
pub(super) fn json(texts: &[impl Serialize]) -> String {
    serde_json::to_string(texts).unwrap_or_else(|_| unreachable!("texts are JSON"))
}
