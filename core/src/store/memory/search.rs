//! The words of posts in memory.

use std::collections::HashMap;
use std::ops::Bound::{Excluded, Unbounded};
use std::time::Duration;

use async_trait::async_trait;
use handbill_markdown::search::Term;

use super::{Lease, MemoryStore, SortedPlaces, State, lease};
use crate::post::{Entry, Place, PostId, Revision, Search, Words};
use crate::store::{MAX_HITS, SearchIndex, StoreError};

/// The words of each post.
#[derive(Debug)]
pub(super) struct Index {
    words: HashMap<PostId, Words>,
    /// The version of the words that all posts have.
    version: u32,
    lease: Lease,
}

impl Default for Index {
    fn default() -> Self {
        Self {
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
        match words {
            Some(words) => self.words.insert(id, words),
            None => self.words.remove(&id),
        };
    }

    fn has_all(&self, id: PostId, terms: &[Term]) -> bool {
        let words = self.words.get(&id);
        let has = |words: &Words| terms.iter().all(|term| words.have(term));
        !terms.is_empty() && words.is_some_and(has)
    }
}

impl State {
    /// The latest posts of a list that a search finds.
    pub(super) fn find(&self, list: &SortedPlaces, search: &Search) -> SortedPlaces {
        let is_hit = |place: &&Place| {
            let post = self.live(place.id);
            post.is_some_and(|post| search.includes(post.summary.published_at))
                && self.index.has_all(place.id, &search.terms)
        };
        let newest_first = list.0.iter().rev().filter(is_hit).take(MAX_HITS as usize);
        let mut hits: Vec<_> = newest_first.copied().collect();
        hits.reverse();
        SortedPlaces(hits)
    }
}

#[async_trait]
impl SearchIndex for MemoryStore {
    async fn lease_indexing(&self, instance: &str, time: Duration) -> Result<bool, StoreError> {
        Ok(lease(&mut self.state.write().index.lease, instance, time))
    }

    async fn unindexed_posts(
        &self,
        version: u32,
        after: Option<PostId>,
        limit: u32,
    ) -> Result<Vec<PostId>, StoreError> {
        let state = self.state.read();
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
        let mut state = self.state.write();
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
        self.state.write().index.version = version;
        Ok(())
    }
}
