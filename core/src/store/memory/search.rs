//! The words of posts in memory.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::time::Duration;

use async_trait::async_trait;
use handbill_markdown::search::Term;

use super::{Lease, MemoryStore, Order, State, lease};
use crate::post::{Entry, List, Place, PostId, Revision, Search, Words};
use crate::store::{MAX_HITS, SearchIndex, StoreError};

/// A term is rare if at most one of so many posts has it. Searches for others soon have enough posts.
const RARE: usize = 16;

/// The posts that have each word, and the words of each post.
#[derive(Debug)]
pub(super) struct Index {
    posts: BTreeMap<String, BTreeSet<PostId>>,
    words: HashMap<PostId, Words>,
    /// The version of the words that all posts have.
    version: u32,
    lease: Lease,
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

    /// The posts of each word that a term finds.
    fn with_term(&self, term: &Term) -> Vec<&BTreeSet<PostId>> {
        let from = (Included(term.text.as_str()), Unbounded);
        let words = self.posts.range::<str, _>(from);
        let words = words.take_while(|(word, _)| term.finds(word));
        words.map(|(_, posts)| posts).collect()
    }

    fn has_all(&self, id: PostId, terms: &[Term]) -> bool {
        let words = self.words.get(&id);
        words.is_some_and(|words| terms.iter().all(|term| words.have(term)))
    }
}

fn count(words: &[&BTreeSet<PostId>]) -> usize {
    words.iter().map(|posts| posts.len()).sum()
}

impl State {
    /// The latest posts of a list that a search finds: of the posts with its rarest term if they are few, else of all.
    pub(super) fn find(&self, list: &List, all: &Order, search: &Search) -> Order {
        let terms = search.terms.iter().map(|term| self.index.with_term(term));
        let Some(rarest) = terms.min_by_key(|words| count(words)) else {
            return Order::default();
        };
        let is_rare = count(&rarest) < all.0.len() / RARE;
        let some = is_rare.then(|| {
            let posts = rarest.into_iter().flatten().filter_map(|id| self.live(*id));
            let places = posts.map(|post| list.place_of(&post.summary));
            let mut places: Vec<_> = places
                .filter(|place| all.0.binary_search(place).is_ok())
                .collect();
            places.sort_unstable();
            places.dedup();
            places
        });
        let is_hit = |place: &&Place| {
            let post = self.live(place.id);
            post.is_some_and(|post| search.includes(post.summary.published_at))
                && self.index.has_all(place.id, &search.terms)
        };
        let latest = some.as_ref().unwrap_or(&all.0).iter().rev();
        let hits = latest.filter(is_hit).take(MAX_HITS as usize);
        let mut hits: Vec<_> = hits.copied().collect();
        hits.reverse();
        Order(hits)
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
