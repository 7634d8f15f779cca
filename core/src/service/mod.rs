//! [`Handbill`] as a `tower::Service`.
//!
//! A request enters here. What is cached leaves at once. Everything else is dispatched to the handler of its route, and
//! leaves here as a response. This is the only place that turns an error into a response.

mod handbill;
mod host;
mod owners;
#[cfg(feature = "pages")]
mod pages;
mod router;

use std::convert::Infallible;
use std::fmt;
use std::future::ready;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::request::Parts;
use http::{Method, StatusCode};
use http_body_util::Full;
use tower_service::Service;
use tracing::{Instrument, Span, debug_span, field};

pub use self::handbill::Handbill;
pub use self::router::Endpoint;
use self::router::NoRoute;
use crate::cache::{
    CacheKey, CacheLookup, CacheReader, CachedResponse, FlightSender, Reply, Representation,
};
use crate::context::Context;
use crate::http::coding::{Coding, Codings};
use crate::http::route_group::RouteGroup;
use crate::http::{Conditions, Head, Response, coding, problem, request, response};
use crate::observe::chain::Chain;
use crate::observe::request_id::RequestId;
use crate::observe::timings;
use crate::page;
use crate::problem::{Cause, Code, Problem};
use crate::route::{Call, Route};
use crate::store::ReadStamp;

type BoxFuture = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

/// Request headers of ours that scripts of other sites may send.
const CORS_REQUEST_HEADERS: &str = "Authorization, Content-Type, X-Api-Key, X-Edit-Token, Idempotency-Key, \
    If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since";

/// The pattern of a request's route, such as `/e/{edit_token}`.
///
/// It is an extension of each response whose route is known. Log it instead of the path, which may contain an edit
/// token. A response with a problem also has its [`Code`] as an extension.
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

    /// The response that clients of the API get for this problem, for the host's own routes: its status, problem
    /// details (RFC 9457), and its headers, such as `Retry-After`.
    ///
    /// The response does not contain the cause of `store_unavailable`. It is written to the log, as for the service's
    /// own routes.
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
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
    /// # assert_eq!(title(&handbill, PostId::generate()).await.status(), 404);
    /// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn response(&self, problem: &Problem) -> http::Response<Full<Bytes>> {
        let response = problem::respond(problem, &self.context.base_url, None);
        log_cause(&response, None);
        add_common_headers(&self.context, RouteGroup::Api, response)
    }
}

impl fmt::Debug for Handbill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handbill")
            .field("base_url", &self.context.base_url.as_str())
            .finish_non_exhaustive()
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
        self.schedule.start();
        let (parts, body) = request.into_parts();
        let body = request::Body::new(&parts.headers, body, &self.context.body_drain);
        handle(&self.context, parts, body)
    }
}

/// Handles a request. It is not generic, so that hosts need not compile the service again.
fn handle(context: &Context, parts: Parts, body: request::Body) -> BoxFuture {
    let route = router::find(&parts.method, parts.uri.path());
    let span = span(&route, &parts);
    let head = Head::new(parts, group_of(&route), &context.trusted_proxies);
    if head.signed_in.is_some() {
        context.saw_signed_in_visitor.store(true, Ordering::Relaxed);
    }
    let key = match &route {
        Ok(route) => route.cache_key(context, &head),
        Err(_) => None,
    };
    if let (Ok(route), Some(key)) = (&route, &key)
        && let Some(response) = span.in_scope(|| cached(context, key, &head))
    {
        let response = adapt_to_request(response, &head, Some(route.row.pattern));
        return Box::pin(ready(Ok(response)));
    }
    let mut context = context.clone();
    context.request = head.id.clone();
    context.note = head.parts.extensions.get().cloned();
    // Boxed here, since the futures around it would copy it, and it is large.
    let response = Box::pin(async move { dispatch(&context, route, &head, key, body).await });
    let measured = timings::of_request(response.instrument(span));
    Box::pin(async move {
        let (mut response, waited) = measured.await;
        response.extensions_mut().insert(waited);
        Ok(response)
    })
}

/// The cached response, if there is one that can be sent as it is.
fn cached(context: &Context, key: &CacheKey, head: &Head) -> Option<Response> {
    let cached = context.cache.get(key)?;
    // Malformed conditions are reported by `respond`.
    let conditions = Conditions::of(head).ok()?;
    let coding = accepted_coding(context, head);
    let is_complete = cached.to_compress(coding).is_none();
    is_complete.then(|| cached.respond(&conditions, coding))
}

/// The span of a request that has a route.
fn span(route: &Result<Route, NoRoute>, parts: &Parts) -> Span {
    let Ok(route) = route else {
        return Span::none();
    };
    let id = parts.extensions.get::<RequestId>();
    debug_span!(
        "request",
        method = %parts.method,
        route = route.row.pattern,
        id = id.map(field::display),
    )
}

/// Dispatches a request and builds its response.
async fn dispatch(
    context: &Context,
    route: Result<Route, NoRoute>,
    head: &Head,
    key: Option<CacheKey>,
    body: request::Body,
) -> Response {
    context.listeners.start();
    let group = group_of(&route);
    let pattern = match &route {
        Ok(Route { row, .. }) | Err(NoRoute::OtherMethod { other: row, .. }) => Some(row.pattern),
        Err(NoRoute::NotFound { .. }) => None,
    };
    let outcome = match route {
        _ if group.goes_with_pages() && !context.pages_are_on => Err(Problem::not_found()),
        Ok(route) => respond(context, &route, head, key, body).await,
        Err(NoRoute::OtherMethod { allowed, .. }) if head.method() == Method::OPTIONS => Ok(
            add_common_headers(context, group, options(context, &allowed, group)),
        ),
        Err(NoRoute::OtherMethod { allowed, .. }) => Err(Problem::method_not_allowed(allowed)),
        Err(NoRoute::NotFound { .. }) => Err(Problem::not_found()),
    };
    let response = outcome.unwrap_or_else(|problem| {
        let page = match group.goes_with_pages() {
            true => page::of_problem(context, head, pattern, &problem),
            false => None,
        };
        let id = head.id.as_ref();
        let response = page.unwrap_or_else(|| problem::respond(&problem, &context.base_url, id));
        add_common_headers(context, group, response)
    });
    log_cause(&response, pattern);
    adapt_to_request(response, head, pattern)
}

/// The response of a route: that of another read of the same, or else what the handler makes.
async fn respond(
    context: &Context,
    route: &Route,
    head: &Head,
    key: Option<CacheKey>,
    body: request::Body,
) -> Result<Response, Problem> {
    let group = route.row.group;
    let read_at = context.cache.changes.stamp();
    let lookup = match &key {
        Some(key) => context.cache.get_or_make(key, read_at).await,
        None => CacheLookup::Make(None),
    };
    let response = match lookup {
        CacheLookup::Cached(cached) => cached,
        CacheLookup::Make(flight) => {
            let reader = CacheReader {
                head,
                cache: &context.cache,
                key: key.as_ref(),
                read_at,
            };
            let call = Call {
                context,
                head,
                route,
            };
            match (route.row.handler)(call, &reader, body).await? {
                Reply::Response(response) => {
                    let response = context.response_budget.count_response(response);
                    return Ok(add_common_headers(context, group, response));
                }
                Reply::Cached(cached) => {
                    share(flight, &cached);
                    cached
                }
                Reply::Current(representation) => {
                    Arc::new(with_validators(context, group, representation, read_at))
                }
                Reply::Representation(representation) => {
                    context.response_budget.check_room(representation.len())?;
                    let key = key.as_ref().filter(|_| representation.is_shared);
                    let response =
                        Arc::new(with_validators(context, group, representation, read_at));
                    if let Some(key) = key {
                        context.cache.insert(key, &response);
                        share(flight, &response);
                    }
                    response
                }
            }
        }
    };
    let conditions = Conditions::of(head)?;
    let coding = accepted_coding(context, head);
    if let Some(key) = &key {
        compress(context, key, &response, coding).await;
    }
    Ok(response.respond(&conditions, coding))
}

/// Hands a response to the reads that wait for it.
fn share(flight: Option<FlightSender<'_>>, response: &Arc<CachedResponse>) {
    if let Some(flight) = flight {
        flight.finish(response);
    }
}

/// The complete response of a representation, which shows what is stored at `read_at` or later.
fn with_validators(
    context: &Context,
    group: RouteGroup,
    representation: Representation,
    read_at: ReadStamp,
) -> CachedResponse {
    let Representation {
        response,
        etag,
        modified,
        is_shared,
        lasts,
    } = representation;
    let (head, body) = response.into_parts();
    let bytes = body.into_inner().unwrap_or_default();
    let etag = etag.unwrap_or_else(|| context.etags.of_bytes(&bytes));
    let body = Full::new(context.response_budget.count(bytes));
    let response = add_common_headers(context, group, Response::from_parts(head, body));
    let has_codings = context.compresses && is_shared && coding::is_worth_it(&response);
    let codings = has_codings.then(Codings::default);
    let until = lasts.map(|time| read_at.after(time));
    CachedResponse::new(etag, modified, response, codings, read_at, until)
}

fn accepted_coding(context: &Context, head: &Head) -> Option<Coding> {
    let compresses = context.compresses && matches!(*head.method(), Method::GET | Method::HEAD);
    compresses
        .then(|| Coding::accepted_by(head.headers()))
        .flatten()
}

/// Adds the compressed form to a response. If all threads for such work are busy, the text is sent as it is.
async fn compress(
    context: &Context,
    key: &CacheKey,
    response: &Arc<CachedResponse>,
    coding: Option<Coding>,
) {
    let Some((codings, coding, text)) = response.to_compress(coding) else {
        return;
    };
    let Some(permit) = context.queues.reads.try_permit(text.len()) else {
        return;
    };
    let compressed = permit.run(move || coding.compress(&text)).await;
    let compressed = compressed.map(|bytes| context.response_budget.count(bytes));
    codings.set(coding, compressed, response.etag().coded(coding));
    context.cache.weigh_again(key, response);
}

fn options(context: &Context, allowed: &str, group: RouteGroup) -> Response {
    let mut response = response::empty(StatusCode::NO_CONTENT);
    let headers = response.headers_mut();
    headers.insert(header::ALLOW, response::ascii(allowed));
    if context.is_open_to_scripts(group) {
        let allowed = response::ascii(allowed);
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, allowed);
        let names = HeaderValue::from_static(CORS_REQUEST_HEADERS);
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names);
        let a_day = HeaderValue::from_static("86400");
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, a_day);
    }
    response
}

/// Removes the body for HEAD, and adds the identifier of the request.
fn adapt_to_request(
    mut response: Response,
    head: &Head,
    pattern: Option<&'static str>,
) -> Response {
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

/// The group that a request is for.
fn group_of(route: &Result<Route, NoRoute>) -> RouteGroup {
    match route {
        Ok(Route { row, .. }) | Err(NoRoute::OtherMethod { other: row, .. }) => row.group,
        Err(NoRoute::NotFound { group }) => *group,
    }
}

fn log_cause(response: &Response, route: Option<&'static str>) {
    if let Some(Cause(cause)) = response.extensions().get() {
        tracing::error!(route, cause = %Chain(cause), "the service is not available");
    }
}

/// Adds the headers that all responses have. Scripts of other sites may not read what a visitor sees only after login.
fn add_common_headers(context: &Context, group: RouteGroup, response: Response) -> Response {
    let is_private = |control: &HeaderValue| control.as_bytes().starts_with(b"private");
    let control = response.headers().get(header::CACHE_CONTROL);
    let is_by_login = group.goes_with_pages() && control.is_some_and(is_private);
    let is_open = context.is_open_to_scripts(group) && !is_by_login;
    let mut response = response::complete(response, is_open);
    if context.compresses && coding::may_be_compressed(&response) {
        let encoding = HeaderValue::from_static("Accept-Encoding");
        response.headers_mut().append(header::VARY, encoding);
    }
    response
}
