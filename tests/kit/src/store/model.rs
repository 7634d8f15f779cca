//! A simple model of lists: the expected result.

use handbill::store::{PageStart, Post, TagCount};
use handbill::{List, PageRequest, PostId, PostSummary, Tag, Timestamp};
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
    pub(super) fn list(&self, list: &PageRequest) -> Vec<&PostSummary> {
        let mut posts: Vec<_> = self
            .0
            .values()
            .map(|post| &post.summary)
            .filter(|post| list.tag.as_ref().is_none_or(|tag| post.tags.contains(tag)))
            .filter(|post| List::of(post).contains(&list.list))
            .collect();
        posts.sort_by_key(|post| Reverse(list.place_of(post)));
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

    /// Asserts that the posts of a list are counted correctly since a few instants around those of its posts.
    pub(super) async fn is_counted(&self, store: &Subject, list: &PageRequest) {
        let posts = self.list(list);
        let places: Vec<_> = posts.iter().map(|post| list.place_of(post).time).collect();
        let some = places.iter().step_by(places.len() / 10 + 1);
        let around = some.flat_map(|time| [-1, 0, 1].map(|by| time.as_micros() + by));
        let ends = [0, i64::MAX].into_iter().chain(around);
        let times: Vec<_> = ends.map(Timestamp::from_micros).collect();
        let since = |time: &Timestamp| places.iter().filter(|place| *place >= time).count() as u64;
        let expected: Vec<_> = times.iter().map(since).collect();
        let counted = store.since(list, times.clone()).await;
        assert_eq!(counted, expected, "posts of {list:?} since {times:?}");
    }

    /// Asserts that every page of the list that this page belongs to is correct, and those beside its first post.
    pub(super) async fn list_is_shown(&self, store: &Subject, list: &PageRequest) {
        self.is_counted(store, list).await;
        pages_are_shown(store, list, &self.list(list)).await;
    }
}

/// Asserts that every page of the list that this page belongs to has these posts, and those beside its first post.
pub(super) async fn pages_are_shown(store: &Subject, list: &PageRequest, posts: &[&PostSummary]) {
    let total = posts.len() as u64;
    let (pages, size) = (list.pages_of(total), list.per_page.get() as usize);
    for number in 1..=pages + 2 {
        let request = turned(list, number);
        let first = (number as usize - 1) * size;
        is_right(store, &request, posts.iter().skip(first), total).await;
        if let Some(post) = posts.get(first) {
            let place = list.place_of(post);
            let after = request.clone().with_start(PageStart::After(place));
            is_right(store, &after, posts.iter().skip(first + 1), total).await;
            let before = request.with_start(PageStart::Before(place));
            let nearest = posts[..first].iter().skip(first.saturating_sub(size));
            is_right(store, &before, nearest, total).await;
        }
    }
}

/// Asserts that a page has the first ones of these posts.
async fn is_right<'a>(
    store: &Subject,
    request: &PageRequest,
    posts: impl Iterator<Item = &'a &'a PostSummary>,
    total: u64,
) {
    let page = store.page(request).await;
    assert_eq!(page.total, total, "the total of {request:?}");
    let expected = posts.take(request.per_page.get() as usize).copied();
    let shown = page.posts.iter().map(|listed| &listed.summary);
    assert!(
        shown.eq(expected),
        "{request:?} shows other posts than it should, or in another order"
    );
}
