//! The index of a store with at most one fault.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::Ordering;
use std::time::Duration;

use handbill::store::{
    Outcome, PageStart, Revision, Search, SearchIndex, StoreError, Term, Timestamp, Words, Write,
};
use handbill::{List, PageRequest, PageSize, PostId, PostList, Store};

use crate::fault::Fault::*;
use crate::faulty::Faulty;

/// What a correct index would not use.
#[derive(Debug, Default)]
pub(crate) struct IndexAside {
    /// The words of posts, also of deleted ones.
    words: HashMap<PostId, BTreeSet<String>>,
}

impl Faulty {
    fn index_below(&self) -> &dyn SearchIndex {
        self.inner.search_index().unwrap()
    }

    /// A word as it is stored and searched for.
    fn as_stored(&self, word: &str) -> Vec<String> {
        match self.fault {
            Some(LosesMarks) => vec![word.replace('й', "и")],
            Some(TakesWordsApart) => word.split('.').map(str::to_owned).collect(),
            _ => vec![word.to_owned()],
        }
    }

    /// Makes a write of a post.
    pub(crate) async fn write_with_words(&self, mut write: Write) -> Result<Outcome, StoreError> {
        let others = self.writing.fetch_add(1, Ordering::SeqCst);
        if self.has(LosesWordsThatMeet) {
            for _ in 0..100 {
                std::thread::yield_now();
            }
        }
        let (id, given) = (write.post().unwrap(), write.words().cloned());
        let mut stored: BTreeSet<_> = given
            .iter()
            .flat_map(Words::iter)
            .flat_map(|word| self.as_stored(word))
            .collect();
        if self.has(KeepsEarlierWords) {
            let earlier = self.aside(|aside| aside.index.words.get(&id).cloned());
            stored.extend(earlier.into_iter().flatten());
        }
        let is_deletion = matches!(write, Write::DeletePost { .. });
        if let Write::InsertPost { words, .. } | Write::UpdatePost { words, .. } = &mut write {
            let is_lost = others > 0 && self.has(LosesWordsThatMeet);
            let kept = words.take().filter(|_| !is_lost);
            *words = kept.map(|words| Words::new(words.version(), stored.clone()));
        }
        let outcome = self.inner.write(write, None).await;
        self.writing.fetch_sub(1, Ordering::SeqCst);
        let outcome = outcome?;
        if outcome == Outcome::Applied {
            if !is_deletion {
                self.aside(|aside| aside.index.words.insert(id, stored));
            }
        } else if self.has(AddsWordsOfConflicts)
            && let (Some(words), Some(live)) = (given, self.live(id).await?)
        {
            let post = (id, live.summary.revision, words);
            self.index_below().index_posts(vec![post]).await?;
        }
        Ok(outcome)
    }

    /// One page of what a search finds.
    pub(crate) async fn search(
        &self,
        mut page: PageRequest,
        mut search: Search,
    ) -> Result<PostList, StoreError> {
        match (self.fault, &page.list) {
            (Some(TakesWordsForBeginnings), _) => {
                for term in &mut search.terms {
                    term.is_prefix = true;
                }
            }
            (Some(IgnoresLaterTerms), _) => search.terms.truncate(1),
            (Some(IncludesTheEndOfPeriods), _) => {
                let next = |at: Timestamp| Timestamp::from_micros(at.as_micros() + 1);
                search.before = search.before.map(next);
            }
            (Some(IgnoresTagsOfSearches), _) => page.tag = None,
            (Some(SearchesHiddenPostsOfOwners), List::PublicOf(owner)) => {
                page.list = List::AllOf(owner.clone());
            }
            (Some(BeginsSearchesAtTheTop), _) => page.start = PageStart::Skip(0),
            _ => {}
        }
        let terms = search.terms.iter().flat_map(|term| {
            let texts = self.as_stored(&term.text).into_iter();
            texts.map(|text| Term { text, ..*term })
        });
        search.terms = terms.collect();
        let found = page.clone().with_search(Some(search.clone()));
        let mut found = self.inner.list_posts(found).await?;
        match self.fault {
            Some(LimitsBeforeItSearches) => {
                let latest = PageRequest::first(PageSize::MAX);
                let latest = latest.with_list(page.list).with_tag(page.tag);
                let latest = self.inner.list_posts(latest).await?;
                let latest: BTreeSet<_> = latest.into_iter().map(|post| post.summary.id).collect();
                let posts = found.posts.iter();
                let posts = posts.filter(|post| latest.contains(&post.summary.id));
                found.posts = posts.cloned().collect();
            }
            Some(KeepsWordsOfDeletedPosts) => {
                let words = self.aside(|aside| aside.index.words.clone());
                for (id, words) in words {
                    let has = |term: &Term| words.iter().any(|word| term.finds(word));
                    let is_hit = search.terms.iter().all(has);
                    found.total += u64::from(is_hit && self.live(id).await?.is_none());
                }
            }
            Some(IsAlwaysComplete) => found.is_incomplete = false,
            _ => {}
        }
        Ok(found)
    }
}

#[async_trait::async_trait]
impl SearchIndex for Faulty {
    async fn lease_indexing(&self, instance: &str, time: Duration) -> Result<bool, StoreError> {
        let is_leased = self.index_below().lease_indexing(instance, time).await?;
        Ok(is_leased || self.has(LeasesIndexingToMany))
    }

    async fn unindexed_posts(
        &self,
        version: u32,
        after: Option<PostId>,
        limit: u32,
    ) -> Result<Vec<PostId>, StoreError> {
        let index = self.index_below();
        let mut posts = index.unindexed_posts(version, after, limit).await?;
        if self.has(IndexesWordsAlone) {
            let words = self.aside(|aside| aside.index.words.clone());
            let without = words.into_iter().filter(|(_, words)| words.is_empty());
            posts.extend(without.map(|(id, _)| id).filter(|id| Some(*id) > after));
            posts.sort_unstable();
            posts.dedup();
            posts.truncate(limit as usize);
        }
        Ok(posts)
    }

    async fn index_posts(
        &self,
        mut posts: Vec<(PostId, Revision, Words)>,
    ) -> Result<(), StoreError> {
        if self.has(IndexesAnyRevision) {
            for (id, revision, _) in &mut posts {
                let live = self.live(*id).await?;
                *revision = live.map_or(*revision, |live| live.summary.revision);
            }
        }
        self.index_below().index_posts(posts).await
    }

    async fn set_indexed(&self, version: u32) -> Result<(), StoreError> {
        self.index_below().set_indexed(version).await
    }
}
