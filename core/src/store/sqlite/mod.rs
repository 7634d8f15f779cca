//! Posts and keys in one SQLite file.
//!
//! One writer commits all that is waiting together (`writer.rs`), readers never wait for it
//! (`reader.rs`), and what was read before is used again as long as nothing was committed
//! (`fresh.rs`). Lists are kept in blocks (`lists/`).

mod batch;
mod change;
mod fresh;
mod ids;
mod insert;
mod lists;
mod reader;
mod row;
mod wal_index;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{Connection, SqliteConnection};
use tokio::sync::Mutex;

use self::batch::Change;
use self::fresh::Freshness;
use self::reader::Reader;
use self::writer::Writer;
use super::{Health, Store, StoreError, Write};
use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::post::{Entry, PageRequest, Post, PostList, Revision};
use crate::secret::SecretHash;
use crate::time::Timestamp;

/// What `schema.sql` makes.
const SCHEMA: i64 = 3;
const HAS_TABLES: &str = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'handbill_meta')";
/// How long to wait for another process that writes to the same file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// The first release of SQLite without a rare corruption of write-ahead logs.
const SOUND_VERSION: (u32, u32, u32) = (3, 51, 3);

/// Keeps posts and keys in one SQLite file, made when absent.
///
/// What a method has returned from survives a crash and a power cut (write-ahead log,
/// `synchronous=FULL`). Writes that come at the same time are committed together. Other processes
/// may read and write the same file meanwhile.
///
/// A store holds one descriptor until its process ends, also after it is closed.
///
/// A clone is the same store. Its tables are named `handbill_…`, so that the file may be the host's own
/// database.
///
/// ```
/// use handbill::{Draft, Handbill, SqliteStore};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("posts.db");
/// let store = SqliteStore::open(file).await?;
/// let handbill = Handbill::new("https://example.org", store.clone())?;
/// handbill.posts().create(Draft::new().body("Kept.")).await?;
/// store.close().await;
/// # Ok(())
/// # }
/// # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(example()).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct SqliteStore {
    reader: Arc<Reader>,
    writer: Writer,
    freshness: Freshness,
    /// Keeps the file open while other connections come and go, as [`Freshness`] demands.
    anchor: Arc<Mutex<Option<SqliteConnection>>>,
}

impl SqliteStore {
    /// Opens the file at this path, or makes it. Call it on a tokio runtime, where the store's
    /// writer then runs.
    ///
    /// # Errors
    /// Where the file can't be opened or made, is no database, or is of another release.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let opening = |error| StoreError::new("open the SQLite database", error);
        let path = std::path::absolute(path).map_err(|error| opening(error.into()))?;
        let options = SqliteConnectOptions::new()
            .filename(&path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(BUSY_TIMEOUT);

        let mut anchor = SqliteConnection::connect_with(&options)
            .await
            .map_err(|error| opening(error.into()))?;
        prepare(&mut anchor).await.map_err(opening)?;
        let freshness = Freshness::watch(&path, &mut anchor)
            .await
            .map_err(|error| opening(error.into()))?;
        let reader = Reader::open(options.clone(), freshness.clone())
            .await
            .map_err(|error| opening(error.into()))?;
        Ok(Self {
            reader: Arc::new(reader),
            writer: Writer::start(options, freshness.clone()),
            freshness,
            anchor: Arc::new(Mutex::new(Some(anchor))),
        })
    }

    /// Finishes the writes under way and closes the file. Reads and writes after that are errors.
    pub async fn close(&self) {
        self.writer.finish().await;
        self.reader.close().await;
        self.freshness.end();
        if let Some(anchor) = self.anchor.lock().await.take() {
            // It read and wrote nothing for long: there is nothing to lose.
            let _ = anchor.close().await;
        }
    }
}

type OpenError = Box<dyn std::error::Error + Send + Sync>;

/// Makes the tables, unless those of another release are there.
async fn prepare(connection: &mut SqliteConnection) -> Result<(), OpenError> {
    let version: String = sqlx::query_scalar("SELECT sqlite_version()")
        .fetch_one(&mut *connection)
        .await?;
    if parse_version(&version).is_none_or(|version| version < SOUND_VERSION) {
        tracing::warn!(
            version,
            "this SQLite has a rare bug that can corrupt databases; use 3.51.3 or later",
        );
    }
    let has_tables: bool = sqlx::query_scalar(HAS_TABLES)
        .fetch_one(&mut *connection)
        .await?;
    if has_tables {
        let schema: i64 = sqlx::query_scalar("SELECT schema FROM handbill_meta")
            .fetch_one(&mut *connection)
            .await?;
        if schema != SCHEMA {
            return Err(format!("its schema {schema} is of another release").into());
        }
    }
    sqlx::raw_sql(include_str!("schema.sql"))
        .execute(connection)
        .await?;
    Ok(())
}

fn parse_version(text: &str) -> Option<(u32, u32, u32)> {
    let mut numbers = text.split('.').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??, numbers.next()??))
}

#[async_trait]
impl Store for SqliteStore {
    async fn insert_post(&self, post: Post) -> Result<Write, StoreError> {
        self.writer
            .write("insert a post", Change::InsertPost(Box::new(post)))
            .await
    }

    async fn update_post(&self, expected: Revision, post: Post) -> Result<Write, StoreError> {
        let change = Change::UpdatePost {
            expected,
            post: Box::new(post),
        };
        self.writer.write("update a post", change).await
    }

    async fn delete_post(&self, id: PostId, expected: Revision) -> Result<Write, StoreError> {
        self.writer
            .write("delete a post", Change::DeletePost { id, expected })
            .await
    }

    async fn get_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        self.reader
            .post(id)
            .await
            .map_err(|error| StoreError::new("read a post", error))
    }

    async fn get_current_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        self.get_post(id).await
    }

    async fn find_post_by_edit_token(
        &self,
        token: SecretHash,
    ) -> Result<Option<Entry>, StoreError> {
        let found = self.reader.find_post_by_edit_token(token).await;
        found.map_err(|error| StoreError::new("find a post by its edit token", error))
    }

    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        self.reader
            .posts(page)
            .await
            .map_err(|error| StoreError::new("list posts", error))
    }

    async fn insert_key(&self, key: KeyRecord) -> Result<Write, StoreError> {
        self.writer
            .write("insert a key", Change::InsertKey(key))
            .await
    }

    async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
        let found = self.reader.find_key(secret).await;
        found.map_err(|error| StoreError::new("find a key", error))
    }

    async fn list_keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        self.reader
            .keys()
            .await
            .map_err(|error| StoreError::new("list keys", error))
    }

    async fn touch_key(&self, id: KeyId, at: Timestamp) -> Result<(), StoreError> {
        let noted = self
            .writer
            .write("note a key's use", Change::TouchKey { id, at })
            .await;
        noted.map(|_| ())
    }

    async fn revoke_key(&self, id: KeyId) -> Result<Write, StoreError> {
        self.writer
            .write("revoke a key", Change::RevokeKey(id))
            .await
    }

    async fn health(&self) -> Result<Health, StoreError> {
        self.reader
            .reach()
            .await
            .map(|()| Health::default())
            .map_err(|error| StoreError::new("reach the database", error))
    }
}
