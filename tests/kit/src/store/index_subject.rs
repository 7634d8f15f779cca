//! The index under test.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use handbill::store::{Outcome, Post, Search, SearchIndex, Term, Words, Write};
use handbill::{PageRequest, PageSize, PostId, PostList, Revision, Store};

use super::subject::call;
use crate::check::setup;

/// A store with an index, whose errors fail the check.
#[derive(Clone)]
pub(super) struct IndexSubject(Arc<dyn Store>);

impl IndexSubject {
    /// `None` if the store has no index.
    pub(super) fn new(store: Arc<dyn Store>) -> Option<Self> {
        store.search_index().is_some().then(|| Self(store))
    }

    fn index(&self) -> &dyn SearchIndex {
        self.0.search_index().expect("the store has an index")
    }

    pub(super) async fn write(&self, write: Write) -> Outcome {
        call(self.0.write(write, None)).await
    }

    pub(super) async fn insert(&self, post: &Post, words: Option<Words>) -> Outcome {
        let (post, by) = (Arc::new(post.clone()), None);
        self.write(Write::InsertPost { post, words, by }).await
    }

    /// Inserts a post that must not conflict, with these words.
    pub(super) async fn put(&self, post: &Post, words: &str) {
        setup(async {
            let write = self.insert(post, Some(made(words))).await;
            assert_eq!(write, Outcome::Applied, "a post under a free identifier");
        })
        .await;
    }

    /// Replaces a post with its next revision.
    pub(super) async fn update(&self, post: &Post, words: Option<Words>) -> Outcome {
        let expected = Revision::from_number(post.summary.revision.number() - 1);
        let (post, by) = (Arc::new(post.clone()), None);
        self.write(Write::UpdatePost {
            expected,
            post,
            words,
            by,
        })
        .await
    }

    /// Replaces a post with its next revision, which must not conflict, with these words.
    pub(super) async fn change(&self, post: &Post, words: &str) {
        setup(async {
            let write = self.update(post, Some(made(words))).await;
            assert_eq!(write, Outcome::Applied, "an update of the current revision");
        })
        .await;
    }

    pub(super) async fn page(&self, list: &PageRequest, search: Search) -> PostList {
        call(self.0.list_posts(list.clone().with_search(Some(search)))).await
    }

    /// The posts of a list, at most 1,000, that a search finds.
    pub(super) async fn found_in(&self, list: &PageRequest, search: Search) -> Vec<PostId> {
        let page = self.page(list, search).await;
        let found: Vec<_> = page.posts.iter().map(|post| post.summary.id).collect();
        assert_eq!(page.total, found.len() as u64, "the total of a search");
        found
    }

    /// The public posts that a search finds.
    pub(super) async fn found(&self, search: Search) -> Vec<PostId> {
        self.found_in(&PageRequest::first(PageSize::MAX), search)
            .await
    }

    pub(super) async fn lease(&self, instance: &str, time: Duration) -> bool {
        call(self.index().lease_indexing(instance, time)).await
    }

    pub(super) async fn unindexed(
        &self,
        version: u32,
        after: Option<PostId>,
        limit: u32,
    ) -> Vec<PostId> {
        call(self.index().unindexed_posts(version, after, limit)).await
    }

    pub(super) async fn index_posts(&self, posts: Vec<(PostId, Revision, Words)>) {
        call(self.index().index_posts(posts)).await;
    }

    pub(super) async fn set_indexed(&self, version: u32) {
        call(self.index().set_indexed(version)).await;
    }
}

/// Words of this version, with a space between each two.
pub(super) fn made(words: &str) -> Words {
    made_by(Words::VERSION, words)
}

pub(super) fn made_by(version: u32, words: &str) -> Words {
    let words: BTreeSet<_> = words.split_whitespace().map(str::to_owned).collect();
    Words::new(version, words)
}

/// A search for words, with a space between each two. One with `…` is the beginning of a word.
pub(super) fn search(terms: &str) -> Search {
    let terms = terms.split_whitespace().map(|term| {
        let beginning = term.strip_suffix('…');
        Term {
            text: beginning.unwrap_or(term).to_owned(),
            is_prefix: beginning.is_some(),
        }
    });
    Search {
        terms: terms.collect(),
        from: None,
        before: None,
    }
}
