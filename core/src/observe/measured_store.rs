//! The store of the service. It measures what a request waits for, and has a span of `tracing` around each call.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tracing::debug_span;

use crate::observe::timings::{Phase, measure};
use crate::post::{
    Bar, Entry, InstallationSecret, KeyId, KeyRecord, List, NewChange, PageRequest, Post, PostId,
    PostList, SecretHash, Tag, TagCount, Timestamp, Words,
};
use crate::store::{
    Changes, Due, Freshness, Health, Outbox, Outcome, PostKey, SearchIndex, Store, StoreError,
    StoreStats, Write,
};

/// A store whose calls each have a span `store`, with their name as `operation`, at the level debug. It has the methods
/// of [`Store`], but does not implement it: that would box each future twice.
///
/// It marks in [`Changes`] what it writes, and what it reads as current.
#[derive(Clone)]
pub(crate) struct MeasuredStore {
    store: Arc<dyn Store>,
    pub(crate) changes: Changes,
    searches: bool,
}

/// How many keys are read from the store at a time.
const KEYS_AT_ONCE: u32 = 1000;

/// Work on so many bytes of input is done at once: that takes less time than a change of threads.
pub(crate) const SMALL: usize = 4096;

/// The words of a post. Those of a longer body are made on a thread that may block.
async fn words_of(post: &Arc<Post>) -> Words {
    if post.body.len() <= SMALL {
        return Words::of(post);
    }
    let post = Arc::clone(post);
    let made = spawn_blocking(move || Words::of(&post)).await;
    made.unwrap_or_else(|error| resume_unwind(error.into_panic()))
}

type Result<T> = std::result::Result<T, StoreError>;

/// Methods of [`Store`] that do nothing else but call it in a span.
macro_rules! measured {
    ($($name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => {$(
        pub(crate) async fn $name(&self, $($argument: $type),*) -> Result<$output> {
            call(stringify!($name), self.store.$name($($argument),*)).await
        }
    )*};
}

impl MeasuredStore {
    pub(crate) fn new(store: impl Store) -> Self {
        let changes = store.changes();
        Self {
            changes: changes.unwrap_or_else(|| Changes::unknown(Duration::ZERO)),
            store: Arc::new(store),
            searches: true,
        }
    }

    /// Lets cached responses be this old, if the store does not tell of changes.
    pub(crate) fn with_max_age(self, age: Duration) -> Self {
        let changes = self.store.changes();
        let changes = changes.unwrap_or_else(|| Changes::unknown(age));
        Self { changes, ..self }
    }

    pub(crate) async fn write(&self, write: Write, change: Option<NewChange>) -> Result<Outcome> {
        let _changed = write.post().map(|id| self.changes.changed_on_drop(id));
        let write = self.with_words(write).await;
        call(write.name(), self.store.write(write, change)).await
    }

    /// Adds the words by which the store finds a post.
    async fn with_words(&self, mut write: Write) -> Write {
        if let Write::InsertPost { post, words, .. } | Write::UpdatePost { post, words, .. } =
            &mut write
            && self.search_index().is_some()
        {
            *words = Some(words_of(post).await);
        }
        write
    }

    pub(crate) async fn get_post(
        &self,
        by: PostKey,
        freshness: Freshness,
    ) -> Result<Option<Entry>> {
        let found = call("get_post", self.store.get_post(by, freshness)).await?;
        if let (Some(entry), Freshness::Current) = (&found, freshness) {
            self.changes.current_was_read(entry.id());
        }
        Ok(found)
    }

    measured! {
        list_posts(page: PageRequest) -> PostList;
        count_since(list: List, tag: Option<Tag>, times: Vec<Timestamp>) -> Vec<u64>;
        list_due(limit: u32) -> Vec<Due>;
        list_tags(limit: u32) -> Vec<TagCount>;
        walk_entries(after: Option<PostId>, limit: u32) -> Vec<Entry>;
        find_key(secret: SecretHash) -> Option<KeyRecord>;
        walk_keys(after: Option<KeyId>, limit: u32) -> Vec<KeyRecord>;
        walk_bars(after: Option<SecretHash>, limit: u32) -> Vec<Bar>;
        get_or_insert_installation_secret(candidate: InstallationSecret) -> InstallationSecret;
        health() -> Health;
    }

    /// Calls the function with each key, in the order of their identifiers.
    pub(crate) async fn visit_keys(&self, mut visit: impl FnMut(KeyRecord)) -> Result<()> {
        let mut after = None;
        loop {
            let keys = self.walk_keys(after, KEYS_AT_ONCE).await?;
            let is_last = keys.len() < KEYS_AT_ONCE as usize;
            after = keys.last().map(|key| key.id);
            keys.into_iter().for_each(&mut visit);
            if is_last {
                return Ok(());
            }
        }
    }

    /// Sets whether the store's index is used, if it has one.
    pub(crate) fn with_search(self, searches: bool) -> Self {
        Self { searches, ..self }
    }

    pub(crate) fn search_index(&self) -> Option<&dyn SearchIndex> {
        self.store.search_index().filter(|_| self.searches)
    }

    pub(crate) fn outbox(&self) -> Option<&dyn Outbox> {
        self.store.outbox()
    }

    pub(crate) fn stats(&self) -> StoreStats {
        self.store.stats()
    }
}

fn call<T>(operation: &'static str, future: impl Future<Output = T>) -> impl Future<Output = T> {
    measure(Phase::Store, debug_span!("store", operation), future)
}
