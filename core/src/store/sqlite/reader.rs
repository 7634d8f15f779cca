//! Reads: a pool of connections that never wait for the writer.
//!
//! Concurrent reads of posts by their identifiers share one query: with 32 callers that took a third of
//! the time, since a trip to the database's thread takes longer than a lookup.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};

use super::{page, row};
use crate::id::PostId;
use crate::key::KeyRecord;
use crate::post::{Entry, PageRequest, PostList};
use crate::secret::{InstallationSecret, SecretHash};
use crate::store::coalescer::Coalescer;

const MAX_CONNECTIONS: u32 = 8;
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// Memory for the pages of the database that a connection has read, in KiB, as SQLite wants it:
/// negative. The operating system caches the file.
const CACHE_SIZE: &str = "-1024";

type PostsById = HashMap<PostId, Entry>;

#[derive(Debug)]
pub(super) struct Reader {
    pool: SqlitePool,
    /// Concurrent reads by identifier share one query.
    posts: Coalescer<PostId, Result<Arc<PostsById>, Arc<sqlx::Error>>>,
}

impl Reader {
    pub(super) async fn open(options: SqliteConnectOptions) -> sqlx::Result<Self> {
        let cores = available_parallelism().map_or(1, |cores| cores.get() as u32);
        let pool = SqlitePoolOptions::new()
            .min_connections(1)
            .max_connections((2 * cores).min(MAX_CONNECTIONS))
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
            .connect_with(
                options
                    .pragma("query_only", "ON")
                    .pragma("cache_size", CACHE_SIZE),
            )
            .await?;
        Ok(Self {
            pool,
            posts: Coalescer::default(),
        })
    }

    pub(super) async fn close(&self) {
        self.pool.close().await;
    }

    /// Succeeds as soon as reads do.
    pub(super) async fn check(&self) -> sqlx::Result<()> {
        sqlx::query("SELECT schema FROM handbill_meta")
            .fetch_one(&self.pool)
            .await?;
        Ok(())
    }

    pub(super) async fn post(&self, id: PostId) -> Result<Option<Entry>, Arc<sqlx::Error>> {
        let query = async |ids| self.posts(ids).await.map(Arc::new).map_err(Arc::new);
        let found = self.posts.ask(id, query).await?;
        Ok(found.get(&id).cloned())
    }

    async fn posts(&self, ids: HashSet<PostId>) -> sqlx::Result<PostsById> {
        let ids: Vec<&str> = ids.iter().map(PostId::as_str).collect();
        let rows = sqlx::query(
            "SELECT post.* FROM json_each(?1) JOIN handbill_posts AS post ON post.id = value",
        )
        .bind(row::json(&ids))
        .fetch_all(&self.pool)
        .await?;
        let posts = rows
            .iter()
            .map(|row| Ok((row::post_id(row)?, row::entry(row)?)));
        posts.collect()
    }

    pub(super) async fn post_by_edit_token(
        &self,
        token: SecretHash,
    ) -> sqlx::Result<Option<Entry>> {
        let found = sqlx::query("SELECT * FROM handbill_posts WHERE edit_token = ?1")
            .bind(token.as_bytes().as_slice())
            .fetch_optional(&self.pool)
            .await?;
        found.as_ref().map(row::entry).transpose()
    }

    pub(super) async fn page(&self, request: &PageRequest) -> sqlx::Result<PostList> {
        page::read(&self.pool, request).await
    }

    pub(super) async fn key(&self, secret: SecretHash) -> sqlx::Result<Option<KeyRecord>> {
        let found = sqlx::query("SELECT * FROM handbill_keys WHERE secret = ?1")
            .bind(secret.as_bytes().as_slice())
            .fetch_optional(&self.pool)
            .await?;
        found.as_ref().map(row::key).transpose()
    }

    pub(super) async fn keys(&self) -> sqlx::Result<Vec<KeyRecord>> {
        let found = sqlx::query("SELECT * FROM handbill_keys ORDER BY created_at, id")
            .fetch_all(&self.pool)
            .await?;
        found.iter().map(row::key).collect()
    }

    /// Expects that there is one.
    pub(super) async fn installation_secret(&self) -> sqlx::Result<InstallationSecret> {
        let found = sqlx::query("SELECT installation_secret FROM handbill_meta")
            .fetch_one(&self.pool)
            .await?;
        row::installation_secret(&found)
    }
}
