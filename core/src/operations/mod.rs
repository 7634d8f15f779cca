//! The operations of the service, shared by the API, the pages and the host's own code. They make the
//! decisions; the callers parse the input and present the result. Nothing here depends on HTTP.

pub(crate) mod access;
pub(crate) mod authors;
pub(crate) mod ban;
pub(crate) mod bulk;
pub(crate) mod erase;
pub(crate) mod health;
pub(crate) mod host;
mod indexing;
pub(crate) mod keys;
#[cfg(feature = "pages")]
pub(crate) mod months;
pub(crate) mod period;
pub(crate) mod posts;
pub(crate) mod published;
pub(crate) mod schedule;
pub(crate) mod selection;
pub(crate) mod visit;

use crate::problem::Problem;
use crate::store::StoreError;

/// How many identifiers are tried for one post or key. Even with 10^12 posts, several collisions in a
/// row are practically impossible.
const MAX_ATTEMPTS: u32 = 8;
/// How many changes of one task are under way, so that stores commit several together.
const MAX_CHANGES: usize = 64;

fn no_free_identifier() -> Problem {
    let cause = "all attempted identifiers are taken";
    StoreError::new("find a free identifier", cause).into()
}
