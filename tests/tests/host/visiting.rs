//! The posts of a selection as a stream, while they change.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use futures_util::{Stream, StreamExt, TryStreamExt};
use handbill::store::{Decorator, StoreError};
use handbill::{PostList, PostSelection, PostSummary};

use super::*;

fn user() -> Owner {
    "user:42".parse().unwrap()
}

async fn create(handbill: &Handbill, number: i64) -> PostId {
    let at = handbill::Timestamp::from_micros(1_795_168_800_000_000 + number);
    let draft = Draft::new().body("A post.").owner(user()).created_at(at);
    handbill.posts().create(draft).await.unwrap().id
}

async fn create_all(handbill: &Handbill, count: i64) -> Vec<PostId> {
    let mut ids = Vec::new();
    for number in 0..count {
        ids.push(create(handbill, number).await);
    }
    ids
}

fn sorted(mut ids: Vec<PostId>) -> Vec<PostId> {
    ids.sort_unstable();
    ids
}

#[tokio::test]
async fn all_posts_are_visited_once_while_each_is_deleted() {
    let all: [fn(&[PostId]) -> PostSelection; 3] = [
        |_| PostSelection::all(),
        |_| PostSelection::of_owner(user()),
        |ids| PostSelection::of_ids(ids.iter().copied()),
    ];
    for selection in all {
        let handbill = handbill();
        let ids = create_all(&handbill, 2500).await;
        let mut visited = Vec::new();
        let mut posts = handbill.posts().visit(&selection(&ids));
        while let Some(post) = posts.try_next().await.unwrap() {
            handbill.posts().delete(post.id).await.unwrap();
            visited.push(post.id);
        }
        assert_eq!(sorted(visited), sorted(ids));
    }
}

#[tokio::test]
async fn posts_that_are_created_during_a_visit_neither_hide_others_nor_repeat_them() {
    let handbill = handbill();
    let ids = create_all(&handbill, 2100).await;
    let mut posts = handbill.posts().visit(&PostSelection::of_owner(user()));
    let (mut visited, mut number) = (Vec::new(), 10_000);
    while let Some(post) = posts.try_next().await.unwrap() {
        visited.push(post.id);
        if visited.len() % 300 == 0 && number < 10_020 {
            create(&handbill, number).await;
            handbill
                .posts()
                .delete(visited[visited.len() - 100])
                .await
                .unwrap();
            number += 1;
        }
    }
    let mut distinct = sorted(visited.clone());
    distinct.dedup();
    assert_eq!(distinct.len(), visited.len(), "each comes once");
    assert!(ids.iter().all(|id| distinct.binary_search(id).is_ok()));
    assert_eq!(visited[0], ids[2099], "the latest first");
}

#[tokio::test]
async fn a_visit_borrows_nothing_and_reads_when_it_is_polled() {
    fn stream(
        selection: &PostSelection,
    ) -> Pin<Box<dyn Stream<Item = Result<PostSummary, Problem>> + Send>> {
        let handbill = handbill();
        Box::pin(handbill.posts().visit(selection))
    }
    assert_eq!(stream(&PostSelection::all()).count().await, 0);

    let handbill = handbill();
    let posts = handbill.posts().visit(&PostSelection::of_owner(user()));
    let ids = create_all(&handbill, 2).await;
    let visited: Vec<_> = posts.map_ok(|post| post.id).try_collect().await.unwrap();
    assert_eq!(visited, [ids[1], ids[0]]);
}

/// A store that fails to list after so many pages.
struct FailsAfter {
    inner: MemoryStore,
    pages: AtomicU64,
}

#[async_trait]
impl Decorator for FailsAfter {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        let left = self
            .pages
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                left.checked_sub(1)
            });
        left.map_err(|_| StoreError::new("list posts", "the connection broke"))?;
        self.inner.list_posts(page).await
    }
}

#[tokio::test]
async fn a_visit_ends_after_an_error() {
    let store = FailsAfter {
        inner: MemoryStore::new(),
        pages: AtomicU64::new(1),
    };
    let handbill = Handbill::new(BASE, Decorated(store)).unwrap();
    create_all(&handbill, 1001).await;
    let posts = handbill.posts().visit(&PostSelection::of_owner(user()));
    let visited: Vec<_> = posts.collect().await;
    assert_eq!(visited.len(), 1001, "a page, and the error");
    let (last, others) = visited.split_last().unwrap();
    assert!(others.iter().all(Result::is_ok));
    let problem = last.as_ref().unwrap_err();
    assert_eq!(problem.code(), Code::StoreUnavailable);
}
