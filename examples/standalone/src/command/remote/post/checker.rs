//! Checks posts before they are sent, as the server will.

use handbill::{Draft, Handbill, Limits, MemoryStore};

use crate::command::remote::content::Content;
use crate::command::remote::exit::Stop;

/// A service in memory with the limits of the server. It says what the server would say of a post, and gives its fields
/// the form in which the server would show them.
pub(super) struct Checker(Handbill);

impl Checker {
    pub(super) fn new(limits: Limits) -> Result<Self, Stop> {
        let handbill = Handbill::new("http://localhost", MemoryStore::new());
        let handbill = handbill.map_err(|error| Stop::new(error.to_string()))?;
        Ok(Self(handbill.with_limits(limits)))
    }

    /// The content of a post.
    ///
    /// # Errors
    /// All fields that are not valid.
    pub(super) async fn content(&self, draft: Draft) -> Result<Content, String> {
        let posts = self.0.posts();
        let detail = |problem: handbill::Problem| problem.detail().to_owned();
        let id = posts.create(draft).await.map_err(detail)?.id;
        let post = posts.read(id).await.map_err(detail)?;
        posts.delete(id).await.map_err(detail)?;
        let post = serde_json::to_value(&post).map_err(|error| error.to_string())?;
        Content::of_post(&post).ok_or_else(|| "the post has no content".to_owned())
    }
}
