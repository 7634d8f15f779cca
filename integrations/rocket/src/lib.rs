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
//!     "A page of the app's own"
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
//! [`routes`] is all there is. It takes a [`Handbill`](handbill::Handbill), or one in tower layers,
//! and says nothing of its own: each status, header and body is what the service answers.
//!
//! | what | where |
//! |---|---|
//! | how it fits in with the app's own routes, catchers and fairings | [Beside your own](#beside-your-own) |
//! | time limits, logs and proxies, which are the app's | [What is left to you](#what-is-left-to-you) |
//! | layers | [`routes`], [`RequestBody`] |
//! | what Rocket does not let through | [What Rocket keeps to itself](#what-rocket-keeps-to-itself) |
//!
//! # Beside your own
//!
//! - **Routes.** Yours win, below the mount point too: Handbill's have rank 1,000, where Rocket's own file
//!   server has 10. Handbill answers whatever gets there, so that nothing that ranks later is asked.
//! - **Catchers.** Yours go on catching what your routes do. Handbill's errors are answers to Rocket,
//!   so that no catcher replaces them, not even a default one.
//! - **Fairings.** Yours see Handbill's requests and responses like any other. [`Shield`], which Rocket
//!   attaches by default, adds `Permissions-Policy`, and `X-Frame-Options` to what is no page. Handbill's
//!   headers stay as they are, at the price of warnings in Rocket's log.
//! - **Several mounts** live side by side, each with a service of its own. Where one lies inside the
//!   other, Rocket asks for a rank that says which one is to be asked first:
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
//! # What is left to you
//!
//! **The log.** Handbill's addresses hold secrets: an edit token is a part of the path below `/e/`, and
//! `?token=` is one too. Rocket's own log prints whole addresses, at the level `critical` still those
//! of `HEAD` requests and of methods that it does not know. Switch it off, with
//! `log_level = "off"` in `Rocket.toml`, `ROCKET_LOG_LEVEL=off`, or in code; where another logger is
//! installed before Rocket starts, drop its target `rocket`. Log the
//! [`RoutePattern`] instead, which is put into the request's local cache where Handbill knows the path:
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
//! Why a store failed is said by the core, in an event of [`tracing`](https://docs.rs/tracing).
//!
//! **Slow clients.** Rocket sets no time limit to a request's head or body, and none to reading a
//! response. Whoever faces the open internet has a reverse proxy in front that does, and that takes a
//! body to its end: Rocket closes the connection once a body is refused, and a client that has not
//! stopped sending by then may miss the answer.
//!
//! **Proxies.** Handbill takes a request for one of the address that connected, `request.remote()`,
//! and not of the one that Rocket reads from `X-Real-IP`, which any client can send. Name the proxies
//! that you trust in [`Handbill::with_trusted_proxies`](handbill::Handbill::with_trusted_proxies). A
//! proxy that says in another header than `X-Forwarded-For` whom it speaks for needs a request fairing
//! that calls [`Request::set_remote`].
//!
//! # What Rocket keeps to itself
//!
//! - Methods that Rocket does not know (`PROPFIND`) get its own 400, before any route is looked for.
//! - A form whose first field is `_method` is dispatched with that method, whatever was sent.
//! - `HEAD` is a `GET` to the service and its layers; Rocket drops the body and keeps the length.
//! - Headers are UTF-8. Any other is dropped, on the way in and out, as if it had not been sent.
//! - Rocket waits for 14 bytes of a body before it routes. A request that is refused by its head alone,
//!   as one that announces too long a body, is answered once these are there.
//! - A chunked body that breaks off within these 14 bytes seems to end there. Any other body that
//!   breaks off is seen to.
//! - Paths are matched decoded and without empty segments, so that `//blog` and `/%62log` lead to a
//!   mount at `/blog`, too. Handbill answers that there is nothing.
//!
//! # What it costs
//!
//! No crate that Rocket or Handbill does not have: 226 in all at the time of writing, without a SQL
//! store, and 62 s to compile all of them, on two cores.
//!
//! A request's body is handed on while it is sent, a few chunks of 16 KiB at a time, so that the limit
//! of [`Limits::request`](handbill::Limits) is the only one. A response is collected before it is sent,
//! since Rocket ends one that breaks off as if it were whole: that costs nothing with Handbill's own,
//! and the memory for all of it with a layer that streams.
//!
//! [`Shield`]: rocket::shield::Shield

mod body;
mod convert;

use std::convert::Infallible;
use std::future::poll_fn;

use handbill::RoutePattern;
use rocket::http::Method;
use rocket::route::{Handler, Outcome};
use rocket::{Data, Request, Route};
use tower::Service;

pub use body::RequestBody;

/// Later than what an app gives its own routes, which therefore win.
const RANK: isize = 1_000;

/// The methods that Rocket routes, but for `HEAD`: Rocket makes that of `GET`, and gets the length
/// right only if it is left to.
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

/// The routes of a service, to be mounted where its base URL says.
///
/// The service is a [`Handbill`](handbill::Handbill), or one in layers:
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
/// It is cloned for each request and asked whether it is ready. It sees paths relative to the mount
/// point and as they were sent, all headers, the body as a [`RequestBody`], and among the extensions a
/// [`ClientAddr`](handbill::ClientAddr). Its errors are answers: it never fails. Where the body of a
/// response does, the connection breaks off as it did.
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
        let asked = convert::request(request, body);
        let mut service = self.0.clone();
        let answer = async {
            let Ok(()) = poll_fn(|context| service.poll_ready(context)).await;
            let Ok(answer) = service.call(asked).await;
            if let Some(&pattern) = answer.extensions().get::<RoutePattern>() {
                request.local_cache(|| pattern);
            }
            convert::response(answer).await
        };
        rocket::tokio::select! {
            biased;
            response = answer => Outcome::Success(response),
            never = feed.run() => match never {},
        }
    }
}
