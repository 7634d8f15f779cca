//! Authors, as the host names them.

use crate::context::Context;
use crate::host::author::{Author, AuthorKey, FindAuthor, is_slug};
use crate::host::callback::{self, BoxError};
use crate::observe::chain::Chain;
use crate::post::{PostSummary, Visibility};
use crate::problem::Problem;

/// The author with this slug. `None` if the host names none.
pub(crate) async fn by_slug(context: &Context, slug: &str) -> Result<Option<Author>, Problem> {
    match &context.find_author {
        Some(find_author) if is_slug(slug) => {
            call(find_author, AuthorKey::Slug(slug.to_owned())).await
        }
        _ => Ok(None),
    }
}

async fn call(find_author: &FindAuthor, key: AuthorKey) -> Result<Option<Author>, Problem> {
    let failed = |cause: BoxError| Problem::host_failed("find an author", cause);
    let author = callback::call(find_author, key).await;
    author
        .map_err(|cause| failed(cause.into()))?
        .map_err(failed)
}

/// The author that the page of a post links to. Only public posts link to their author. A failure is logged.
pub(crate) async fn of_post(
    context: &Context,
    post: &PostSummary,
) -> Result<Option<Author>, Problem> {
    let is_linked = post.visibility == Visibility::Public && post.author.is_some();
    let (Some(find_author), Some(owner), true) = (&context.find_author, &post.owner, is_linked)
    else {
        return Ok(None);
    };
    let author = call(find_author, AuthorKey::Owner(owner.clone())).await;
    if let Err(error) = &author {
        tracing::warn!(error = %Chain(error), "the page of a post does not link to its author");
    }
    author
}
