//! The host's own access to posts: [`Posts`].

use std::sync::Arc;

use super::access::Credentials;
use super::bulk::{self, BulkChange};
use super::posts::{self, Idempotency, IdempotencySender, IsExpected, ParseDraft};
use super::published::{CreatedPost, EditAccess, EditUrl, PublishedPost};
use super::selection::PostSelection;
use super::visit;
use crate::context::Context;
use crate::limits::queue::{Caller, Queue};
use crate::post::{
    Draft, EditToken, IdempotencyKey, NewPost, PageRequest, Post, PostChange, PostId, PostList,
    PostSummary, Revision, SecretHash, Tag, TagCount,
};
use crate::problem::{Code, Problem};
use futures_util::Stream;
use handbill_markdown::Style;

/// The posts of a service, for the host's own code.
///
/// The methods do what clients do over HTTP, with the same validation, limits and events, but without
/// credentials and rate limits.
///
/// ```
/// use handbill::{Draft, Handbill, MemoryStore, PageRequest};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
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
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Clone, Copy)]
pub struct Posts<'a> {
    context: &'a Context,
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
        self.create_with(draft, None).await
    }

    /// Creates a post, unless this key created one before: then returns that one, also if the draft is another
    /// now. For imports and jobs, which may be interrupted and then start again.
    ///
    /// The key is the host's own name for the post: 1 to 255 visible ASCII characters. It is not stored, and has
    /// nothing in common with the `Idempotency-Key` of a client. Of several calls with one key at the same time,
    /// also in other processes that share the store, one creates the post.
    ///
    /// A key is used up for as long as the store exists: a post that was changed since is returned as it was
    /// created, with the same identifier and edit token, and so is one that was deleted since. An
    /// [`Archive`](crate::archive::Archive) does not contain the secret that keys depend on, so after a move to another
    /// store each key creates a new post.
    ///
    /// ```
    /// use handbill::{Draft, Handbill, MemoryStore};
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
    /// # let article = (42, "From the old site.");
    /// let (number, text) = article;
    /// let key = format!("article:{number}");
    /// let created = handbill.posts().create_once(&key, Draft::new().body(text)).await?;
    /// let again = handbill.posts().create_once(&key, Draft::new().body(text)).await?;
    /// assert_eq!(again.id, created.id);
    /// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// `invalid_idempotency_key`; `invalid_post` with all invalid fields, whether or not the key created a post;
    /// `edit_token_replaced` if the post that it created has another edit token now, since this one no longer works
    /// ([`find_created`](Self::find_created) finds the post); `store_unavailable`.
    pub async fn create_once(&self, key: &str, draft: Draft) -> Result<CreatedPost, Problem> {
        self.create_with(draft, Some(&host_idempotency(key)?)).await
    }

    /// The post that [`create_once`](Self::create_once) created with this key, also if it was changed or deleted since.
    ///
    /// # Errors
    /// `invalid_idempotency_key`, `store_unavailable`.
    pub async fn find_created(&self, key: &str) -> Result<Option<PostId>, Problem> {
        posts::find_created(self.context, &host_idempotency(key)?).await
    }

    /// Checks that [`create`](Self::create) would accept a draft, without creating anything.
    ///
    /// # Errors
    /// `invalid_post` with all invalid fields.
    pub async fn check(&self, draft: Draft) -> Result<(), Problem> {
        self.validate(draft, NewPost::parse).await.map(|_| ())
    }

    /// Reads a post, also a draft.
    ///
    /// # Errors
    /// `not_found`, `gone`, `store_unavailable`.
    pub async fn read(&self, id: PostId) -> Result<PublishedPost, Problem> {
        let post = posts::read_current(self.context, id, &self.host()).await?;
        Ok(self.published(&self.context.queues.reads, post).await)
    }

    /// Reads a post without its body, also a draft. It makes no HTML, so it is cheap: for the owner or the revision
    /// of a post, or its name.
    ///
    /// ```
    /// # use handbill::{Draft, Handbill, MemoryStore, Owner};
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
    /// # let user: Owner = "user:42".parse()?;
    /// # let draft = Draft::new().body("Mine.").owner(user.clone());
    /// # let id = handbill.posts().create(draft).await?.id;
    /// let post = handbill.posts().summary(id).await?;
    /// let shows_edit_button = post.owner == Some(user);
    /// # assert!(shows_edit_button);
    /// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// `not_found`, `gone`, `store_unavailable`.
    pub async fn summary(&self, id: PostId) -> Result<PostSummary, Problem> {
        let post = posts::read_current(self.context, id, &self.host()).await?;
        Ok(post.summary.clone())
    }

    /// Lists one page of the public posts, of those of an owner, or of all posts of an owner: drafts and unlisted ones
    /// too. See [`List`](crate::List).
    ///
    /// # Errors
    /// `search_not_available` for a search where the store has no index, `store_unavailable`.
    pub async fn list(&self, page: PageRequest) -> Result<PostList, Problem> {
        posts::list(self.context, page).await
    }

    /// Changes the fields that the draft has. The others stay unchanged. Changes of the same fields that others made
    /// since the host read the post are overwritten: see [`update_if`](Self::update_if).
    ///
    /// # Errors
    /// `invalid_post` with all invalid fields, `not_found`, `gone`, `store_unavailable`.
    pub async fn update(&self, id: PostId, draft: Draft) -> Result<PublishedPost, Problem> {
        self.update_with(id, draft, &|_| true).await
    }

    /// Changes a post as [`update`](Self::update) does, if it is still in this revision. The check and the
    /// change are one step: of two calls that expect the same revision, one changes the post.
    ///
    /// Each write gives a post another revision, including a new edit token. After a backup of the store was restored,
    /// a revision may stand for another state than before.
    ///
    /// ```
    /// use handbill::{Code, Draft, Handbill, MemoryStore};
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
    /// # let id = handbill.posts().create(Draft::new().body("A post.")).await?.id;
    /// let shown = handbill.posts().read(id).await?;
    /// // … the user edits it …
    /// let edited = Draft::new().title("Edited").body("Some *Markdown*.");
    /// match handbill.posts().update_if(id, shown.summary.revision, edited).await {
    ///     Ok(post) => println!("saved {}", post.url),
    ///     Err(problem) if problem.code() == Code::PreconditionFailed => println!("another user changed it"),
    ///     Err(problem) => return Err(problem.into()),
    /// }
    /// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// `precondition_failed` if the post is in another revision, also if the draft would change nothing;
    /// `invalid_post` with all invalid fields, `not_found`, `gone`, `store_unavailable`.
    pub async fn update_if(
        &self,
        id: PostId,
        expected: Revision,
        draft: Draft,
    ) -> Result<PublishedPost, Problem> {
        let is_expected = |post: &Post| post.summary.revision == expected;
        self.update_with(id, draft, &is_expected).await
    }

    /// Deletes a post. Its addresses return 410 from now on.
    ///
    /// # Errors
    /// `not_found`, `gone`, `store_unavailable`.
    pub async fn delete(&self, id: PostId) -> Result<(), Problem> {
        let at = Some(self.context.clock.now());
        posts::delete(self.context, id, &self.host(), &|_| true, at).await
    }

    /// The posts of a selection, drafts and unlisted ones too, as a stream. Those of an owner come latest first, others
    /// in the order of their identifiers.
    ///
    /// A post that is in the selection from the beginning to the end comes once, also if posts are created, changed and
    /// deleted meanwhile, by others or between two items. The stream reads from the store while it is polled, up to
    /// 1,000 posts at a time, and ends after an error. Its items are read with the traits `TryStreamExt` or `StreamExt`
    /// of `futures-util`, or those of another crate for streams. It borrows nothing, so that it can also be the body of
    /// a response.
    ///
    /// ```
    /// use futures_util::TryStreamExt;
    /// use handbill::{Handbill, MemoryStore, Owner, PostSelection};
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
    /// let user: Owner = "user:42".parse()?;
    /// let mut posts = handbill.posts().visit(&PostSelection::of_owner(user));
    /// while let Some(post) = posts.try_next().await? {
    ///     println!("{}: {}", post.id, post.name().unwrap_or_default());
    /// }
    /// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// `store_unavailable`.
    pub fn visit(
        &self,
        selection: &PostSelection,
    ) -> impl Stream<Item = Result<PostSummary, Problem>> + Send + Unpin + use<> {
        visit::visit(&self.context.store, selection)
    }

    /// Makes all public posts of a selection unlisted. Drafts stay drafts, and those that were to be published later
    /// are not. Returns how many posts were changed.
    ///
    /// Those who may change a post may make it public again: with its edit token or private link, with a key of its
    /// owner, or [`SignedIn`](crate::SignedIn) as its owner. Against that, first [`ban`](crate::Handbill::ban) it.
    ///
    /// # Errors
    /// `store_unavailable`. Some of the posts may be unlisted then.
    pub async fn unlist_all(&self, selection: &PostSelection) -> Result<u64, Problem> {
        bulk::change_all(self.context, selection, BulkChange::Unlist).await
    }

    /// Deletes all posts of a selection, drafts and unlisted ones included. Returns how many there were. Their
    /// addresses return 410 from now on. So that an owner creates no new ones, first
    /// [`ban`](crate::Handbill::ban) it.
    ///
    /// # Errors
    /// `store_unavailable`. Some of the posts may be deleted then.
    pub async fn delete_all(&self, selection: &PostSelection) -> Result<u64, Problem> {
        bulk::change_all(self.context, selection, BulkChange::Delete).await
    }

    /// Gives all posts of a selection new edit tokens and drops these: drafts and unlisted ones too. Returns how many
    /// posts there were. The old tokens and private links stop working at once.
    ///
    /// A key of a post's owner, and a visitor who is [`SignedIn`](crate::SignedIn) as the owner, may still change the
    /// post, and may get a new edit token for it: [`Handbill::ban`](crate::Handbill::ban) ends that, too.
    /// [`replace_edit_token`](Self::replace_edit_token) gives the token of a single post back to its author.
    ///
    /// ```
    /// # use handbill::{Handbill, MemoryStore, Owner, PostSelection};
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
    /// let user: Owner = "user:42".parse()?;
    /// // Their private links were leaked.
    /// handbill.posts().revoke_edit_tokens(&PostSelection::of_owner(user)).await?;
    /// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// `store_unavailable`. Some of the posts may have new tokens then.
    pub async fn revoke_edit_tokens(&self, selection: &PostSelection) -> Result<u64, Problem> {
        bulk::change_all(self.context, selection, BulkChange::RevokeEditToken).await
    }

    /// Gives a post a new edit token. The old one stops working at once.
    ///
    /// # Errors
    /// `not_found`, `gone`, `store_unavailable`.
    pub async fn replace_edit_token(&self, id: PostId) -> Result<EditAccess, Problem> {
        let at = Some(self.context.clock.now());
        let token = posts::replace_edit_token(self.context, id, &self.host(), at).await?;
        Ok(self.edit_access(token))
    }

    /// The tags of the public posts, at most `limit` of them, those with the most posts first.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let handbill = handbill::Handbill::new("https://example.org", handbill::MemoryStore::new())?;
    /// # handbill.posts().create(handbill::Draft::new().body("A post.").tags(["news"])).await?;
    /// let posts = handbill.posts();
    /// for counted in posts.tags(30).await? {
    ///     println!("<a href=\"{}\">{} ({})</a>", posts.tag_url(&counted.tag), counted.tag, counted.posts);
    /// }
    /// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn tags(&self, limit: u32) -> Result<Vec<TagCount>, Problem> {
        posts::tags(self.context, limit).await
    }

    /// The public address of the post with this identifier.
    pub fn url(&self, id: PostId) -> String {
        self.context.base_url.post(id)
    }

    /// The public address of the page that lists the posts with this tag.
    pub fn tag_url(&self, tag: &Tag) -> String {
        self.context.base_url.tag(tag)
    }

    async fn validate<T: Send + 'static>(
        &self,
        draft: Draft,
        parse: ParseDraft<T>,
    ) -> Result<T, Problem> {
        let writes = &self.context.queues.writes;
        let permit = writes.unlimited_permit(Caller::Host, draft.len()).await;
        let parsed = posts::validate(self.context, &permit, draft, parse).await;
        parsed.map_err(Problem::invalid_fields)
    }

    async fn update_with(
        &self,
        id: PostId,
        draft: Draft,
        is_expected: IsExpected<'_>,
    ) -> Result<PublishedPost, Problem> {
        let (credentials, at) = (self.host(), Some(self.context.clock.now()));
        let change = self.validate(draft, PostChange::parse).await?;
        let post = posts::update(self.context, id, &credentials, &change, is_expected, at).await?;
        Ok(self.published(&self.context.queues.writes, post).await)
    }

    async fn create_with(
        &self,
        draft: Draft,
        idempotency: Option<&Idempotency<'_>>,
    ) -> Result<CreatedPost, Problem> {
        let (context, at) = (self.context, self.context.clock.now());
        let content = self.validate(draft, NewPost::parse).await?;
        let actor = &context.caller;
        let created = posts::create(context, &content, None, idempotency, actor, at).await?;
        Ok(CreatedPost {
            id: created.id,
            url: self.url(created.id),
            edit: self.edit_access(created.edit_token),
        })
    }

    fn host(&self) -> Credentials {
        Credentials::Host(self.context.caller.clone())
    }

    fn edit_access(&self, token: EditToken) -> EditAccess {
        let url = EditUrl(self.context.base_url.edit(&token));
        EditAccess { token, url }
    }

    async fn published(&self, queue: &Queue, post: Arc<Post>) -> PublishedPost {
        let permit = queue.unlimited_permit(Caller::Host, post.body.len()).await;
        let style = Style::default().with_language(post.summary.language.as_deref());
        let rendered = posts::render(&permit, &post, style).await;
        let Post { summary, body, .. } = Arc::unwrap_or_clone(post);
        PublishedPost {
            url: self.url(summary.id),
            html: rendered.html,
            summary,
            body,
        }
    }
}

/// A key for creating once. Its request is the same for all drafts.
fn host_idempotency(key: &str) -> Result<Idempotency<'static>, Problem> {
    let Some(key) = IdempotencyKey::parse(key.as_bytes()) else {
        let detail = "The key must have 1 to 255 visible ASCII characters.";
        return Err(Problem::new(Code::InvalidIdempotencyKey, detail));
    };
    Ok(Idempotency {
        sender: IdempotencySender::Host,
        key,
        request: SecretHash::of([]),
    })
}

crate::post::opaque_debug!(Posts<'_>);
