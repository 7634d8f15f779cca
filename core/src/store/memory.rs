//! A store in memory: for tests and first steps, and a simple reference implementation of [`Store`].

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use async_trait::async_trait;

use super::{Health, Store, StoreError, Write};
use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::post::{Entry, ListedPost, PageRequest, Post, PostList, PostSummary, Revision, Tag};
use crate::secret::{InstallationSecret, SecretHash};
use crate::time::Timestamp;

/// Stores everything in memory. Clones share the same data, which is lost with the last clone.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    state: Arc<RwLock<State>>,
}

#[derive(Debug, Default)]
struct State {
    entries: HashMap<PostId, Entry>,
    by_edit_token: HashMap<SecretHash, PostId>,
    all: Order,
    by_tag: HashMap<Tag, Order>,
    keys: HashMap<KeyId, KeyRecord>,
    keys_by_secret: HashMap<SecretHash, KeyId>,
    installation_secret: Option<InstallationSecret>,
}

/// Live posts, oldest first. A new post is usually appended, and a page is a slice.
#[derive(Debug, Default)]
struct Order(Vec<SortKey>);

/// Posts are sorted by the time of their creation, then by their identifier.
type SortKey = (Timestamp, PostId);

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    // No method panics while it holds the lock, so the data behind a poisoned lock is consistent.
    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn insert_post(&self, post: Post) -> Result<Write, StoreError> {
        let mut state = self.write();
        if state.entries.contains_key(&post.summary.id) {
            return Ok(Write::Conflict);
        }
        state.insert_live(post);
        Ok(Write::Applied)
    }

    async fn update_post(&self, expected: Revision, post: Post) -> Result<Write, StoreError> {
        let mut state = self.write();
        if state.remove_live(post.summary.id, expected).is_none() {
            return Ok(Write::Conflict);
        }
        state.insert_live(post);
        Ok(Write::Applied)
    }

    async fn delete_post(&self, id: PostId, expected: Revision) -> Result<Write, StoreError> {
        let mut state = self.write();
        let Some(post) = state.remove_live(id, expected) else {
            return Ok(Write::Conflict);
        };
        let tombstone = Arc::unwrap_or_clone(post).into_tombstone();
        state.by_edit_token.insert(tombstone.edit_token, id);
        state.entries.insert(id, Entry::Gone(tombstone));
        Ok(Write::Applied)
    }

    async fn get_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        Ok(self.read().entries.get(&id).cloned())
    }

    async fn get_current_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        self.get_post(id).await
    }

    async fn find_post_by_edit_token(
        &self,
        token: SecretHash,
    ) -> Result<Option<Entry>, StoreError> {
        let state = self.read();
        let id = state.by_edit_token.get(&token);
        Ok(id.and_then(|id| state.entries.get(id)).cloned())
    }

    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        let state = self.read();
        let empty = Order::default();
        let order = match page.tag() {
            None => &state.all,
            Some(tag) => state.by_tag.get(tag).unwrap_or(&empty),
        };
        let posts = order
            .page(&page)
            .filter_map(|id| state.live(*id))
            .map(|post| {
                let body = page.bodies().then(|| post.body.clone());
                ListedPost::new(post.summary.clone()).with_body(body)
            });
        Ok(PostList::new(posts.collect(), order.0.len() as u64))
    }

    async fn insert_key(&self, key: KeyRecord) -> Result<Write, StoreError> {
        let mut state = self.write();
        if state.keys.contains_key(&key.id) {
            return Ok(Write::Conflict);
        }
        state.keys_by_secret.insert(key.secret, key.id);
        state.keys.insert(key.id, key);
        Ok(Write::Applied)
    }

    async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
        let state = self.read();
        let id = state.keys_by_secret.get(&secret);
        Ok(id.and_then(|id| state.keys.get(id)).cloned())
    }

    async fn list_keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        let mut keys: Vec<_> = self.read().keys.values().cloned().collect();
        keys.sort_by_key(|key| (key.created_at, key.id));
        Ok(keys)
    }

    async fn touch_key(&self, id: KeyId, at: Timestamp) -> Result<(), StoreError> {
        if let Some(key) = self.write().keys.get_mut(&id) {
            key.last_used_at = Some(at);
        }
        Ok(())
    }

    async fn revoke_key(&self, id: KeyId) -> Result<Write, StoreError> {
        let mut state = self.write();
        let Some(key) = state.keys.remove(&id) else {
            return Ok(Write::NotFound);
        };
        state.keys_by_secret.remove(&key.secret);
        Ok(Write::Applied)
    }

    async fn get_or_insert_installation_secret(
        &self,
        candidate: InstallationSecret,
    ) -> Result<InstallationSecret, StoreError> {
        let mut state = self.write();
        Ok(state.installation_secret.get_or_insert(candidate).clone())
    }

    async fn health(&self) -> Result<Health, StoreError> {
        Ok(Health::default())
    }
}

impl State {
    fn live(&self, id: PostId) -> Option<&Post> {
        match self.entries.get(&id) {
            Some(Entry::Live(post)) => Some(post),
            _ => None,
        }
    }

    fn insert_live(&mut self, post: Post) {
        let PostSummary { id, created_at, .. } = post.summary;
        self.all.insert((created_at, id));
        for tag in &post.summary.tags {
            self.by_tag
                .entry(tag.clone())
                .or_default()
                .insert((created_at, id));
        }
        self.by_edit_token.insert(post.edit_token, id);
        self.entries.insert(id, Entry::Live(post.into()));
    }

    /// Removes a post and its index entries, if it is live and has this revision.
    fn remove_live(&mut self, id: PostId, expected: Revision) -> Option<Arc<Post>> {
        if self.live(id)?.summary.revision != expected {
            return None;
        }
        let Some(Entry::Live(post)) = self.entries.remove(&id) else {
            return None;
        };
        let key = (post.summary.created_at, id);
        self.all.remove(&key);
        for tag in &post.summary.tags {
            if let Some(order) = self.by_tag.get_mut(tag) {
                order.remove(&key);
                if order.0.is_empty() {
                    self.by_tag.remove(tag);
                }
            }
        }
        self.by_edit_token.remove(&post.edit_token);
        Some(post)
    }
}

impl Order {
    fn insert(&mut self, key: SortKey) {
        if let Err(at) = self.0.binary_search(&key) {
            self.0.insert(at, key);
        }
    }

    fn remove(&mut self, key: &SortKey) {
        if let Ok(at) = self.0.binary_search(key) {
            self.0.remove(at);
        }
    }

    /// The identifiers on a page, newest first.
    fn page(&self, page: &PageRequest) -> impl Iterator<Item = &PostId> {
        let offset = usize::try_from(page.offset()).unwrap_or(usize::MAX);
        let end = self.0.len().saturating_sub(offset);
        let start = end.saturating_sub(page.per_page() as usize);
        self.0[start..end].iter().map(|(_, id)| id).rev()
    }
}
