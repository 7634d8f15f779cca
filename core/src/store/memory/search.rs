//! The words of posts in memory.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::time::Duration;

use async_trait::async_trait;
use handbill_markdown::search::Term;
use tokio::time::Instant;

use super::{MemoryStore, Order, State};
use crate::post::id::PostId;
use crate::post::{Entry, Revision, Search, Words};
use crate::store::{MAX_HITS, SearchIndex, StoreError};

/// The posts that have each word, and the words of each post.
#[derive(Debug)]
pub(super) struct Index {
    posts: BTreeMap<String, BTreeSet<PostId>>,
    words: HashMap<PostId, Words>,
    /// The version of the words that all posts have.
    version: u32,
    lease: Option<(String, Instant)>,
}

impl Default for Index {
    fn default() -> Self {
        Self {
            posts: BTreeMap::new(),
            words: HashMap::new(),
            version: Words::VERSION,
            lease: None,
        }
    }
}

impl Index {
    pub(super) fn is_complete(&self) -> bool {
        self.version == Words::VERSION
    }

    /// Sets the words of a post, instead of those that it had.
    pub(super) fn set(&mut self, id: PostId, words: Option<Words>) {
        for word in self.words.remove(&id).iter().flat_map(Words::iter) {
            if let Some(posts) = self.posts.get_mut(word) {
                posts.remove(&id);
                if posts.is_empty() {
                    self.posts.remove(word);
                }
            }
        }
        if let Some(words) = words {
            for word in words.iter() {
                self.posts.entry(word.to_owned()).or_default().insert(id);
            }
            self.words.insert(id, words);
        }
    }

    /// The posts with a term.
    fn find(&self, term: &Term) -> HashSet<PostId> {
        let from = (Included(term.text.as_str()), Unbounded);
        let words = self.posts.range::<str, _>(from);
        let words = words.take_while(|(word, _)| term.finds(word));
        words.flat_map(|(_, posts)| posts).copied().collect()
    }
}

impl State {
    /// The latest posts of a list that a search finds.
    pub(super) fn find(&self, list: &Order, search: &Search) -> Order {
        let Search {
            terms,
            from,
            before,
        } = search;
        let found: Vec<_> = terms.iter().map(|term| self.index.find(term)).collect();
        let is_within = |id| {
            let published = self.live(id).and_then(|post| post.summary.published_at);
            from.is_none_or(|from| published.is_some_and(|at| at >= from))
                && before.is_none_or(|before| published.is_some_and(|at| at < before))
        };
        let is_hit = |id| found.iter().all(|posts| posts.contains(&id)) && is_within(id);
        let latest = list.0.iter().rev().filter(|place| is_hit(place.id));
        let mut hits: Vec<_> = match terms.is_empty() {
            true => Vec::new(),
            false => latest.take(MAX_HITS as usize).copied().collect(),
        };
        hits.reverse();
        Order(hits)
    }
}

#[async_trait]
impl SearchIndex for MemoryStore {
    async fn lease_indexing(&self, instance: &str, time: Duration) -> Result<bool, StoreError> {
        let (mut state, now) = (self.lock(), Instant::now());
        let lease = &mut state.index.lease;
        if lease
            .as_ref()
            .is_some_and(|(holder, until)| holder != instance && *until > now)
        {
            return Ok(false);
        }
        *lease = Some((instance.to_owned(), now + time));
        Ok(true)
    }

    async fn unindexed_posts(
        &self,
        version: u32,
        after: Option<PostId>,
        limit: u32,
    ) -> Result<Vec<PostId>, StoreError> {
        let state = self.read();
        let start = after.map_or(Unbounded, Excluded);
        let lacks_words = |(id, entry): (&PostId, &Entry)| {
            let words = state.index.words.get(id);
            let is_indexed = words.is_some_and(|words| words.version() == version);
            (matches!(entry, Entry::Live(_)) && !is_indexed).then_some(*id)
        };
        let entries = state.entries.range((start, Unbounded));
        let posts = entries.filter_map(lacks_words).take(limit as usize);
        Ok(posts.collect())
    }

    async fn index_posts(&self, posts: Vec<(PostId, Revision, Words)>) -> Result<(), StoreError> {
        let mut state = self.lock();
        for (id, revision, words) in posts {
            if state
                .live(id)
                .is_some_and(|post| post.summary.revision == revision)
            {
                state.index.set(id, Some(words));
            }
        }
        Ok(())
    }

    async fn set_indexed(&self, version: u32) -> Result<(), StoreError> {
        self.lock().index.version = version;
        Ok(())
    }
}
