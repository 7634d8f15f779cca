//! Reading the posts of a selection, one after the other.

use std::collections::btree_set;

use futures_util::stream::{Stream, TryStreamExt, iter, try_unfold};

use super::selection::PostSelection;
use crate::observe::measured_store::MeasuredStore;
use crate::post::{Entry, List, PageRequest, PageSize, PostId, PostSummary};
use crate::problem::Problem;
use crate::store::{Freshness, PostKey};

/// How many posts are read from the store at a time, where the store returns them with their bodies.
const WALK_BATCH: u32 = 100;

pub(crate) fn visit(
    store: &MeasuredStore,
    selection: &PostSelection,
) -> impl Stream<Item = Result<PostSummary, Problem>> + Send + Unpin + use<> {
    let rest = match (&selection.ids, &selection.owner) {
        (Some(ids), _) => RemainingPosts::Ids(ids.clone().into_iter()),
        (None, Some(Some(owner))) => {
            let latest = PageRequest::first(PageSize::MAX).with_tag(selection.tag.clone());
            RemainingPosts::Page(Some(latest.with_list(List::AllOf(owner.clone()))))
        }
        (None, None | Some(None)) => RemainingPosts::Walk(None),
    };
    let visit = Visit {
        store: store.clone(),
        selection: selection.clone(),
        rest,
    };
    let batches = try_unfold(visit, Visit::next_batch);
    Box::pin(
        batches
            .map_ok(|posts| iter(posts.into_iter().map(Ok)))
            .try_flatten(),
    )
}

struct Visit {
    store: MeasuredStore,
    selection: PostSelection,
    rest: RemainingPosts,
}

/// What is still to be read.
enum RemainingPosts {
    Ids(btree_set::IntoIter<PostId>),
    /// From this page on, in the list of an owner, the latest posts first.
    Page(Option<PageRequest>),
    /// What comes after this identifier.
    Walk(Option<PostId>),
}

impl Visit {
    /// Some more posts, and the visit of those after them. `None` at the end.
    async fn next_batch(mut self) -> Result<Option<(Vec<PostSummary>, Self)>, Problem> {
        let mut posts: Vec<_> = match &mut self.rest {
            RemainingPosts::Ids(ids) => {
                let Some(id) = ids.next() else {
                    return Ok(None);
                };
                let entry = self.store.get_post(PostKey::Id(id), Freshness::Current);
                entry.await?.as_ref().and_then(live).into_iter().collect()
            }
            RemainingPosts::Page(next) => {
                let Some(page) = next.take() else {
                    return Ok(None);
                };
                let list = self.store.list_posts(page.clone()).await?;
                let posts = list.posts.iter().map(|listed| listed.summary.clone());
                let posts: Vec<_> = posts.collect();
                let is_before = |since| posts.last().is_some_and(|post| post.created_at < since);
                if !self.selection.since.is_some_and(is_before) {
                    *next = page.next_after(&list);
                }
                posts
            }
            RemainingPosts::Walk(after) => {
                let entries = self.store.walk_entries(*after, WALK_BATCH).await?;
                let Some(last) = entries.last() else {
                    return Ok(None);
                };
                *after = Some(last.id());
                entries.iter().filter_map(live).collect()
            }
        };
        posts.retain(|post| self.selection.has(post));
        Ok(Some((posts, self)))
    }
}

fn live(entry: &Entry) -> Option<PostSummary> {
    match entry {
        Entry::Live(post) => Some(post.summary.clone()),
        Entry::Gone(_) => None,
    }
}
