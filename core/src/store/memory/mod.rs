//! A store in memory: for tests and first steps, and a simple reference implementation of [`Store`].

mod outbox;

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use async_trait::async_trait;

use self::outbox::Waiting;
use super::{Health, Mutation, Outbox, Store, StoreError, Write};
use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::owner::Owner;
use crate::post::{
    Entry, ListedPost, PageRequest, Post, PostList, PostSummary, Revision, Tag, TagCount, Tombstone,
};
use crate::secret::{InstallationSecret, SecretHash};
use crate::time::Timestamp;

/// Stores everything in memory. Clones share the same data, which is lost with the last clone.
///
/// ```
/// use handbill::{Handbill, MemoryStore};
///
/// let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
/// # Ok::<_, handbill::ParseBaseUrlError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    state: Arc<RwLock<State>>,
}

#[derive(Debug, Default)]
struct State {
    entries: BTreeMap<PostId, Entry>,
    by_edit_token: HashMap<SecretHash, PostId>,
    /// Lists without posts are not there.
    lists: HashMap<ListName, Order>,
    keys: BTreeMap<KeyId, KeyRecord>,
    keys_by_secret: HashMap<SecretHash, KeyId>,
    installation_secret: Option<InstallationSecret>,
    waiting: Waiting,
}

/// The posts of an owner, or the public ones; all of them, or those with a tag.
type ListName = (Option<Owner>, Option<Tag>);

/// Live posts, oldest first. A new post is usually appended, and a page is a slice.
#[derive(Debug, Default)]
struct Order(Vec<SortKey>);

/// Posts are sorted by a time, then by their identifier.
type SortKey = (Timestamp, PostId);

/// The lists that a live post is in, and where.
fn places(post: &PostSummary) -> Vec<(ListName, SortKey)> {
    let public = post.listed_at().map(|time| (None, time));
    let owned = post
        .owner
        .clone()
        .map(|owner| (Some(owner), post.created_at));
    let mut places = Vec::new();
    for (owner, time) in public.into_iter().chain(owned) {
        places.push(((owner.clone(), None), (time, post.id)));
        for tag in &post.tags {
            places.push(((owner.clone(), Some(tag.clone())), (time, post.id)));
        }
    }
    places
}

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
        Ok(self.write().mutate(Mutation::InsertPost(Box::new(post))))
    }

    async fn insert_tombstone(&self, tombstone: Tombstone) -> Result<Write, StoreError> {
        let mut state = self.write();
        if state.entries.contains_key(&tombstone.id) {
            return Ok(Write::Conflict);
        }
        state.insert_gone(tombstone);
        Ok(Write::Applied)
    }

    async fn update_post(&self, expected: Revision, post: Post) -> Result<Write, StoreError> {
        let post = Box::new(post);
        Ok(self.write().mutate(Mutation::UpdatePost { expected, post }))
    }

    async fn delete_post(&self, id: PostId, expected: Revision) -> Result<Write, StoreError> {
        Ok(self.write().mutate(Mutation::DeletePost { id, expected }))
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
        let name = (page.owner().cloned(), page.tag().cloned());
        let order = state.lists.get(&name).unwrap_or(&empty);
        let posts = order
            .page(&page)
            .filter_map(|id| state.live(*id))
            .map(|post| {
                let body = page.bodies().then(|| post.body.clone());
                ListedPost::new(post.summary.clone()).with_body(body)
            });
        Ok(PostList::new(posts.collect(), order.0.len() as u64))
    }

    async fn list_tags(&self, limit: u32) -> Result<Vec<TagCount>, StoreError> {
        let state = self.read();
        let lists = state.lists.iter();
        let tags = lists.filter_map(|((owner, tag), order)| {
            let tag = tag.as_ref().filter(|_| owner.is_none())?;
            Some(TagCount::new(tag.clone(), order.0.len() as u64))
        });
        let mut tags: Vec<_> = tags.collect();
        tags.sort_by(|a, b| b.posts.cmp(&a.posts).then_with(|| a.tag.cmp(&b.tag)));
        tags.truncate(limit as usize);
        Ok(tags)
    }

    async fn walk_entries(
        &self,
        after: Option<PostId>,
        limit: u32,
    ) -> Result<Vec<Entry>, StoreError> {
        let state = self.read();
        let start = after.map_or(Unbounded, Excluded);
        let entries = state
            .entries
            .range((start, Unbounded))
            .map(|(_, entry)| entry);
        Ok(entries.take(limit as usize).cloned().collect())
    }

    async fn insert_key(&self, key: KeyRecord) -> Result<Write, StoreError> {
        Ok(self.write().mutate(Mutation::InsertKey(key)))
    }

    async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
        let state = self.read();
        let id = state.keys_by_secret.get(&secret);
        Ok(id.and_then(|id| state.keys.get(id)).cloned())
    }

    async fn walk_keys(
        &self,
        after: Option<KeyId>,
        limit: u32,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        let state = self.read();
        let start = after.map_or(Unbounded, Excluded);
        let keys = state.keys.range((start, Unbounded)).map(|(_, key)| key);
        Ok(keys.take(limit as usize).cloned().collect())
    }

    async fn touch_key(&self, id: KeyId, at: Timestamp) -> Result<(), StoreError> {
        if let Some(key) = self.write().keys.get_mut(&id) {
            key.last_used_at = Some(at);
        }
        Ok(())
    }

    async fn revoke_key(&self, id: KeyId) -> Result<Write, StoreError> {
        Ok(self.write().mutate(Mutation::RevokeKey(id)))
    }

    async fn get_or_insert_installation_secret(
        &self,
        candidate: InstallationSecret,
    ) -> Result<InstallationSecret, StoreError> {
        let mut state = self.write();
        Ok(state.installation_secret.get_or_insert(candidate).clone())
    }

    /// The cost depends on the number of all posts and tombstones.
    async fn forget_owner(&self, owner: Owner, limit: u32) -> Result<Write, StoreError> {
        let mut state = self.write();
        let owners = state.entries.values_mut().filter_map(|entry| match entry {
            Entry::Gone(tombstone) => Some(&mut tombstone.owner),
            Entry::Live(_) => None,
        });
        let named = owners.filter(|named| named.as_ref() == Some(&owner));
        let mut outcome = Write::NotFound;
        for named in named.take(limit as usize) {
            *named = None;
            outcome = Write::Applied;
        }
        Ok(outcome)
    }

    async fn health(&self) -> Result<Health, StoreError> {
        Ok(Health::default())
    }

    fn outbox(&self) -> Option<&dyn Outbox> {
        Some(self)
    }
}

impl State {
    /// Makes a mutation.
    fn mutate(&mut self, mutation: Mutation) -> Write {
        match mutation {
            Mutation::InsertPost(post) => {
                if self.entries.contains_key(&post.summary.id) {
                    return Write::Conflict;
                }
                self.insert_live(*post);
            }
            Mutation::UpdatePost { expected, post } => {
                if self.remove_live(post.summary.id, expected).is_none() {
                    return Write::Conflict;
                }
                self.insert_live(*post);
            }
            Mutation::DeletePost { id, expected } => {
                let Some(post) = self.remove_live(id, expected) else {
                    return Write::Conflict;
                };
                self.insert_gone(Arc::unwrap_or_clone(post).into_tombstone());
            }
            Mutation::InsertKey(key) => {
                if self.keys.contains_key(&key.id) {
                    return Write::Conflict;
                }
                self.keys_by_secret.insert(key.secret, key.id);
                self.keys.insert(key.id, key);
            }
            Mutation::RevokeKey(id) => {
                let Some(key) = self.keys.remove(&id) else {
                    return Write::NotFound;
                };
                self.keys_by_secret.remove(&key.secret);
            }
        }
        Write::Applied
    }

    fn live(&self, id: PostId) -> Option<&Post> {
        match self.entries.get(&id) {
            Some(Entry::Live(post)) => Some(post),
            _ => None,
        }
    }

    fn insert_live(&mut self, post: Post) {
        for (list, place) in places(&post.summary) {
            self.lists.entry(list).or_default().insert(place);
        }
        let id = post.summary.id;
        self.by_edit_token.insert(post.edit_token, id);
        self.entries.insert(id, Entry::Live(post.into()));
    }

    fn insert_gone(&mut self, tombstone: Tombstone) {
        self.by_edit_token
            .insert(tombstone.edit_token, tombstone.id);
        self.entries.insert(tombstone.id, Entry::Gone(tombstone));
    }

    /// Removes a post and its index entries, if it is live and has this revision.
    fn remove_live(&mut self, id: PostId, expected: Revision) -> Option<Arc<Post>> {
        if self.live(id)?.summary.revision != expected {
            return None;
        }
        let Some(Entry::Live(post)) = self.entries.remove(&id) else {
            return None;
        };
        for (list, place) in places(&post.summary) {
            if let Some(order) = self.lists.get_mut(&list) {
                order.remove(&place);
                if order.0.is_empty() {
                    self.lists.remove(&list);
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
