//! [`Handbill`]: the whole service as one `tower::Service`, and the one place where an error
//! becomes a response.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::{Method, StatusCode};
use http_body_util::Full;
use tower::Service;

use crate::api;
use crate::base_url::{BaseUrl, InvalidBaseUrl};
use crate::client::{ClientAddr, TrustedProxies};
use crate::conditional::ETagMaker;
use crate::context::Context;
use crate::event::{Event, Listener};
use crate::feed;
use crate::frame::FramedPage;
use crate::key_requests::KeyRequests;
use crate::limit::Limits;
use crate::operations::host::Posts;
use crate::operations::keys::Keys;
use crate::page;
use crate::problem::Problem;
use crate::rate::{Meter, RateLimits};
use crate::rendering::Renderer;
use crate::request::{self, Head};
use crate::response::{self, Response};
use crate::route::{self, NoRoute, Part, Route};
use crate::store::Store;
use crate::time::Clock;

/// Request headers of ours that scripts of other sites may send.
const CORS_REQUEST_HEADERS: &str = "Content-Type, X-Api-Key, X-Edit-Token, Idempotency-Key, \
    If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since";

/// The publishing service: API and pages over a store.
///
/// A clone is the same service, and cheap. It takes any request whose body's errors are errors,
/// answers with the whole body at hand, and never fails.
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

/// The path of a request's route, such as `/e/{edit_token}`: an extension of each response to a
/// path that is known, fit for logs where the path itself, which may hold a token, is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoutePattern(pub &'static str);

impl Handbill {
    /// The service at a public address (`https://example.org`, or with the path that it is mounted
    /// at, `https://example.org/blog`), over a store.
    ///
    /// # Errors
    /// Where the address is not an absolute `http` or `https` one, or has a user, a query or a
    /// fragment.
    pub fn new(base_url: &str, store: impl Store) -> Result<Self, InvalidBaseUrl> {
        let base_url = BaseUrl::parse(base_url)?;
        let context = Context {
            store: Arc::new(store),
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
            renderer: Arc::new(Renderer::new()),
        };
        Ok(Self {
            context: Arc::new(context),
        })
    }

    /// Other bounds of what clients may send.
    pub fn with_limits(self, limits: Limits) -> Self {
        self.with(|context| context.limits = limits)
    }

    /// Other rates that clients are held to.
    pub fn with_rate_limits(self, limits: &RateLimits) -> Self {
        self.with(|context| context.meter = Meter::new(limits))
    }

    /// Who gets an API key on request: whoever asks, unless this says otherwise.
    pub fn with_key_requests(self, policy: KeyRequests) -> Self {
        self.with(|context| context.key_requests = policy)
    }

    /// The proxies that say whom a request comes from: none, unless this names some.
    pub fn with_trusted_proxies(self, proxies: TrustedProxies) -> Self {
        self.with(|context| context.trusted_proxies = proxies)
    }

    /// Who is told what happens: nobody, unless this says otherwise.
    ///
    /// The listener is told of each change that this service makes, over HTTP or for the host,
    /// once it is durable: one event after the other, those of one post in the order of its
    /// changes. Requests do not wait for it, and its panics are logged and harm nobody. Events that
    /// it has not heard of yet wait in memory, a few hundred bytes each, and are lost when the
    /// process ends; so is the event of a change whose outcome the store could not tell.
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
    pub fn with_listener<F, Fut>(self, listener: F) -> Self
    where
        F: Fn(Event) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.with(|context| context.listener = Some(Arc::new(Listener::new(listener))))
    }

    /// Whether scripts of other sites may use the API, and read the feeds, the sitemap and the sources
    /// of posts (CORS): they may, unless this says otherwise.
    pub fn with_cors(self, allowed: bool) -> Self {
        self.with(|context| {
            context.cors = allowed;
            // What was kept says otherwise.
            context.renderer = Arc::new(Renderer::new());
        })
    }

    /// Whether there are pages beside the API, and with them feeds, the sitemap and the sources of
    /// posts: there are, unless this says otherwise.
    pub fn with_pages(self, shown: bool) -> Self {
        self.with(|context| context.pages = shown)
    }

    /// The host's own frame around each page, in the place of ours: a function of a page's parts that
    /// returns a whole HTML document with these parts in it.
    ///
    /// The frame may load what it likes from its own origin, and pictures from anywhere by https:
    /// that is what the pages' Content-Security-Policy lets through. A host with scripts or styles
    /// inside its frame gives its requests a [`CspNonce`](crate::CspNonce). What the frame shows may depend on the
    /// request: framed pages are kept by their readers' browsers alone.
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
    pub fn with_frame<F>(self, frame: F) -> Self
    where
        F: Fn(&FramedPage<'_>) -> String + Send + Sync + 'static,
    {
        self.with(|context| context.frame = Some(Arc::new(frame)))
    }

    /// The service's posts, for the host itself.
    pub fn posts(&self) -> Posts<'_> {
        Posts::new(&self.context)
    }

    /// The service's API keys, for the host itself.
    pub fn keys(&self) -> Keys<'_> {
        Keys::new(&self.context)
    }

    /// Answers a request, and says which route it took. It is what [`Service::call`] does with extensions
    /// in the place of `client` and [`RoutePattern`]; a host that accepts the connections itself saves
    /// their cost.
    pub fn answer<B>(
        &self,
        client: Option<ClientAddr>,
        request: http::Request<B>,
    ) -> impl Future<Output = (http::Response<Full<Bytes>>, Option<RoutePattern>)> + Send + use<B>
    where
        B: http_body::Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let context = Arc::clone(&self.context);
        let (parts, body) = request.into_parts();
        let found = route::find(&parts.method, parts.uri.path());
        let body = request::Body::new(&parts.headers, body);
        let head = Head::new(parts, client, &context.trusted_proxies);
        async move { answer(&context, found, &head, body).await }
    }

    fn with(mut self, set: impl FnOnce(&mut Context)) -> Self {
        set(Arc::make_mut(&mut self.context));
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
        let client = request.extensions().get().copied();
        let answer = self.answer(client, request);
        Box::pin(async move {
            let (mut response, pattern) = answer.await;
            if let Some(pattern) = pattern {
                response.extensions_mut().insert(pattern);
            }
            Ok(response)
        })
    }
}

/// A request's way down and its answer's way up.
async fn answer(
    context: &Context,
    found: Result<Route, NoRoute>,
    head: &Head,
    body: request::Body,
) -> (Response, Option<RoutePattern>) {
    let method = &head.parts.method;
    let (pattern, part) = match &found {
        Ok(route) | Err(NoRoute::OtherMethod { other: route, .. }) => {
            (Some(route.pattern()), route.part())
        }
        Err(NoRoute::NotFound { part }) => (None, *part),
    };
    let outcome = match found {
        _ if part.goes_with_pages() && !context.pages => Err(Problem::not_found()),
        Ok(route) => dispatch(context, route, head, body).await,
        Err(NoRoute::OtherMethod { allowed, .. }) if method == Method::OPTIONS => {
            Ok(options(context, &allowed, part))
        }
        Err(NoRoute::OtherMethod { allowed, .. }) => Err(Problem::method_not_allowed(&allowed)),
        Err(NoRoute::NotFound { .. }) => Err(Problem::not_found()),
    };
    let mut response = outcome.unwrap_or_else(|problem| {
        if let Some(cause) = problem.cause() {
            tracing::error!(route = pattern, %cause, "the store is not available");
        }
        let has_page = part.goes_with_pages() && context.pages;
        if has_page && page::is_wanted(head) {
            page::problem::show(context, head, &problem)
        } else {
            problem.to_response(&context.base_url)
        }
    });
    finish(context, method, part, &mut response);
    (response, pattern.map(RoutePattern))
}

/// What is not a plain read is in a box, so that the others, which are many, carry no room for it.
async fn dispatch(
    context: &Context,
    route: Route,
    head: &Head,
    body: request::Body,
) -> Result<Response, Problem> {
    use api::{keys, list, posts};
    use page::{docs, edit, index, post};

    match route {
        Route::CreatePost => Box::pin(posts::create(context, head, body)).await,
        Route::ListPosts => list::list(context, head).await,
        Route::ReadPost(id) => posts::read(context, head, id).await,
        Route::PutPost(id) => Box::pin(posts::put(context, head, body, id)).await,
        Route::PatchPost(id) => Box::pin(posts::patch(context, head, body, id)).await,
        Route::DeletePost(id) => Box::pin(posts::delete(context, head, id)).await,
        Route::ReplaceEditToken(id) => Box::pin(posts::replace_edit_token(context, head, id)).await,
        Route::IssueKey => Box::pin(keys::issue(context, head, body)).await,
        Route::ReadKey => keys::read(context, head).await,
        Route::RevokeKey => Box::pin(keys::revoke(context, head)).await,
        Route::OpenApi => api::openapi::openapi(context, head),
        Route::Health => api::health::health(context).await,
        Route::IndexPage => index::show(context, head).await,
        Route::PostPage(id) => post::show(context, head, id).await,
        Route::PostSource(id) => post::source(context, head, id).await,
        Route::EditPage(token) => Box::pin(edit::show(context, head, &token)).await,
        Route::SendEditPage(token) => Box::pin(edit::send(context, head, body, &token)).await,
        Route::KeysPage => page::keys::show(context, head),
        Route::IssueOnKeysPage => Box::pin(page::keys::issue(context, head, body)).await,
        Route::DocsPage => docs::show(context, head),
        Route::ErrorsPage => docs::errors::show(context, head),
        Route::Asset(asset) => Ok(page::asset::show(asset)),
        Route::AtomFeed => Box::pin(feed::atom::show(context, head)).await,
        Route::JsonFeed => Box::pin(feed::json::show(context, head)).await,
        Route::Sitemap => Box::pin(feed::sitemap::show(context, head)).await,
    }
}

fn options(context: &Context, allowed: &str, part: Part) -> Response {
    let mut response = response::empty(StatusCode::NO_CONTENT);
    let headers = response.headers_mut();
    headers.insert(header::ALLOW, response::ascii(allowed));
    if context.is_open_to_scripts(part) {
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_METHODS,
            response::ascii(allowed),
        );
        let names = HeaderValue::from_static(CORS_REQUEST_HEADERS);
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names);
        let a_day = HeaderValue::from_static("86400");
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, a_day);
    }
    response
}

/// Completes an answer, unless it was kept and is complete; and takes off what `HEAD` does not get.
fn finish(context: &Context, method: &Method, part: Part, response: &mut Response) {
    if !response::is_complete(response) {
        response::complete(response, context.is_open_to_scripts(part));
    }
    if method == Method::HEAD {
        *response.body_mut() = Full::default();
    }
}

impl fmt::Debug for Handbill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handbill")
            .field("base_url", &self.context.base_url.as_str())
            .finish_non_exhaustive()
    }
}
