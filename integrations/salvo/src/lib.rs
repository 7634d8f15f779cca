//! Mounts [Handbill](handbill), a publishing service for short web posts, into a [Salvo](salvo) app.
//!
//! ```
//! use handbill::{Handbill, MemoryStore};
//! use salvo::{Router, handler};
//!
//! #[handler]
//! async fn home() -> &'static str {
//!     "a page of your app"
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?;
//! let app = Router::new()
//!     .get(home)
//!     .push(Router::with_path("blog").push(handbill_salvo::router(handbill)));
//! # Ok(())
//! # }
//! ```
//!
//! | name | what it is |
//! |---|---|
//! | [`router`] | turns the service into a router for [`Router::push`] |
//! | [`RequestBody`] | the type of request bodies, for layers that need to name it |
//!
//! The first argument of [`Handbill::new`](handbill::Handbill::new) is used for links. It ends with the
//! path of the router that you push Handbill to. An app can mount several services, each with its own
//! address and its own store.
//!
//! # What the service receives and returns
//!
//! - **Paths** are relative to the mount and otherwise unchanged: `/blog` and `/blog/` become `/`, and
//!   `/blog//p/%2F?q` becomes `//p/%2F?q`.
//! - **Routes of your app below the mount**, such as `/blog/about`, take precedence if you push them before
//!   Handbill: Salvo tries routers in their order. To mount Handbill at `/`, push it last:
//!   `Router::new().push(your_own_pages).push(handbill_salvo::router(handbill))`. It then serves the index
//!   page, and every path that your app does not.
//! - **Responses** are Handbill's own, including errors. Your [`Catcher`] handles only your app's errors.
//!   A header that your middleware has set before stays, unless Handbill sets the same one.
//! - **Bodies** are streamed in both directions. Handbill itself refuses a body that is too large, before
//!   all of it is in memory. Salvo's `SecureMaxSize` does not apply.
//! - **Extensions** of the request reach the service. Extensions of the response reach your app's
//!   middleware. Salvo's [`Depot`] does not reach the service.
//!
//! # What happens before Handbill receives a request
//!
//! - Salvo ignores empty segments and decodes the others before it matches a path. So `//blog` leads to a
//!   mount at `/blog`, where Handbill responds with 404, and `/%62log` shows the same as `/blog`.
//! - With its feature `fix-http1-request-uri`, which is on by default, Salvo puts the `Host` of a request
//!   into its address. Handbill ignores both.
//! - Your middleware around the mount also applies to Handbill: `Compression`, `CachingHeaders`,
//!   `Cors` and `Timeout` change its responses or respond instead.
//!
//! # What your app does
//!
//! **Users.** Your middleware inserts the user into the request's extensions. To let only your users get
//! API keys:
//!
//! ```
//! use handbill::{Handbill, KeyRequests, MemoryStore};
//! use salvo::{Request, Router, handler};
//!
//! #[derive(Clone)]
//! struct User(String);
//! # fn logged_in_user(request: &Request) -> Option<User> {
//! #     request.header("authorization").map(User)
//! # }
//!
//! #[handler]
//! async fn identify(request: &mut Request) {
//!     if let Some(user) = logged_in_user(request) {
//!         request.extensions_mut().insert(user);
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?
//!     .with_key_requests(KeyRequests::decided_by(|request| async move {
//!         request.extensions.get::<User>().is_some()
//!     }));
//! let blog = Router::with_path("blog").hoop(identify);
//! let app = Router::new().push(blog.push(handbill_salvo::router(handbill)));
//! # Ok(())
//! # }
//! ```
//!
//! **Logs.** Paths below `/e/` and queries can contain secrets, and Salvo's `Logger` logs both. Log the
//! [`RoutePattern`](handbill::RoutePattern) of the response instead:
//!
//! ```
//! use handbill::RoutePattern;
//! use salvo::{Depot, FlowCtrl, Request, Response, Router, handler};
//!
//! #[handler]
//! async fn log(
//!     request: &mut Request,
//!     depot: &mut Depot,
//!     response: &mut Response,
//!     flow: &mut FlowCtrl,
//! ) {
//!     flow.call_next(request, depot, response).await;
//!     let route = response.extensions.get();
//!     let route = route.map_or("-", |RoutePattern(pattern)| pattern);
//!     println!("{} {route} {:?}", request.method(), response.status_code);
//! }
//!
//! let app = Router::with_hoop(log);
//! ```
//!
//! **Slow clients.** Salvo closes a connection whose head is not complete after 30 seconds. By default it
//! has no time limit for a body, for a client that reads slowly and for an idle connection.
//! `Server::fuse_config` sets them: `FuseConfig::strict()` has one for each, for the pause between two parts
//! of a body. You can also use a tower layer around the service:
//!
//! ```
//! # use handbill::{Handbill, MemoryStore};
//! # let handbill = Handbill::new("https://example.org/blog", MemoryStore::new()).unwrap();
//! use salvo::Router;
//! use std::time::Duration;
//! use tower::ServiceBuilder;
//! use tower_http::timeout::RequestBodyTimeoutLayer;
//!
//! let service = ServiceBuilder::new()
//!     .layer(RequestBodyTimeoutLayer::new(Duration::from_secs(30)))
//!     .service(handbill);
//! let app = Router::with_path("blog").push(handbill_salvo::router(service));
//! ```
//!
//! **Proxies.** The adapter takes the client's address from the connection (`Request::remote_addr`), so all
//! clients behind one proxy count as one. Name the proxies that you trust with
//! [`Handbill::with_trusted_proxies`](handbill::Handbill::with_trusted_proxies). If your proxy sends the
//! client's address in another header than `X-Forwarded-For`, write a middleware that inserts
//! [`ClientAddr`] into the request's extensions.
//!
//! # Versions and features
//!
//! It fits Salvo 1 and handbill 0.2, and needs Rust 1.94. It has no features: the pages are the feature `pages` of
//! `handbill`, on by default there.
//!
//! # Cost
//!
//! The adapter adds no crate to those of Salvo and Handbill, and needs no feature of Salvo. Each request
//! clones the service and copies the request's headers and extensions, since your middleware may read them
//! after the response. Each response makes two small allocations.
//!
//! [`Catcher`]: salvo::catcher::Catcher

#![cfg_attr(docsrs, feature(doc_cfg))]

mod body;
mod path;

use std::convert::Infallible;
use std::error::Error;
use std::future::poll_fn;

use bytes::Bytes;
use handbill::ClientAddr;
use salvo::http::ResBody;
use salvo::{Depot, FlowCtrl, Handler, Request, Response, Router};
use tower::Service;

use body::SyncBody;

/// The body of the requests that [`router`] passes to its service: Salvo's body, not yet read. A body
/// that ends early ends with an error.
pub type RequestBody = salvo::http::ReqBody;

/// Turns a service into a router for [`Router::push`]. The service is a [`Handbill`](handbill::Handbill),
/// with or without tower layers around it.
///
/// The router accepts every method and every rest of a path. It clones the service for each request and
/// calls it when it is ready.
///
/// It inserts the [`ClientAddr`] of the connection into each request, unless your app has inserted one. A
/// request over a Unix socket has no such address; all these requests count as one client.
///
/// ```
/// # use handbill::{Handbill, MemoryStore};
/// # let handbill = Handbill::new("https://example.org/blog", MemoryStore::new()).unwrap();
/// use handbill_salvo::RequestBody;
/// use salvo::Router;
/// use tower::ServiceBuilder;
///
/// let service = ServiceBuilder::new()
///     .map_request(|request: http::Request<RequestBody>| request)
///     .service(handbill);
/// let app = Router::with_path("blog").push(handbill_salvo::router(service));
/// ```
pub fn router<S, B>(service: S) -> Router
where
    S: Service<http::Request<RequestBody>, Response = http::Response<B>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    Router::with_filter(path::Rest).goal(Mount(service))
}

struct Mount<S>(S);

#[salvo::async_trait]
impl<S, B> Handler for Mount<S>
where
    S: Service<http::Request<RequestBody>, Response = http::Response<B>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    async fn handle(
        &self,
        request: &mut Request,
        _: &mut Depot,
        response: &mut Response,
        _: &mut FlowCtrl,
    ) {
        let mut service = self.0.clone();
        let converted = http_request(request);
        let Ok(()) = poll_fn(|context| service.poll_ready(context)).await;
        let Ok(given) = service.call(converted).await;
        fill(response, given);
    }
}

/// The app's middleware may look at the request again after the response, so all but the body is copied.
fn http_request(request: &mut Request) -> http::Request<RequestBody> {
    let mut converted = http::Request::new(request.take_body());
    *converted.uri_mut() = path::below_mount(request);
    *converted.method_mut() = request.method().clone();
    *converted.version_mut() = request.version();
    *converted.headers_mut() = request.headers().clone();
    let extensions = converted.extensions_mut();
    *extensions = request.extensions().clone();
    if let Some(address) = request.remote_addr().ip() {
        extensions.get_or_insert(ClientAddr(address));
    }
    converted
}

/// Headers and extensions that the app's middleware has set before stay, unless the service sets them.
fn fill<B>(response: &mut Response, given: http::Response<B>)
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let (head, body) = given.into_parts();
    response.status_code = Some(head.status);
    if response.headers.is_empty() {
        response.headers = head.headers;
    } else {
        response.headers.extend(head.headers);
    }
    response.extensions.extend(head.extensions);
    // Even an empty body, or Salvo would put a page of its own in its place.
    response.body = ResBody::Boxed(Box::pin(SyncBody::new(body)));
}
