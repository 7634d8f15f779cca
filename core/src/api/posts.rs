//! `/api/posts/{id}`: creating, reading, updating and deleting one post.

use std::sync::Arc;

use bytes::Bytes;
use handbill_markdown::Style;
use http::StatusCode;
use http::header::{self, HeaderName};
use serde::Serialize;

use super::credentials;
use super::draft::{self, READ_ONLY};
use crate::cache::{CacheReader, Reply, Representation};
use crate::context::Context;
use crate::http::response::{self, JSON};
use crate::http::{Body, CacheControl, Conditions, Head, Response};
use crate::limits::queue::Permit;
use crate::observe::timings;
use crate::operations::access::Credentials;
use crate::operations::posts::{self, Created, Idempotency, IdempotencySender};
use crate::post::{
    Actor, IdempotencyKey, NewPost, Post, PostChange, PostView, SecretHash, Visibility,
};
use crate::problem::{Code, Problem};
use crate::route::Call;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const MERGE_PATCH: &str = "application/merge-patch+json";

#[derive(Serialize)]
struct CreatedPostView<'a> {
    id: &'a str,
    url: String,
    edit_url: String,
    edit_token: &'a str,
}

/// Creates a post.
///
/// With an `Idempotency-Key`, a retry returns the response of the first request.
pub(crate) async fn create(call: Call<'_>, body: Body) -> Result<Response, Problem> {
    let Call { context, head, .. } = call;
    let at = context.clock.now();
    head.check_media_type(&[JSON])?;
    let (api_key, creator) = credentials::api_key(context, head).await?;
    context.rate_limiter.creations.count(&creator.id)?;
    let idempotency_key = idempotency_key(head)?;
    let body = body.read(context.limits.request).await?;
    let content = draft::parse(context, head, &body, &[], NewPost::parse).await;
    if timings::was_held_up() {
        // The key may have been revoked meanwhile.
        credentials::api_key(context, head).await?;
    }
    let content = content?;
    context
        .rate_limiter
        .stored_bytes
        .count_bytes(&creator.id, content.text_len())?;

    let actor = Actor::Key(creator.id);
    let idempotency = idempotency_key.map(|key| Idempotency {
        sender: IdempotencySender::Client(Some(&api_key)),
        key,
        request: SecretHash::of(&body),
    });
    let idempotency = idempotency.as_ref();
    let created = posts::create(context, &content, Some(&creator), idempotency, &actor, at).await?;

    Ok(created_response(context, &created))
}

/// The response to a creation: 201 with the addresses and the edit token.
pub(crate) fn created_response(context: &Context, created: &Created) -> Response {
    let view = CreatedPostView {
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
pub(crate) async fn read(call: Call<'_>, reader: &CacheReader<'_>) -> Result<Reply, Problem> {
    let context = call.context;
    let post = match posts::read(context, call.id()).await {
        Err(problem) if problem.code() == Code::NotFound => read_draft_post(call, problem).await?,
        found => found?,
    };
    let representation =
        Representation::of_post(JSON, &post.summary, context.etags.of_post(&post.summary));
    let make = async |permit: Permit, representation: Representation| {
        let body = body_of(context, &permit, &post).await;
        Ok(representation.with_body(body).into())
    };
    let reads = &context.queues.reads;
    reader
        .reply(reads, post.body.len(), representation, make)
        .await
}

/// Reads a post that others do not find, if the request has credentials for it. Otherwise it is
/// `not_found`, whatever is wrong with the credentials, as for an identifier that was never used.
async fn read_draft_post(call: Call<'_>, not_found: Problem) -> Result<Arc<Post>, Problem> {
    match credentials::editor(call.context, call.head).await {
        Ok(credentials) => posts::read_current(call.context, call.id(), &credentials).await,
        Err(problem) if problem.code() == Code::StoreUnavailable => Err(problem),
        Err(_) => Err(not_found),
    }
}

async fn body_of(context: &Context, permit: &Permit, post: &Arc<Post>) -> Bytes {
    let style = Style::default().with_language(post.summary.language.as_deref());
    let rendered = posts::render(permit, post, style).await;
    let view = PostView::new(&post.summary, context.base_url.post(post.summary.id));
    response::json_bytes(&view.with_body(Some(&post.body), Some(&rendered.html)))
}

/// Changes the fields that the request contains. The others stay unchanged.
pub(crate) async fn put(call: Call<'_>, body: Body) -> Result<Response, Problem> {
    call.head.check_media_type(&[JSON])?;
    update(call, body).await
}

/// Changes the fields that the request contains (RFC 7396). The others stay unchanged.
pub(crate) async fn patch(call: Call<'_>, body: Body) -> Result<Response, Problem> {
    call.head.check_media_type(&[JSON, MERGE_PATCH])?;
    update(call, body).await
}

async fn update(call: Call<'_>, body: Body) -> Result<Response, Problem> {
    let Call { context, head, .. } = call;
    let at = Some(context.clock.now());
    let (mut credentials, post) = authorise(call).await?;
    let conditions = Conditions::of(head)?;
    let body = body.read(context.limits.request).await?;
    let change = draft::parse(context, head, &body, &READ_ONLY, PostChange::parse).await;
    if timings::was_held_up() {
        // A key may have been revoked meanwhile. Edit tokens are compared again with each write.
        credentials = credentials::editor(context, head).await?;
    }
    let change = change?;
    posts::count_growth(context, &post, &change)?;

    // The response to a change that was made is not refused, so there must be room for it before.
    let longest = post.body.len().max(body.len());
    context.response_budget.check_room_for_write(8 * longest)?;
    let is_expected = |post: &Post| conditions.allow_change(&context.etags, &post.summary);
    let post = posts::update(context, call.id(), &credentials, &change, &is_expected, at).await?;
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
pub(crate) async fn delete(call: Call<'_>) -> Result<Response, Problem> {
    let Call { context, head, .. } = call;
    let at = Some(context.clock.now());
    let (credentials, _) = authorise(call).await?;
    let conditions = Conditions::of(head)?;
    let is_expected = |post: &Post| conditions.allow_change(&context.etags, &post.summary);
    posts::delete(context, call.id(), &credentials, &is_expected, at).await?;
    Ok(response::empty(StatusCode::NO_CONTENT))
}

/// Checks the credentials of the request against the current post, and counts the change.
async fn authorise(call: Call<'_>) -> Result<(Credentials, Arc<Post>), Problem> {
    let Call { context, head, .. } = call;
    let credentials = credentials::editor(context, head).await?;
    let post = posts::read_to_change(context, call.id(), &credentials)
        .await
        .map_err(|problem| credentials::count_if_wrong(context, head, problem))?;
    context.rate_limiter.changes.count(&call.id())?;
    Ok((credentials, post))
}

#[derive(Serialize)]
struct ReplacedEditTokenView<'a> {
    edit_url: String,
    edit_token: &'a str,
}

/// Gives a post a new edit token. The old edit token or an API key of the post's owner authorises this.
/// The old edit token stops working at once.
pub(crate) async fn replace_edit_token(call: Call<'_>) -> Result<Response, Problem> {
    let context = call.context;
    let at = Some(context.clock.now());
    let (credentials, _) = authorise(call).await?;
    let token = posts::replace_edit_token(context, call.id(), &credentials, at).await?;

    let view = ReplacedEditTokenView {
        edit_url: context.base_url.edit(&token),
        edit_token: token.expose(),
    };
    Ok(response::json(StatusCode::OK, &view))
}
