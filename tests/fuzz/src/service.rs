//! A service in memory, and requests to it.

use bytes::Bytes;
use handbill::{Handbill, MemoryStore, RateLimits};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tower::ServiceExt;

/// Runs one input on a runtime of its own.
pub(crate) fn run(input: impl AsyncFnOnce(Service)) {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_time().build().expect("a runtime");
    runtime.block_on(async { input(Service::new().await).await });
}

/// A new service without rate limits, and an API key for it.
pub(crate) struct Service {
    pub(crate) handbill: Handbill,
    key: String,
}

/// A post that was created.
pub(crate) struct Created {
    pub(crate) id: String,
    pub(crate) edit_token: String,
}

impl Service {
    async fn new() -> Self {
        let handbill = Handbill::new("https://example.org/blog", MemoryStore::new());
        let handbill = handbill
            .expect("an address")
            .with_rate_limits(RateLimits::off());
        let issued = handbill.keys().issue(None, None).await.expect("a key");
        let key = issued.key.expose().to_owned();
        Self { handbill, key }
    }

    /// Sends a request. No request may fail on the server, and an error must be described.
    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> Response<Bytes> {
        let Ok(response) = self.handbill.clone().oneshot(request).await;
        let (parts, body) = response.into_parts();
        let Ok(body) = body.collect().await;
        let response = Response::from_parts(parts, body.to_bytes());
        assert!(!response.status().is_server_error(), "{response:?}");
        let type_of = response.headers().get("content-type");
        let has_body = !response.body().is_empty();
        if has_body && response.status().is_client_error() && type_of.is_none_or(|it| it == PROBLEM)
        {
            let problem = json_of(&response);
            assert_eq!(problem["status"], response.status().as_u16());
            assert!(problem["code"].is_string(), "{problem}");
        }
        response
    }

    /// Sends a request with an API key and a body of JSON.
    pub(crate) async fn send_json(&self, method: &str, path: &str, body: Bytes) -> Response<Bytes> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("x-api-key", &self.key)
            .header("content-type", "application/json");
        self.send(request.body(Full::new(body)).expect("a request"))
            .await
    }

    pub(crate) async fn get(&self, path: &str) -> Response<Bytes> {
        let request = Request::get(path).body(Full::default());
        self.send(request.expect("a request")).await
    }

    /// Creates a post with these fields. `None` if the service refuses them.
    pub(crate) async fn create(&self, fields: &Value) -> Option<Created> {
        let body = fields.to_string().into();
        let response = self.send_json("POST", "/api/posts", body).await;
        if response.status() != StatusCode::CREATED {
            assert_eq!(response.status(), StatusCode::UNPROCESSABLE_ENTITY);
            return None;
        }
        let created = json_of(&response);
        let text = |name: &str| created[name].as_str().expect("a text").to_owned();
        Some(Created {
            id: text("id"),
            edit_token: text("edit_token"),
        })
    }

    /// Creates a post that is certainly valid.
    pub(crate) async fn create_any(&self) -> Created {
        let fields =
            json!({ "title": "A walk", "body": "# Along\n\nthe *harbour*.", "tags": "a, b" });
        self.create(&fields).await.expect("a valid post")
    }

    /// A post as JSON.
    pub(crate) async fn read(&self, id: &str) -> Value {
        json_of(&self.get(&format!("/api/posts/{id}")).await)
    }
}

const PROBLEM: &str = "application/problem+json";

pub(crate) fn json_of(response: &Response<Bytes>) -> Value {
    serde_json::from_slice(response.body()).expect("JSON")
}
