//! A cache of posts, and where possible of pages of lists and of tags, in front of a store.
//!
//! Its own writes invalidate at once. The changes of others become visible within a bound: an entry
//! is used that long, and longer only after a confirmation that nothing has changed. Confirmations
//! come from outside ([`Changes`]: PostgreSQL's notifications) or are asked for (`source.rs`:
//! SQLite's `data_version`).

mod changes;
mod reads;
mod source;
mod validity;

use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;

pub use changes::Changes;
use reads::{Lookup, Read, Reads};
pub use source::ChangeSource;
use source::Poll;
use validity::{LatestMoment, Moment, Validity};

use super::weight::Weigh;
use super::{
    Entry, Freshness, Health, HitCounter, InstallationSecret, KeyId, KeyRecord, NewChange, Outbox,
    Outcome, Owner, PageRequest, PostId, PostKey, PostList, SecretHash, Store, StoreError,
    StoreStats, TagCount, Visibility, Write,
};

const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// The number of posts or pages that a cache has room for at first.
const INITIAL_ENTRIES: usize = 1024;
/// The same for lists of tags, of which there are few.
const INITIAL_TAG_LISTS: usize = 2;
/// The longest page that is cached: the longest that a client gets. A reader of longer ones goes
/// through a whole list, and would evict what is read often.
const MAX_PER_PAGE: u32 = 50;

/// A cache in front of a store: repeated reads of a post do not ask the store again.
///
/// ```
/// use std::time::Duration;
/// use handbill::{Cached, Handbill, MemoryStore};
///
/// let remote = MemoryStore::new();
/// let store = Cached::new(remote, Duration::from_secs(1)).with_max_bytes(64 * 1024 * 1024);
/// let handbill = Handbill::new("https://example.org/blog", store)?;
/// # Ok::<(), handbill::ParseBaseUrlError>(())
/// ```
///
/// `SqliteStore::cached` and `PostgresStore::cached` of the crate `handbill-sql` set it up for their stores.
///
/// # What is cached
///
/// Posts, and the tombstones of deleted ones, as [`Store::get_post`] returns them to readers. With a [`ChangeSource`], as in
/// front of `SqliteStore`, also pages of lists, as [`Store::list_posts`] returns them, of up to 50 posts without
/// bodies, and tags, as [`Store::list_tags`] returns them. That an identifier is unused is not cached, so that
/// a new post is found at once. Nor are drafts, so that the time of a response tells less of them. Keys,
/// edit tokens, and what a change is decided on ([`Freshness::Current`]) always come from the
/// store. A revocation holds from the next request, whichever instance made it.
///
/// # What it guarantees
///
/// 1. A read that begins after this instance's own write returned never sees what was before it. Nor does
///    it see what was before a post that a read with [`Freshness::Current`] has returned: what repeats a write
///    of unknown outcome may find the change made, and acknowledge it without another write.
/// 2. A read sees every change of other instances that was acknowledged so long before it began as
///    the bound, or longer. Without confirmations, an entry is used up to the bound and then read
///    again. With them (see [`Changes`] and [`ChangeSource`]), it is used as long as all changes up to the bound are known.
/// 3. The memory taken stays within the bytes given, roughly. Posts that take more than a fortieth of
///    them are not cached.
///
/// A change whose outcome is unknown, because it failed or its caller went away, counts as a change
/// of another instance: if it was made after all, readers see it within the bound.
///
/// A bound of zero turns the cache off. Concurrent reads of one post share one read of the store, whose
/// age counts like that of an entry.
#[derive(Debug)]
pub struct Cached<S> {
    store: S,
    entries: Arc<Entries>,
    /// Where confirmations are asked for. Pages are cached only with it: others' notifications do not
    /// tell of new posts.
    poll: Option<Poll>,
    max_bytes: u64,
}

/// What is cached. Shared with [`Changes`].
#[derive(Debug)]
struct Entries {
    validity: Validity,
    posts: Reads<PostId, Entry>,
    pages: Reads<PageKey, PostList>,
    tags: Reads<TagsKey, Arc<[TagCount]>>,
    hits: HitCounter,
    /// The number of changes so far.
    generation: AtomicU64,
    /// When the current state of a post was read last. Pages and tags must not be older.
    lists_since: LatestMoment,
}

/// A page, and the generation in which it was asked for: a change makes all pages unreachable.
type PageKey = (PageRequest, u64);
/// The limit of a list of tags, and the generation.
type TagsKey = (u32, u64);

impl Entries {
    /// Makes all pages and tags unreachable, and removes this post.
    fn invalidate(&self, post: Option<PostId>) {
        self.generation.fetch_add(1, Ordering::AcqRel);
        if let Some(id) = post {
            self.posts.invalidate(&id);
        }
    }

    /// Invalidates when the return value is dropped: after the call, whatever its outcome, and also if
    /// its caller goes away.
    fn invalidate_on_drop(&self, post: Option<PostId>) -> Invalidation<'_> {
        Invalidation {
            entries: self,
            post,
        }
    }
}

struct Invalidation<'a> {
    entries: &'a Entries,
    post: Option<PostId>,
}

impl Drop for Invalidation<'_> {
    fn drop(&mut self) {
        self.entries.invalidate(self.post);
    }
}

/// Makes the cache forget an owner after the call, as [`Invalidation`] does for a post.
struct Forgetting<'a> {
    entries: &'a Entries,
    owner: Owner,
}

impl Drop for Forgetting<'_> {
    fn drop(&mut self) {
        let names_owner = |entry: &Entry| match entry {
            Entry::Live(_) => false,
            Entry::Gone(tombstone) => tombstone.owner.as_ref() == Some(&self.owner),
        };
        self.entries.posts.invalidate_if(names_owner);
    }
}

impl<S: Store> Cached<S> {
    /// A cache of up to 16 MiB, which is behind the changes of other instances by less than this
    /// bound.
    pub fn new(store: S, bound: Duration) -> Self {
        Self {
            store,
            entries: Arc::new(Entries {
                validity: Validity::new(bound),
                posts: Reads::new(INITIAL_ENTRIES, MAX_BYTES),
                pages: Reads::new(INITIAL_ENTRIES, 0),
                tags: Reads::new(INITIAL_TAG_LISTS, 0),
                hits: HitCounter::default(),
                generation: AtomicU64::new(0),
                lists_since: LatestMoment::default(),
            }),
            poll: None,
            max_bytes: MAX_BYTES,
        }
    }

    /// Asks the source for confirmations, at most once per bound while reads arrive. Then pages of lists and tags
    /// are cached, too.
    #[must_use]
    pub fn with_change_source(self, source: Arc<dyn ChangeSource>) -> Self {
        // So that the first entry asks the source; what is read after that can be confirmed.
        self.entries.validity.reset();
        let (poll, max_bytes) = (Some(Poll::new(source)), self.max_bytes);
        Self { poll, ..self }.with_max_bytes(max_bytes)
    }

    /// Sets how many bytes the cache takes. Where pages and tags are cached, they take up to half of it.
    #[must_use]
    pub fn with_max_bytes(self, max_bytes: u64) -> Self {
        let lists = match self.poll {
            Some(_) => max_bytes / 2,
            None => 0,
        };
        let tags = lists / 8;
        self.entries.tags.set_max_bytes(tags);
        self.entries.pages.set_max_bytes(lists - tags);
        self.entries.posts.set_max_bytes(max_bytes - lists);
        Self { max_bytes, ..self }
    }

    /// The way to notify the cache of others' changes. It may outlive the store.
    pub fn changes(&self) -> Changes {
        let entries = Arc::clone(&self.entries);
        Changes { entries }
    }

    /// The store behind the cache.
    pub fn store(&self) -> &S {
        &self.store
    }

    async fn get_cached_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        let ask_store = || self.store.get_post(PostKey::Id(id), Freshness::Bounded);
        if self.entries.validity.is_zero() {
            return ask_store().await;
        }
        let (posts, is_shared) = (&self.entries.posts, |entry: &_| !is_draft(entry));
        self.read(posts, id, Moment::FIRST, is_shared, ask_store)
            .await
    }

    async fn get_current_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        let (by, freshness) = (PostKey::Id(id), Freshness::Current);
        let found = self.store.get_post(by, freshness).await?;
        if let Some(current) = &found {
            let Entries {
                validity,
                posts,
                lists_since,
                ..
            } = &*self.entries;
            if !posts.has(&id, |cached| are_alike(cached, current)) {
                posts.invalidate(&id);
            }
            lists_since.advance_to(validity.now());
        }
        Ok(found)
    }

    /// Reads from the cache, or else from the store. What is returned is not older than `since`. What the
    /// store returns is cached and shared if `is_shared`.
    async fn read<K, V, F>(
        &self,
        reads: &Reads<K, V>,
        key: K,
        since: Moment,
        is_shared: impl Fn(&V) -> bool,
        ask_store: impl Fn() -> F,
    ) -> Result<Option<V>, StoreError>
    where
        K: Clone + Eq + Hash,
        V: Clone + Weigh,
        F: Future<Output = Result<Option<V>, StoreError>>,
    {
        let validity = &self.entries.validity;
        let now = validity.now();
        let mut lookup = reads.get(&key, validity, since, now);
        if let (Lookup::Unconfirmed, Some(poll)) = (&lookup, &self.poll) {
            poll.check(validity).await;
            lookup = reads.get(&key, validity, since, now);
        }
        let is_hit = matches!(lookup, Lookup::Hit(_));
        self.entries.hits.count(is_hit);
        if let Lookup::Hit(value) = lookup {
            return Ok(Some(value));
        }
        match reads.read(key, validity, since, now) {
            Read::Begin(reading) => {
                let found = ask_store().await?;
                if let Some(value) = found.as_ref().filter(|value| is_shared(value)) {
                    reading.finish(value);
                }
                Ok(found)
            }
            Read::Join(mut found) => {
                if let Ok(found) = found.wait_for(Option::is_some).await {
                    return Ok(found.clone());
                }
                // All that waited ask at the same time: one after the other, the last one would wait
                // for the sum of the timeouts of a store in trouble.
                ask_store().await
            }
        }
    }

    /// Reads a list, which the store always returns, in the same way. `key` makes its key from the generation.
    async fn read_list<K, V, F>(
        &self,
        reads: &Reads<K, V>,
        key: impl FnOnce(u64) -> K,
        ask_store: impl Fn() -> F,
    ) -> Result<V, StoreError>
    where
        K: Clone + Eq + Hash,
        V: Clone + Weigh,
        F: Future<Output = Result<V, StoreError>>,
    {
        let key = key(self.entries.generation.load(Ordering::Acquire));
        let since = self.entries.lists_since.get();
        let ask_store = || async { ask_store().await.map(Some) };
        let found = self.read(reads, key, since, |_| true, ask_store).await?;
        found.ok_or_else(|| StoreError::new("read a list", "the store returned none"))
    }
}

/// Whether a draft is, or was, under the identifier. Reads of it cost as much as those of an unused one.
fn is_draft(entry: &Entry) -> bool {
    let visibility = match entry {
        Entry::Live(post) => post.summary.visibility,
        Entry::Gone(tombstone) => tombstone.visibility,
    };
    visibility == Visibility::Draft
}

/// Whether both are the same state of a post.
fn are_alike(one: &Entry, other: &Entry) -> bool {
    match (one, other) {
        (Entry::Live(one), Entry::Live(other)) => one.summary.revision == other.summary.revision,
        // The owner may have been forgotten.
        (Entry::Gone(one), Entry::Gone(other)) => one.owner == other.owner,
        _ => false,
    }
}

#[async_trait]
impl<S: Store> Store for Cached<S> {
    async fn write(&self, write: Write, change: Option<NewChange>) -> Result<Outcome, StoreError> {
        let (_invalidation, _forgetting);
        match &write {
            // Nothing is cached of an unused identifier, so no post is to be invalidated.
            Write::InsertPost(_) => _invalidation = self.entries.invalidate_on_drop(None),
            Write::UpdatePost { .. } | Write::DeletePost { .. } => {
                _invalidation = self.entries.invalidate_on_drop(write.post());
            }
            Write::ForgetOwner { owner, .. } => {
                _forgetting = Forgetting {
                    entries: &self.entries,
                    owner: owner.clone(),
                };
            }
            Write::InsertTombstone(_)
            | Write::InsertKey(_)
            | Write::TouchKey { .. }
            | Write::RevokeKey(_) => {}
        }
        self.store.write(write, change).await
    }

    async fn get_post(
        &self,
        by: PostKey,
        freshness: Freshness,
    ) -> Result<Option<Entry>, StoreError> {
        match (by, freshness) {
            (PostKey::Id(id), Freshness::Bounded) => self.get_cached_post(id).await,
            (PostKey::Id(id), Freshness::Current) => self.get_current_post(id).await,
            (PostKey::EditToken(_), _) => self.store.get_post(by, freshness).await,
        }
    }

    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        if self.poll.is_none() || page.per_page() > MAX_PER_PAGE || page.bodies() {
            return self.store.list_posts(page).await;
        }
        let key = |generation| (page.clone(), generation);
        let ask_store = || self.store.list_posts(page.clone());
        self.read_list(&self.entries.pages, key, ask_store).await
    }

    async fn list_tags(&self, limit: u32) -> Result<Vec<TagCount>, StoreError> {
        if self.poll.is_none() {
            return self.store.list_tags(limit).await;
        }
        let key = |generation| (limit, generation);
        let ask_store = || async { self.store.list_tags(limit).await.map(Arc::from) };
        let tags = self.read_list(&self.entries.tags, key, ask_store).await?;
        Ok(tags.to_vec())
    }

    async fn walk_entries(
        &self,
        after: Option<PostId>,
        limit: u32,
    ) -> Result<Vec<Entry>, StoreError> {
        self.store.walk_entries(after, limit).await
    }

    async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
        self.store.find_key(secret).await
    }

    async fn walk_keys(
        &self,
        after: Option<KeyId>,
        limit: u32,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        self.store.walk_keys(after, limit).await
    }

    async fn get_or_insert_installation_secret(
        &self,
        candidate: InstallationSecret,
    ) -> Result<InstallationSecret, StoreError> {
        let store = &self.store;
        store.get_or_insert_installation_secret(candidate).await
    }

    async fn health(&self) -> Result<Health, StoreError> {
        self.store.health().await
    }

    fn outbox(&self) -> Option<&dyn Outbox> {
        self.store.outbox()
    }

    fn stats(&self) -> StoreStats {
        let Entries {
            posts,
            pages,
            tags,
            hits,
            ..
        } = &*self.entries;
        let entries = posts.len() + pages.len() + tags.len();
        let bytes = posts.bytes() + pages.bytes() + tags.bytes();
        self.store.stats().with_cache(hits.stats(entries, bytes))
    }
}
