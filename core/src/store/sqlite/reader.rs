//! Reads: a pool of connections that never wait for the writer.

use std::thread::available_parallelism;
use std::time::Duration;

use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};

use super::fresh::{Freshness, KeysState, Remembered, Stamp};
use super::{ids, lists, row};
use crate::id::PostId;
use crate::key::KeyRecord;
use crate::post::{Entry, ListedPost, PageRequest, PostList, PostSummary};
use crate::secret::SecretHash;
use crate::store::weight::Weigh;

const MAX_CONNECTIONS: u32 = 8;
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes of answers that are kept.
const POSTS_BYTES: u64 = 8 * 1024 * 1024;
const PAGES_BYTES: u64 = 8 * 1024 * 1024;
const KEYS_BYTES: u64 = 1024 * 1024;
/// Memory for the pages of the database that a connection has read, in KiB, as SQLite wants it:
/// negative. What is asked for often is remembered above, and the system has the file in memory.
const CACHE_SIZE: &str = "-1024";

const POST: &str = concat!(
    "SELECT * FROM handbill_posts WHERE number = ",
    ids::number_of_post!()
);
const POST_BY_EDIT_TOKEN: &str = concat!(
    "SELECT * FROM handbill_posts WHERE number = ",
    ids::number_of_post!(),
    " AND edit_token = ?2 AND token_names_id
     UNION ALL
     SELECT * FROM handbill_posts WHERE edit_token = ?2 AND NOT token_names_id"
);
const KEY_BY_SECRET: &str = "SELECT * FROM handbill_keys WHERE secret = ?1";
const KEYS: &str = "SELECT * FROM handbill_keys ORDER BY created_at, id";

#[derive(Debug)]
pub(super) struct Reader {
    pool: SqlitePool,
    freshness: Freshness,
    posts: Remembered<PostId, Stamp, Option<Entry>>,
    pages: Remembered<PageRequest, Stamp, PostList>,
    keys: Remembered<SecretHash, KeysState, Option<KeyRecord>>,
}

impl Reader {
    pub(super) async fn open(
        options: SqliteConnectOptions,
        freshness: Freshness,
    ) -> sqlx::Result<Self> {
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
                    .create_if_missing(false)
                    .pragma("query_only", "ON")
                    .pragma("cache_size", CACHE_SIZE),
            )
            .await?;
        Ok(Self {
            pool,
            freshness,
            posts: Remembered::new(POSTS_BYTES),
            pages: Remembered::new(PAGES_BYTES),
            keys: Remembered::new(KEYS_BYTES),
        })
    }

    pub(super) async fn close(&self) {
        self.pool.close().await;
    }

    /// Succeeds as soon as reads do.
    pub(super) async fn reach(&self) -> sqlx::Result<()> {
        sqlx::query("SELECT schema FROM handbill_meta")
            .fetch_one(&self.pool)
            .await?;
        Ok(())
    }

    pub(super) async fn post(&self, id: PostId) -> sqlx::Result<Option<Entry>> {
        let ask = || async {
            let found = sqlx::query(POST)
                .bind(ids::of_post(id))
                .fetch_optional(&self.pool)
                .await?;
            found.as_ref().map(row::entry).transpose()
        };
        self.posts.get(id, self.freshness.stamp(), ask).await
    }

    pub(super) async fn find_post_by_edit_token(
        &self,
        token: SecretHash,
    ) -> sqlx::Result<Option<Entry>> {
        let id = PostId::from_bits(*token.as_bytes());
        let query = sqlx::query(POST_BY_EDIT_TOKEN).bind(ids::of_post(id));
        let query = query.bind(token.as_bytes().as_slice());
        let found = query.fetch_optional(&self.pool).await?;
        found.as_ref().map(row::entry).transpose()
    }

    pub(super) async fn posts(&self, page: PageRequest) -> sqlx::Result<PostList> {
        if page.per_page() > 50 {
            // Whoever goes through a whole list reads each page once: to remember these would push
            // out what is asked for often.
            return Box::pin(lists::page(&self.pool, &page)).await;
        }
        let ask = || lists::page(&self.pool, &page);
        self.pages
            .get(page.clone(), self.freshness.stamp(), ask)
            .await
    }

    pub(super) async fn find_key(&self, secret: SecretHash) -> sqlx::Result<Option<KeyRecord>> {
        let ask = || async {
            let query = sqlx::query(KEY_BY_SECRET).bind(secret.as_bytes().as_slice());
            let found = query.fetch_optional(&self.pool).await?;
            found.as_ref().map(row::key).transpose()
        };
        self.keys
            .get(secret, self.freshness.keys_state(), ask)
            .await
    }

    pub(super) async fn keys(&self) -> sqlx::Result<Vec<KeyRecord>> {
        let found = sqlx::query(KEYS).fetch_all(&self.pool).await?;
        found.iter().map(row::key).collect()
    }
}

impl Weigh for PostList {
    fn weight(&self) -> usize {
        let posts = self.posts.iter().map(|ListedPost { summary, body, .. }| {
            size_of::<PostSummary>() + summary.weight() + body.as_ref().map_or(0, String::len)
        });
        posts.sum()
    }
}

impl Weigh for KeyRecord {
    fn weight(&self) -> usize {
        self.label.as_ref().map_or(0, String::len)
    }
}
