//! The host's review of posts, before they are created or changed.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::callback;
use crate::post::{Actor, FieldError, Post, PostSummary};

type VerdictFuture = Pin<Box<dyn Future<Output = Verdict> + Send>>;

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

#[derive(Clone)]
pub(crate) struct Review(Arc<dyn Fn(Submission) -> VerdictFuture + Send + Sync>);

impl Review {
    pub(crate) fn new<F, Fut>(review: F) -> Self
    where
        F: Fn(Submission) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Verdict> + Send + 'static,
    {
        Self(Arc::new(move |submission| Box::pin(review(submission))))
    }

    /// Asks the host, whose code may panic or never end. The error says which.
    pub(crate) async fn ask(
        &self,
        by: Actor,
        post: &Post,
        before: Option<&Post>,
    ) -> Result<Verdict, String> {
        let submission = Submission {
            by,
            post: post.summary.clone(),
            body: post.body.clone(),
            before: before.map(|post| post.summary.clone()),
        };
        let review = Arc::clone(&self.0);
        callback::call(async move { review(submission).await }).await
    }
}
