//! The host's review of posts, before they are created or changed.

use crate::post::{Actor, FieldError, PostSummary};

/// A new post, or a change of one, as the host's review sees it. See
/// [`Handbill::with_review`](crate::Handbill::with_review).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Submission {
    /// Who makes it.
    pub by: Actor,
    /// The post as it would be.
    pub post: PostSummary,
    /// Its body.
    pub body: String,
    /// The post as it is. `None` if it is new.
    pub before: Option<PostSummary>,
}

/// What becomes of a [`Submission`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is written.
    Accept,
    /// It is refused with 422 `refused`, and these errors for its fields: see [`FieldError::refused`].
    Refuse(Vec<FieldError>),
    /// It is written as a draft.
    Hold,
    /// It is not written, with 503 `store_unavailable`: the host can't decide now, since a lookup of its own failed.
    Unavailable,
}
