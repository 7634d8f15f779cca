//! Reads. They never wait for the writer.

use std::sync::{Arc, LazyLock};
use std::thread::available_parallelism;

use handbill::store::{
    Bar, Entry, InstallationSecret, KeyId, KeyRecord, List, PageRequest, PageSize, PostId,
    PostList, SecretHash, Tag, TagCount, Timestamp,
};
use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqliteConnectOptions, SqlitePoolOptions, SqliteRow};
use sqlx::{Sqlite, SqlitePool};

use super::connections::{Source, acquire};
use super::lookup::Lookup;
use super::page;
use crate::columns::{keys_where, posts_where};
use crate::connections::Connections;
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
static POST_BY_EDIT_TOKEN: LazyLock<String> = LazyLock::new(|| posts_where("edit_token = ?1"));
static POSTS_AFTER: LazyLock<String> =
    LazyLock::new(|| posts_where("id > ?1 ORDER BY id LIMIT ?2"));
static KEYS: LazyLock<String> =
    LazyLock::new(|| keys_where("secret IN (SELECT unhex(value) FROM json_each(?1))"));
static KEYS_AFTER: LazyLock<String> = LazyLock::new(|| keys_where("id > ?1 ORDER BY id LIMIT ?2"));
const BARS_AFTER: &str =
    "SELECT owner, until FROM handbill_bars WHERE owner > ?1 ORDER BY owner LIMIT ?2";

#[derive(Debug)]
pub(super) struct Reader {
    pool: SqlitePool,
    /// A pool of the host stays open when the store is closed.
    owns_pool: bool,
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
        let post = |row: &SqliteRow| row::entry(row).map(|entry| (entry.id(), entry));
        let key = |row: &SqliteRow| row::key(row).map(|key| (key.secret, key));
        Self {
            pool,
            owns_pool,
            posts: Lookup::new(
                source.clone(),
                POST_QUERIES,
                &POSTS,
                PostId::to_string,
                post,
            ),
            probe: Connections::new(source.clone(), 1),
            keys: Lookup::new(
                source,
                KEY_QUERIES,
                &KEYS,
                |hash| hex::encode(hash.as_bytes()),
                key,
            ),
        }
    }

    pub(super) async fn close(&self) {
        self.posts.close().await;
        self.keys.close().await;
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
        self.posts.find(id).await
    }

    pub(super) async fn post_by_edit_token(
        &self,
        token: SecretHash,
    ) -> sqlx::Result<Option<Entry>> {
        let found = sqlx::query(POST_BY_EDIT_TOKEN.as_str())
            .bind(token.as_bytes().as_slice())
            .fetch_optional(&mut *acquire(&self.pool).await?)
            .await?;
        found.as_ref().map(row::entry).transpose()
    }

    /// The rows of a query.
    pub(super) async fn rows<T>(
        &self,
        query: Query<'_, Sqlite, SqliteArguments>,
        read: fn(&SqliteRow) -> sqlx::Result<T>,
    ) -> sqlx::Result<Vec<T>> {
        query
            .fetch_all(&mut *acquire(&self.pool).await?)
            .await?
            .iter()
            .map(read)
            .collect()
    }

    pub(super) async fn page(&self, request: PageRequest) -> sqlx::Result<PostList> {
        page::read(&mut *acquire(&self.pool).await?, request).await
    }

    pub(super) async fn key(
        &self,
        secret: SecretHash,
    ) -> Result<Option<KeyRecord>, Arc<sqlx::Error>> {
        self.keys.find(secret).await
    }

    pub(super) async fn since(
        &self,
        list: &List,
        tag: Option<&Tag>,
        times: &[Timestamp],
    ) -> sqlx::Result<Vec<u64>> {
        page::since(&mut *acquire(&self.pool).await?, list, tag, times).await
    }

    pub(super) async fn tags(&self, limit: u32) -> sqlx::Result<Vec<TagCount>> {
        page::tags(&mut *acquire(&self.pool).await?, limit).await
    }

    pub(super) async fn entries_after(
        &self,
        after: Option<PostId>,
        limit: u32,
    ) -> sqlx::Result<Vec<Entry>> {
        let found = sqlx::query(POSTS_AFTER.as_str())
            .bind(after.as_ref().map_or("", PostId::as_str))
            .bind(limit)
            .fetch_all(&mut *acquire(&self.pool).await?)
            .await?;
        found.iter().map(row::entry).collect()
    }

    pub(super) async fn keys_after(
        &self,
        after: Option<KeyId>,
        limit: u32,
    ) -> sqlx::Result<Vec<KeyRecord>> {
        let found = sqlx::query(KEYS_AFTER.as_str())
            .bind(after.as_ref().map_or("", KeyId::as_str))
            .bind(limit)
            .fetch_all(&mut *acquire(&self.pool).await?)
            .await?;
        found.iter().map(row::key).collect()
    }

    pub(super) async fn bars_after(
        &self,
        after: Option<SecretHash>,
        limit: u32,
    ) -> sqlx::Result<Vec<Bar>> {
        let found = sqlx::query(BARS_AFTER)
            .bind(after.as_ref().map_or(&[][..], |after| after.as_bytes()))
            .bind(limit)
            .fetch_all(&mut *acquire(&self.pool).await?)
            .await?;
        found.iter().map(row::bar).collect()
    }

    /// Expects that there is one.
    pub(super) async fn installation_secret(&self) -> sqlx::Result<InstallationSecret> {
        let found = sqlx::query("SELECT installation_secret FROM handbill_meta")
            .fetch_one(&mut *acquire(&self.pool).await?)
            .await?;
        row::installation_secret(&found, "installation_secret")
    }
}
