//! `/api/posts/{id}`: creating, reading, updating and deleting one post.

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use http::header::{self, HeaderName};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::credentials;
use super::describe::{self, EditTokenQuery, IdempotencyKeyHeader, PostPath, problems};
use super::schemas;
use crate::blocking::Work;
use crate::context::Context;
use crate::field::FieldError;
use crate::http::conditional::Conditions;
use crate::http::json;
use crate::http::representation::{Caching, Representation};
use crate::http::request::{Body, Head};
use crate::http::response::{self, CacheControl, Response};
use crate::id::{KeyId, PostId};
use crate::markdown::Style;
use crate::operations::posts::{self, Idempotency, ParseDraft};
use crate::post::{Draft, DraftTags, NewPost, Post, PostChange, Revision};
use crate::problem::{Code, Problem};
use crate::secret::{IdempotencyKey, SecretHash};
use crate::view::{BodyView, PostView};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const JSON: &str = "application/json";
const MERGE_PATCH: &str = "application/merge-patch+json";
/// What reads return and updates pass over, so that a client may send back what it read.
pub(super) const READ_ONLY: [&str; 6] =
    ["id", "url", "html", "excerpt", "created_at", "updated_at"];

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
        InvalidEditToken, NotFound, Gone, PreconditionFailed, BodyTooLarge, UnsupportedMediaType,
        InvalidPost, TooManyRequests, StoreUnavailable
    ]
    DeleteProblems: [
        InvalidParameter, InvalidHeader, ConflictingEditTokens, MissingEditToken, InvalidEditToken,
        NotFound, Gone, PreconditionFailed, TooManyRequests, StoreUnavailable
    ]
    ReplaceProblems: [
        InvalidParameter, InvalidHeader, ConflictingEditTokens, MissingEditToken, InvalidApiKey,
        MissingApiKey, InvalidEditToken, NotTheCreator, NotFound, Gone, TooManyRequests,
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
    head.expect_media_type(&[JSON])?;
    let (api_key, creator) = credentials::api_key(context, head).await?;
    context.meter.count_creation(creator.id)?;
    let idempotency_key = idempotency_key(head)?;
    let body = body.read(context.limits.request).await?;
    let (draft, errors) = read_draft(json::object(&body)?, &[]);
    let content = parse(context, draft, errors, NewPost::parse).await?;
    context.meter.count_stored(creator.id, content.text_len())?;

    let created = match idempotency_key {
        None => posts::create(context, &content, Some(creator.id)).await?,
        Some(key) => {
            let idempotency = Idempotency {
                api_key: &api_key,
                key,
                request: SecretHash::of(&body),
            };
            posts::create_once(context, &content, &creator, &idempotency).await?
        }
    };

    let view = CreatedPost {
        id: created.id.as_str(),
        url: context.base_url.post(created.id),
        edit_url: context.base_url.edit(&created.edit_token),
        edit_token: created.edit_token.expose(),
    };
    let mut response = response::json(StatusCode::CREATED, &view);
    let location = response::ascii(context.base_url.api_post(created.id));
    response::set(&mut response, header::LOCATION, location);
    let etag = context.etags.of_revision(Revision::FIRST);
    response::set(&mut response, header::ETAG, etag.header());
    response::set_cache_control(&mut response, CacheControl::NoStore);
    Ok(response)
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

/// Returns a post.
#[utoipa::path(
    get, path = "/api/posts/{id}", tag = "Posts", operation_id = "readPost",
    params(PostPath, describe::ReadConditions),
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
pub(crate) async fn read(context: &Context, id: PostId) -> Result<Representation<'_>, Problem> {
    let post = posts::read(context, id).await?;
    let etag = context.etags.of_revision(post.summary.revision);
    let modified = post.summary.updated_at;
    let body = async move { Ok(body_of(context, Work::Read, &post).await) };
    Ok(Representation::new(JSON, body)
        .with_etag(etag, Caching::ByPost(id))
        .with_modified(modified))
}

async fn body_of(context: &Context, work: Work, post: &Post) -> Bytes {
    let rendered = posts::render(context, work, &post.body, Style::default()).await;
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
    security(("edit_token" = []), ("edit_token_in_query" = [])),
)]
pub(crate) async fn put(
    context: &Context,
    head: &Head,
    body: Body,
    id: PostId,
) -> Result<Response, Problem> {
    head.expect_media_type(&[JSON])?;
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
    security(("edit_token" = []), ("edit_token_in_query" = [])),
)]
pub(crate) async fn patch(
    context: &Context,
    head: &Head,
    body: Body,
    id: PostId,
) -> Result<Response, Problem> {
    head.expect_media_type(&[JSON, MERGE_PATCH])?;
    update(context, head, body, id).await
}

async fn update(
    context: &Context,
    head: &Head,
    body: Body,
    id: PostId,
) -> Result<Response, Problem> {
    let (token, post) = authorise(context, head, id).await?;
    let conditions = Conditions::of(head)?;
    let body = body.read(context.limits.request).await?;
    let (draft, errors) = read_draft(json::object(&body)?, &READ_ONLY);
    let change = parse(context, draft, errors, PostChange::parse).await?;
    posts::count_growth(context, &post, &change)?;

    // The response to a change that was made is not refused, so there must be room for it before.
    let source_len = |post: &Post| post.body.len().max(body.len());
    let allow = |post: &Post| {
        allow_write(context, token, &conditions, post)?;
        context
            .large_bodies
            .expect_room_for_write(8 * source_len(post))
    };
    let post = posts::update(context, id, &change, allow).await?;

    let etag = context.etags.of_revision(post.summary.revision);
    let mut response = response::bytes(JSON, body_of(context, Work::Write, &post).await);
    response::set_cache_control(&mut response, CacheControl::Revalidated);
    response::set_validators(&mut response, &etag, Some(post.summary.updated_at));
    Ok(response)
}

/// Deletes a post. Its addresses return 410 from now on.
#[utoipa::path(
    delete, path = "/api/posts/{id}", tag = "Posts", operation_id = "deletePost",
    params(PostPath, EditTokenQuery, describe::WriteConditions),
    responses((status = 204, description = "The post is gone."), DeleteProblems),
    security(("edit_token" = []), ("edit_token_in_query" = [])),
)]
pub(crate) async fn delete(
    context: &Context,
    head: &Head,
    id: PostId,
) -> Result<Response, Problem> {
    let (token, _) = authorise(context, head, id).await?;
    let conditions = Conditions::of(head)?;
    let allow = |post: &Post| allow_write(context, token, &conditions, post);
    posts::delete(context, id, allow).await?;
    Ok(response::empty(StatusCode::NO_CONTENT))
}

/// Checks the edit token of the request against the current post, and counts the change. Returns the
/// token's hash and the post.
async fn authorise(
    context: &Context,
    head: &Head,
    id: PostId,
) -> Result<(SecretHash, Arc<Post>), Problem> {
    let token = credentials::edit_token(head)?;
    let post = posts::read_current(context, id).await?;
    posts::allow_editor(&post, token)
        .map_err(|problem| credentials::count_if_wrong(context, head, problem))?;
    context.meter.count_change(id)?;
    Ok((token, post))
}

/// Allows a write if the token is the post's current edit token and the conditions hold.
fn allow_write(
    context: &Context,
    token: SecretHash,
    conditions: &Conditions,
    post: &Post,
) -> Result<(), Problem> {
    posts::allow_editor(post, token)?;
    let etag = context.etags.of_revision(post.summary.revision);
    conditions.allow_write(&etag, post.summary.updated_at)
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

/// Gives a post a new edit token. The old edit token or the API key that created the post authorises this.
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
    let claim = claim(context, head, id).await?;
    let token = posts::replace_edit_token(context, id, |post| claim.allows(post)).await?;

    let view = ReplacedEditToken {
        edit_url: context.base_url.edit(&token),
        edit_token: token.expose(),
    };
    let mut response = response::json(StatusCode::OK, &view);
    response::set_cache_control(&mut response, CacheControl::NoStore);
    Ok(response)
}

/// Why a client may replace a post's edit token.
enum Claim {
    HasToken(SecretHash),
    IsCreator(KeyId),
}

impl Claim {
    fn allows(&self, post: &Post) -> Result<(), Problem> {
        match self {
            Self::HasToken(token) => posts::allow_editor(post, *token),
            Self::IsCreator(key) if post.created_by == Some(*key) => Ok(()),
            Self::IsCreator(_) => Err(Problem::new(
                Code::NotTheCreator,
                "Use the API key that created the post, or the post's edit token.",
            )),
        }
    }
}

/// The claim of a request, which counts as a change. If it has both credentials, a valid edit token takes
/// precedence.
async fn claim(context: &Context, head: &Head, id: PostId) -> Result<Claim, Problem> {
    let has_key = head.headers().contains_key(credentials::API_KEY);
    if !has_key || credentials::optional_edit_token(head)?.is_some() {
        match authorise(context, head, id).await {
            Ok((token, _)) => return Ok(Claim::HasToken(token)),
            Err(problem) if has_key && problem.code() == Code::InvalidEditToken => {}
            Err(problem) => return Err(problem),
        }
    }
    let (_, key) = credentials::api_key(context, head).await?;
    let claim = Claim::IsCreator(key.id);
    let post = posts::read_current(context, id).await?;
    claim
        .allows(&post)
        .map_err(|problem| credentials::count_if_wrong(context, head, problem))?;
    context.meter.count_change(id)?;
    Ok(claim)
}

/// Validates a draft. `errors` are the fields of its JSON that had the wrong type or are unknown.
async fn parse<T: Send + 'static>(
    context: &Context,
    draft: Draft,
    errors: Vec<FieldError>,
    parse: ParseDraft<T>,
) -> Result<T, Problem> {
    match posts::check(context, draft, parse).await {
        Ok(valid) if errors.is_empty() => Ok(valid),
        Ok(_) => Err(Problem::invalid_fields(errors)),
        Err(more) => {
            // A field of the wrong type is not in the draft. Don't report it as missing, too.
            let is_new = |error: &FieldError| errors.iter().all(|known| known.field != error.field);
            let mut all: Vec<_> = more.into_iter().filter(is_new).collect();
            all.extend(errors);
            Err(Problem::invalid_fields(all))
        }
    }
}

/// Reads the fields of a JSON object. Returns an error for each field of the wrong type and for each
/// unknown field that is not among the `ignored` ones.
fn read_draft(object: Map<String, Value>, ignored: &[&str]) -> (Draft, Vec<FieldError>) {
    let mut draft = Draft::default();
    let mut errors = Vec::new();
    for (name, value) in object {
        let read = match name.as_str() {
            "title" => text(&name, value).map(|text| draft.title = Some(text)),
            "body" => text(&name, value).map(|text| draft.body = Some(text)),
            "focus_keyword" => text(&name, value).map(|text| draft.focus_keyword = Some(text)),
            "tags" => tags(value).map(|tags| draft.tags = Some(tags)),
            name if ignored.contains(&name) => Ok(()),
            name => Err(json::unknown_field(name)),
        };
        errors.extend(read.err());
    }
    (draft, errors)
}

/// Reads a string. Null counts as an empty string.
fn text(field: &str, value: Value) -> Result<String, FieldError> {
    match value {
        Value::String(text) => Ok(text),
        Value::Null => Ok(String::new()),
        other => Err(json::wrong_type(field, "a string or null", &other)),
    }
}

fn tags(value: Value) -> Result<DraftTags, FieldError> {
    const EXPECTED: &str = "a string, an array of strings or null";
    match value {
        Value::String(text) => Ok(DraftTags::Text(text)),
        Value::Null => Ok(DraftTags::List(Vec::new())),
        Value::Array(items) => {
            let texts = items.into_iter().map(|item| match item {
                Value::String(text) => Ok(text),
                other => Err(json::wrong_type("tags", EXPECTED, &other)),
            });
            texts.collect::<Result<_, _>>().map(DraftTags::List)
        }
        other => Err(json::wrong_type("tags", EXPECTED, &other)),
    }
}
