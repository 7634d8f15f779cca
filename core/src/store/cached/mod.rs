//! Posts in memory, in front of a store that is far away.

mod changes;
mod kept;
mod validity;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

pub use changes::Changes;
use kept::{Kept, Turn};

use super::{Health, Store, StoreError, Write};
use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::post::{Entry, PageRequest, Post, PostList, Revision};
use crate::secret::SecretHash;
use crate::time::Timestamp;

const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// A store that keeps the posts which another one was asked for, so that readers of the same post
/// do not ask it again.
///
/// ```
/// use std::time::Duration;
/// use handbill::{Cached, Handbill, MemoryStore};
///
/// let far_away = MemoryStore::new();
/// let store = Cached::new(far_away, Duration::from_secs(1)).with_max_bytes(64 * 1024 * 1024);
/// let handbill = Handbill::new("https://example.org/blog", store)?;
/// # Ok::<(), handbill::InvalidBaseUrl>(())
/// ```
///
/// It is for stores that are asked over a network. [`SqliteStore`](crate::SqliteStore) needs none:
/// it keeps what it read itself, and looks at each read whether anything was committed, by whatever
/// process, so that it is never behind. (That is `PRAGMA data_version` for the price of reading 96
/// bytes.)
///
/// # What is kept
///
/// Posts, and the tombstones of deleted ones, as [`Store::post`] gives them. That nothing is at an
/// identifier is not kept, so that a new post is found at once, and lists are asked for each time. So
/// is all that decides about somebody's rights: keys, edit tokens, and what a change is decided on
/// ([`Store::get_current_post`]). A revocation holds from the next request, whichever instance made it.
///
/// # What it promises
///
/// 1. A read that begins after a change was acknowledged never answers what was before, on the
///    instance that made the change.
/// 2. On each other instance no read answers what was changed so long before it began as the bound,
///    or longer. Without more, what is kept is used up to the bound and then read again. Where
///    somebody tells of the others' [`Changes`], what is kept is used for as long as it is
///    certain that nothing newer than the bound went unheard.
/// 3. The memory taken stays within the bytes given, about. Posts that take more than a fortieth of
///    them are not kept.
///
/// A change of which the outcome is not known, since it failed or nobody waited for it, is like one
/// of another instance: should it have been made after all, readers see it within the bound.
///
/// A bound of zero is off: every read asks the store. Readers that want the same post at the same
/// time share one question, of which the age counts as that of any other answer.
#[derive(Debug)]
pub struct Cached<S> {
    store: S,
    kept: Arc<Kept>,
}

impl<S: Store> Cached<S> {
    /// Keeps up to 16 MiB of posts, and is behind the changes of other instances by less than this
    /// bound.
    pub fn new(store: S, bound: Duration) -> Self {
        Self {
            store,
            kept: Arc::new(Kept::new(bound, MAX_BYTES)),
        }
    }

    /// Keeps up to so many bytes of posts.
    #[must_use]
    pub fn with_max_bytes(self, max_bytes: u64) -> Self {
        self.kept.set_max_bytes(max_bytes);
        self
    }

    /// What to tell of changes that others make. It may outlive the store.
    pub fn changes(&self) -> Changes {
        Changes::of(&self.kept)
    }

    /// The store that is asked.
    pub fn store(&self) -> &S {
        &self.store
    }
}

#[async_trait]
impl<S: Store> Store for Cached<S> {
    // Nothing is kept of an identifier that is free, hence nothing is to be forgotten.
    async fn insert_post(&self, post: Post) -> Result<Write, StoreError> {
        self.store.insert_post(post).await
    }

    async fn update_post(&self, expected: Revision, post: Post) -> Result<Write, StoreError> {
        let _forgotten = self.kept.invalidate_on_drop(post.summary.id);
        self.store.update_post(expected, post).await
    }

    async fn delete_post(&self, id: PostId, expected: Revision) -> Result<Write, StoreError> {
        let _forgotten = self.kept.invalidate_on_drop(id);
        self.store.delete_post(id, expected).await
    }

    async fn get_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        if self.kept.validity.is_nil() {
            return self.store.get_post(id).await;
        }
        let now = self.kept.validity.now();
        if let Some(entry) = self.kept.get(id, now) {
            return Ok(Some(entry));
        }
        match self.kept.read(id, now) {
            Turn::Ask(reading) => {
                let found = self.store.get_post(id).await?;
                if let Some(entry) = &found {
                    reading.answer(entry);
                }
                Ok(found)
            }
            Turn::Wait(waiting) => match waiting.answer().await {
                Some(entry) => Ok(Some(entry)),
                // All who waited ask at the same time: one after the other, the last of them would
                // wait for as many time-outs of a store in trouble.
                None => self.store.get_post(id).await,
            },
        }
    }

    async fn get_current_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        self.store.get_current_post(id).await
    }

    async fn find_post_by_edit_token(
        &self,
        token: SecretHash,
    ) -> Result<Option<Entry>, StoreError> {
        self.store.find_post_by_edit_token(token).await
    }

    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        self.store.list_posts(page).await
    }

    async fn insert_key(&self, key: KeyRecord) -> Result<Write, StoreError> {
        self.store.insert_key(key).await
    }

    async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
        self.store.find_key(secret).await
    }

    async fn list_keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        self.store.list_keys().await
    }

    async fn touch_key(&self, id: KeyId, at: Timestamp) -> Result<(), StoreError> {
        self.store.touch_key(id, at).await
    }

    async fn revoke_key(&self, id: KeyId) -> Result<Write, StoreError> {
        self.store.revoke_key(id).await
    }

    async fn health(&self) -> Result<Health, StoreError> {
        self.store.health().await
    }
}
