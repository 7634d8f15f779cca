//! A store with at most one fault.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use handbill::store::{
    Bar, Changes, Due, Entry, Freshness, Health, InstallationSecret, KeyId, KeyRecord, List,
    MemoryStore, NewChange, Outbox, Outcome, PageRequest, Post, PostId, PostKey, PostList,
    Revision, SearchIndex, SecretHash, Store, StoreError, StoreStats, Tag, TagCount, Timestamp,
    Tombstone, Visibility, Write,
};
use handbill_tests::calls::Calls;

use crate::fault::Fault::{self, *};
use crate::outbox::OutboxAside;
use crate::search::IndexAside;

/// The longest time that a call which has checked the state waits for another call.
const LONGEST_MEETING: Duration = Duration::from_millis(50);

/// A store in memory with at most one fault.
#[derive(Debug, Default)]
pub(crate) struct Faulty {
    pub(crate) fault: Option<Fault>,
    pub(crate) inner: MemoryStore,
    /// Writes that have checked the state but not written yet.
    looks: AtomicU32,
    /// Writes in progress, or completed writes.
    pub(crate) writing: AtomicU32,
    aside: Mutex<Aside>,
}

/// State that a correct store would not use.
#[derive(Debug, Default)]
pub(crate) struct Aside {
    /// Posts in their inserted state and order.
    pub(crate) first: Vec<Post>,
    pub(crate) deleted: Vec<Post>,
    tokens: HashMap<SecretHash, PostId>,
    pub(crate) pages: HashMap<PageRequest, PostList>,
    pub(crate) keys: HashMap<SecretHash, KeyRecord>,
    absent: HashSet<SecretHash>,
    secret: Option<InstallationSecret>,
    pub(crate) outbox: OutboxAside,
    pub(crate) index: IndexAside,
    /// The tombstones that were inserted.
    tombstones: HashSet<PostId>,
    /// The tombstones that were read.
    cached: HashMap<PostId, Tombstone>,
    /// Where the piece of a walk after this identifier begins.
    pub(crate) offsets: HashMap<PostId, usize>,
}

pub(crate) fn failure() -> StoreError {
    StoreError::new("do without a fault", "there is one")
}

impl Faulty {
    pub(crate) fn new(fault: Option<Fault>) -> Self {
        Self {
            fault,
            ..Self::default()
        }
    }

    pub(crate) fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    pub(crate) fn aside<T>(&self, look: impl FnOnce(&mut Aside) -> T) -> T {
        look(&mut self.aside.lock().unwrap())
    }

    pub(crate) async fn live(&self, id: PostId) -> Result<Option<Post>, StoreError> {
        Ok(match self.inner.read_post(id).await? {
            Some(Entry::Live(post)) => Some(Arc::unwrap_or_clone(post)),
            _ => None,
        })
    }

    /// Waits briefly for another write, so that both check the state before either writes.
    pub(crate) fn meet(&self) {
        let own = self.looks.fetch_add(1, Ordering::SeqCst);
        let started = Instant::now();
        while started.elapsed() < LONGEST_MEETING {
            if self.looks.load(Ordering::SeqCst) > own | 1 {
                return;
            }
            std::thread::yield_now();
        }
    }

    /// Writes without checking the state.
    async fn overwrite(&self, post: Post) -> Result<Outcome, StoreError> {
        if self.inner.insert_post(post.clone()).await? == Outcome::Applied {
            return Ok(Outcome::Applied);
        }
        if let Some(now) = self.live(post.summary.id).await? {
            let _ = self.inner.update_post(now.summary.revision, post).await?;
        }
        Ok(Outcome::Applied)
    }
}

impl Faulty {
    async fn write_without_change(&self, write: Write) -> Result<Outcome, StoreError> {
        if write.post().is_some() && self.search_index().is_some() {
            return self.write_with_words(write).await;
        }
        if let Some(by) = write.by()
            && self.fault.is_none_or(Fault::is_of_bars)
        {
            return self.write_by(write, by).await;
        }
        match write {
            Write::InsertPost { post, .. } => self.insert_post(Arc::unwrap_or_clone(post)).await,
            Write::InsertTombstone(tombstone) => self.insert_tombstone(tombstone).await,
            Write::UpdatePost { expected, post, .. } => {
                self.update_post(expected, Arc::unwrap_or_clone(post)).await
            }
            Write::DeletePost { id, expected, .. } => self.delete_post(id, expected).await,
            Write::InsertKey { key, .. } => self.insert_key(key).await,
            Write::TouchKey { id, at } => self.touch_key(id, at).await,
            Write::RevokeKey(id) => self.revoke_key(id).await,
            Write::ForgetOwner { owner, limit } => self.faulty_forget(owner, limit).await,
            Write::Bar { owner, until } => self.faulty_bar(owner, until).await,
            Write::Unbar { owner, at } => self.faulty_unbar(owner, at).await,
        }
    }

    async fn insert_post(&self, mut post: Post) -> Result<Outcome, StoreError> {
        let id = post.summary.id;
        match self.fault {
            Some(RefusesAllWrites) => return Err(failure()),
            Some(Panics) => panic!("the store has a bug"),
            Some(LosesHowItWasCreated) => post.creation = None,
            Some(LosesTimes) => post.summary.expires_at = None,
            Some(TrimsBodies) => post.body = post.body.trim().to_owned(),
            Some(CutsTimesToMilliseconds) => {
                let micros = post.summary.created_at.as_micros();
                post.summary.created_at = Timestamp::from_micros(micros - micros % 1000);
            }
            Some(OverwritesOnConflict) => return self.overwrite(post).await,
            Some(InsertsFirstRevisions) => post.summary.revision = Revision::from_number(1),
            Some(FreesInsertedTombstones) if self.aside(|aside| aside.tombstones.contains(&id)) => {
                return Ok(Outcome::Applied);
            }
            Some(FreesDeletedIdentifiers) => {
                if let Some(Entry::Gone(_)) = self.inner.read_post(id).await? {
                    return Ok(Outcome::Applied);
                }
            }
            Some(LooksBeforeItInserts) => {
                if self.inner.read_post(id).await?.is_some() {
                    return Ok(Outcome::Conflict);
                }
                self.meet();
                return self.overwrite(post).await;
            }
            Some(DropsWritesThatMeet) => {
                let others = self.writing.fetch_add(1, Ordering::SeqCst);
                for _ in 0..100 {
                    std::thread::yield_now();
                }
                if others == 0 {
                    let _ = self.inner.insert_post(post).await?;
                }
                self.writing.fetch_sub(1, Ordering::SeqCst);
                return Ok(Outcome::Applied);
            }
            _ => {}
        }
        let outcome = self.inner.insert_post(post.clone()).await?;
        if outcome == Outcome::Applied {
            self.aside(|aside| {
                aside.tokens.insert(post.edit_token, id);
                aside.first.push(post);
            });
        }
        Ok(outcome)
    }

    async fn insert_tombstone(&self, mut tombstone: Tombstone) -> Result<Outcome, StoreError> {
        let id = tombstone.id;
        match self.fault {
            Some(RefusesAllWrites) => return Err(failure()),
            Some(LosesOwnersOfTombstones) => tombstone.owner = None,
            Some(OverwritesByTombstones) => {
                if let Some(now) = self.live(id).await? {
                    return self.inner.delete_post(id, now.summary.revision).await;
                }
            }
            _ => {}
        }
        self.aside(|aside| aside.tombstones.insert(id));
        self.inner.insert_tombstone(tombstone).await
    }

    async fn update_post(&self, expected: Revision, mut post: Post) -> Result<Outcome, StoreError> {
        let now = self.live(post.summary.id).await?;
        match (self.fault, now) {
            (Some(KeepsOldTitles), Some(now)) => post.summary.title = now.summary.title,
            (Some(PublishesAgain), Some(now)) if now.summary.listed_at().is_none() => {
                post.summary.published_at = Some(post.summary.updated_at);
            }
            (Some(PublishesDraftsAtTheirCreation), Some(now)) => {
                let published_at = now.summary.published_at.unwrap_or(now.summary.created_at);
                post.summary.published_at = Some(published_at);
            }
            (Some(UpdatesAnyRevision), Some(_)) => return self.overwrite(post).await,
            (Some(LooksBeforeItUpdates | LooksBeforeItDeletes), Some(now))
                if now.summary.revision == expected =>
            {
                self.meet();
                return self.overwrite(post).await;
            }
            (Some(InsertsOnUpdate), None) => return self.inner.insert_post(post).await,
            _ => {}
        }
        let (token, id) = (post.edit_token, post.summary.id);
        let outcome = self.inner.update_post(expected, post).await?;
        if outcome == Outcome::Applied && self.has(FindsReplacedTokens) {
            self.aside(|aside| aside.tokens.insert(token, id));
        }
        Ok(outcome)
    }

    async fn delete_post(&self, id: PostId, expected: Revision) -> Result<Outcome, StoreError> {
        let now = self.live(id).await?;
        let mut expected = expected;
        match (self.fault, &now) {
            (Some(DeletesAnyRevision), Some(now)) => expected = now.summary.revision,
            (Some(DeletesWhatIsNotThere), None) => return Ok(Outcome::Applied),
            (Some(LooksBeforeItDeletes), Some(now)) if now.summary.revision == expected => {
                self.meet();
                if let Some(now) = self.live(id).await? {
                    let _ = self.inner.delete_post(id, now.summary.revision).await?;
                }
                return Ok(Outcome::Applied);
            }
            _ => {}
        }
        let outcome = self.inner.delete_post(id, expected).await?;
        if outcome == Outcome::Applied {
            self.aside(|aside| aside.deleted.extend(now));
        }
        Ok(outcome)
    }

    async fn read_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        let entry = self.inner.read_post(id).await?;
        match (self.fault, entry) {
            (Some(FailsOnWhatIsAbsent), None) => Err(failure()),
            (Some(ForgetsTombstones), Some(Entry::Gone(_))) => Ok(None),
            (Some(RevealsDeletedDrafts), Some(Entry::Gone(tombstone))) => {
                let tombstone = tombstone.with_visibility(Visibility::Public);
                Ok(Some(Entry::Gone(tombstone)))
            }
            (Some(CachesTombstones), Some(Entry::Gone(tombstone))) => {
                let cached = self.aside(|aside| {
                    let cached = aside.cached.entry(id).or_insert(tombstone);
                    cached.clone()
                });
                Ok(Some(Entry::Gone(cached)))
            }
            (_, entry) => Ok(entry),
        }
    }

    async fn current_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        if self.has(DecidesOnFirstRevisions) {
            let first = self.aside(|aside| {
                let mut posts = aside.first.iter();
                posts.find(|post| post.summary.id == id).cloned()
            });
            return Ok(first.map(|post| Entry::Live(post.into())));
        }
        self.read_post(id).await
    }

    async fn post_by_token(&self, token: SecretHash) -> Result<Option<Entry>, StoreError> {
        let noted = self.aside(|aside| aside.tokens.get(&token).copied());
        let found = self.inner.post_by_token(token).await?;
        match (self.fault, found) {
            (Some(FindsReplacedTokens | FindsFirstTokensOnly), _) => match noted {
                Some(id) => self.inner.read_post(id).await,
                None => Ok(None),
            },
            (Some(FindsNothingByTokens), _) => Ok(None),
            (Some(ForgetsTokensOfTombstones), Some(Entry::Gone(_))) => Ok(None),
            (Some(FindsNoInsertedTombstones), Some(Entry::Gone(tombstone)))
                if self.aside(|aside| aside.tombstones.contains(&tombstone.id)) =>
            {
                Ok(None)
            }
            (_, found) => Ok(found),
        }
    }
}

#[async_trait::async_trait]
impl Store for Faulty {
    async fn write(&self, write: Write, change: Option<NewChange>) -> Result<Outcome, StoreError> {
        match change.filter(|_| self.outbox().is_some()) {
            Some(change) => self.write_with_change(write, change).await,
            None => self.write_without_change(write).await,
        }
    }

    async fn get_post(
        &self,
        by: PostKey,
        freshness: Freshness,
    ) -> Result<Option<Entry>, StoreError> {
        match (by, freshness) {
            (PostKey::Id(id), Freshness::Bounded) => self.read_post(id).await,
            (PostKey::Id(id), Freshness::Current) => self.current_post(id).await,
            (PostKey::EditToken(token), _) => self.post_by_token(token).await,
        }
    }

    async fn list_posts(&self, request: PageRequest) -> Result<PostList, StoreError> {
        match request.search.clone() {
            Some(search) => self.search(request, search).await,
            None => self.listed(request).await,
        }
    }

    async fn count_since(
        &self,
        list: List,
        tag: Option<Tag>,
        times: Vec<Timestamp>,
    ) -> Result<Vec<u64>, StoreError> {
        let later = i64::from(self.has(CountsFromTheNextInstant));
        let times = times
            .iter()
            .map(|time| Timestamp::from_micros(time.as_micros() + later));
        self.inner.count_since(list, tag, times.collect()).await
    }

    async fn list_due(&self, limit: u32) -> Result<Vec<Due>, StoreError> {
        let mut due = self.inner.list_due(u32::MAX).await?;
        match self.fault {
            Some(ListsDueByIdentifier) => due.sort_by_key(|due| due.id),
            Some(ListsWhatWasDue) => {
                let first = self.aside(|aside| aside.first.clone());
                let was_due = |post: &Post| Some((post.summary.due_at()?, post.summary.id));
                due = first
                    .iter()
                    .filter_map(was_due)
                    .map(|(at, id)| Due { at, id })
                    .collect();
                due.sort();
            }
            _ => {}
        }
        due.truncate(limit as usize);
        Ok(due)
    }

    async fn list_tags(&self, limit: u32) -> Result<Vec<TagCount>, StoreError> {
        self.faulty_tags(limit).await
    }

    async fn walk_entries(
        &self,
        after: Option<PostId>,
        limit: u32,
    ) -> Result<Vec<Entry>, StoreError> {
        self.faulty_walk(after, limit).await
    }

    async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
        let absent = self.aside(|aside| aside.absent.contains(&secret));
        let remembered = self.aside(|aside| aside.keys.get(&secret).cloned());
        let found = self.inner.find_key(secret).await?;
        match self.fault {
            Some(RemembersAbsentSecrets) if absent => return Ok(None),
            Some(RemembersAbsentSecrets) if found.is_none() => {
                self.aside(|aside| aside.absent.insert(secret));
            }
            Some(KeepsRevokedKeys) => return Ok(remembered),
            Some(KeepsSecretsOfRevokedKeys) => {
                let keys = self.keys().await?;
                let named = |key: &KeyRecord| remembered.as_ref().is_some_and(|r| r.id == key.id);
                return Ok(keys.into_iter().find(named));
            }
            Some(RemembersKeysTooLate) => {
                if remembered.is_some() {
                    return Ok(remembered);
                }
                // The key may be revoked between the read and the caching.
                for _ in 0..2 {
                    tokio::task::yield_now().await;
                }
                if let Some(found) = &found {
                    self.aside(|aside| aside.keys.insert(secret, found.clone()));
                }
            }
            _ => {}
        }
        Ok(found)
    }

    async fn walk_keys(
        &self,
        after: Option<KeyId>,
        limit: u32,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        self.faulty_keys(after, limit).await
    }

    async fn walk_bars(
        &self,
        after: Option<SecretHash>,
        limit: u32,
    ) -> Result<Vec<Bar>, StoreError> {
        self.faulty_bars(after, limit).await
    }

    async fn get_or_insert_installation_secret(
        &self,
        candidate: InstallationSecret,
    ) -> Result<InstallationSecret, StoreError> {
        match self.fault {
            Some(ReturnsEachCandidate) => Ok(candidate),
            Some(LooksBeforeItStoresTheSecret) => {
                if let Some(secret) = self.aside(|aside| aside.secret.clone()) {
                    return Ok(secret);
                }
                self.meet();
                self.aside(|aside| aside.secret = Some(candidate.clone()));
                Ok(candidate)
            }
            _ => {
                self.inner
                    .get_or_insert_installation_secret(candidate)
                    .await
            }
        }
    }

    async fn health(&self) -> Result<Health, StoreError> {
        if self.has(IsNeverHealthy) {
            return Err(failure());
        }
        self.inner.health().await
    }

    fn outbox(&self) -> Option<&dyn Outbox> {
        let has_outbox = self.fault.is_none_or(Fault::is_of_outbox);
        has_outbox.then_some(self)
    }

    fn search_index(&self) -> Option<&dyn SearchIndex> {
        let has_index = self.fault.is_none_or(Fault::is_of_index);
        has_index.then_some(self)
    }

    fn changes(&self) -> Option<Changes> {
        None
    }

    fn stats(&self) -> StoreStats {
        StoreStats::default()
    }
}
