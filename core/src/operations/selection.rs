//! Posts that are listed, unlisted or deleted together.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use futures_util::TryStreamExt;
use tokio::task::JoinSet;

use super::access::Credentials;
use super::posts;
use super::visit::visit;
use crate::context::Context;
use crate::post::id::PostId;
use crate::post::limit::Limits;
use crate::post::owner::Owner;
use crate::post::time::Timestamp;
use crate::post::{Draft, PostChange, PostSummary, Precondition, Tag, Visibility};
use crate::problem::{Code, Problem};
use crate::store::StoreError;

/// Changes under way, so that stores commit several together.
const MAX_CHANGES: usize = 64;

/// A selection of posts, drafts and unlisted ones included: what [`Posts::visit`](crate::Posts::visit),
/// [`unlist_all`](crate::Posts::unlist_all) and [`delete_all`](crate::Posts::delete_all) apply to.
///
/// ```
/// use handbill::{Handbill, MemoryStore, Owner, PostSelection};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// # let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
/// let user: Owner = "user:42".parse()?;
/// let deleted = handbill.posts().delete_all(&PostSelection::of_owner(user)).await?;
/// println!("deleted {deleted} posts");
/// # Ok(())
/// # }
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(example()).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostSelection {
    pub(super) ids: Option<BTreeSet<PostId>>,
    pub(super) owner: Option<Owner>,
    pub(super) tag: Option<Tag>,
    pub(super) since: Option<Timestamp>,
}

impl PostSelection {
    /// All posts. Without an owner, finding posts reads every post of the store.
    pub const fn all() -> Self {
        Self {
            ids: None,
            owner: None,
            tag: None,
            since: None,
        }
    }

    /// All posts of an owner.
    pub fn of_owner(owner: Owner) -> Self {
        Self::all().with_owner(owner)
    }

    /// The posts with these identifiers, as far as they exist.
    pub fn of_ids(ids: impl IntoIterator<Item = PostId>) -> Self {
        let ids = Some(ids.into_iter().collect());
        Self { ids, ..Self::all() }
    }

    /// Only those of this owner.
    #[must_use]
    pub fn with_owner(self, owner: Owner) -> Self {
        let owner = Some(owner);
        Self { owner, ..self }
    }

    /// Only those with this tag.
    #[must_use]
    pub fn with_tag(self, tag: Tag) -> Self {
        let tag = Some(tag);
        Self { tag, ..self }
    }

    /// Only those that were created at this time or later.
    #[must_use]
    pub fn with_since(self, since: Timestamp) -> Self {
        let since = Some(since);
        Self { since, ..self }
    }

    pub(super) fn has(&self, post: &PostSummary) -> bool {
        let is_of_owner = |owner: &Owner| post.owner.as_ref() == Some(owner);
        self.owner.as_ref().is_none_or(is_of_owner)
            && self.tag.as_ref().is_none_or(|tag| post.tags.contains(tag))
            && self.since.is_none_or(|since| post.created_at >= since)
    }
}

/// What is done to each post of a selection.
#[derive(Clone, Copy)]
pub(crate) enum Action {
    /// Public posts become unlisted. Drafts stay drafts.
    Unlist,
    Delete,
    /// The post gets a new edit token, which is dropped.
    RevokeEditToken,
}

impl Action {
    /// Whether the post is to be changed. A new edit token shows nowhere, so `done` says which posts were changed.
    fn applies_to(self, post: &PostSummary, done: &HashSet<PostId>) -> bool {
        match self {
            Self::Unlist => post.visibility == Visibility::Public,
            Self::Delete => true,
            Self::RevokeEditToken => !done.contains(&post.id),
        }
    }

    async fn apply(self, context: &Context, id: PostId) -> Result<(), Problem> {
        let host = Credentials::Host(context.caller.clone());
        match self {
            Self::Unlist => {
                let draft = Draft::new().visibility(Visibility::Unlisted);
                let change = PostChange::parse(draft, &Limits::default())
                    .map_err(Problem::invalid_fields)?;
                let changed = posts::update(context, id, &host, &change, &Precondition::NONE);
                changed.await.map(|_| ())
            }
            Self::Delete => posts::delete(context, id, &host, &Precondition::NONE).await,
            Self::RevokeEditToken => {
                let replaced = posts::replace_edit_token(context, id, &host);
                replaced.await.map(|_| ())
            }
        }
    }
}

/// Changes all posts of the selection, until there is none left that the action applies to: others may
/// create posts, or move them in the list, at the same time. Returns how many posts were changed.
pub(crate) async fn change_all(
    context: &Context,
    selection: &PostSelection,
    action: Action,
) -> Result<u64, Problem> {
    let context = Arc::new(context.clone());
    let (mut changed, mut done) = (0, HashSet::new());
    loop {
        let mut ids = Vec::new();
        let mut posts = visit(&context.store, selection);
        while let Some(post) = posts.try_next().await? {
            if action.applies_to(&post, &done) {
                ids.push(post.id);
            }
        }
        done.extend(ids.iter().copied());
        let before = changed;
        let mut tasks = JoinSet::new();
        for id in ids {
            if tasks.len() >= MAX_CHANGES {
                changed += next_outcome(&mut tasks).await?;
            }
            let context = Arc::clone(&context);
            tasks.spawn(async move { action.apply(&context, id).await });
        }
        while !tasks.is_empty() {
            changed += next_outcome(&mut tasks).await?;
        }
        if changed == before {
            return Ok(changed);
        }
    }
}

/// 1 if the next change to end was made, and 0 if its post was deleted before.
async fn next_outcome(tasks: &mut JoinSet<Result<(), Problem>>) -> Result<u64, Problem> {
    match tasks.join_next().await {
        None => Ok(0),
        Some(Ok(Ok(()))) => Ok(1),
        Some(Ok(Err(problem))) if matches!(problem.code(), Code::Gone | Code::NotFound) => Ok(0),
        Some(Ok(Err(problem))) => Err(problem),
        Some(Err(failed)) => Err(StoreError::new("finish a change", failed).into()),
    }
}
