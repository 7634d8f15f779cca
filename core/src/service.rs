//! [`Handbill`] as a `tower::Service`.
//!
//! A request enters here, is dispatched to the handler of its route, and leaves here as a response. This
//! is the only place that turns an error into a response, and the only one that evaluates the conditions
//! of reads and consults the cache.

use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::request::Parts;
use http::{Method, StatusCode};
use http_body_util::Full;
use tower_service::Service;
use tracing::{Instrument, Span, debug_span, field};

use crate::api;
use crate::cache::{CacheKey, CachedResponse};
use crate::context::Context;
use crate::handbill::Handbill;
use crate::http::conditional::{Conditions, ETag};
use crate::http::problem;
use crate::http::representation::{Body, Caching, Reply, Representation, ResponseHead};
use crate::http::request::{self, Head};
use crate::http::response::{self, Response};
use crate::page;
use crate::part::Part;
use crate::problem::{Code, Problem};
use crate::queue::Permit;
use crate::request_id::RequestId;
use crate::route::{self, Action, NoRoute, Route};
use crate::waits;

type BoxFuture = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

/// Request headers of ours that scripts of other sites may send.
const CORS_REQUEST_HEADERS: &str = "Content-Type, X-Api-Key, X-Edit-Token, Idempotency-Key, \
    If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since";

/// The pattern of a request's route, such as `/e/{edit_token}`.
///
/// It is an extension of each response whose route is known. The [`Code`] of a problem is another one, of each response
/// that tells of it. Log it instead of the path, which may
/// contain an edit token.
///
/// ```
/// use handbill::RoutePattern;
///
/// fn log<B>(response: &http::Response<B>) {
///     let route = response.extensions().get::<RoutePattern>();
///     let route = route.map_or("unknown", |pattern| pattern.0);
///     println!("{route} {}", response.status());
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoutePattern(pub &'static str);

impl Handbill {
    /// The response to a client that the host itself limits: 429 with problem details (RFC 9457) and
    /// `Retry-After`, rounded up to seconds.
    pub fn too_many_requests(&self, retry_after: Duration) -> http::Response<Full<Bytes>> {
        let detail = "Too many requests of this client are under way. Try again in a moment.";
        self.response(&Problem::new(Code::TooManyRequests, detail).with_retry_after(retry_after))
    }

    /// The response that clients of the API get for this problem, for the host's own routes: its status, problem details
    /// (RFC 9457), and its headers, such as `Retry-After`.
    ///
    /// The response does not contain the cause of `store_unavailable`. It is written to the log, as for the service's own
    /// routes.
    ///
    /// ```
    /// use bytes::Bytes;
    /// use handbill::{Handbill, MemoryStore, PostId};
    /// use http::Response;
    /// use http_body_util::Full;
    ///
    /// /// A route of the host.
    /// async fn title(handbill: &Handbill, id: PostId) -> Response<Full<Bytes>> {
    ///     match handbill.posts().summary(id).await {
    ///         Ok(post) => Response::new(post.title.unwrap_or_default().into()),
    ///         Err(problem) => handbill.response(&problem),
    ///     }
    /// }
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// # let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
    /// # assert_eq!(title(&handbill, PostId::generate()).await.status(), 404);
    /// # Ok(())
    /// # }
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(example()).unwrap();
    /// ```
    pub fn response(&self, problem: &Problem) -> http::Response<Full<Bytes>> {
        log_cause(problem, None);
        let response = problem::respond(problem, &self.context.base_url, None);
        complete(&self.context, Part::Api, response)
    }
}

impl<B> Service<http::Request<B>> for Handbill
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = http::Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = BoxFuture;

    fn poll_ready(&mut self, _: &mut TaskContext<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let context = Arc::clone(&self.context);
        let (parts, body) = request.into_parts();
        let body = request::Body::new(&parts.headers, body, &context.body_drain);
        handle_measured(context, parts, body)
    }
}

/// Handles a request, and measures what it waits for. It is not generic, so that hosts need not compile the service again.
fn handle_measured(context: Arc<Context>, parts: Parts, body: request::Body) -> BoxFuture {
    let found = route::find(&parts.method, parts.uri.path());
    let span = span(&found, &parts);
    // Boxed first: what is around it would otherwise copy it, and it is long.
    let response = Box::pin(async move { handle(&context, found, parts, body).await });
    let measured = waits::of_request(response.instrument(span));
    Box::pin(async move {
        let (mut response, waited) = measured.await;
        response.extensions_mut().insert(waited);
        Ok(response)
    })
}

/// The span of a request that has a route.
fn span(found: &Result<Route, NoRoute>, parts: &Parts) -> Span {
    let Ok(route) = found else {
        return Span::none();
    };
    let id = parts.extensions.get::<RequestId>();
    debug_span!(
        "request",
        method = %parts.method,
        route = route.pattern,
        id = id.map(field::display),
    )
}

/// Dispatches a request and builds its response.
async fn handle(
    context: &Context,
    found: Result<Route, NoRoute>,
    parts: Parts,
    body: request::Body,
) -> Response {
    context.listeners.start();
    let (pattern, part) = match &found {
        Ok(route) | Err(NoRoute::OtherMethod { other: route, .. }) => {
            (Some(route.pattern), route.part)
        }
        Err(NoRoute::NotFound { part }) => (None, *part),
    };
    let head = Head::new(parts, part, &context.trusted_proxies);
    let outcome = match found {
        _ if part.goes_with_pages() && !context.pages.are_on => Err(Problem::not_found()),
        Ok(route) => respond(context, route, &head, body).await,
        Err(NoRoute::OtherMethod { allowed, .. }) if head.method() == Method::OPTIONS => {
            Ok(complete(context, part, options(context, &allowed, part)))
        }
        Err(NoRoute::OtherMethod { allowed, .. }) => Err(Problem::method_not_allowed(allowed)),
        Err(NoRoute::NotFound { .. }) => Err(Problem::not_found()),
    };
    let mut response = outcome.unwrap_or_else(|problem| {
        log_cause(&problem, pattern);
        let page = match part.goes_with_pages() {
            true => page::of_problem(context, &head, pattern, &problem),
            false => None,
        };
        let id = head.id.as_ref();
        let response = page.unwrap_or_else(|| problem::respond(&problem, &context.base_url, id));
        complete(context, part, response)
    });
    if head.method() == Method::HEAD {
        *response.body_mut() = Full::default();
    }
    if let Some(id) = &head.id {
        response
            .headers_mut()
            .insert(RequestId::HEADER, id.header());
    }
    if let Some(pattern) = pattern {
        response.extensions_mut().insert(RoutePattern(pattern));
    }
    response
}

/// The response of a route. Conditional requests, the cache and the completion of responses are here
/// and nowhere else.
async fn respond(
    context: &Context,
    route: Route,
    head: &Head,
    body: request::Body,
) -> Result<Response, Problem> {
    let Route {
        pattern,
        part,
        action,
    } = route;
    let representation = match dispatch(context, action, head, body).await? {
        Reply::Response(response) => {
            let response = context.response_budget.count_response(response).await;
            return Ok(complete(context, part, response));
        }
        Reply::Representation(representation) => representation,
    };
    let conditions = Conditions::of(head)?;
    let client = head.client;
    let Representation {
        head,
        etag: announced,
        state,
        modified,
        caching,
        queue,
        body,
    } = representation;
    let make = async |head: ResponseHead<'_>, announced: Option<ETag>, permit| {
        let Body { bytes, newer_etag } = body(permit).await?;
        context.response_budget.check_room(bytes.len())?;
        let bytes = context.response_budget.count(bytes);
        let etag = newer_etag.or(announced);
        let etag = etag.unwrap_or_else(|| context.etags.of_bytes(&bytes));
        let response = complete(context, part, head.with_body(bytes));
        Ok::<_, Problem>(CachedResponse::new(etag, modified, response))
    };
    let permit = async || match queue {
        Some((queue, input_len)) => queue.permit(client, input_len).await,
        None => Ok(Permit::default()),
    };
    let Some(etag) = announced.clone().or(state) else {
        let permit = permit().await?;
        return Ok(make(head, None, permit).await?.respond(&conditions));
    };
    let key = CacheKey {
        route: pattern,
        caching,
        etag,
    };
    if let Some(cached) = context.cache.get(&key) {
        return Ok(cached.respond(&conditions));
    }
    if let Some(etag) = &announced
        && conditions.are_current(etag, modified)
    {
        let response = complete(context, part, head.with_body(Bytes::new()));
        return Ok(CachedResponse::new(key.etag, modified, response).respond(&conditions));
    }
    let permit = permit().await?;
    Ok(match caching {
        Caching::Off => make(head, announced, permit).await?.respond(&conditions),
        Caching::ByRoute | Caching::ByPost(_) => {
            let made = context
                .cache
                .get_or_make(&key, make(head, announced, permit))
                .await?;
            made.respond(&conditions)
        }
    })
}

async fn dispatch<'a>(
    context: &'a Context,
    action: Action,
    head: &'a Head,
    body: request::Body,
) -> Result<Reply<'a>, Problem> {
    use api::{keys, list, posts};

    Ok(match action {
        Action::CreatePost => posts::create(context, head, body).await?.into(),
        Action::ListPosts => list::list(context, head).await?.into(),
        Action::ReadPost(id) => posts::read(context, head, id).await?.into(),
        Action::PutPost(id) => posts::put(context, head, body, id).await?.into(),
        Action::PatchPost(id) => posts::patch(context, head, body, id).await?.into(),
        Action::DeletePost(id) => posts::delete(context, head, id).await?.into(),
        Action::ReplaceEditToken(id) => posts::replace_edit_token(context, head, id).await?.into(),
        Action::IssueKey => keys::issue(context, head, body).await?.into(),
        Action::ReadKey => keys::read(context, head).await?.into(),
        Action::ListOwnPosts => list::list_own(context, head).await?.into(),
        Action::RevokeKey => keys::revoke(context, head).await?.into(),
        Action::OpenApi => api::openapi::openapi(context).into(),
        Action::Live => api::health::live().into(),
        Action::Ready => api::health::ready(context).await?.into(),
        Action::Health => api::health::health(context).await?.into(),
        Action::Page(action) => page::respond(context, action, head, body).await?,
    })
}

fn options(context: &Context, allowed: &str, part: Part) -> Response {
    let mut response = response::empty(StatusCode::NO_CONTENT);
    let headers = response.headers_mut();
    headers.insert(header::ALLOW, response::ascii(allowed));
    if context.is_open_to_scripts(part) {
        let allowed = response::ascii(allowed);
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, allowed);
        let names = HeaderValue::from_static(CORS_REQUEST_HEADERS);
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names);
        let a_day = HeaderValue::from_static("86400");
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, a_day);
    }
    response
}

fn log_cause(problem: &Problem, route: Option<&'static str>) {
    if let Some(cause) = problem.cause() {
        tracing::error!(route, cause = %Chain(cause), "the store is not available");
    }
}

/// Adds the headers that all responses have.
fn complete(context: &Context, part: Part, response: Response) -> Response {
    response::complete(response, context.is_open_to_scripts(part))
}

/// An error and its sources, in one line.
struct Chain<'a>(&'a dyn Error);

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut source = self.0.source();
        while let Some(error) = source {
            write!(f, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}
