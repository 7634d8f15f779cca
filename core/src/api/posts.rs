//! `/api/posts/{id}`: creating, reading, updating and deleting one post.

use std::sync::Arc;

use bytes::Bytes;
use handbill_markdown::Style;
use http::StatusCode;
use http::header::{self, HeaderName};
use serde::Serialize;
use utoipa::ToSchema;

use super::credentials;
use super::describe::{self, EditTokenQuery, IdempotencyKeyHeader, PostPath, problems};
use super::draft::{self, READ_ONLY};
use super::schemas;
use crate::cache::{Reader, Reply, Representation, Turn};
use crate::change::Actor;
use crate::context::Context;
use crate::http::conditional::Conditions;
use crate::http::request::{Body, Head};
use crate::http::response::{self, CacheControl, Response};
use crate::id::PostId;
use crate::operations::access::Credentials;
use crate::operations::posts::{self, Created, Idempotency, Sender};
use crate::post::{NewPost, Post, PostChange, Visibility};
use crate::problem::{Code, Problem};
use crate::queue::Permit;
use crate::secret::{IdempotencyKey, SecretHash};
use crate::view::{BodyView, PostView};
use crate::waits;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
pub(crate) const JSON: &str = "application/json";
const MERGE_PATCH: &str = "application/merge-patch+json";
/// The addresses of a new post, and the token for changing it.
#[derive(Serialize, ToSchema)]
struct CreatedPost<'a> {
    #[schema(min_length = 10, max_length = 10, example = "kqzvbnmtrd")]
    id: &'a str,
    /// The public address of the post.
    #[schema(format = "uri")]
    url: String,
    /// The address of the post's edit page: a secret, like the token in it.
    #[schema(format = "uri")]
    edit_url: String,
    /// Authorises changing and deleting the post.
    #[schema(min_length = 43, max_length = 43)]
    edit_token: &'a str,
}

problems! {
    CreateProblems: [
        InvalidJson, InvalidHeader, InvalidIdempotencyKey, MissingApiKey, InvalidApiKey,
        EditTokenReplaced, BodyTooLarge, UnsupportedMediaType, InvalidPost, IdempotencyKeyReused,
        TooManyRequests, StoreUnavailable
    ]
    ReadProblems: [InvalidHeader, NotFound, Gone, StoreUnavailable]
    UpdateProblems: [
        InvalidJson, InvalidParameter, InvalidHeader, ConflictingEditTokens, MissingEditToken,
        InvalidApiKey, InvalidEditToken, NotTheOwner, NotFound, Gone, PreconditionFailed, BodyTooLarge, UnsupportedMediaType,
        InvalidPost, TooManyRequests, StoreUnavailable
    ]
    DeleteProblems: [
        InvalidParameter, InvalidHeader, ConflictingEditTokens, MissingEditToken, InvalidApiKey,
        InvalidEditToken, NotTheOwner, NotFound, Gone, PreconditionFailed, TooManyRequests, StoreUnavailable
    ]
    ReplaceProblems: [
        InvalidParameter, InvalidHeader, ConflictingEditTokens, MissingEditToken, InvalidApiKey,
        InvalidEditToken, NotTheOwner, NotFound, Gone, TooManyRequests,
        StoreUnavailable
    ]
}

/// Creates a post.
///
/// With an `Idempotency-Key`, a retry returns the response of the first request.
#[utoipa::path(
    post, path = "/api/posts", tag = "Posts", operation_id = "createPost",
    params(IdempotencyKeyHeader),
    request_body(content = schemas::NewPost, content_type = "application/json"),
    responses(
        (status = 201, description = "The post was created, by this request or by an earlier one that it repeats.", body = CreatedPost, headers(
            ("Location" = String, description = "The address of the post in this API."),
            ("ETag" = String, description = "The entity tag of the new post."),
            ("Cache-Control" = String, description = "`no-store`: the response carries a secret."),
        ), links(
            ("read" = (operation_id = "readPost", parameters(("id" = "$response.body#/id")))),
            ("update" = (operation_id = "updatePost", parameters(("id" = "$response.body#/id")))),
            ("patch" = (operation_id = "patchPost", parameters(("id" = "$response.body#/id")))),
            ("delete" = (operation_id = "deletePost", parameters(("id" = "$response.body#/id")))),
            ("replaceEditToken" = (operation_id = "replaceEditToken", parameters(("id" = "$response.body#/id")))),
        )),
        CreateProblems,
    ),
    security(("api_key" = [])),
)]
pub(crate) async fn create(
    context: &Context,
    head: &Head,
    body: Body,
) -> Result<Response, Problem> {
    head.check_media_type(&[JSON])?;
    let (api_key, creator) = credentials::api_key(context, head).await?;
    context.rate_limiter.count_creation(creator.id)?;
    let idempotency_key = idempotency_key(head)?;
    let body = body.read(context.limits.request).await?;
    let content = draft::parse(context, head, &body, &[], NewPost::parse).await;
    if waits::was_held_up() {
        // The key may have been revoked meanwhile.
        credentials::api_key(context, head).await?;
    }
    let content = content?;
    context
        .rate_limiter
        .count_stored(creator.id, content.text_len())?;

    let by = Actor::Key(creator.id);
    let created = match idempotency_key {
        None => posts::create(context, &content, Some(&creator), &by).await?,
        Some(key) => {
            let idempotency = Idempotency {
                sender: Sender::Client(Some(&api_key)),
                key,
                request: SecretHash::of(&body),
            };
            posts::create_once(context, &content, Some(&creator), &idempotency, &by).await?
        }
    };

    Ok(created_response(context, &created))
}

/// The response to a creation: 201 with the addresses and the edit token.
pub(crate) fn created_response(context: &Context, created: &Created) -> Response {
    let view = CreatedPost {
        id: created.id.as_str(),
        url: context.base_url.post(created.id),
        edit_url: context.base_url.edit(&created.edit_token),
        edit_token: created.edit_token.expose(),
    };
    let mut response = response::json(StatusCode::CREATED, &view);
    let location = response::ascii(context.base_url.api_post(created.id));
    response::set(&mut response, header::LOCATION, location);
    let etag = context.etags.of_new_post();
    response::set(&mut response, header::ETAG, etag.header());
    response::set_cache_control(&mut response, CacheControl::NoStore);
    response
}

fn idempotency_key(head: &Head) -> Result<Option<IdempotencyKey>, Problem> {
    let mut sent = head.headers().get_all(IDEMPOTENCY_KEY).iter();
    match (sent.next(), sent.next()) {
        (None, _) => Ok(None),
        (Some(one), None) => IdempotencyKey::parse(one.as_bytes()).map(Some).ok_or(()),
        (Some(_), Some(_)) => Err(()),
    }
    .map_err(|()| {
        let detail = "Idempotency-Key must appear once and have 1 to 255 visible ASCII characters.";
        Problem::new(Code::InvalidIdempotencyKey, detail)
    })
}

/// Returns a post. To requests without its edit token or a key of its owner, a draft is not found.
#[utoipa::path(
    get, path = "/api/posts/{id}", tag = "Posts", operation_id = "readPost",
    params(PostPath, EditTokenQuery, describe::ReadConditions),
    responses(
        (status = 200, description = "The post.", body = PostView<'static>, headers(
            ("ETag" = String, description = "A strong entity tag."),
            ("Last-Modified" = String, description = "The time of the last change, to the second."),
            ("Cache-Control" = String, description = "`public, no-cache`: caches revalidate before reuse."),
        )),
        (status = 304, description = "The client's copy of the post is current.", headers(
            ("ETag" = String, description = "The current entity tag."),
            ("Last-Modified" = String, description = "The time of the last change, to the second."),
            ("Cache-Control" = String, description = "`public, no-cache`: caches revalidate before reuse."),
        )),
        ReadProblems,
    ),
)]
pub(crate) async fn read(
    context: &Context,
    reader: &Reader<'_>,
    id: PostId,
) -> Result<Reply, Problem> {
    let post = match posts::read(context, id).await {
        Err(problem) if problem.code() == Code::NotFound => {
            read_draft_post(context, reader.head, id, problem).await?
        }
        found => found?,
    };
    let wanted = Representation::of_post(JSON, &post.summary, context.etags.of_post(&post.summary));
    let reads = &context.queues.reads;
    Ok(match reader.turn(reads, post.body.len(), &wanted).await? {
        Turn::Known(reply) => *reply,
        Turn::Make(permit) => {
            let body = body_of(context, &permit, &post).await;
            wanted.with_body(body).into()
        }
    })
}

/// Reads a post that others do not find, if the request has credentials for it. Otherwise it is
/// `not_found`, whatever is wrong with the credentials, as for an identifier that was never used.
async fn read_draft_post(
    context: &Context,
    head: &Head,
    id: PostId,
    not_found: Problem,
) -> Result<Arc<Post>, Problem> {
    match credentials::editor(context, head).await {
        Ok(credentials) => posts::read_current(context, id, &credentials).await,
        Err(problem) if problem.code() == Code::StoreUnavailable => Err(problem),
        Err(_) => Err(not_found),
    }
}

async fn body_of(context: &Context, permit: &Permit, post: &Arc<Post>) -> Bytes {
    let rendered = posts::render(permit, post, Style::default()).await;
    let body = BodyView {
        source: &post.body,
        html: &rendered.html,
    };
    let url = context.base_url.post(post.summary.id);
    response::json_bytes(&PostView::new(&post.summary, url).with_body(Some(body)))
}

/// Changes the fields that the request contains. The others stay unchanged.
#[utoipa::path(
    put, path = "/api/posts/{id}", tag = "Posts", operation_id = "updatePost",
    params(PostPath, EditTokenQuery, describe::WriteConditions),
    request_body(content((schemas::PostChange = "application/json"))),
    responses(
        (status = 200, description = "The post after the change.", body = PostView<'static>, headers(
            ("ETag" = String, description = "A strong entity tag."),
            ("Last-Modified" = String, description = "The time of the last change, to the second."),
            ("Cache-Control" = String, description = "`public, no-cache`: caches revalidate before reuse."),
        )),
        UpdateProblems,
    ),
    security(("edit_token" = []), ("edit_token_in_query" = []), ("api_key" = [])),
)]
pub(crate) async fn put(
    context: &Context,
    head: &Head,
    body: Body,
    id: PostId,
) -> Result<Response, Problem> {
    head.check_media_type(&[JSON])?;
    update(context, head, body, id).await
}

/// Changes the fields that the request contains (RFC 7396). The others stay unchanged.
#[utoipa::path(
    patch, path = "/api/posts/{id}", tag = "Posts", operation_id = "patchPost",
    params(PostPath, EditTokenQuery, describe::WriteConditions),
    request_body(content((schemas::PostChange = "application/json"), (schemas::PostChange = "application/merge-patch+json"))),
    responses(
        (status = 200, description = "The post after the change.", body = PostView<'static>, headers(
            ("ETag" = String, description = "A strong entity tag."),
            ("Last-Modified" = String, description = "The time of the last change, to the second."),
            ("Cache-Control" = String, description = "`public, no-cache`: caches revalidate before reuse."),
        )),
        UpdateProblems,
    ),
    security(("edit_token" = []), ("edit_token_in_query" = []), ("api_key" = [])),
)]
pub(crate) async fn patch(
    context: &Context,
    head: &Head,
    body: Body,
    id: PostId,
) -> Result<Response, Problem> {
    head.check_media_type(&[JSON, MERGE_PATCH])?;
    update(context, head, body, id).await
}

async fn update(
    context: &Context,
    head: &Head,
    body: Body,
    id: PostId,
) -> Result<Response, Problem> {
    let (mut credentials, post) = authorise(context, head, id).await?;
    let precondition = Conditions::of(head)?.of_write(&context.etags);
    let body = body.read(context.limits.request).await?;
    let change = draft::parse(context, head, &body, &READ_ONLY, PostChange::parse).await;
    if waits::was_held_up() {
        // A key may have been revoked meanwhile. Edit tokens are compared again with each write.
        credentials = credentials::editor(context, head).await?;
    }
    let change = change?;
    posts::count_growth(context, &post, &change)?;

    // The response to a change that was made is not refused, so there must be room for it before.
    let longest = post.body.len().max(body.len());
    context.response_budget.check_room_for_write(8 * longest)?;
    let post = posts::update(context, id, &credentials, &change, &precondition).await?;
    Ok(changed_response(context, head, &post).await)
}

/// The response to a change: the post as it is now.
pub(crate) async fn changed_response(context: &Context, head: &Head, post: &Arc<Post>) -> Response {
    let etag = context.etags.of_post(&post.summary);
    let writes = &context.queues.writes;
    let permit = writes.unlimited_permit(head.client, post.body.len()).await;
    let mut response = response::bytes(JSON, body_of(context, &permit, post).await);
    let cache_control = match post.summary.visibility {
        Visibility::Draft => CacheControl::NoStorePrivate,
        Visibility::Public | Visibility::Unlisted => CacheControl::Revalidated,
    };
    response::set_cache_control(&mut response, cache_control);
    etag.set_validators(&mut response, Some(post.summary.updated_at));
    response
}

/// Deletes a post. Its addresses return 410 from now on.
#[utoipa::path(
    delete, path = "/api/posts/{id}", tag = "Posts", operation_id = "deletePost",
    params(PostPath, EditTokenQuery, describe::WriteConditions),
    responses((status = 204, description = "The post is gone."), DeleteProblems),
    security(("edit_token" = []), ("edit_token_in_query" = []), ("api_key" = [])),
)]
pub(crate) async fn delete(
    context: &Context,
    head: &Head,
    id: PostId,
) -> Result<Response, Problem> {
    let (credentials, _) = authorise(context, head, id).await?;
    let precondition = Conditions::of(head)?.of_write(&context.etags);
    posts::delete(context, id, &credentials, &precondition).await?;
    Ok(response::empty(StatusCode::NO_CONTENT))
}

/// Checks the credentials of the request against the current post, and counts the change.
async fn authorise(
    context: &Context,
    head: &Head,
    id: PostId,
) -> Result<(Credentials, Arc<Post>), Problem> {
    let credentials = credentials::editor(context, head).await?;
    let post = posts::read_to_change(context, id, &credentials)
        .await
        .map_err(|problem| credentials::count_if_wrong(context, head, problem))?;
    context.rate_limiter.count_change(id)?;
    Ok((credentials, post))
}

/// A post's new edit address.
#[derive(Serialize, ToSchema)]
struct ReplacedEditToken<'a> {
    /// The address of the post's edit page: a secret, like the token in it.
    #[schema(format = "uri")]
    edit_url: String,
    /// Authorises changing and deleting the post; the old token no longer does.
    #[schema(min_length = 43, max_length = 43)]
    edit_token: &'a str,
}

/// Gives a post a new edit token. The old edit token or an API key of the post's owner authorises this.
/// The old edit token stops working at once.
#[utoipa::path(
    post, path = "/api/posts/{id}/edit_token", tag = "Posts", operation_id = "replaceEditToken",
    params(PostPath, EditTokenQuery),
    responses(
        (status = 200, description = "The new edit token.", body = ReplacedEditToken, headers(
            ("Cache-Control" = String, description = "`no-store`: the response carries a secret."),
        )),
        ReplaceProblems,
    ),
    security(("api_key" = []), ("edit_token" = []), ("edit_token_in_query" = [])),
)]
pub(crate) async fn replace_edit_token(
    context: &Context,
    head: &Head,
    id: PostId,
) -> Result<Response, Problem> {
    let (credentials, _) = authorise(context, head, id).await?;
    let token = posts::replace_edit_token(context, id, &credentials).await?;

    let view = ReplacedEditToken {
        edit_url: context.base_url.edit(&token),
        edit_token: token.expose(),
    };
    let mut response = response::json(StatusCode::OK, &view);
    response::set_cache_control(&mut response, CacheControl::NoStore);
    Ok(response)
}
