//! A simple model of lists: the expected result.

use handbill::{Post, PostId, PostSummary, Tag};
use std::collections::HashMap;

use super::subject::{Subject, request};

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

    /// The posts of a list in order.
    pub(super) fn list(&self, tag: Option<&Tag>) -> Vec<&PostSummary> {
        let summaries = self.0.values().map(|post| &post.summary);
        let mut list: Vec<_> = summaries
            .filter(|post| tag.is_none_or(|tag| post.tags.contains(tag)))
            .collect();
        list.sort_by_key(|post| std::cmp::Reverse((post.created_at, post.id)));
        list
    }

    /// Asserts that every page of this list is correct.
    pub(super) async fn is_shown(&self, store: &Subject, tag: Option<&Tag>, per_page: u32) {
        let list = self.list(tag);
        let total = list.len() as u64;
        let pages = request(1, per_page, tag).pages_of(total);
        for number in 1..=pages + 2 {
            let page = store.page(&request(number, per_page, tag)).await;
            let what = || format!("page {number} of {pages}, {per_page} a page, tag {tag:?}");
            assert_eq!(page.total, total, "the total on {}", what());
            let offset = request(number, per_page, tag).offset() as usize;
            let expected = list.iter().skip(offset).take(per_page as usize);
            let shown = page.posts.iter().map(|listed| &listed.summary);
            assert!(
                shown.eq(expected.copied()),
                "{} shows other posts than it should, or in another order",
                what()
            );
        }
    }
}
