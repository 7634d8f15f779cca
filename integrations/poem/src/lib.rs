//! Mounts [Handbill](handbill), a publishing service for short web posts, into a [poem] app.
//!
//! ```
//! use handbill::{Handbill, MemoryStore};
//! use poem::{Endpoint, Request, Route, get, handler};
//!
//! #[handler]
//! fn home() -> &'static str {
//!     "a page of your app"
//! }
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?;
//! let app = Route::new()
//!     .at("/", get(home))
//!     .nest("/blog", handbill_poem::endpoint(handbill));
//!
//! let request = Request::builder().uri_str("/blog/api/posts").finish();
//! let posts = app.get_response(request).await;
//! assert!(posts.is_ok());
//! # Ok(())
//! # }
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(example()).unwrap();
//! ```
//!
//! | name | what it is |
//! |---|---|
//! | [`endpoint`] | turns the service into an endpoint |
//! | [`RequestBody`] | the type of request bodies, for layers that need to name it |
//!
//! The first argument of [`Handbill::new`](handbill::Handbill::new) is used for links. It ends with the
//! path that you pass to [`Route::nest`](poem::Route::nest). An app can mount several services, each
//! with its own address and its own store.
//!
//! # What the service receives and returns
//!
//! - **Paths** are relative to the mount and otherwise unchanged. `nest` only removes its prefix:
//!   `/blog` and `/blog/` become `/`, and `/blog//p/%2F?q` becomes `//p/%2F?q`. Do not use
//!   `nest_no_strip` or `at`: they do not remove the prefix.
//! - **Routes of your app below the mount**, such as `/blog/about`, take precedence. But if you mount
//!   Handbill at `/`, it serves the index page, even if your app has `at("/", …)`.
//! - **Responses** are Handbill's own, including errors. The endpoint never returns an `Err`, so
//!   `catch_error` and `catch_all_error` handle only your app's errors.
//! - **Bodies** are streamed in both directions. Handbill itself refuses a body that is too large,
//!   before all of it is in memory.
//! - **Extensions** of the request reach the service. Extensions of the response reach your app's
//!   middleware.
//!
//! Two things happen before Handbill receives a request. `nest` returns 400 for a path whose
//! percent-encoded bytes are not UTF-8 (`/blog/%FF`). And your middleware around the mount also applies
//! to Handbill: `NormalizePath` changes paths, and `SizeLimit` and `Cors` can respond instead of
//! Handbill.
//!
//! # What your app does
//!
//! **Users.** A middleware of yours tells Handbill who is logged in, as the request's data:
//!
//! ```
//! # use handbill::{Handbill, MemoryStore};
//! # use poem::{Endpoint, EndpointExt, Request, Route};
//! # fn user_of(_: &Request) -> Option<String> { Some("user:42".to_owned()) }
//! # let handbill = Handbill::new("https://example.org/blog", MemoryStore::new()).unwrap();
//! use handbill::SignedIn;
//!
//! let blog = handbill_poem::endpoint(handbill).before(|mut request: Request| async move {
//!     if let Some(owner) = user_of(&request).and_then(|user| user.parse().ok()) {
//!         request.set_data(SignedIn::new(owner));
//!     }
//!     Ok(request)
//! });
//! let app = Route::new().nest("/blog", blog);
//! ```
//!
//! **Slow clients.** poem has no time limit for receiving a request. `Server::idle_timeout` closes idle
//! connections, but not a connection in the middle of a head or a body. Use a proxy with time limits,
//! and limit the time for bodies with a tower layer around the service:
//!
//! ```
//! # use handbill::{Handbill, MemoryStore};
//! # let handbill = Handbill::new("https://example.org/blog", MemoryStore::new()).unwrap();
//! use std::time::Duration;
//! use tower::ServiceBuilder;
//! use tower_http::timeout::RequestBodyTimeoutLayer;
//!
//! let service = ServiceBuilder::new()
//!     .layer(RequestBodyTimeoutLayer::new(Duration::from_secs(30)))
//!     .service(handbill);
//! let app = poem::Route::new().nest("/blog", handbill_poem::endpoint(service));
//! ```
//!
//! **Logs.** Paths below `/e/` and queries can contain secrets, and poem's `Tracing` middleware logs
//! both. Log the [`RoutePattern`](handbill::RoutePattern) of the response instead:
//!
//! ```
//! # use poem::{Endpoint, EndpointExt, Request, Route};
//! # let app = Route::new();
//! use handbill::RoutePattern;
//!
//! let app = app.around(|app, request: Request| async move {
//!     let method = request.method().clone();
//!     let response = app.get_response(request).await;
//!     let route = response.data().map_or("-", |RoutePattern(pattern)| pattern);
//!     println!("{method} {route} {}", response.status());
//!     Ok(response)
//! });
//! ```
//!
//! **Proxies.** Rate limits use the address of the connection, so all clients behind one proxy count as
//! one. Name the proxies that you trust with
//! [`Handbill::with_trusted_proxies`](handbill::Handbill::with_trusted_proxies). Do not use poem's
//! `RealIp`: it trusts headers that any client can send. If your proxy sends the client's address in
//! another header than `X-Forwarded-For`, write a middleware that inserts [`ClientAddr`] as the
//! request's data.
//!
//! # Versions and features
//!
//! It fits poem 3 and handbill 0.2, and needs Rust 1.94. It has no features: the pages are the feature `pages` of
//! `handbill`, on by default there.
//!
//! # Cost
//!
//! The adapter adds no crate to those of poem and Handbill. It enables poem's feature `server`, because
//! poem 3.1 does not compile without it. Each request clones the service, and each response makes two
//! small allocations.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod body;

use std::convert::Infallible;
use std::error::Error;
use std::future::poll_fn;
use std::io;

use bytes::Bytes;
use handbill::ClientAddr;
use http_body_util::combinators::BoxBody;
use poem::{Endpoint, Request, Response, ResponseParts};
use tower::Service;

use body::SyncBody;

/// The body of the requests that [`endpoint`] passes to its service: poem's body, not yet read. A body
/// that ends early ends with an error.
pub type RequestBody = BoxBody<Bytes, io::Error>;

/// Turns a service into an endpoint for [`Route::nest`](poem::Route::nest). The service is a
/// [`Handbill`](handbill::Handbill), with or without tower layers around it.
///
/// The endpoint clones the service for each request and calls it when it is ready. It returns the
/// service's response and never an `Err`.
///
/// It inserts the [`ClientAddr`] of the connection into each request, unless your app has inserted one.
/// A request over a Unix socket has no such address; all these requests count as one client.
///
/// ```
/// # use handbill::{Handbill, MemoryStore};
/// # let handbill = Handbill::new("https://example.org/blog", MemoryStore::new()).unwrap();
/// use handbill_poem::RequestBody;
/// use tower::ServiceBuilder;
///
/// let service = ServiceBuilder::new()
///     .map_request(|request: http::Request<RequestBody>| request)
///     .service(handbill);
/// let app = poem::Route::new().nest("/blog", handbill_poem::endpoint(service));
/// ```
pub fn endpoint<S, B>(service: S) -> impl Endpoint<Output = Response> + 'static
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
    poem::endpoint::make(move |request| {
        let mut service = service.clone();
        async move {
            let request = http_request(request);
            let Ok(()) = poll_fn(|context| service.poll_ready(context)).await;
            let Ok(response) = service.call(request).await;
            poem_response(response)
        }
    })
}

fn http_request(request: Request) -> http::Request<RequestBody> {
    // poem stores the address next to the request, and the conversion drops it.
    let address = request.remote_addr().as_socket_addr().copied();
    let mut request = http::Request::<RequestBody>::from(request);
    if let Some(address) = address {
        let extensions = request.extensions_mut();
        extensions.get_or_insert(ClientAddr(address.ip()));
    }
    request
}

/// poem's own conversion would lose the known length of a body.
fn poem_response<B>(response: http::Response<B>) -> Response
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let (head, body) = response.into_parts();
    let head = ResponseParts {
        status: head.status,
        version: head.version,
        headers: head.headers,
        extensions: head.extensions,
    };
    Response::from_parts(head, BoxBody::new(SyncBody::new(body)).into())
}
