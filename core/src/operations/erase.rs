//! Erasing an owner.

use super::ban::bar;
use super::bulk::{self, BulkChange};
use super::keys::Keys;
use super::selection::PostSelection;
use crate::context::Context;
use crate::post::Owner;
use crate::problem::Problem;
use crate::store::{Outcome, StoreError, Write};

/// How many tombstones forget an owner in one step of the store.
const TOMBSTONES_AT_ONCE: u32 = 1000;

/// What [`Handbill::erase_owner`](crate::Handbill::erase_owner) erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Erased {
    /// The number of posts that were deleted, drafts and unlisted ones included. Posts that had been deleted before do
    /// not count.
    pub posts: u64,
    /// The number of API keys that were revoked.
    pub keys: u64,
}

/// The bar comes first: a write in progress has then finished and is deleted here, or it is refused.
pub(crate) async fn erase_owner(context: &Context, owner: &Owner) -> Result<Erased, Problem> {
    bar(context, owner, context.clock.now()).await?;
    let keys = Keys::new(context).revoke_all(owner).await?;
    // Requests with these keys may have come since.
    bar(context, owner, context.clock.now()).await?;
    let owned_posts = PostSelection::of_owner(owner.clone());
    let posts = bulk::change_all(context, &owned_posts, BulkChange::Delete).await?;
    forget(context, owner).await?;
    Ok(Erased { posts, keys })
}

/// Makes all tombstones forget the owner.
async fn forget(context: &Context, owner: &Owner) -> Result<(), StoreError> {
    let forget = Write::ForgetOwner {
        owner: owner.clone(),
        limit: TOMBSTONES_AT_ONCE,
    };
    while context.store.write(forget.clone(), None).await? == Outcome::Applied {}
    Ok(())
}
