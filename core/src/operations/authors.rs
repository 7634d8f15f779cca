//! Authors, as the host names them.

use crate::context::Context;
use crate::host::author::{Author, AuthorKey, Authors, is_slug};
use crate::observe::chain::Chain;
use crate::post::{PostSummary, Visibility};
use crate::problem::Problem;

/// The author with this slug. `None` if the host names none.
pub(crate) async fn by_slug(context: &Context, slug: &str) -> Result<Option<Author>, Problem> {
    match &context.authors {
        Some(authors) if is_slug(slug) => find(authors, AuthorKey::Slug(slug.to_owned())).await,
        _ => Ok(None),
    }
}

async fn find(authors: &Authors, key: AuthorKey) -> Result<Option<Author>, Problem> {
    let found = authors.find(key).await;
    found.map_err(|cause| Problem::host_failed("find an author", cause))
}

/// The author that the page of a post links to. Only a public post tells readers which others have the same owner. A
/// failure is logged.
pub(crate) async fn of_post(
    context: &Context,
    post: &PostSummary,
) -> Result<Option<Author>, Problem> {
    let is_linked = post.visibility == Visibility::Public && post.author.is_some();
    let (Some(authors), Some(owner), true) = (&context.authors, &post.owner, is_linked) else {
        return Ok(None);
    };
    let found = find(authors, AuthorKey::Owner(owner.clone())).await;
    if let Err(error) = &found {
        tracing::warn!(error = %Chain(error), "the page of a post does not link to its author");
    }
    found
}
