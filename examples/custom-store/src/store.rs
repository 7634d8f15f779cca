//! The store. Each method is one transaction, on a thread that may block.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use handbill::{
    Entry, Health, InstallationSecret, KeyId, KeyRecord, ListedPost, PageRequest, Post, PostId,
    PostList, Revision, SecretHash, Store, StoreError, Tag, Timestamp, Write,
};
use redb::{Database, ReadTransaction, ReadableDatabase, ReadableTable};
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use crate::record;
use crate::tables::{Cause, EDIT_TOKENS, KEY_SECRETS, KEYS, LISTS, POSTS, TOTALS, Tables};

/// Stores posts and keys in one redb file.
///
/// Each read sees the last commit, and a write returns after its commit, so the next call sees it.
pub(crate) struct RedbStore {
    database: Arc<Database>,
    /// Held by the current write. Other writes wait here instead of blocking a thread each.
    writing: Arc<Mutex<()>>,
}

impl RedbStore {
    /// Opens the file and creates it if it is missing. This blocks, which is acceptable when a
    /// program starts.
    pub(crate) fn open(file: &Path) -> Result<Self, Cause> {
        let database = Arc::new(Database::create(file)?);
        let transaction = database.begin_write()?;
        // Reads expect the tables.
        Tables::open(&transaction)?;
        transaction.commit()?;
        let writing = Arc::default();
        Ok(Self { database, writing })
    }

    /// Writes in one transaction and returns when it is on the disk, as redb commits by default. If
    /// the caller stops waiting, the write still completes.
    async fn write<T: Send + 'static>(
        &self,
        doing: &'static str,
        change: impl FnOnce(&mut Tables<'_>) -> Result<T, Cause> + Send + 'static,
    ) -> Result<T, StoreError> {
        let turn = Arc::clone(&self.writing).lock_owned().await;
        self.block(doing, move |database| {
            let _turn = turn;
            let transaction = database.begin_write()?;
            let outcome = change(&mut Tables::open(&transaction)?)?;
            transaction.commit()?;
            Ok(outcome)
        })
        .await
    }

    /// Reads in one transaction, which sees one state of the file.
    async fn read<T: Send + 'static>(
        &self,
        doing: &'static str,
        read: impl FnOnce(&ReadTransaction) -> Result<T, Cause> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.block(doing, move |database| read(&database.begin_read()?))
            .await
    }

    /// Runs on a thread that may block.
    async fn block<T: Send + 'static>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Database) -> Result<T, Cause> + Send + 'static,
    ) -> Result<T, StoreError> {
        let database = Arc::clone(&self.database);
        let done = spawn_blocking(move || work(&database)).await;
        let outcome = done.unwrap_or_else(|panicked| Err(panicked.into()));
        outcome.map_err(|cause| StoreError::new(doing, cause))
    }
}

#[async_trait]
impl Store for RedbStore {
    async fn insert_post(&self, post: Post) -> Result<Write, StoreError> {
        self.write("insert a post", move |t| t.insert_post(&post))
            .await
    }

    async fn update_post(&self, expected: Revision, post: Post) -> Result<Write, StoreError> {
        self.write("update a post", move |t| t.update_post(expected, &post))
            .await
    }

    async fn delete_post(&self, id: PostId, expected: Revision) -> Result<Write, StoreError> {
        self.write("delete a post", move |t| t.delete_post(id, expected))
            .await
    }

    async fn get_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        self.read("read a post", move |tx| entry(tx, id)).await
    }

    async fn get_current_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        self.get_post(id).await
    }

    async fn find_post_by_edit_token(
        &self,
        token: SecretHash,
    ) -> Result<Option<Entry>, StoreError> {
        self.read("find a post by its edit token", move |tx| {
            match tx.open_table(EDIT_TOKENS)?.get(token.as_bytes())? {
                Some(id) => entry(tx, id.value().parse()?),
                None => Ok(None),
            }
        })
        .await
    }

    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        self.read("list posts", move |tx| list(tx, &page)).await
    }

    async fn insert_key(&self, key: KeyRecord) -> Result<Write, StoreError> {
        self.write("insert a key", move |t| t.insert_key(&key))
            .await
    }

    async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
        self.read("find a key by its secret", move |tx| {
            let secrets = tx.open_table(KEY_SECRETS)?;
            let Some(id) = secrets.get(secret.as_bytes())? else {
                return Ok(None);
            };
            let json = tx.open_table(KEYS)?.get(id.value())?;
            json.map(|json| record::decode_key(id.value(), json.value()))
                .transpose()
        })
        .await
    }

    async fn list_keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        self.read("list keys", |tx| {
            let mut keys = Vec::new();
            for row in tx.open_table(KEYS)?.iter()? {
                let (id, json) = row?;
                keys.push(record::decode_key(id.value(), json.value())?);
            }
            keys.sort_by_key(|key| (key.created_at, key.id));
            Ok(keys)
        })
        .await
    }

    async fn touch_key(&self, id: KeyId, at: Timestamp) -> Result<(), StoreError> {
        self.write("note the use of a key", move |t| t.touch_key(id, at))
            .await
    }

    async fn revoke_key(&self, id: KeyId) -> Result<Write, StoreError> {
        self.write("revoke a key", move |t| t.revoke_key(id)).await
    }

    async fn get_or_insert_installation_secret(
        &self,
        candidate: InstallationSecret,
    ) -> Result<InstallationSecret, StoreError> {
        let candidate = *candidate.as_bytes();
        let read = self.write("read the secret", move |t| t.installation_secret(candidate));
        Ok(InstallationSecret::from_bytes(read.await?))
    }

    async fn health(&self) -> Result<Health, StoreError> {
        self.read("read", |_| Ok(Health::default())).await
    }
}

fn entry(tx: &ReadTransaction, id: PostId) -> Result<Option<Entry>, Cause> {
    let json = tx.open_table(POSTS)?.get(id.as_str())?;
    json.map(|json| record::decode_entry(id, json.value()))
        .transpose()
}

/// Walks over the posts before the page, so that the last page of a long list takes longest.
fn list(tx: &ReadTransaction, page: &PageRequest) -> Result<PostList, Cause> {
    let list = page.tag().map_or("", Tag::as_str);
    let total = tx.open_table(TOTALS)?.get(list)?;
    let total = total.map_or(0, |total| total.value());
    let lists = tx.open_table(LISTS)?;
    let newest_first = lists.range((list, 0, "")..(list, i64::MAX, ""))?.rev();
    let before = usize::try_from(page.offset().min(total))?;
    let mut posts = Vec::new();
    for row in newest_first.skip(before).take(page.per_page() as usize) {
        let (position, _) = row?;
        let (_, _, id) = position.value();
        if let Some(Entry::Live(post)) = entry(tx, id.parse()?)? {
            let body = page.bodies().then(|| post.body.clone());
            posts.push(ListedPost::new(post.summary.clone()).with_body(body));
        }
    }
    Ok(PostList::new(posts, total))
}
