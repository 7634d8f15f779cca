//! Lets agents publish, find and edit posts of [Handbill](handbill) through the Model Context Protocol (MCP).
//!
//! ```
//! use axum::Router;
//! use handbill::{Handbill, MemoryStore};
//! use handbill_mcp::McpService;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?;
//! let app: Router = Router::new()
//!     .nest_service("/blog", handbill.clone())
//!     .route_service("/mcp", McpService::new(handbill));
//! # Ok(())
//! # }
//! ```
//!
//! | tool | request of the API | needs |
//! |---|---|---|
//! | `publish_post` | `POST /api/posts` | an API key |
//! | `read_post` | `GET /api/posts/{id}` | nothing; for a draft, a key of its owner |
//! | `find_posts` | `GET /api/posts` | nothing |
//! | `list_my_posts` | `GET /api/keys/current/posts` | an API key |
//! | `update_post` | `PATCH /api/posts/{id}` | a key of the post's owner, and the `etag` that was read |
//! | `delete_post` | `DELETE /api/posts/{id}` | a key of the post's owner |
//!
//! # What a tool does
//!
//! Each call of a tool is one request to the service, in process. It has the client's `Authorization`, `X-Api-Key` and
//! `X-Forwarded-For`, and the extensions of the client's request, such as [`ClientAddr`](handbill::ClientAddr). So
//! limits, rates, errors, idempotency and conditions are those of the API. What a tool takes and returns is read from
//! the OpenAPI document of the service, with the host's limits.
//!
//! A result is the API's JSON, as an object and as text, with the `etag` of a post for later changes. A problem is a
//! result with `isError`. Texts of posts are data: where a result has some, its first text says so to the agent.
//!
//! # The protocol
//!
//! It speaks revision 2026-07-28, and 2025-11-25 and earlier with clients that begin with `initialize`. It has no
//! sessions and no streams: each message is a `POST` and each response JSON. Any other method is 405.
//!
//! A message may be as long as the longest post of the service in JSON: 1.3 MB by default. A longer one is 413, with an
//! error of the protocol.
//!
//! # What your app does
//!
//! - **Proxies.** `Host` and `Origin` of a request must be those of the address that [`Handbill::new`] got, or it is
//!   403. This keeps pages of other sites from using a service that only their visitor can reach (DNS rebinding). A
//!   proxy must pass on the `Host` of the client.
//! - **Clients.** Insert [`ClientAddr`](handbill::ClientAddr) into each request's extensions, as for Handbill.
//! - **Logs.** The library of the protocol, `rmcp`, logs results, and so edit tokens, at the level `debug`: switch off
//!   its target, `rmcp`. Responses have the [`RoutePattern`] `/mcp` for your own log.
//!
//! # Versions and cost
//!
//! It fits handbill 0.2, and needs Rust 1.94. It adds 32 crates to those of Handbill, `rmcp` and what it needs; an app
//! with a store on SQL has half of them already. None of them is in its public interface.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod body;
mod call;
mod server;
mod tools;

use std::borrow::Cow;
use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use handbill::{Handbill, RequestId, RoutePattern};
use http::header::{self, HeaderValue};
use http::{Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full};
use rmcp::ErrorData;
use rmcp::model::JsonRpcError;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use tokio::sync::OnceCell;
use tower::{Service, ServiceExt};

use body::Unread;
use server::Server;

/// Bytes of a character of a body in JSON, at most: two escaped surrogates.
const BYTES_OF_CHARACTER: usize = 12;
/// Bytes of the other fields of a post and of the message around them, at most.
const BYTES_OF_REST: usize = 64 * 1024;

/// The tools of a [`Handbill`] as a `tower::Service`, for one path of the host's. A clone is the same service.
#[derive(Clone)]
pub struct McpService {
    handbill: Handbill,
    site: Arc<OnceCell<Site>>,
}

/// What the OpenAPI document says of the service.
struct Site {
    protocol: StreamableHttpService<Server, NeverSessionManager>,
    max_request: usize,
}

impl McpService {
    /// The tools of this service, with the settings that it has now. It may be mounted at any path of the same host.
    pub fn new(handbill: Handbill) -> Self {
        let site = Arc::default();
        Self { handbill, site }
    }

    async fn respond<B>(self, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: http_body::Body<Data: Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
    {
        let site = self.site.get_or_init(|| Site::of(&self.handbill)).await;
        let (mut head, body) = request.into_parts();
        let id = head.extensions.get::<RequestId>().cloned();
        let mut response = match body::read(&head.headers, body, site.max_request).await {
            Ok(body) => {
                let response = site.protocol.handle(Request::from_parts(head, body)).await;
                let (head, body) = response.into_parts();
                let Ok(body) = body.collect().await;
                Response::from_parts(head, Full::new(body.to_bytes()))
            }
            Err(Unread::TooLong(rest)) => {
                // The service reads and discards the rest, so that a client that is still sending gets the response.
                head.uri = Uri::from_static("/livez");
                let Ok(_) = self.handbill.oneshot(Request::from_parts(head, rest)).await;
                let text = format!("A request may have at most {} bytes.", site.max_request);
                refusal(StatusCode::PAYLOAD_TOO_LARGE, text)
            }
            Err(Unread::Failed) => refusal(StatusCode::BAD_REQUEST, "The body is not complete."),
        };
        response.extensions_mut().insert(RoutePattern("/mcp"));
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        );
        if let Some(id) = id.and_then(|id| HeaderValue::from_str(id.as_str()).ok()) {
            headers.insert(RequestId::HEADER, id);
        }
        response
    }
}

/// An error of the protocol for a message that was not read, whose id is not known.
fn refusal(status: StatusCode, message: impl Into<Cow<'static, str>>) -> Response<Full<Bytes>> {
    let error = JsonRpcError::new(None, ErrorData::invalid_request(message, None));
    let body = serde_json::to_vec(&error).unwrap_or_default();
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let content_type = HeaderValue::from_static("application/json");
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, content_type);
    response
}

impl Site {
    async fn of(handbill: &Handbill) -> Self {
        let mut request = Request::new(Full::<Bytes>::default());
        *request.uri_mut() = Uri::from_static("/openapi.json");
        let Ok(response) = handbill.clone().oneshot(request).await;
        let document = response.into_body().into_inner().unwrap_or_default();
        let document: Value = serde_json::from_slice(&document).unwrap_or_default();

        let fields = &document["components"]["schemas"]["NewPost"]["properties"];
        let max_characters = fields["body"]["maxLength"].as_u64().unwrap_or_default();
        let max_request = (max_characters as usize).saturating_mul(BYTES_OF_CHARACTER);
        let max_request = max_request.saturating_add(BYTES_OF_REST);
        let address = document["servers"][0]["url"].as_str().unwrap_or_default();
        let address: Uri = address.parse().unwrap_or_default();
        let (host, origin) = authority(&address);
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_allowed_hosts([host])
            .with_allowed_origins([origin])
            .with_max_request_body_bytes(max_request);
        let server = Server {
            handbill: handbill.clone(),
            tools: tools::of(&document),
        };
        let protocol =
            StreamableHttpService::new(move || Ok(server.clone()), Arc::default(), config);
        Self {
            protocol,
            max_request,
        }
    }
}

/// The host and the origin of an address, as requests may name them.
fn authority(address: &Uri) -> (String, String) {
    let scheme = address.scheme_str().unwrap_or("https");
    let usual_port = if scheme == "http" { 80 } else { 443 };
    let host = address
        .authority()
        .map_or("", |authority| authority.as_str());
    let origin = match address.port() {
        Some(_) => format!("{scheme}://{host}"),
        // Without a port, the library accepts every port.
        None => format!("{scheme}://{host}:{usual_port}"),
    };
    (host.to_owned(), origin)
}

impl fmt::Debug for McpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpService")
            .field("handbill", &self.handbill)
            .finish_non_exhaustive()
    }
}

impl<B> Service<Request<B>> for McpService
where
    B: http_body::Body<Data: Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.respond(request).await) })
    }
}
