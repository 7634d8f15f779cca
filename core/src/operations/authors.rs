//! Authors, as the host names them.

use crate::context::Context;
use crate::host::author::{Author, AuthorKey, FindAuthor, is_slug};
use crate::host::callback::{self, BoxError};
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

/// Calls the host's function.
pub(crate) async fn call(
    find_author: &FindAuthor,
    key: AuthorKey,
) -> Result<Option<Author>, Problem> {
    let failed = |cause: BoxError| Problem::host_failed("find an author", cause);
    let author = callback::call(find_author, key).await;
    author
        .map_err(|cause| failed(cause.into()))?
        .map_err(failed)
}
