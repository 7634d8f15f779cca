//! The host's own access to posts: [`Posts`].

use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::access::Credentials;
use super::posts;
use super::selection::{self, Action, PostSelection};
use crate::blocking::Work;
use crate::context::Context;
use crate::id::PostId;
use crate::markdown::Style;
use crate::post::{
    Draft, NewPost, PageRequest, Post, PostChange, PostList, PostSummary, Precondition,
};
use crate::problem::Problem;
use crate::secret::EditToken;
use crate::view::{BodyView, PostView};

/// The posts of a service, for the host's own code.
///
/// The methods do what clients do over HTTP, with the same validation, limits and events, but without
/// credentials and rate limits.
///
/// ```
/// use handbill::{Draft, Handbill, MemoryStore, PageRequest};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?;
/// let posts = handbill.posts();
///
/// let created = posts.create(Draft::new().body("Some *Markdown*.").tags(["news"])).await?;
/// posts.update(created.id, Draft::new().title("Hello")).await?;
///
/// let post = posts.read(created.id).await?;
/// assert_eq!(post.summary.title.as_deref(), Some("Hello"));
/// assert_eq!(post.html, "<p>Some <em>Markdown</em>.</p>\n");
///
/// let first = PageRequest::new(1, 20)?;
/// assert_eq!(posts.list(first).await?.total, 1);
/// posts.delete(created.id).await?;
/// # Ok(())
/// # }
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(example()).unwrap();
/// ```
#[derive(Clone, Copy)]
pub struct Posts<'a> {
    context: &'a Context,
}

/// A post that the host created. Its edit token is not available later, since only a hash is stored.
#[derive(Debug)]
#[non_exhaustive]
pub struct CreatedPost {
    /// The post's identifier.
    pub id: PostId,
    /// The public address of the post.
    pub url: String,
    /// The edit token and the edit page, for people who may change the post.
    pub edit: EditAccess,
}

/// Authorises changing and deleting a post.
#[derive(Debug)]
#[non_exhaustive]
pub struct EditAccess {
    /// The edit token.
    pub token: EditToken,
    /// The address of the edit page.
    pub url: EditUrl,
}

/// The address of a post's edit page. It is a secret, since it contains the edit token.
#[derive(Clone, PartialEq, Eq)]
pub struct EditUrl(String);

/// A post as readers see it. It serialises to the JSON of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PublishedPost {
    /// The post without its body.
    pub summary: PostSummary,
    /// The post's public address.
    pub url: String,
    /// The Markdown source.
    pub body: String,
    /// The body as safe HTML.
    pub html: String,
}

impl<'a> Posts<'a> {
    pub(crate) const fn new(context: &'a Context) -> Self {
        Self { context }
    }

    /// Creates a post.
    ///
    /// # Errors
    /// `invalid_post` with all invalid fields, `store_unavailable`.
    pub async fn create(&self, draft: Draft) -> Result<CreatedPost, Problem> {
        let content = posts::validate(self.context, draft, NewPost::parse).await;
        let content = content.map_err(Problem::invalid_fields)?;
        let created = posts::create(self.context, &content, None, &self.context.caller).await?;
        Ok(CreatedPost {
            id: created.id,
            url: self.context.base_url.post(created.id),
            edit: self.edit_access(created.edit_token),
        })
    }

    /// Checks that [`create`](Self::create) would accept a draft, without creating anything.
    ///
    /// # Errors
    /// `invalid_post` with all invalid fields.
    pub async fn check(&self, draft: Draft) -> Result<(), Problem> {
        let content = posts::validate(self.context, draft, NewPost::parse).await;
        content.map(|_| ()).map_err(Problem::invalid_fields)
    }

    /// Reads a post, also a draft.
    ///
    /// # Errors
    /// `not_found`, `gone`, `store_unavailable`.
    pub async fn read(&self, id: PostId) -> Result<PublishedPost, Problem> {
        let post = posts::read_current(self.context, id, &self.host()).await?;
        Ok(self.published(Work::Read, post).await)
    }

    /// Lists one page of the public posts, or of all posts of an owner: drafts and unlisted ones too.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn list(&self, page: PageRequest) -> Result<PostList, Problem> {
        posts::list(self.context, page).await
    }

    /// Changes the fields that the draft has. The others stay unchanged.
    ///
    /// # Errors
    /// `invalid_post` with all invalid fields, `not_found`, `gone`, `store_unavailable`.
    pub async fn update(&self, id: PostId, draft: Draft) -> Result<PublishedPost, Problem> {
        let change = posts::validate(self.context, draft, PostChange::parse).await;
        let change = change.map_err(Problem::invalid_fields)?;
        let post =
            posts::update(self.context, id, &self.host(), &change, &Precondition::NONE).await?;
        Ok(self.published(Work::Write, post).await)
    }

    /// Deletes a post. Its addresses return 410 from now on.
    ///
    /// # Errors
    /// `not_found`, `gone`, `store_unavailable`.
    pub async fn delete(&self, id: PostId) -> Result<(), Problem> {
        posts::delete(self.context, id, &self.host(), &Precondition::NONE).await
    }

    /// Calls a function for each post of a selection. Those of an owner come latest first, others in the order
    /// of their identifiers.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn visit(
        &self,
        selection: &PostSelection,
        see: impl FnMut(&PostSummary) + Send,
    ) -> Result<(), Problem> {
        selection::visit(self.context, selection, see).await
    }

    /// Makes all public posts of a selection unlisted. Returns how many there were. Drafts stay drafts.
    ///
    /// # Errors
    /// `store_unavailable`. Some of the posts may be unlisted then.
    pub async fn unlist_all(&self, selection: &PostSelection) -> Result<u64, Problem> {
        selection::change_all(self.context, selection, Action::Unlist).await
    }

    /// Deletes all posts of a selection, drafts and unlisted ones included. Returns how many there were. Their
    /// addresses return 410 from now on. So that an owner creates no new ones, first revoke the keys.
    ///
    /// # Errors
    /// `store_unavailable`. Some of the posts may be deleted then.
    pub async fn delete_all(&self, selection: &PostSelection) -> Result<u64, Problem> {
        selection::change_all(self.context, selection, Action::Delete).await
    }

    /// Gives a post a new edit token. The old one stops working at once.
    ///
    /// # Errors
    /// `not_found`, `gone`, `store_unavailable`.
    pub async fn replace_edit_token(&self, id: PostId) -> Result<EditAccess, Problem> {
        let token = posts::replace_edit_token(self.context, id, &self.host()).await?;
        Ok(self.edit_access(token))
    }

    /// The public address of the post with this identifier.
    pub fn url(&self, id: PostId) -> String {
        self.context.base_url.post(id)
    }

    fn host(&self) -> Credentials {
        Credentials::Host(self.context.caller.clone())
    }

    fn edit_access(&self, token: EditToken) -> EditAccess {
        let url = EditUrl(self.context.base_url.edit(&token));
        EditAccess { token, url }
    }

    async fn published(&self, work: Work, post: Arc<Post>) -> PublishedPost {
        let Post { summary, body, .. } = Arc::unwrap_or_clone(post);
        let rendered = posts::render(self.context, work, &body, Style::default()).await;
        PublishedPost {
            url: self.url(summary.id),
            html: rendered.html,
            summary,
            body,
        }
    }
}

impl EditUrl {
    /// The address. Show it only to the person who may edit the post.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl Serialize for PublishedPost {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let body = BodyView {
            source: &self.body,
            html: &self.html,
        };
        let view = PostView::new(&self.summary, self.url.clone());
        view.with_body(Some(body)).serialize(serializer)
    }
}

impl std::fmt::Debug for Posts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Posts").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for EditUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EditUrl")
    }
}
