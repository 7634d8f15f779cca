//! [`Handbill`]: the whole service as one `tower::Service`.
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
use http::{Method, StatusCode};
use http_body_util::Full;
use tower::Service;

use crate::api;
use crate::base_url::{BaseUrl, InvalidBaseUrl};
use crate::blocking::Blocking;
use crate::cache::{self, CacheKey, CachedResponse, ResponseCache};
use crate::client::TrustedProxies;
use crate::context::Context;
use crate::event::{Event, Listener};
use crate::feed;
use crate::frame::FramedPage;
use crate::http::conditional::{Conditions, ETag, ETagMaker};
use crate::http::representation::{Body, Caching, Reply, Representation, ResponseHead};
use crate::http::request::{self, Head};
use crate::http::response::{self, Response};
use crate::key_requests::KeyRequests;
use crate::large_bodies::LargeBodies;
use crate::limit::Limits;
use crate::operations::host::Posts;
use crate::operations::keys::Keys;
use crate::page;
use crate::problem::{Code, Problem};
use crate::rate::{Meter, RateLimits};
use crate::route::{self, Action, NoRoute, Part, Route};
use crate::store::Store;
use crate::time::Clock;

/// Request headers of ours that scripts of other sites may send.
const CORS_REQUEST_HEADERS: &str = "Content-Type, X-Api-Key, X-Edit-Token, Idempotency-Key, \
    If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since";

/// The publishing service: API and pages over a store.
///
/// A clone is the same service, and cheap. The service accepts requests with any body type, returns
/// each response with its whole body in memory, and never fails.
///
/// ```
/// use handbill::{Handbill, KeyRequests, MemoryStore};
///
/// let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?
///     .with_key_requests(KeyRequests::Closed)
///     .with_pages(false);
/// # Ok::<_, handbill::InvalidBaseUrl>(())
/// ```
#[derive(Clone)]
pub struct Handbill {
    context: Arc<Context>,
}

/// The pattern of a request's route, such as `/e/{edit_token}`.
///
/// It is an extension of each response whose route is known. Log it instead of the path, which may
/// contain an edit token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoutePattern(pub &'static str);

impl Handbill {
    /// Creates the service at a public address, over a store.
    ///
    /// The address is that of the mount point: `https://example.org`, or `https://example.org/blog` for
    /// a service that is mounted at `/blog`.
    ///
    /// # Errors
    /// If the address is not an absolute `http` or `https` URL, or has a user, a query, a fragment or an
    /// empty segment: links to `//host` lead to another site.
    pub fn new(base_url: &str, store: impl Store) -> Result<Self, InvalidBaseUrl> {
        let base_url = BaseUrl::parse(base_url)?;
        let context = Context {
            store: Arc::new(store),
            installation_secret: Arc::default(),
            etags: ETagMaker::new(base_url.as_str()),
            base_url,
            limits: Limits::default(),
            meter: Meter::new(&RateLimits::default()),
            key_requests: KeyRequests::default(),
            trusted_proxies: TrustedProxies::default(),
            listener: None,
            cors: true,
            pages: true,
            frame: None,
            clock: Arc::new(Clock::default()),
            cache: Arc::new(ResponseCache::new(cache::DEFAULT_MAX_BYTES)),
            cache_bytes: cache::DEFAULT_MAX_BYTES,
            blocking: Arc::new(Blocking::new()),
            export_lock: Arc::default(),
            list_lock: Arc::default(),
            large_bodies: LargeBodies::new(cache::DEFAULT_MAX_BYTES),
        };
        Ok(Self {
            context: Arc::new(context),
        })
    }

    /// Sets the limits of what clients may send.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        self.with(|context| context.limits = limits)
    }

    /// Sets the rates that clients are limited to.
    #[must_use]
    pub fn with_rate_limits(self, limits: RateLimits) -> Self {
        self.with(|context| context.meter = Meter::new(&limits))
    }

    /// Sets who gets an API key on request. By default, everyone does.
    #[must_use]
    pub fn with_key_requests(self, policy: KeyRequests) -> Self {
        self.with(|context| context.key_requests = policy)
    }

    /// Sets the proxies whose `X-Forwarded-For` is trusted. By default, none is.
    #[must_use]
    pub fn with_trusted_proxies(self, proxies: TrustedProxies) -> Self {
        self.with(|context| context.trusted_proxies = proxies)
    }

    /// Sets a listener for events. By default, there is none.
    ///
    /// The listener receives an event for each change that this service makes, over HTTP or for the
    /// host, once the change is durable. It receives one event at a time, and the events of one post in
    /// the order of its changes. Requests do not wait for it. Its panics are logged and have no other
    /// effect. Pending events are held in memory, a few hundred bytes each, and are lost when the
    /// process ends. If the store cannot tell whether a change was made, there is no event.
    ///
    /// ```
    /// use handbill::{Event, Handbill, MemoryStore};
    ///
    /// let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?
    ///     .with_listener(|event| async move {
    ///         if let Event::PostCreated(post) = event {
    ///             println!("{} is new", post.id.as_str());
    ///         }
    ///     });
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_listener<F, Fut>(self, listener: F) -> Self
    where
        F: Fn(Event) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.with(|context| context.listener = Some(Arc::new(Listener::new(listener))))
    }

    /// Sets whether scripts of other sites may use the API and read the feeds, the sitemap and the
    /// sources of posts (CORS). By default, they may.
    #[must_use]
    pub fn with_cors(self, allowed: bool) -> Self {
        self.with(|context| context.cors = allowed)
    }

    /// Sets whether there are pages, feeds, a sitemap and sources of posts besides the API. By default,
    /// there are.
    #[must_use]
    pub fn with_pages(self, shown: bool) -> Self {
        self.with(|context| context.pages = shown)
    }

    /// Sets how many bytes of finished responses the service caches: 48 MiB by default.
    ///
    /// The budget covers everything that this service caches: responses with posts, lists, pages and
    /// feeds. A store may have a cache of its own, such as [`Cached`](crate::Cached).
    ///
    /// Responses of more than 64 KiB that are being sent and are not in the cache may take 64 MiB more.
    /// Beyond that, such responses are refused with 503.
    #[must_use]
    pub fn with_cache_bytes(self, max_bytes: u64) -> Self {
        self.with(|context| context.cache_bytes = max_bytes)
    }

    /// Replaces our frame around each page by the host's own: a function that takes the parts of a page
    /// and returns a whole HTML document with these parts in it.
    ///
    /// The pages' Content-Security-Policy allows the frame to load files from its own origin, and images
    /// from any origin over https. A host with scripts or styles inside its frame gives its requests a
    /// [`CspNonce`](crate::CspNonce). Since the frame may depend on the request, framed pages are stored
    /// by browsers only, not by shared caches.
    ///
    /// ```
    /// use handbill::{Handbill, MemoryStore};
    ///
    /// let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?
    ///     .with_frame(|page| {
    ///         format!(
    ///             "<!doctype html><html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{} - Our shop</title>\
    ///              {}{}</head><body><header>Our shop</header><main>{}</main></body></html>",
    ///             page.language, page.title, page.style, page.head, page.main,
    ///         )
    ///     });
    /// # Ok::<_, handbill::InvalidBaseUrl>(())
    /// ```
    #[must_use]
    pub fn with_frame<F>(self, frame: F) -> Self
    where
        F: Fn(&FramedPage<'_>) -> String + Send + Sync + 'static,
    {
        self.with(|context| context.frame = Some(Arc::new(frame)))
    }

    /// The posts, for the host's own code.
    pub fn posts(&self) -> Posts<'_> {
        Posts::new(&self.context)
    }

    /// The API keys, for the host's own code.
    pub fn keys(&self) -> Keys<'_> {
        Keys::new(&self.context)
    }

    /// The response to a client that the host itself limits: 429 with problem details (RFC 9457) and
    /// `Retry-After`, rounded up to seconds.
    pub fn too_many_requests(&self, retry_after: Duration) -> http::Response<Full<Bytes>> {
        let detail = "Too many requests of this client are under way. Try again in a moment.";
        let seconds = retry_after.as_millis().div_ceil(1000) as u64;
        let problem = Problem::new(Code::TooManyRequests, detail).retry_after(seconds);
        let response = problem.to_response(&self.context.base_url);
        complete(&self.context, Part::Api, response)
    }

    fn with(mut self, set: impl FnOnce(&mut Context)) -> Self {
        let context = Arc::make_mut(&mut self.context);
        set(context);
        // Cached responses depend on the settings.
        context.cache = Arc::new(ResponseCache::new(context.cache_bytes));
        context.large_bodies = LargeBodies::new(context.cache_bytes);
        self
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
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut TaskContext<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let context = Arc::clone(&self.context);
        Box::pin(async move { Ok(handle(&context, request).await) })
    }
}

/// The way of a request down, and of its response up.
async fn handle<B>(context: &Context, request: http::Request<B>) -> Response
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let (parts, body) = request.into_parts();
    let found = route::find(&parts.method, parts.uri.path());
    let body = request::Body::new(&parts.headers, body);
    let head = Head::new(parts, &context.trusted_proxies);
    let (pattern, part) = match &found {
        Ok(route) | Err(NoRoute::OtherMethod { other: route, .. }) => {
            (Some(route.pattern), route.part)
        }
        Err(NoRoute::NotFound { part }) => (None, *part),
    };
    let outcome = match found {
        _ if part.goes_with_pages() && !context.pages => Err(Problem::not_found()),
        Ok(route) => respond(context, route, &head, body).await,
        Err(NoRoute::OtherMethod { allowed, .. }) if head.method() == Method::OPTIONS => {
            Ok(complete(context, part, options(context, &allowed, part)))
        }
        Err(NoRoute::OtherMethod { allowed, .. }) => Err(Problem::method_not_allowed(&allowed)),
        Err(NoRoute::NotFound { .. }) => Err(Problem::not_found()),
    };
    let mut response = outcome.unwrap_or_else(|problem| {
        if let Some(cause) = problem.cause() {
            tracing::error!(route = pattern, cause = %Chain(cause), "the store is not available");
        }
        let has_page = part.goes_with_pages() && context.pages;
        let response = if has_page && page::accepts_html(&head) {
            page::problem::show(context, &head, &problem)
        } else {
            problem.to_response(&context.base_url)
        };
        complete(context, part, response)
    });
    if head.method() == Method::HEAD {
        *response.body_mut() = Full::default();
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
            let response = context.large_bodies.count_response(response).await;
            return Ok(complete(context, part, response));
        }
        Reply::Representation(representation) => representation,
    };
    let conditions = Conditions::of(head)?;
    let Representation {
        head,
        etag,
        modified,
        caching,
        body,
    } = representation;
    let make = async |head: ResponseHead<'_>, announced: Option<ETag>| {
        let Body { bytes, newer_etag } = body.await?;
        context.large_bodies.expect_room(bytes.len())?;
        let bytes = context.large_bodies.count(bytes);
        let etag = newer_etag.or(announced);
        let etag = etag.unwrap_or_else(|| context.etags.of_bytes(&bytes));
        let response = complete(context, part, head.with_body(bytes));
        Ok::<_, Problem>(CachedResponse::new(etag, modified, response))
    };
    let Some(etag) = etag else {
        return Ok(make(head, None).await?.respond(&conditions));
    };
    let key = CacheKey {
        route: pattern,
        caching,
        etag,
    };
    if let Some(cached) = context.cache.get(&key) {
        return Ok(cached.respond(&conditions));
    }
    if conditions.are_current(&key.etag, modified) {
        let response = complete(context, part, head.with_body(Bytes::new()));
        return Ok(CachedResponse::new(key.etag, modified, response).respond(&conditions));
    }
    let announced = Some(key.etag.clone());
    Ok(match caching {
        Caching::Off => make(head, announced).await?.respond(&conditions),
        Caching::ByRoute | Caching::ByPost(_) => {
            let made = context
                .cache
                .get_or_make(&key, make(head, announced))
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
    use page::{docs, edit, index, post};

    Ok(match action {
        Action::CreatePost => posts::create(context, head, body).await?.into(),
        Action::ListPosts => list::list(context, head).await?.into(),
        Action::ReadPost(id) => posts::read(context, id).await?.into(),
        Action::PutPost(id) => posts::put(context, head, body, id).await?.into(),
        Action::PatchPost(id) => posts::patch(context, head, body, id).await?.into(),
        Action::DeletePost(id) => posts::delete(context, head, id).await?.into(),
        Action::ReplaceEditToken(id) => posts::replace_edit_token(context, head, id).await?.into(),
        Action::IssueKey => keys::issue(context, head, body).await?.into(),
        Action::ReadKey => keys::read(context, head).await?.into(),
        Action::RevokeKey => keys::revoke(context, head).await?.into(),
        Action::OpenApi => api::openapi::openapi(context).into(),
        Action::Live => api::health::live().into(),
        Action::Ready => api::health::ready(context).await?.into(),
        Action::Health => api::health::health(context).await?.into(),
        Action::IndexPage => index::show(context, head).await?.into(),
        Action::PostPage(id) => post::show(context, head, id).await?.into(),
        Action::PostSource(id) => post::source(context, id).await?.into(),
        Action::EditPage(token) => edit::show(context, head, &token).await?.into(),
        Action::SendEditPage(token) => edit::send(context, head, body, &token).await?.into(),
        Action::KeysPage => page::keys::show(context, head).into(),
        Action::IssueOnKeysPage => page::keys::issue(context, head, body).await?.into(),
        Action::DocsPage => docs::show(context, head).into(),
        Action::ErrorsPage => docs::errors::show(context, head).into(),
        Action::Asset(asset) => page::asset::show(asset).into(),
        Action::AtomFeed => feed::atom::show(context, head).await?.into(),
        Action::JsonFeed => feed::json::show(context, head).await?.into(),
        Action::Sitemap => feed::sitemap::show(context, head).await?.into(),
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

impl fmt::Debug for Handbill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handbill")
            .field("base_url", &self.context.base_url.as_str())
            .finish_non_exhaustive()
    }
}
