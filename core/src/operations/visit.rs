//! Reading the posts of a selection, one after the other.

use std::collections::{HashSet, VecDeque, btree_set};

use futures_util::stream::{Stream, try_unfold};

use super::selection::PostSelection;
use crate::id::PostId;
use crate::measured_store::MeasuredStore;
use crate::owner::Owner;
use crate::post::{Entry, PageRequest, PageSize, PostSummary};
use crate::problem::Problem;
use crate::store::{Freshness, PostKey};

/// How many posts are read from the store at a time, where the store returns them with their bodies.
const WITH_BODIES: u32 = 100;

/// The posts of a selection.
pub(crate) fn visit(
    store: &MeasuredStore,
    selection: &PostSelection,
) -> impl Stream<Item = Result<PostSummary, Problem>> + Send + Unpin + use<> {
    let rest = match (&selection.ids, &selection.owner) {
        (Some(ids), _) => Rest::Ids(ids.clone().into_iter()),
        (None, Some(owner)) => Rest::Pages(Pages::new(owner.clone())),
        (None, None) => Rest::Walk(None),
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
    Pages(Pages),
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
            Self::Pages(pages) => pages.read(store, selection).await,
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

/// The pages of an owner's list, the latest posts first.
///
/// A post that is created or deleted between two pages moves the others, so that one could be missed. A list of several
/// pages is therefore read again, until it has no new post and its length did not change meanwhile.
struct Pages {
    owner: Owner,
    next: u64,
    /// The posts that were returned.
    seen: HashSet<PostId>,
    /// The number of posts in the list, as the last page said.
    total: u64,
    /// Whether there was a new post, or another total, since the first page.
    has_changed: bool,
    is_finished: bool,
}

impl Pages {
    fn new(owner: Owner) -> Self {
        Self {
            owner,
            next: 1,
            seen: HashSet::new(),
            total: 0,
            has_changed: false,
            is_finished: false,
        }
    }

    async fn read(
        &mut self,
        store: &MeasuredStore,
        selection: &PostSelection,
    ) -> Result<Option<Vec<PostSummary>>, Problem> {
        if self.is_finished {
            return Ok(None);
        }
        let Ok(page) = PageRequest::new(self.next, PageSize::MAX.get()) else {
            return Ok(None);
        };
        let page = page
            .with_owner(Some(self.owner.clone()))
            .with_tag(selection.tag.clone());
        let list = store.list_posts(page).await?;
        let posts = list.posts.iter().map(|listed| listed.summary.clone());
        let mut posts: Vec<_> = posts.collect();
        let is_before = |since| posts.iter().any(|post| post.created_at < since);
        let is_last = posts.len() < PageSize::MAX.get() as usize
            || selection.since.is_some_and(is_before);
        posts.retain(|post| self.seen.insert(post.id));
        self.has_changed |= !posts.is_empty() || self.total != list.total;
        self.total = list.total;
        match (is_last, self.next) {
            (false, _) => self.next += 1,
            // All of it is of one moment.
            (true, 1) => self.is_finished = true,
            (true, _) => {
                self.is_finished = !std::mem::take(&mut self.has_changed);
                self.next = 1;
            }
        }
        Ok(Some(posts))
    }
}
