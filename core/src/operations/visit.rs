//! Reading the posts of a selection, one after the other.

use std::collections::{VecDeque, btree_set};

use futures_util::stream::{Stream, try_unfold};

use super::selection::PostSelection;
use crate::observe::measured_store::MeasuredStore;
use crate::post::id::PostId;
use crate::post::{Entry, List, PageRequest, PageSize, PostSummary};
use crate::problem::Problem;
use crate::store::{Freshness, PostKey};

/// How many posts are read from the store at a time, where the store returns them with their bodies.
const WITH_BODIES: u32 = 100;

pub(crate) fn visit(
    store: &MeasuredStore,
    selection: &PostSelection,
) -> impl Stream<Item = Result<PostSummary, Problem>> + Send + Unpin + use<> {
    let rest = match (&selection.ids, &selection.owner) {
        (Some(ids), _) => Rest::Ids(ids.clone().into_iter()),
        (None, Some(Some(owner))) => {
            let latest = PageRequest::first(PageSize::MAX).with_tag(selection.tag.clone());
            Rest::Page(Some(latest.with_list(List::AllOf(owner.clone()))))
        }
        (None, None | Some(None)) => Rest::Walk(None),
    };
    let visit = Visit {
        store: store.clone(),
        selection: selection.clone(),
        read: VecDeque::new(),
        rest,
    };
    Box::pin(try_unfold(visit, Visit::next))
}

struct Visit {
    store: MeasuredStore,
    selection: PostSelection,
    /// Posts of the selection that were read.
    read: VecDeque<PostSummary>,
    rest: Rest,
}

/// What is still to be read.
enum Rest {
    Ids(btree_set::IntoIter<PostId>),
    /// From this page on, in the list of an owner, the latest posts first.
    Page(Option<PageRequest>),
    /// What comes after this identifier.
    Walk(Option<PostId>),
}

impl Visit {
    /// The next post, and the visit of those after it.
    async fn next(mut self) -> Result<Option<(PostSummary, Self)>, Problem> {
        loop {
            if let Some(post) = self.read.pop_front() {
                return Ok(Some((post, self)));
            }
            let Some(posts) = self.rest.read(&self.store, &self.selection).await? else {
                return Ok(None);
            };
            let selected = posts.into_iter().filter(|post| self.selection.has(post));
            self.read.extend(selected);
        }
    }
}

impl Rest {
    /// Some more posts. `None` at the end.
    async fn read(
        &mut self,
        store: &MeasuredStore,
        selection: &PostSelection,
    ) -> Result<Option<Vec<PostSummary>>, Problem> {
        match self {
            Self::Ids(ids) => {
                let Some(id) = ids.next() else {
                    return Ok(None);
                };
                let entry = store.get_post(PostKey::Id(id), Freshness::Current).await?;
                Ok(Some(entry.as_ref().and_then(live).into_iter().collect()))
            }
            Self::Page(next) => {
                let Some(page) = next.take() else {
                    return Ok(None);
                };
                let list = store.list_posts(page.clone()).await?;
                let posts = list.posts.iter().map(|listed| listed.summary.clone());
                let posts: Vec<_> = posts.collect();
                let is_before = |since| posts.last().is_some_and(|post| post.created_at < since);
                if !selection.since.is_some_and(is_before) {
                    *next = page.next_after(&list);
                }
                Ok(Some(posts))
            }
            Self::Walk(after) => {
                let entries = store.walk_entries(*after, WITH_BODIES).await?;
                let Some(last) = entries.last() else {
                    return Ok(None);
                };
                *after = Some(last.id());
                Ok(Some(entries.iter().filter_map(live).collect()))
            }
        }
    }
}

fn live(entry: &Entry) -> Option<PostSummary> {
    match entry {
        Entry::Live(post) => Some(post.summary.clone()),
        Entry::Gone(_) => None,
    }
}
