//! Banning an owner, and what keeps owners from writing.

use super::bulk::{self, BulkChange};
use super::keys::Keys;
use super::selection::PostSelection;
use crate::context::Context;
use crate::post::{Owner, SecretHash, Timestamp};
use crate::problem::Problem;
use crate::store::{Outcome, StoreError, Write};

/// The latest instant there is.
const WITHOUT_END: Timestamp = Timestamp::from_micros(i64::MAX);

/// What [`Handbill::ban`](crate::Handbill::ban) ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Banned {
    /// The number of API keys that were revoked.
    pub keys: u64,
    /// The number of posts whose edit tokens were replaced.
    pub edit_tokens: u64,
}

/// The bar comes first, since it refuses every write. If the ban is interrupted, keys and edit tokens remain, and would
/// work again after an unban.
pub(crate) async fn ban(context: &Context, owner: &Owner) -> Result<Banned, Problem> {
    bar(context, owner, WITHOUT_END).await?;
    let keys = Keys::new(context).revoke_all(owner).await?;
    let owned_posts = PostSelection::of_owner(owner.clone());
    let edit_tokens = bulk::change_all(context, &owned_posts, BulkChange::RevokeEditToken).await?;
    Ok(Banned { keys, edit_tokens })
}

/// Returns whether the owner was banned. Requests that came before stay refused.
pub(crate) async fn unban(context: &Context, owner: &Owner) -> Result<bool, Problem> {
    let (owner, at) = (SecretHash::of(owner.as_str()), context.clock.now());
    let unbarred = context.store.write(Write::Unbar { owner, at }, None);
    Ok(unbarred.await? == Outcome::Applied)
}

/// Bars an owner until this time, unless it is barred for longer.
pub(super) async fn bar(
    context: &Context,
    owner: &Owner,
    until: Timestamp,
) -> Result<(), StoreError> {
    let owner = SecretHash::of(owner.as_str());
    let barred = context.store.write(Write::Bar { owner, until }, None);
    barred.await.map(|_| ())
}
