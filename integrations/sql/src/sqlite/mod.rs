//! Posts and keys in one SQLite file.
//!
//! The tables are meant to be read by people (`migrations/`, whose triggers maintain the lists). One task writes and
//! commits all changes that wait together (`writer.rs`, `change.rs`) and erases what they deleted (`erase.rs`,
//! `erase_words.rs`); `backup.rs` copies the whole file; a pool of connections reads (`reader.rs`, `page.rs`).
//! `index.rs` writes the words of posts, and `search.rs` finds them. Nothing is cached here. `watch.rs` tells services
//! of other processes' commits, so that they can use cached responses.

mod backup;
mod change;
mod connections;
mod erase;
mod erase_words;
mod index;
mod open;
mod outbox_change;
mod page;
mod reader;
mod search;
mod statements;
mod watch;
mod writer;

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use handbill::store::{
    Bar, Changes, Due, Entry, Freshness, Health, InstallationSecret, KeyId, KeyRecord, List,
    NewChange, Outbox, Outcome, PageRequest, PostId, PostKey, PostList, SearchIndex, SecretHash,
    Store, StoreError, StoreStats, Tag, TagCount, Timestamp, Write,
};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{SqliteConnection, SqlitePool};

use self::connections::Source;
use self::open::{OpenError, open_in_pool};
use self::reader::Reader;
pub(crate) use self::search::UNINDEXED;
use self::watch::CommitWatch;
use crate::migration::Schema;
use crate::query::Query;
use crate::writer::Writer;
use crate::{columns, row};

/// How long to wait for another process that writes to the same file, in milliseconds.
const BUSY_TIMEOUT: &str = "5000";
/// How far cached responses may be behind other processes.
const CACHE_BOUND: Duration = Duration::from_millis(50);

/// A store in one SQLite file, which is made when absent.
///
/// What a method has returned from survives a crash and a power cut (write-ahead log,
/// `synchronous=FULL`). Writes that come at the same time are committed together. Other processes may
/// read and write the same file at the same time, and all see each other's writes at once.
///
/// A new file can be read by its user alone. What is deleted or replaced is overwritten with zeros, and the write-ahead
/// log is emptied at most 30 seconds later, also in a process that was killed and runs again. Only a read of older data
/// that takes longer delays that: a backup, or another program that reads all the time, such as Litestream. After five
/// minutes, that is a warning. The words by which searches found a deleted text are erased in small steps. Among a
/// million posts, that may take more than an hour.
///
/// The names of its tables start with `handbill_`, so the file may be the host's own database. They
/// can be read with plain SQL: `migrations/` in the source describes them. A clone is the same store.
///
/// ```
/// use handbill::{Draft, Handbill};
/// use handbill_sql::SqliteStore;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("posts.db");
/// let store = SqliteStore::open(file).await?.cached();
/// let handbill = Handbill::new("https://example.org", store)?;
/// handbill.posts().create(Draft::new().body("Stored.")).await?;
/// # Ok(())
/// # }
/// # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(example()).unwrap();
/// ```
#[derive(Clone)]
pub struct SqliteStore {
    pub(crate) reader: Arc<Reader>,
    pub(crate) writer: Arc<Writer<SqliteConnection>>,
    watch: Arc<CommitWatch>,
    source: Source,
    changes: Option<Changes>,
}

impl SqliteStore {
    /// Opens the file at this path, or makes it. Upgrades the tables of earlier versions from schema 6 on: each step
    /// is one transaction, and of several processes that open the file at once, one does it. Call it on a tokio
    /// runtime, which then runs the store's writing task.
    ///
    /// # Errors
    /// If the file can't be opened, made or upgraded, or is not a database. The tables of a later version, and
    /// tables of the same names that are not Handbill's, are refused and left alone. The source of the error names
    /// the path and the reason.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        open_store(Box::pin(open::open(path.as_ref()))).await
    }

    /// Opens the file at this path to read it, and neither makes nor upgrades anything.
    ///
    /// # Errors
    /// Those of [`open`](Self::open), and if its tables need an upgrade: the error has the numbers of both schemas.
    pub async fn open_as_it_is(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        open_store(Box::pin(open::open_as_it_is(path))).await
    }

    /// The schema of the tables in the file at this path, which stays as it is.
    ///
    /// # Errors
    /// If the file can't be opened, or has tables that this version can't use.
    pub async fn schema(path: impl AsRef<Path>) -> Result<Schema, StoreError> {
        let found = open::schema(path.as_ref()).await;
        found.map_err(|error| StoreError::new(OPENING, error))
    }

    /// Opens the tables in the database of the host's pool, as [`open`](Self::open) does in a file. Lists are read
    /// with the pool. What needs a connection of its own takes it out of the pool, which opens another in its place:
    /// one for writes, up to seven for reads, and one for a moment from time to time.
    ///
    /// The connections must have `journal_mode=WAL` and not `synchronous=OFF`, be able to write, and not lock the file
    /// for themselves. The store sets the other things that it needs on the connections that it takes out. It waits for
    /// a connection for 5 seconds at most. [`close`](Self::close) leaves the pool open: call it before you close the
    /// pool, since it erases what was deleted last.
    ///
    /// # Errors
    /// Those of [`open`](Self::open), and if a setting does not fit, which the error names.
    ///
    /// ```
    /// use handbill_sql::SqliteStore;
    /// use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions};
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let file = folder.path().join("app.db");
    /// let options = SqliteConnectOptions::new()
    ///     .filename(file)
    ///     .create_if_missing(true)
    ///     .journal_mode(SqliteJournalMode::Wal);
    /// let pool = SqlitePoolOptions::new().connect_with(options).await?;
    /// let store = SqliteStore::with_pool(pool.clone()).await?.cached();
    /// # Ok(())
    /// # }
    /// # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(example()).unwrap();
    /// ```
    pub async fn with_pool(pool: SqlitePool) -> Result<Self, StoreError> {
        open_pool(pool).await
    }

    fn new(reader: Reader, source: Source) -> Self {
        Self {
            reader: Arc::new(reader),
            writer: writer::start(source.clone()),
            watch: Arc::new(CommitWatch::new(source.clone())),
            source,
            changes: None,
        }
    }

    /// Lets services over the store use cached responses.
    ///
    /// Readers are never behind the writes of these services, and at most 50 ms behind those of other processes: while
    /// reads arrive, SQLite is asked that often whether anything was committed.
    #[must_use]
    pub fn cached(self) -> Self {
        let watch = Arc::clone(&self.watch);
        let changes = Some(Changes::polled(CACHE_BOUND, watch));
        Self { changes, ..self }
    }

    /// Finishes the writes that wait and closes the store's connections. Writes after that are errors, and reads too,
    /// except for those with the host's pool.
    pub async fn close(&self) {
        self.writer.close().await;
        self.watch.close().await;
        self.reader.close().await;
    }
}

const OPENING: &str = "open the SQLite database";

/// Boxed, so that this crate compiles it, and not each program again.
fn open_store<'a>(
    opened: BoxFuture<'a, Result<SqliteConnectOptions, OpenError>>,
) -> BoxFuture<'a, Result<SqliteStore, StoreError>> {
    Box::pin(async move {
        let options = opened
            .await
            .map_err(|error| StoreError::new(OPENING, error))?;
        let reader = Reader::open(options.clone())
            .await
            .map_err(|error| StoreError::new(OPENING, error))?;
        Ok(SqliteStore::new(reader, Source::file(options)))
    })
}

/// Boxed as [`open_store`] is.
fn open_pool(pool: SqlitePool) -> BoxFuture<'static, Result<SqliteStore, StoreError>> {
    Box::pin(async move {
        let source = Source::pool(pool.clone())
            .with_pragma("busy_timeout", BUSY_TIMEOUT)
            .with_pragma("synchronous", "FULL");
        open_in_pool(&pool, &source)
            .await
            .map_err(|error| StoreError::new("open the database of a pool", error))?;
        Ok(SqliteStore::new(Reader::with_pool(pool), source))
    })
}

impl fmt::Debug for SqliteStore {
    /// Tells nothing of what is inside, such as passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn write(&self, write: Write, change: Option<NewChange>) -> Result<Outcome, StoreError> {
        self.writer.write(write, change).await
    }

    async fn get_post(&self, by: PostKey, _: Freshness) -> Result<Option<Entry>, StoreError> {
        let doing = "read a post";
        let found = match by {
            PostKey::Id(id) => self.reader.post(id).await,
            PostKey::EditToken(token) => {
                let query = columns::post_by_edit_token(&token);
                return Ok(self.reader.rows(doing, query, row::entry).await?.pop());
            }
        };
        found.map_err(|error| StoreError::new(doing, error))
    }

    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        let found = page::read(&self.reader, page).await;
        found.map_err(|error| StoreError::new("list posts", error))
    }

    async fn count_since(
        &self,
        list: List,
        tag: Option<Tag>,
        times: Vec<Timestamp>,
    ) -> Result<Vec<u64>, StoreError> {
        let found = page::since(&self.reader, &list, tag.as_ref(), &times).await;
        found.map_err(|error| StoreError::new("count posts", error))
    }

    async fn list_due(&self, limit: u32) -> Result<Vec<Due>, StoreError> {
        let query = columns::due(limit);
        self.reader.rows("list what is due", query, row::due).await
    }

    async fn list_tags(&self, limit: u32) -> Result<Vec<TagCount>, StoreError> {
        let query = Query::new(page::TAGS).bind(limit);
        self.reader.rows("list tags", query, row::tag_count).await
    }

    async fn walk_entries(
        &self,
        after: Option<PostId>,
        limit: u32,
    ) -> Result<Vec<Entry>, StoreError> {
        let query = columns::posts_after(after.as_ref(), limit);
        self.reader.rows("read posts", query, row::entry).await
    }

    async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
        let found = self.reader.key(secret).await;
        found.map_err(|error| StoreError::new("find a key", error))
    }

    async fn walk_keys(
        &self,
        after: Option<KeyId>,
        limit: u32,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        let query = columns::keys_after(after.as_ref(), limit);
        self.reader.rows("read keys", query, row::key).await
    }

    async fn walk_bars(
        &self,
        after: Option<SecretHash>,
        limit: u32,
    ) -> Result<Vec<Bar>, StoreError> {
        let query = columns::bars_after(after.as_ref(), limit);
        self.reader.rows("read bars", query, row::bar).await
    }

    async fn get_or_insert_installation_secret(
        &self,
        candidate: InstallationSecret,
    ) -> Result<InstallationSecret, StoreError> {
        let doing = "read the installation's secret";
        // If there is one already, this changes nothing.
        let inserted = self.writer.insert_installation_secret(doing, candidate);
        inserted.await?;
        let found = self.reader.installation_secret().await;
        found.map_err(|error| StoreError::new(doing, error))
    }

    async fn health(&self) -> Result<Health, StoreError> {
        let checked = self.reader.check().await;
        checked
            .map(|()| Health::default())
            .map_err(|error| StoreError::new("reach the database", error))
    }

    fn outbox(&self) -> Option<&dyn Outbox> {
        Some(self)
    }

    fn search_index(&self) -> Option<&dyn SearchIndex> {
        Some(self)
    }

    fn changes(&self) -> Option<Changes> {
        self.changes.clone()
    }

    fn stats(&self) -> StoreStats {
        StoreStats::default().with_writes(self.writer.stats())
    }
}
