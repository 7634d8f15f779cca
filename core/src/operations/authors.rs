//! Authors, as the host names them.

use crate::context::Context;
use crate::host::author::{Author, AuthorKey, is_slug};
use crate::observe::chain::Chain;
use crate::post::Owner;
use crate::store::StoreError;

/// The author with this slug. `None` if the host names none.
pub(crate) async fn by_slug(context: &Context, slug: &str) -> Result<Option<Author>, StoreError> {
    match &context.authors {
        Some(authors) if is_slug(slug) => authors.find(AuthorKey::Slug(slug.to_owned())).await,
        _ => Ok(None),
    }
}

/// The author of an owner's posts. `None` if the host names none. A failure is logged.
pub(crate) async fn of_owner(
    context: &Context,
    owner: Option<&Owner>,
) -> Result<Option<Author>, StoreError> {
    let (Some(authors), Some(owner)) = (&context.authors, owner) else {
        return Ok(None);
    };
    let found = authors.find(AuthorKey::Owner(owner.clone())).await;
    if let Err(error) = &found {
        tracing::warn!(error = %Chain(error), "the page of a post does not link to its author");
    }
    found
}
