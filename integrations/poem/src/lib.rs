//! Mounts [Handbill](handbill), a publishing service for short web posts, into a [poem] app.
//!
//! ```
//! use handbill::{Handbill, MemoryStore};
//! use poem::{Endpoint, Request, Route, get, handler};
//!
//! #[handler]
//! fn home() -> &'static str {
//!     "a page that the app had before"
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
//! | [`endpoint`] | the service as an endpoint: all there is to call |
//! | [`RequestBody`] | the type to write where a layer of yours names the body of a request |
//!
//! The first argument of [`Handbill::new`](handbill::Handbill::new) ends with the path that is
//! given to [`Route::nest`](poem::Route::nest): links are printed with it. An app can mount as
//! many services as it likes, each with its own address and its own store.
//!
//! # What arrives, and what leaves
//!
//! - **Paths** arrive relative to the mount and otherwise as they were sent, since `nest` strips its
//!   prefix and nothing else: `/blog` and `/blog/` are both `/`, and `/blog//p/%2F?q` is `//p/%2F?q`.
//!   `nest_no_strip` and `at` strip nothing, so that Handbill finds nothing: use `nest`.
//! - **Routes of the app below the mount**, such as `/blog/about`, come before Handbill's. Mounted at
//!   `/`, Handbill has the index page, even where the app has `at("/", …)`.
//! - **Answers** are Handbill's own, errors too: the endpoint never returns an `Err`, so that
//!   `catch_error` and `catch_all_error` go on being about the app's errors.
//! - **Bodies** are streamed both ways. Handbill itself refuses one that is too large, without
//!   having it in memory first.
//! - **Extensions** go through: those of the request to the service, those of its answer to the
//!   app's middleware.
//!
//! Two things happen before Handbill is asked. `nest` answers 400 by itself to a path whose
//! percent-encoded bytes are not UTF-8 (`/blog/%FF`). And middleware around the mount acts on it as
//! it does on all else: `NormalizePath` changes which addresses there are, `SizeLimit` and `Cors`
//! answer in Handbill's place.
//!
//! # What is left to the app
//!
//! **Slow clients.** poem waits without end for a request that was begun; `Server::idle_timeout`
//! ends idle connections, but none in the middle of a head or a body. Put a proxy with time limits
//! in front, and give bodies a limit with a tower layer around the service:
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
//! **Logs.** Paths below `/e/` and queries hold secrets, and poem's `Tracing` middleware writes both
//! down. Log the [`RoutePattern`](handbill::RoutePattern) of an answer instead of its path:
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
//! **Proxies.** Clients are counted by the address of their connection, so that all those behind one
//! proxy count as one. Name the proxies that you trust in
//! [`Handbill::with_trusted_proxies`](handbill::Handbill::with_trusted_proxies). poem's `RealIp` is no
//! help, since it believes headers that any client can send. A proxy that says in another header than
//! `X-Forwarded-For` whom it speaks for needs a middleware that inserts [`ClientAddr`] as the request's
//! data.
//!
//! # What it costs
//!
//! No crate that poem or Handbill does not have: 198 in all at the time of writing, without a SQL
//! store, of which an app on poem has 88 already; 45 s to compile all of them, on two cores. poem's
//! `server` feature is on, since poem 3.1 does not compile without. A request costs a clone of the
//! service, an answer two small allocations.

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

/// The body of the requests that [`endpoint`] hands to its service: poem's own, not yet read. A body
/// that breaks off ends in an error.
pub type RequestBody = BoxBody<Bytes, io::Error>;

/// A service as an endpoint, to be mounted with [`Route::nest`](poem::Route::nest): a
/// [`Handbill`](handbill::Handbill), bare or in tower layers.
///
/// The service is cloned for each request, and called once it is ready. What it answers is what the
/// app gets; the endpoint never returns an `Err`.
///
/// Requests get the [`ClientAddr`] of their connection, unless the app has inserted another one.
/// Those that came over a Unix socket, or over none, have no such address, and count as one
/// client's.
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
    // poem keeps the address beside the request, and drops it when it converts one.
    let address = request.remote_addr().as_socket_addr().copied();
    let mut request = http::Request::<RequestBody>::from(request);
    if let Some(address) = address {
        let extensions = request.extensions_mut();
        extensions.get_or_insert(ClientAddr(address.ip()));
    }
    request
}

/// Not by poem's own conversion, which forgets the length of a body that is known.
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
