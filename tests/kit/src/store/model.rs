//! A simple model of lists: the expected result.

use handbill::{PageRequest, Post, PostId, PostSummary, Tag, TagCount};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::subject::{Subject, request, turned};

/// The live posts.
#[derive(Default)]
pub(super) struct Model(HashMap<PostId, Post>);

impl Model {
    /// Stores a post, new or changed.
    pub(super) fn put(&mut self, post: &Post) {
        self.0.insert(post.summary.id, post.clone());
    }

    pub(super) fn remove(&mut self, id: PostId) {
        self.0.remove(&id);
    }

    /// The live posts, in the same order in each run.
    pub(super) fn posts(&self) -> Vec<Post> {
        let mut posts: Vec<Post> = self.0.values().cloned().collect();
        posts.sort_by_key(|post| post.summary.id);
        posts
    }

    /// The posts of the list that this page belongs to, in order.
    fn list(&self, list: &PageRequest) -> Vec<&PostSummary> {
        let sorted_by = |post: &PostSummary| match list.owner() {
            Some(owner) => (post.owner.as_ref() == Some(owner)).then_some(post.created_at),
            None => post.listed_at(),
        };
        let mut posts: Vec<_> = self
            .0
            .values()
            .map(|post| &post.summary)
            .filter(|post| list.tag().is_none_or(|tag| post.tags.contains(tag)))
            .filter(|post| sorted_by(post).is_some())
            .collect();
        posts.sort_by_key(|post| Reverse((sorted_by(post), post.id)));
        posts
    }

    /// The tags of the public lists, with the most posts first.
    fn tags(&self) -> Vec<TagCount> {
        let mut posts = BTreeMap::<&Tag, u64>::new();
        let public = self.0.values().map(|post| &post.summary);
        for post in public.filter(|post| post.listed_at().is_some()) {
            for tag in &post.tags {
                *posts.entry(tag).or_default() += 1;
            }
        }
        let mut tags: Vec<_> = posts
            .into_iter()
            .map(|(tag, posts)| TagCount::new(tag.clone(), posts))
            .collect();
        tags.sort_by_key(|tag| Reverse(tag.posts));
        tags
    }

    /// Asserts that the tags are counted correctly.
    pub(super) async fn tags_are_counted(&self, store: &Subject) {
        assert_eq!(store.tags(1000).await, self.tags(), "the tags");
    }

    /// Asserts that every page of this public list is correct.
    pub(super) async fn is_shown(&self, store: &Subject, tag: Option<&Tag>, per_page: u32) {
        self.list_is_shown(store, &request(1, per_page, tag)).await;
    }

    /// Asserts that every page of the list that this page belongs to is correct.
    pub(super) async fn list_is_shown(&self, store: &Subject, list: &PageRequest) {
        let posts = self.list(list);
        let total = posts.len() as u64;
        let pages = list.pages_of(total);
        for number in 1..=pages + 2 {
            let request = turned(list, number);
            let page = store.page(&request).await;
            let what = || {
                format!(
                    "page {number} of {pages}, {} a page, tag {:?}, owner {:?}",
                    list.per_page(),
                    list.tag(),
                    list.owner()
                )
            };
            assert_eq!(page.total, total, "the total on {}", what());
            let expected = posts
                .iter()
                .skip(request.offset() as usize)
                .take(list.per_page() as usize);
            let shown = page.posts.iter().map(|listed| &listed.summary);
            assert!(
                shown.eq(expected.copied()),
                "{} shows other posts than it should, or in another order",
                what()
            );
        }
    }
}
