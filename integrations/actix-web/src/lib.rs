//! Mounts [Handbill](handbill), a publishing service for short web posts, into an
//! [actix-web](actix_web) app.
//!
//! ```
//! use actix_web::{App, test, web};
//! use handbill::{Handbill, MemoryStore};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?;
//! let app = App::new()
//!     .route("/", web::get().to(async || "a page of your app"))
//!     .service(web::scope("/blog").service(handbill_actix_web::service(handbill)));
//!
//! let app = test::init_service(app).await;
//! let request = test::TestRequest::with_uri("/blog/api/posts").to_request();
//! let posts = test::call_service(&app, request).await;
//! assert_eq!(posts.status(), 200);
//! # Ok(())
//! # }
//! # actix_web::rt::System::new().block_on(example()).unwrap();
//! ```
//!
//! | name | what it is |
//! |---|---|
//! | [`service`] | turns the service into one for [`Scope::service`] and [`App::service`] |
//! | [`Mount`] | what it returns, with one option: which of your app's types are passed on |
//! | [`RequestBody`] | the type of request bodies, for layers that need to name it |
//!
//! The first argument of [`Handbill::new`](handbill::Handbill::new) is used for links. It ends with the
//! path of the scope. An app can mount several services, each with its own address and its own store.
//!
//! [`HttpServer`] makes an app for each of its threads. Make one [`Handbill`](handbill::Handbill) before,
//! and clone it in the closure. All clones are the same service, with the same store, cache and rates:
//!
//! ```no_run
//! # use actix_web::{App, HttpServer, web};
//! # use handbill::{Handbill, MemoryStore};
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?;
//! let app = move || {
//!     let blog = handbill_actix_web::service(handbill.clone());
//!     App::new().service(web::scope("/blog").service(blog))
//! };
//! HttpServer::new(app).bind("127.0.0.1:8080")?.run().await?;
//! # Ok(())
//! # }
//! ```
//!
//! # What the service receives and returns
//!
//! - **Paths** are relative to the scope and otherwise unchanged: `/blog` and `/blog/` become `/`, and
//!   `/blog//p/%2F?q` becomes `//p/%2F?q`. Write the scope without a slash at its end, as actix-web asks for.
//!   A scope with a variable part works too.
//! - **Routes of your app below the mount**, such as `/blog/about`, take precedence if they are registered
//!   before Handbill: actix-web goes through the services in their order. To mount Handbill at `/`, make it
//!   the last service of the app: `App::service(handbill_actix_web::service(handbill))`.
//! - **Responses** are Handbill's own, including errors. The service never returns an `Err`, and your
//!   `default_service` responds only outside the scope.
//! - **Bodies** are streamed in both directions. Handbill itself refuses a body that is too large, before
//!   all of it is in memory. Nothing is read from a connection while Handbill does not read.
//! - **Request extensions**: [`ClientAddr`](handbill::ClientAddr), [`SignedIn`](handbill::SignedIn) and, with the
//!   feature `pages`, [`CspNonce`](handbill::host::CspNonce) reach Handbill if your app has inserted them. actix-web's
//!   extensions cannot be copied as a whole, so name your own types with [`Mount::with_extension`].
//! - **Response extensions**: [`RoutePattern`](handbill::RoutePattern) reaches your app's middleware.
//!
//! # What happens before Handbill receives a request
//!
//! - actix-web returns 400 for malformed requests, such as those of HTTP/1.1 without a `Host` or with two,
//!   and 431 for a head of more than 128 KiB.
//! - It sends `100 Continue` to clients that wait for it, whatever their request is.
//! - It decodes a path before it matches it, so `/%62log` also leads to a scope `/blog`. Handbill responds
//!   with 404.
//! - Your middleware around the mount also applies to Handbill: `NormalizePath` changes paths, and
//!   `ErrorHandlers`, `Compress` and `DefaultHeaders` change responses.
//!
//! # What your app does
//!
//! **Users.** Your middleware inserts the user into the request's extensions, and the adapter passes on
//! that type. To let only your users get API keys:
//!
//! ```
//! use actix_web::body::MessageBody;
//! use actix_web::dev::{ServiceRequest, ServiceResponse};
//! use actix_web::middleware::{Next, from_fn};
//! use actix_web::{App, Error, HttpMessage, web};
//! use handbill::{Handbill, KeyRequests, MemoryStore};
//!
//! #[derive(Clone)]
//! struct User(String);
//! # fn logged_in_user(request: &ServiceRequest) -> Option<User> {
//! #     let user = request.headers().get("authorization")?.to_str().ok()?;
//! #     Some(User(user.to_owned()))
//! # }
//!
//! async fn identify(
//!     request: ServiceRequest,
//!     next: Next<impl MessageBody>,
//! ) -> Result<ServiceResponse<impl MessageBody>, Error> {
//!     if let Some(user) = logged_in_user(&request) {
//!         request.extensions_mut().insert(user);
//!     }
//!     next.call(request).await
//! }
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?
//!     .with_key_requests(KeyRequests::decided_by(|request| async move {
//!         request.extensions.get::<User>().is_some()
//!     }));
//! let blog = handbill_actix_web::service(handbill).with_extension::<User>();
//! let app = App::new()
//!     .service(web::scope("/blog").wrap(from_fn(identify)).service(blog));
//! # use actix_web::test;
//! # let app = test::init_service(app).await;
//! # let keys = || test::TestRequest::post().uri("/blog/api/keys");
//! # let refused = test::call_service(&app, keys().to_request()).await;
//! # assert_eq!(refused.status(), 403);
//! # let user = keys().insert_header(("authorization", "ann"));
//! # let issued = test::call_service(&app, user.to_request()).await;
//! # assert_eq!(issued.status(), 201);
//! # Ok(())
//! # }
//! # actix_web::rt::System::new().block_on(example()).unwrap();
//! ```
//!
//! **Logs.** Paths below `/e/` and queries can contain secrets, and the default format of actix-web's
//! `Logger` prints both (`%r`; `%U` prints the path). Log the [`RoutePattern`](handbill::RoutePattern) of
//! the response instead:
//!
//! ```
//! use actix_web::middleware::Logger;
//! use handbill::RoutePattern;
//!
//! let logger = Logger::new("%{method}xi %{route}xo %s %T")
//!     .custom_request_replace("method", |request| request.method().to_string())
//!     .custom_response_replace("route", |response| {
//!         let extensions = response.response().extensions();
//!         let route = extensions.get::<RoutePattern>();
//!         route.map_or("-", |RoutePattern(pattern)| pattern).to_owned()
//!     });
//! let app = actix_web::App::new().wrap(logger);
//! ```
//!
//! **Slow clients.** actix-web closes a connection whose first request has no complete head after 5 seconds
//! (`HttpServer::client_request_timeout`), and an idle connection after 5 seconds (`keep_alive`). It has no
//! time limit for a body and for a client that reads slowly. Use a proxy with time limits, and limit the
//! time for bodies with a tower layer around the service:
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
//! let scope = actix_web::web::scope("/blog").service(handbill_actix_web::service(service));
//! ```
//!
//! After Handbill has refused a body with a `Content-Length`, actix-web reads on for a second
//! (`client_disconnect_timeout`) and closes the connection. A client that sends for longer may miss the
//! response.
//!
//! **Proxies.** The adapter takes the client's address from the connection (`peer_addr`), so all clients
//! behind one proxy count as one. Name the proxies that you trust with
//! [`Handbill::with_trusted_proxies`](handbill::Handbill::with_trusted_proxies). Do not use
//! `ConnectionInfo::realip_remote_addr`: it trusts headers that any client can send. If your proxy sends the
//! client's address in another header than `X-Forwarded-For`, write a middleware that inserts
//! [`ClientAddr`](handbill::ClientAddr) into the request's extensions.
//!
//! # Versions and features
//!
//! It fits actix-web 4, from 4.18 on, and handbill 0.2, and needs Rust 1.94.
//!
//! `pages`, on by default, enables the feature `pages` of `handbill`. Without it, there is the API alone, and
//! no [`CspNonce`](handbill::host::CspNonce).
//!
//! # Cost
//!
//! The adapter adds no crate to those of actix-web and Handbill. actix-web uses version 0.2 of the crate
//! `http` and Handbill version 1, so the names and values of all headers are copied, in both directions. Each
//! request clones the service. A request with a body also has a channel: actix-web's payload must stay on
//! its thread, and Handbill's work may move to another.
//!
//! [`App::service`]: actix_web::App::service
//! [`HttpServer`]: actix_web::HttpServer
//! [`Scope::service`]: actix_web::Scope::service

#![cfg_attr(docsrs, feature(doc_cfg))]

mod body;
mod convert;
mod extensions;

use std::convert::Infallible;
use std::error::Error;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

use actix_web::dev::{
    AppService, HttpServiceFactory, Payload, ResourceDef, ServiceRequest, ServiceResponse,
    fn_service,
};
use actix_web::http::Method;
use bytes::Bytes;
use tower::Service;

pub use body::RequestBody;
use extensions::PassOn;

/// Turns a service into one for [`Scope::service`](actix_web::Scope::service) and
/// [`App::service`](actix_web::App::service). The service is a [`Handbill`](handbill::Handbill), with or
/// without tower layers around it.
///
/// It serves every path below the scope. It clones the service for each request and calls it when it is
/// ready. It returns the service's response and never an `Err`.
///
/// It inserts the [`ClientAddr`](handbill::ClientAddr) of the connection into each request, unless your app
/// has inserted one. A request over a Unix socket has no such address; all these requests count as one
/// client.
///
/// ```
/// # use handbill::{Handbill, MemoryStore};
/// # let handbill = Handbill::new("https://example.org/blog", MemoryStore::new()).unwrap();
/// use actix_web::{App, web};
/// use handbill_actix_web::RequestBody;
/// use tower::ServiceBuilder;
///
/// let service = ServiceBuilder::new()
///     .map_request(|request: http::Request<RequestBody>| request)
///     .service(handbill);
/// let app = App::new().service(web::scope("/blog").service(handbill_actix_web::service(service)));
/// ```
pub fn service<S, B>(service: S) -> Mount<S>
where
    S: Service<http::Request<RequestBody>, Response = http::Response<B>, Error = Infallible>
        + Clone
        + 'static,
    B: http_body::Body<Data = Bytes> + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    Mount {
        service,
        pass_on: extensions::OF_REQUESTS.into(),
    }
}

/// A service for a scope or an app of actix-web, which [`service`] returns.
#[derive(Clone, Debug)]
#[must_use = "it does nothing until an app or a scope has it as a service"]
pub struct Mount<S> {
    service: S,
    pass_on: Vec<PassOn>,
}

impl<S> Mount<S> {
    /// Passes on the values of this type that your app inserts into the extensions of requests
    /// (`HttpMessage::extensions_mut`). The service and its layers find them in the extensions of the
    /// [`http::Request`].
    ///
    /// ```
    /// # use handbill::{Handbill, MemoryStore};
    /// # let handbill = Handbill::new("https://example.org/blog", MemoryStore::new()).unwrap();
    /// #[derive(Clone)]
    /// struct User(String);
    ///
    /// let blog = handbill_actix_web::service(handbill).with_extension::<User>();
    /// let scope = actix_web::web::scope("/blog").service(blog);
    /// ```
    pub fn with_extension<T: Clone + Send + Sync + 'static>(mut self) -> Self {
        self.pass_on.push(extensions::pass_on::<T>);
        self
    }
}

impl<S, B> HttpServiceFactory for Mount<S>
where
    S: Service<http::Request<RequestBody>, Response = http::Response<B>, Error = Infallible>
        + Clone
        + 'static,
    B: http_body::Body<Data = Bytes> + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    fn register(self, config: &mut AppService) {
        let mount = Rc::new(self);
        let respond = fn_service(move |request| respond(Rc::clone(&mount), request));
        // The rest of the path, whatever it is.
        config.register_service(ResourceDef::prefix(""), None, respond, None);
    }
}

async fn respond<S, B>(
    mount: Rc<Mount<S>>,
    request: ServiceRequest,
) -> Result<ServiceResponse, actix_web::Error>
where
    S: Service<http::Request<RequestBody>, Response = http::Response<B>, Error = Infallible>
        + Clone
        + 'static,
    B: http_body::Body<Data = Bytes> + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let (request, payload) = request.into_parts();
    let mut service = mount.service.clone();
    let mut call = async |body| {
        let converted = convert::request(&request, body, &mount.pass_on);
        let Ok(()) = poll_fn(|context| service.poll_ready(context)).await;
        let Ok(response) = service.call(converted).await;
        response
    };
    let response = match payload {
        Payload::None => call(body::empty()).await,
        payload => {
            let (feed, body) = body::stream(payload, convert::promised_length(&request));
            let mut call = pin!(call(body));
            let mut feed = pin!(feed.run());
            poll_fn(|context| {
                let response = call.as_mut().poll(context);
                if response.is_pending() {
                    let Poll::Pending = feed.as_mut().poll(context);
                }
                response
            })
            .await
        }
    };
    let is_head = request.method() == Method::HEAD;
    let response = convert::response(response, is_head);
    Ok(ServiceResponse::new(request, response))
}
