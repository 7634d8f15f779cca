//! The store. Each method is one transaction, on a thread that may block.

use std::cmp::Reverse;
use std::ops::Bound::{Excluded, Unbounded};
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use handbill::store::{
    Bar, Changes, Due, Entry, Freshness, Health, InstallationSecret, KeyId, KeyRecord, List,
    ListedPost, NewChange, Outbox, Outcome, PageRequest, PageStart, Place, PostId, PostKey,
    PostList, SearchIndex, SecretHash, Store, StoreError, StoreStats, Tag, TagCount, Timestamp,
    Write,
};
use redb::{Database, ReadTransaction, ReadableDatabase, TableDefinition, WriteTransaction};
use serde::de::DeserializeOwned;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use crate::tables::{
    BARS, Cause, DUE, EDIT_TOKENS, Json, KEY_SECRETS, KEYS, LISTS, POSTS, TOTALS, Tables, Text,
    list_name, read,
};

/// Stores posts and keys in one redb file.
///
/// Each read sees the last commit, and a write returns after its commit, so the next call sees it.
#[derive(Debug)]
pub struct RedbStore {
    database: Arc<Database>,
    /// Held by the current write. Other writes wait here instead of blocking a thread each.
    writing: Arc<Mutex<()>>,
}

impl RedbStore {
    /// Opens the file and creates it if it is missing. This blocks, which is acceptable when a
    /// program starts.
    ///
    /// # Errors
    /// If the file cannot be opened, is no redb file, or is open already.
    pub fn open(file: &Path) -> Result<Self, Cause> {
        let database = Arc::new(Database::create(file)?);
        let transaction = database.begin_write()?;
        // Reads expect the tables.
        Tables::open(&transaction)?;
        crate::search::IndexTables::create(&transaction)?;
        transaction.commit()?;
        let writing = Arc::default();
        Ok(Self { database, writing })
    }

    /// Writes in one transaction and returns when it is on the disk, as redb commits by default. If
    /// the caller stops waiting, the write still completes.
    pub(crate) async fn transaction<T: Send + 'static>(
        &self,
        doing: &'static str,
        change: impl FnOnce(&WriteTransaction) -> Result<T, Cause> + Send + 'static,
    ) -> Result<T, StoreError> {
        let turn = Arc::clone(&self.writing).lock_owned().await;
        self.block(doing, move |database| {
            let _turn = turn;
            let transaction = database.begin_write()?;
            let outcome = change(&transaction)?;
            transaction.commit()?;
            Ok(outcome)
        })
        .await
    }

    /// Reads in one transaction, which sees one state of the file.
    pub(crate) async fn read<T: Send + 'static>(
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
    async fn write(&self, write: Write, change: Option<NewChange>) -> Result<Outcome, StoreError> {
        self.transaction(write.doing(), move |tx| {
            let (post, words) = (write.post(), write.words().cloned());
            let outcome = Tables::open(tx)?.make(write)?;
            if let (Outcome::Applied, Some(post)) = (outcome, post) {
                crate::search::IndexTables::set(tx, post, words.as_ref())?;
            }
            if let (Outcome::Applied, Some(change)) = (outcome, change) {
                crate::outbox::OutboxTables::open(tx)?.add(&change)?;
            }
            Ok(outcome)
        })
        .await
    }

    async fn get_post(&self, by: PostKey, _: Freshness) -> Result<Option<Entry>, StoreError> {
        self.read("read a post", move |tx| {
            let posts = tx.open_table(POSTS)?;
            match by {
                PostKey::Id(id) => read(&posts, id.as_str()),
                PostKey::EditToken(token) => {
                    match tx.open_table(EDIT_TOKENS)?.get(token.as_bytes())? {
                        Some(id) => read(&posts, id.value()),
                        None => Ok(None),
                    }
                }
            }
        })
        .await
    }

    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        self.read("list posts", move |tx| list(tx, &page)).await
    }

    /// The cost depends on the number of posts since then.
    async fn count_since(
        &self,
        list: List,
        tag: Option<Tag>,
        times: Vec<Timestamp>,
    ) -> Result<Vec<u64>, StoreError> {
        self.read("count posts", move |tx| {
            let list = list_name(&list, tag.as_ref());
            let (list, lists) = (list.as_str(), tx.open_table(LISTS)?);
            let mut counts = Vec::new();
            for time in times {
                let since = lists.range((list, time.as_micros(), "")..(list, i64::MAX, ""))?;
                counts.push(since.count() as u64);
            }
            Ok(counts)
        })
        .await
    }

    async fn list_due(&self, limit: u32) -> Result<Vec<Due>, StoreError> {
        self.read("list what is due", move |tx| {
            let mut due = Vec::new();
            for row in tx.open_table(DUE)?.range((0, "")..)?.take(limit as usize) {
                let (row, _) = row?;
                let (at, id) = row.value();
                let (at, id) = (Timestamp::from_micros(at), id.parse()?);
                due.push(Due { at, id });
            }
            Ok(due)
        })
        .await
    }

    /// The cost depends on the number of tags.
    async fn list_tags(&self, limit: u32) -> Result<Vec<TagCount>, StoreError> {
        self.read("list tags", move |tx| {
            let mut tags = Vec::new();
            for row in tx.open_table(TOTALS)?.range("public #".."public $")? {
                let (list, total) = row?;
                let tag = Tag::from_stored(&list.value()["public #".len()..]);
                tags.push(TagCount::new(tag, total.value()));
            }
            // A stable sort: they were read in the order of their bytes.
            tags.sort_by_key(|tag| Reverse(tag.posts));
            tags.truncate(limit as usize);
            Ok(tags)
        })
        .await
    }

    async fn walk_entries(
        &self,
        after: Option<PostId>,
        limit: u32,
    ) -> Result<Vec<Entry>, StoreError> {
        self.read("walk over posts", move |tx| {
            let after = after.as_ref().map(PostId::as_str);
            walk(tx, POSTS, after, limit)
        })
        .await
    }

    async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
        self.read("find a key by its secret", move |tx| {
            match tx.open_table(KEY_SECRETS)?.get(secret.as_bytes())? {
                Some(id) => read(&tx.open_table(KEYS)?, id.value()),
                None => Ok(None),
            }
        })
        .await
    }

    async fn walk_keys(
        &self,
        after: Option<KeyId>,
        limit: u32,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        self.read("walk over keys", move |tx| {
            let after = after.as_ref().map(KeyId::as_str);
            walk(tx, KEYS, after, limit)
        })
        .await
    }

    async fn walk_bars(
        &self,
        after: Option<SecretHash>,
        limit: u32,
    ) -> Result<Vec<Bar>, StoreError> {
        self.read("walk over bars", move |tx| {
            let after = after.as_ref().map(SecretHash::as_bytes);
            let bars = tx.open_table(BARS)?;
            let rows = bars.range::<&[u8; 32]>((after.map_or(Unbounded, Excluded), Unbounded))?;
            let mut piece = Vec::new();
            for row in rows.take(limit as usize) {
                let (owner, until) = row?;
                piece.push(Bar {
                    owner: SecretHash::from_bytes(*owner.value()),
                    until: Timestamp::from_micros(until.value()),
                });
            }
            Ok(piece)
        })
        .await
    }

    async fn get_or_insert_installation_secret(
        &self,
        candidate: InstallationSecret,
    ) -> Result<InstallationSecret, StoreError> {
        let candidate = *candidate.as_bytes();
        let read = self.transaction("read the secret", move |tx| {
            Tables::open(tx)?.installation_secret(candidate)
        });
        Ok(InstallationSecret::from_bytes(read.await?))
    }

    async fn health(&self) -> Result<Health, StoreError> {
        self.read("read", |_| Ok(Health::default())).await
    }

    fn outbox(&self) -> Option<&dyn Outbox> {
        Some(self)
    }

    fn search_index(&self) -> Option<&dyn SearchIndex> {
        Some(self)
    }

    fn changes(&self) -> Option<Changes> {
        None
    }

    fn stats(&self) -> StoreStats {
        StoreStats::default()
    }
}

/// The rows after this identifier, or the first ones.
fn walk<T: DeserializeOwned>(
    tx: &ReadTransaction,
    table: TableDefinition<'_, Text, Json>,
    after: Option<&str>,
    limit: u32,
) -> Result<Vec<T>, Cause> {
    let table = tx.open_table(table)?;
    let rows = table.range::<&str>((after.map_or(Unbounded, Excluded), Unbounded))?;
    let mut piece = Vec::new();
    for row in rows.take(limit as usize) {
        let (_, json) = row?;
        piece.push(serde_json::from_slice(json.value())?);
    }
    Ok(piece)
}

/// A page beside a place begins there. One with a number walks over the posts before it, so that the last
/// page of a long list takes longest.
fn list(tx: &ReadTransaction, page: &PageRequest) -> Result<PostList, Cause> {
    let PageRequest {
        list,
        tag,
        search,
        start,
        per_page,
        bodies,
    } = page;
    let list = list_name(list, tag.as_ref());
    let list = list.as_str();
    if let Some(search) = search {
        return crate::search::find(tx, page, list, search);
    }
    let total = tx.open_table(TOTALS)?.get(list)?;
    let total = total.map_or(0, |total| total.value());

    let (oldest, end) = ((list, 0, ""), (list, i64::MAX, ""));
    let (lists, size) = (tx.open_table(LISTS)?, per_page.get() as usize);
    let mut rows: Vec<_> = match start {
        PageStart::Skip(posts) => {
            let newer = usize::try_from(*posts)?;
            let newest_first = lists.range(oldest..end)?.rev();
            newest_first.skip(newer).take(size).collect()
        }
        PageStart::After(Place { time, id }) => {
            let place = (list, time.as_micros(), id.as_str());
            lists.range(oldest..place)?.rev().take(size).collect()
        }
        PageStart::Before(Place { time, id }) => {
            let place = (list, time.as_micros(), id.as_str());
            let newer = lists.range((Excluded(place), Excluded(end)))?;
            newer.take(size).collect()
        }
    };
    if let PageStart::Before(_) = start {
        rows.reverse();
    }

    let (mut posts, entries) = (Vec::new(), tx.open_table(POSTS)?);
    for row in rows {
        let (position, _) = row?;
        let (_, _, id) = position.value();
        if let Some(Entry::Live(post)) = read(&entries, id)? {
            let body = bodies.then(|| post.body.clone());
            posts.push(ListedPost::new(post.summary.clone()).with_body(body));
        }
    }
    Ok(PostList::new(posts, total))
}
