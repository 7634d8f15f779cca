//! A store in memory: for tests and first steps, and a simple reference implementation of [`Store`].

mod outbox;
mod search;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::RwLock;
use tokio::time::Instant;

use self::outbox::OutboxState;
use self::search::Index;
use super::{
    Authority, Bar, Changes, Due, Freshness, Health, NewChange, Outbox, Outcome, PostKey,
    SearchIndex, Store, StoreError, StoreStats, Write,
};
use crate::post::{
    Entry, InstallationSecret, KeyId, KeyRecord, List, ListedPost, Owner, PageRequest, PageSize,
    PageStart, Place, Post, PostId, PostList, PostSummary, Revision, SecretHash, Tag, TagCount,
    Timestamp, Tombstone, Words,
};

/// Stores everything in memory. Clones share the same data, which is lost with the last clone.
///
/// ```
/// use handbill::{Handbill, MemoryStore};
///
/// let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
/// # Ok::<_, handbill::ParseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MemoryStore {
    // No method panics while it holds the lock, so the state is always consistent.
    state: Arc<RwLock<State>>,
    changes: Changes,
}

#[derive(Debug, Default)]
struct State {
    entries: BTreeMap<PostId, Entry>,
    by_edit_token: HashMap<SecretHash, PostId>,
    /// Lists without posts are not there.
    lists: HashMap<ListName, SortedPlaces>,
    due: BTreeSet<Due>,
    keys: BTreeMap<KeyId, KeyRecord>,
    keys_by_secret: HashMap<SecretHash, KeyId>,
    /// When they end, by the hashes of owners.
    bars: BTreeMap<[u8; 32], Timestamp>,
    installation_secret: Option<InstallationSecret>,
    outbox: OutboxState,
    index: Index,
}

/// All posts of a list, or those with a tag.
type ListName = (List, Option<Tag>);

/// Live posts, oldest first. A new post is usually appended, and a page is a slice.
#[derive(Debug, Default)]
struct SortedPlaces(Vec<Place>);

/// The instance that has a lease, and until when.
type Lease = Option<(String, Instant)>;

/// Leases something to an instance, unless another one has it. Returns whether it did.
fn lease(lease: &mut Lease, instance: &str, time: Duration) -> bool {
    let now = Instant::now();
    let is_free = |(holder, until): &(String, Instant)| holder == instance || *until <= now;
    let is_leased = lease.as_ref().is_none_or(is_free);
    if is_leased {
        *lease = Some((instance.to_owned(), now + time));
    }
    is_leased
}

/// The lists that a live post is in, and where.
fn places(post: &PostSummary) -> Vec<(ListName, Place)> {
    let mut places = Vec::new();
    for list in List::of(post) {
        let place = list.place_of(post);
        places.push(((list.clone(), None), place));
        for tag in &post.tags {
            places.push(((list.clone(), Some(tag.clone())), place));
        }
    }
    places
}

/// When a live post is due, if it is.
fn due(post: &PostSummary) -> Option<Due> {
    let at = post.due_at()?;
    Some(Due { at, id: post.id })
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self {
            state: Arc::default(),
            changes: Changes::complete(),
        }
    }
}

#[async_trait]
impl Store for MemoryStore {
    /// The cost of [`Write::ForgetOwner`] depends on the number of all posts and tombstones.
    async fn write(&self, write: Write, change: Option<NewChange>) -> Result<Outcome, StoreError> {
        let mut state = self.state.write();
        let post = write.post();
        let outcome = state.apply(write);
        if let (Outcome::Applied, Some(post)) = (outcome, post) {
            self.changes.changed(post);
        }
        if let (Outcome::Applied, Some(change)) = (outcome, change) {
            state.outbox.add(&change);
        }
        Ok(outcome)
    }

    async fn get_post(&self, key: PostKey, _: Freshness) -> Result<Option<Entry>, StoreError> {
        let state = self.state.read();
        let id = match key {
            PostKey::Id(id) => Some(id),
            PostKey::EditToken(token) => state.by_edit_token.get(&token).copied(),
        };
        Ok(id.and_then(|id| state.entries.get(&id)).cloned())
    }

    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        let PageRequest {
            list,
            tag,
            search,
            start,
            per_page,
            bodies,
        } = page;
        let state = self.state.read();
        let empty = SortedPlaces::default();
        let all = state.lists.get(&(list, tag)).unwrap_or(&empty);
        let found = search.map(|search| state.find(all, &search));
        let places = found.as_ref().unwrap_or(all);
        let posts = places
            .page(start, per_page)
            .filter_map(|place| state.live(place.id))
            .map(|post| {
                let body = bodies.then(|| post.body.clone());
                ListedPost::new(post.summary.clone()).with_body(body)
            });
        let posts = PostList::new(posts.collect(), places.0.len() as u64);
        Ok(posts.with_incomplete(found.is_some() && !state.index.is_complete()))
    }

    async fn count_since(
        &self,
        list: List,
        tag: Option<Tag>,
        times: Vec<Timestamp>,
    ) -> Result<Vec<u64>, StoreError> {
        let state = self.state.read();
        let places = state
            .lists
            .get(&(list, tag))
            .map_or(&[][..], |list| &list.0);
        let since = |time| places.len() - places.partition_point(|place| place.time < time);
        Ok(times.into_iter().map(|time| since(time) as u64).collect())
    }

    async fn list_due(&self, limit: u32) -> Result<Vec<Due>, StoreError> {
        let state = self.state.read();
        Ok(state.due.iter().take(limit as usize).copied().collect())
    }

    async fn list_tags(&self, limit: u32) -> Result<Vec<TagCount>, StoreError> {
        let state = self.state.read();
        let lists = state.lists.iter();
        let tags = lists.filter_map(|((list, tag), places)| {
            let tag = tag.as_ref().filter(|_| *list == List::Public)?;
            Some(TagCount::new(tag.clone(), places.0.len() as u64))
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
        let state = self.state.read();
        let start = after.map_or(Unbounded, Excluded);
        let entries = state
            .entries
            .range((start, Unbounded))
            .map(|(_, entry)| entry);
        Ok(entries.take(limit as usize).cloned().collect())
    }

    async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
        let state = self.state.read();
        let id = state.keys_by_secret.get(&secret);
        Ok(id.and_then(|id| state.keys.get(id)).cloned())
    }

    async fn walk_keys(
        &self,
        after: Option<KeyId>,
        limit: u32,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        let state = self.state.read();
        let start = after.map_or(Unbounded, Excluded);
        let keys = state.keys.range((start, Unbounded)).map(|(_, key)| key);
        Ok(keys.take(limit as usize).cloned().collect())
    }

    async fn walk_bars(
        &self,
        after: Option<SecretHash>,
        limit: u32,
    ) -> Result<Vec<Bar>, StoreError> {
        let state = self.state.read();
        let start = after.map_or(Unbounded, |after| Excluded(*after.as_bytes()));
        let bars = state.bars.range((start, Unbounded));
        let bars = bars.map(|(owner, until)| Bar {
            owner: SecretHash::from_bytes(*owner),
            until: *until,
        });
        Ok(bars.take(limit as usize).collect())
    }

    async fn get_or_insert_installation_secret(
        &self,
        candidate: InstallationSecret,
    ) -> Result<InstallationSecret, StoreError> {
        let mut state = self.state.write();
        Ok(state.installation_secret.get_or_insert(candidate).clone())
    }

    async fn health(&self) -> Result<Health, StoreError> {
        Ok(Health::default())
    }

    fn outbox(&self) -> Option<&dyn Outbox> {
        Some(self)
    }

    fn search_index(&self) -> Option<&dyn SearchIndex> {
        Some(self)
    }

    fn changes(&self) -> Option<Changes> {
        Some(self.changes.clone())
    }

    fn stats(&self) -> StoreStats {
        StoreStats::default()
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl State {
    fn apply(&mut self, write: Write) -> Outcome {
        if write.by().is_some_and(|by| self.is_barred(by)) {
            return Outcome::Barred;
        }
        match write {
            Write::InsertPost { post, words, .. } => {
                if self.entries.contains_key(&post.summary.id) {
                    return Outcome::Conflict;
                }
                self.insert_live(post, words);
            }
            Write::InsertTombstone(tombstone) => {
                if self.entries.contains_key(&tombstone.id) {
                    return Outcome::Conflict;
                }
                self.insert_gone(tombstone);
            }
            Write::UpdatePost {
                expected,
                post,
                words,
                ..
            } => {
                if self.remove_live(post.summary.id, expected).is_none() {
                    return Outcome::Conflict;
                }
                self.insert_live(post, words);
            }
            Write::DeletePost { id, expected, .. } => {
                let Some(post) = self.remove_live(id, expected) else {
                    return Outcome::Conflict;
                };
                self.insert_gone(Arc::unwrap_or_clone(post).into_tombstone());
            }
            Write::InsertKey { key, .. } => {
                if self.keys.contains_key(&key.id) {
                    return Outcome::Conflict;
                }
                self.keys_by_secret.insert(key.secret, key.id);
                self.keys.insert(key.id, key);
            }
            Write::TouchKey { id, at } => {
                let Some(key) = self.keys.get_mut(&id) else {
                    return Outcome::NotFound;
                };
                key.last_used_at = Some(at);
            }
            Write::RevokeKey(id) => {
                let Some(key) = self.keys.remove(&id) else {
                    return Outcome::NotFound;
                };
                self.keys_by_secret.remove(&key.secret);
            }
            Write::ForgetOwner { owner, limit } => return self.forget(&owner, limit),
            Write::Bar { owner, until } => {
                let current_until = self.bars.get(owner.as_bytes());
                if current_until.is_some_and(|current| *current >= until) {
                    return Outcome::Conflict;
                }
                self.bars.insert(*owner.as_bytes(), until);
            }
            Write::Unbar { owner, at } => match self.bars.get_mut(owner.as_bytes()) {
                Some(until) if *until > at => *until = at,
                _ => return Outcome::NotFound,
            },
        }
        Outcome::Applied
    }

    fn is_barred(&self, authority: Authority) -> bool {
        let until = self.bars.get(authority.owner.as_bytes());
        until.is_some_and(|until| *until >= authority.at)
    }

    fn forget(&mut self, owner: &Owner, limit: u32) -> Outcome {
        let owners = self.entries.values_mut().filter_map(|entry| match entry {
            Entry::Gone(tombstone) => Some(&mut tombstone.owner),
            Entry::Live(_) => None,
        });
        let named = owners.filter(|named| named.as_ref() == Some(owner));
        let mut outcome = Outcome::NotFound;
        for named in named.take(limit as usize) {
            *named = None;
            outcome = Outcome::Applied;
        }
        outcome
    }

    fn live(&self, id: PostId) -> Option<&Post> {
        match self.entries.get(&id) {
            Some(Entry::Live(post)) => Some(post),
            _ => None,
        }
    }

    fn insert_live(&mut self, post: Arc<Post>, words: Option<Words>) {
        for (list, place) in places(&post.summary) {
            self.lists.entry(list).or_default().insert(place);
        }
        self.due.extend(due(&post.summary));
        let id = post.summary.id;
        self.by_edit_token.insert(post.edit_token, id);
        self.index.set(id, words);
        self.entries.insert(id, Entry::Live(post));
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
            if let Some(places) = self.lists.get_mut(&list) {
                places.remove(&place);
                if places.0.is_empty() {
                    self.lists.remove(&list);
                }
            }
        }
        if let Some(due) = due(&post.summary) {
            self.due.remove(&due);
        }
        self.by_edit_token.remove(&post.edit_token);
        self.index.set(id, None);
        Some(post)
    }
}

impl SortedPlaces {
    fn insert(&mut self, place: Place) {
        if let Err(at) = self.0.binary_search(&place) {
            self.0.insert(at, place);
        }
    }

    fn remove(&mut self, place: &Place) {
        if let Ok(at) = self.0.binary_search(place) {
            self.0.remove(at);
        }
    }

    /// The places on a page, newest first.
    fn page(&self, start: PageStart, per_page: PageSize) -> impl Iterator<Item = &Place> {
        let Self(places) = self;
        let size = per_page.get() as usize;
        let up_to = |end: usize| end.saturating_sub(size)..end;
        let page = match start {
            PageStart::Skip(posts) => {
                let offset = usize::try_from(posts).unwrap_or(usize::MAX);
                up_to(places.len().saturating_sub(offset))
            }
            PageStart::After(place) => up_to(places.partition_point(|other| *other < place)),
            PageStart::Before(place) => {
                let oldest = places.partition_point(|other| *other <= place);
                oldest..places.len().min(oldest + size)
            }
        };
        places[page].iter().rev()
    }
}
