//! Mounts [Handbill](handbill), a publishing service for short web posts, into a
//! [Rocket](rocket) app.
//!
//! ```
//! use handbill::{Handbill, MemoryStore};
//! use rocket::local::blocking::Client;
//! use rocket::{get, routes};
//!
//! #[get("/")]
//! fn home() -> &'static str {
//!     "A page of your app"
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?;
//! let app = rocket::build()
//!     .mount("/", routes![home])
//!     .mount("/blog", handbill_rocket::routes(handbill));
//!
//! let client = Client::untracked(app)?;
//! let posts = client.get("/blog/api/posts").dispatch();
//! assert_eq!(posts.status().code, 200);
//! let missing = client.get("/blog/p/bcdfghjklm").dispatch();
//! let media_type = missing.headers().get_one("Content-Type");
//! assert_eq!(media_type, Some("application/problem+json"));
//! # Ok(())
//! # }
//! ```
//!
//! [`routes`] is the only function. It takes a [`Handbill`](handbill::Handbill), with or without tower
//! layers around it. Each status, header and body comes from the service.
//!
//! | subject | section |
//! |---|---|
//! | your own routes, catchers and fairings | [Next to your own routes](#next-to-your-own-routes) |
//! | users, logs, time limits and proxies | [What your app does](#what-your-app-does) |
//! | tower layers | [`routes`], [`RequestBody`] |
//! | what Rocket does not pass on | [Limits of Rocket](#limits-of-rocket) |
//!
//! # Next to your own routes
//!
//! - **Routes.** Your routes take precedence, also below the mount point: Handbill's routes have rank
//!   1,000, and Rocket's own file server has rank 10. Handbill responds to every request that it
//!   receives, so routes with a later rank are never tried. A guard of yours that forwards a request below the mount
//!   forwards it to Handbill, which returns 404. To have your catcher respond, return `Outcome::Error`.
//! - **Catchers.** Your catchers handle the errors of your routes. For Rocket, Handbill's errors are
//!   successful responses, so no catcher replaces them.
//! - **Fairings.** Your fairings see Handbill's requests and responses. [`Shield`], which Rocket attaches
//!   by default, adds `Permissions-Policy` to all responses and `X-Frame-Options` to those that are not
//!   pages. It does not change Handbill's headers, but logs warnings about them.
//! - **Several mounts** work in one app, each with its own service. If one mount is inside another,
//!   Rocket needs different ranks:
//!
//!   ```
//!   # use handbill::{Handbill, MemoryStore};
//!   # fn main() -> Result<(), Box<dyn std::error::Error>> {
//!   let inner = Handbill::new("https://example.org/news", MemoryStore::new())?;
//!   let outer = Handbill::new("https://example.org", MemoryStore::new())?;
//!   let mut after_inner = handbill_rocket::routes(outer);
//!   for route in &mut after_inner {
//!       route.rank += 1;
//!   }
//!   let app = rocket::build()
//!       .mount("/news", handbill_rocket::routes(inner))
//!       .mount("/", after_inner);
//!   # rocket::local::blocking::Client::untracked(app)?;
//!   # Ok(())
//!   # }
//!   ```
//!
//! # What your app does
//!
//! **Users.** Rocket's requests have no extensions, so the adapter takes what your app tells Handbill from the
//! request's local cache. Put the user who is logged in there, as an `Option<SignedIn>`. A fairing does it for all
//! requests, and it can call your request guards:
//!
//! ```
//! use handbill::{Handbill, KeyRequests, MemoryStore, SignedIn};
//! use rocket::fairing::AdHoc;
//! use rocket::request::Outcome;
//! # use rocket::request::{FromRequest, Request};
//! # use rocket::http::{Header, Status};
//! # use rocket::local::blocking::Client;
//!
//! # struct User(String);
//! #
//! # #[rocket::async_trait]
//! # impl<'r> FromRequest<'r> for User {
//! #     type Error = ();
//! #
//! #     async fn from_request(request: &'r Request<'_>) -> Outcome<Self, ()> {
//! #         match request.headers().get_one("Authorization") {
//! #             Some(user) => Outcome::Success(Self(user.to_owned())),
//! #             None => Outcome::Forward(Status::Unauthorized),
//! #         }
//! #     }
//! # }
//! #
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let login = AdHoc::on_request("login", |request, _| {
//!     Box::pin(async move {
//!         // `User` is a guard of your app.
//!         if let Outcome::Success(User(name)) = request.guard::<User>().await {
//!             request.local_cache(|| Some(SignedIn::new(name.parse().ok()?)));
//!         }
//!     })
//! });
//! let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?
//!     .with_key_requests(KeyRequests::SignedIn);
//! let app = rocket::build()
//!     .mount("/blog", handbill_rocket::routes(handbill))
//!     .attach(login);
//! # let client = Client::untracked(app)?;
//! # let keys = || client.post("/blog/keys").header(rocket::http::ContentType::Form);
//! # assert_eq!(keys().dispatch().status(), Status::Forbidden);
//! # let user = keys().header(Header::new("Authorization", "ann")).dispatch();
//! # assert_eq!(user.status(), Status::Ok);
//! # Ok(())
//! # }
//! ```
//!
//! Put other extensions, such as a
//! [`CspNonce`](https://docs.rs/handbill/latest/handbill/host/struct.CspNonce.html) or a type of your own for
//! [`KeyRequests::decided_by`](handbill::KeyRequests::decided_by) and frames, into an
//! [`http::Extensions`], and this into the local cache.
//!
//! **Logs.** Handbill's addresses can contain secrets: the path below `/e/` contains an edit token, and
//! `?token=` is one. Rocket's own log prints whole addresses. Even at the level `critical` it prints those
//! of `HEAD` requests and of unknown methods. Switch it off, with `log_level = "off"` in `Rocket.toml`,
//! with `ROCKET_LOG_LEVEL=off`, or in code. If you install another logger before Rocket starts, drop its
//! target `rocket`. Log the [`RoutePattern`] instead. The adapter puts it into the request's local cache:
//!
//! ```
//! use handbill::RoutePattern;
//! use rocket::config::{Config, LogLevel};
//! use rocket::fairing::AdHoc;
//!
//! let log = AdHoc::on_response("log", |request, response| {
//!     Box::pin(async move {
//!         let RoutePattern(route) = request.local_cache(|| RoutePattern("-"));
//!         eprintln!("{} {route} {}", request.method(), response.status().code);
//!     })
//! });
//! let quiet = Config { log_level: LogLevel::Off, ..Config::default() };
//! let app = rocket::custom(quiet).attach(log);
//! ```
//!
//! The [`Code`] of a problem is there, too, as an `Option<Code>`.
//!
//! When a store fails, the core reports the cause in an event of [`tracing`](https://docs.rs/tracing).
//!
//! **Slow clients.** Rocket has no time limits for sending a request or reading a response. On the open
//! internet, put a reverse proxy with time limits in front of it. The proxy should read request bodies
//! completely: Rocket closes the connection when a body is refused, and a client that is still sending
//! may miss the response.
//!
//! **Proxies.** The adapter takes the client's address from the connection (`request.remote()`), not from
//! `X-Real-IP`, which any client can send. Name the proxies that you trust with
//! [`Handbill::with_trusted_proxies`](handbill::Handbill::with_trusted_proxies). If your proxy sends the
//! client's address in another header than `X-Forwarded-For`, write a request fairing that calls
//! [`Request::set_remote`].
//!
//! # Limits of Rocket
//!
//! - For unknown methods (`PROPFIND`), Rocket itself returns 400.
//! - A form whose first field is `_method` is treated as a request with that method.
//! - The service and its layers receive `HEAD` as `GET`. Rocket drops the body and sends its length.
//! - Headers must be UTF-8. Others are dropped, in requests and in responses.
//! - Rocket waits for 14 bytes of a body before it routes a request. So a request that Handbill refuses
//!   because of its head, such as a `Content-Length` that is too large, gets its response after these
//!   bytes.
//! - If a chunked body ends early within these 14 bytes, it looks complete. Other bodies that end early
//!   are detected.
//! - Rocket decodes paths and removes empty segments before it matches them, so `//blog` and `/%62log`
//!   also lead to a mount at `/blog`. Handbill responds with 404.
//!
//! # Versions and features
//!
//! It fits Rocket 0.5, from 0.5.2 on, and handbill 0.2, and needs Rust 1.94. It has no features: the pages are the
//! feature `pages` of `handbill`, on by default there.
//!
//! # Cost
//!
//! The adapter adds no crate to those of Rocket and Handbill.
//!
//! A request body is streamed in chunks of 16 KiB, so [`Limits::request`](handbill::Limits) is the only
//! limit. A response is collected before it is sent, because Rocket makes an error in a streamed body look
//! like its end. Handbill's own responses are in memory anyway. A layer that streams costs the memory of
//! the whole response.
//!
//! [`Shield`]: rocket::shield::Shield

#![cfg_attr(docsrs, feature(doc_cfg))]

mod body;
mod convert;

use std::convert::Infallible;
use std::future::poll_fn;

use handbill::{Code, RoutePattern};
use rocket::http::Method;
use rocket::route::{Handler, Outcome};
use rocket::{Data, Request, Route};
use tower::Service;

pub use body::RequestBody;

/// Later than the rank of the app's own routes, so that they take precedence.
const RANK: isize = 1_000;

/// The methods that Rocket routes, except `HEAD`: Rocket makes it from `GET`, and sends the right length
/// only then.
const METHODS: [Method; 8] = [
    Method::Get,
    Method::Post,
    Method::Put,
    Method::Patch,
    Method::Delete,
    Method::Options,
    Method::Trace,
    Method::Connect,
];

/// The routes of a service. Mount them at the path of its base URL.
///
/// The service is a [`Handbill`](handbill::Handbill), with or without layers:
///
/// ```
/// use handbill::{Handbill, MemoryStore};
/// use tower::ServiceBuilder;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?;
/// let unlisted = ServiceBuilder::new()
///     .map_response(|mut response: http::Response<_>| {
///         let no_index = http::HeaderValue::from_static("noindex");
///         response.headers_mut().insert("x-robots-tag", no_index);
///         response
///     })
///     .service(handbill);
/// let app = rocket::build().mount("/blog", handbill_rocket::routes(unlisted));
/// # let client = rocket::local::blocking::Client::untracked(app)?;
/// # let page = client.get("/blog").dispatch();
/// # assert_eq!(page.headers().get_one("x-robots-tag"), Some("noindex"));
/// # Ok(())
/// # }
/// ```
///
/// The service is cloned for each request and called when it is ready. It receives the path relative to
/// the mount point and otherwise unchanged, all headers, the body as a [`RequestBody`], and in the extensions a
/// [`ClientAddr`](handbill::ClientAddr) and what is in the request's local cache: an `Option<SignedIn>` and an
/// [`http::Extensions`]. If the body of a response fails, the
/// connection breaks off.
pub fn routes<S, R>(service: S) -> Vec<Route>
where
    S: Service<http::Request<RequestBody>, Response = http::Response<R>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
    R: http_body::Body + Send + 'static,
    R::Data: Send,
{
    let mount = Mount(service);
    let route = |method| {
        let mut route = Route::ranked(RANK, method, "/<path..>", mount.clone());
        route.name = Some("handbill".into());
        route
    };
    METHODS.map(route).into()
}

#[derive(Clone)]
struct Mount<S>(S);

#[rocket::async_trait]
impl<S, R> Handler for Mount<S>
where
    S: Service<http::Request<RequestBody>, Response = http::Response<R>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
    R: http_body::Body + Send + 'static,
    R::Data: Send,
{
    async fn handle<'r>(&self, request: &'r Request<'_>, data: Data<'r>) -> Outcome<'r> {
        let (feed, body) = body::lend(data, convert::promised_length(request));
        let tower_request = convert::request(request, body);
        let mut service = self.0.clone();
        let respond = async {
            let Ok(()) = poll_fn(|context| service.poll_ready(context)).await;
            let Ok(response) = service.call(tower_request).await;
            if let Some(&pattern) = response.extensions().get::<RoutePattern>() {
                request.local_cache(|| pattern);
            }
            if let Some(&code) = response.extensions().get::<Code>() {
                request.local_cache(|| Some(code));
            }
            convert::response(response).await
        };
        rocket::tokio::select! {
            biased;
            response = respond => Outcome::Success(response),
            never = feed.run() => match never {},
        }
    }
}
