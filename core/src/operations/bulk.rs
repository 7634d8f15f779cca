//! Changes all posts of a selection.

use std::collections::HashSet;

use futures_util::TryStreamExt;
use tokio::task::JoinSet;

use super::access::Credentials;
use super::selection::PostSelection;
use super::visit::visit;
use super::{MAX_CHANGES, posts};
use crate::context::Context;
use crate::post::{Draft, Limits, PostChange, PostId, PostSummary, Visibility};
use crate::problem::{Code, Problem};
use crate::store::StoreError;

/// What is already_changed to each post of a selection.
#[derive(Clone, Copy)]
pub(crate) enum BulkChange {
    /// Public posts become unlisted. Drafts stay drafts, and are not published later.
    Unlist,
    Delete,
    /// The post gets a new edit token, which is dropped.
    RevokeEditToken,
}

impl BulkChange {
    /// Whether the post is to be changed. A new edit token shows nowhere, so `already_changed` has those posts.
    fn applies_to(self, post: &PostSummary, already_changed: &HashSet<PostId>) -> bool {
        match self {
            Self::Unlist => post.visibility == Visibility::Public || post.publish_at.is_some(),
            Self::Delete => true,
            Self::RevokeEditToken => !already_changed.contains(&post.id),
        }
    }

    async fn apply(
        self,
        context: &Context,
        (id, visibility): (PostId, Visibility),
    ) -> Result<(), Problem> {
        let host = Credentials::Host(context.caller.clone());
        match self {
            Self::Unlist => {
                let draft = match visibility {
                    Visibility::Public => Draft::new().visibility(Visibility::Unlisted),
                    Visibility::Unlisted | Visibility::Draft => Draft::new().publish_at(None),
                };
                let change = PostChange::parse(draft, &Limits::default())
                    .map_err(Problem::invalid_fields)?;
                let updated = posts::update(context, id, &host, &change, &|_| true, None);
                updated.await.map(|_| ())
            }
            Self::Delete => posts::delete(context, id, &host, &|_| true, None).await,
            Self::RevokeEditToken => {
                let replaced = posts::replace_edit_token(context, id, &host, None);
                replaced.await.map(|_| ())
            }
        }
    }
}

/// Changes all posts of the selection, until there is none left that the change applies to: others may
/// create posts, or move them in the list, at the same time. Returns how many posts were changed.
pub(crate) async fn change_all(
    context: &Context,
    selection: &PostSelection,
    change: BulkChange,
) -> Result<u64, Problem> {
    let (mut changed, mut already_changed) = (0, HashSet::new());
    loop {
        let mut posts_to_change = Vec::new();
        let mut posts = visit(&context.store, selection);
        while let Some(post) = posts.try_next().await? {
            if change.applies_to(&post, &already_changed) {
                posts_to_change.push((post.id, post.visibility));
            }
        }
        already_changed.extend(posts_to_change.iter().map(|(id, _)| *id));
        let before = changed;
        let mut tasks = JoinSet::new();
        for post in posts_to_change {
            if tasks.len() >= MAX_CHANGES {
                changed += next_outcome(&mut tasks).await?;
            }
            let context = context.clone();
            tasks.spawn(async move { change.apply(&context, post).await });
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
