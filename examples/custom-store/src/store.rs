//! The store: Handbill's questions go to a reader, its changes to the writer.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use handbill::{
    Entry, Health, KeyId, KeyRecord, PageRequest, Post, PostId, PostList, Revision, SecretHash,
    Store, StoreError, Timestamp, Write,
};
use redb::{Database, ReadTransaction, ReadableDatabase};
use tokio::task::spawn_blocking;

use crate::change::Change;
use crate::read;
use crate::tables::{Cause, Tables};
use crate::writer::Writer;

/// The most memory that redb keeps pages of the file in; its own default is a gibibyte.
const CACHE: usize = 64 << 20;

/// Keeps posts and keys in one redb file.
///
/// Writing is one thread's work (`writer.rs`). Readers never wait for it: each sees the file as the
/// last commit left it. So what a method has returned from is seen by each call that begins later.
pub(crate) struct RedbStore {
    writer: Writer,
    database: Arc<Database>,
}

impl RedbStore {
    /// Opens the file, and makes it when absent. Blocks, as is fit for a program's start.
    pub(crate) fn open(file: &Path) -> Result<Self, StoreError> {
        let open = || {
            let database = Database::builder().set_cache_size(CACHE).create(file)?;
            sync_folder(file)?;
            Self::over(database)
        };
        open().map_err(|cause: Cause| StoreError::new("open the database", cause))
    }

    pub(crate) fn over(database: Database) -> Result<Self, Cause> {
        // Readers find all tables there, also before the first write.
        let transaction = database.begin_write()?;
        Tables::open(&transaction)?;
        transaction.commit()?;

        let database = Arc::new(database);
        Ok(Self {
            writer: Writer::start(Arc::clone(&database))?,
            database,
        })
    }

    /// Reads where blocking is allowed: what is not in memory comes from the disk.
    async fn read<T: Send + 'static>(
        &self,
        doing: &'static str,
        read: impl FnOnce(&ReadTransaction) -> Result<T, Cause> + Send + 'static,
    ) -> Result<T, StoreError> {
        let database = Arc::clone(&self.database);
        match spawn_blocking(move || read(&database.begin_read()?)).await {
            Ok(answer) => answer.map_err(|cause| StoreError::new(doing, cause)),
            Err(panicked) => Err(StoreError::new(doing, panicked)),
        }
    }
}

#[async_trait]
impl Store for RedbStore {
    async fn insert_post(&self, post: Post) -> Result<Write, StoreError> {
        self.writer
            .write("insert a post", Change::InsertPost(post))
            .await
    }

    async fn update_post(&self, expected: Revision, post: Post) -> Result<Write, StoreError> {
        self.writer
            .write("update a post", Change::UpdatePost { expected, post })
            .await
    }

    async fn delete_post(&self, id: PostId, expected: Revision) -> Result<Write, StoreError> {
        self.writer
            .write("delete a post", Change::DeletePost { id, expected })
            .await
    }

    async fn get_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        self.read("read a post", move |transaction| {
            read::post(transaction, id)
        })
        .await
    }

    async fn get_current_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        self.post(id).await
    }

    async fn find_post_by_edit_token(
        &self,
        token: SecretHash,
    ) -> Result<Option<Entry>, StoreError> {
        let read = move |transaction: &_| read::find_post_by_edit_token(transaction, &token);
        self.read("find a post by its edit token", read).await
    }

    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        self.read("list posts", move |transaction| {
            read::page(transaction, &page)
        })
        .await
    }

    async fn insert_key(&self, key: KeyRecord) -> Result<Write, StoreError> {
        self.writer
            .write("insert a key", Change::InsertKey(key))
            .await
    }

    async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
        let read = move |transaction: &_| read::find_key(transaction, &secret);
        self.read("find a key by its secret", read).await
    }

    async fn list_keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        self.read("list keys", read::keys).await
    }

    async fn touch_key(&self, id: KeyId, at: Timestamp) -> Result<(), StoreError> {
        self.writer
            .write("note the use of a key", Change::TouchKey { id, at })
            .await
            .map(drop)
    }

    async fn revoke_key(&self, id: KeyId) -> Result<Write, StoreError> {
        self.writer
            .write("revoke a key", Change::RevokeKey(id))
            .await
    }

    async fn health(&self) -> Result<Health, StoreError> {
        if !self.writer.is_well() {
            return Err(StoreError::new("write", "the last write failed"));
        }
        self.read("reach the database", |_| Ok(Health::default()))
            .await
    }
}

/// Makes sure that a new file's name is on the disk too, and not its contents alone. Where folders
/// can't be opened, as on Windows, the system sees to that.
fn sync_folder(file: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let folder = file
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}
