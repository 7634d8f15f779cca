//! Handbill in a poem app: what is special about poem. Other tests cover the HTTP contract.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod messages;
mod paths;

use handbill::{Handbill, MemoryStore};
use http::{HeaderMap, Method, StatusCode};
use poem::{Endpoint, Request, Response, Route, get, handler};

/// A service with its own store, mounted at this path of `https://example.org`.
fn handbill(path: &str) -> Handbill {
    Handbill::new(&format!("https://example.org{path}"), MemoryStore::new()).unwrap()
}

#[handler]
fn home() -> &'static str {
    "the app's own page"
}

/// An app with a page of its own.
fn app_with(handbill: Handbill) -> Route {
    Route::new()
        .at("/", get(home))
        .nest("/blog", handbill_poem::endpoint(handbill))
}

struct TestResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: String,
}

impl TestResponse {
    async fn of(response: Response) -> Self {
        let (head, body) = response.into_parts();
        Self {
            status: head.status,
            headers: head.headers,
            body: body.into_string().await.unwrap(),
        }
    }

    /// The code of a problem that only Handbill returns.
    fn problem(&self) -> String {
        assert_eq!(self.headers["content-type"], "application/problem+json");
        self.json()["code"].as_str().unwrap().to_owned()
    }

    fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

async fn send_empty(app: &impl Endpoint, method: Method, uri: &str) -> TestResponse {
    let request = Request::builder().method(method).uri_str(uri).finish();
    TestResponse::of(app.get_response(request).await).await
}

/// Publishes a post at a mount and returns its id.
async fn publish(app: &impl Endpoint, mount: &str) -> String {
    let key = send_empty(app, Method::POST, &format!("{mount}/api/keys")).await;
    let key = key.json()["api_key"].as_str().unwrap().to_owned();
    let post = Request::builder()
        .method(Method::POST)
        .uri_str(format!("{mount}/api/posts"))
        .header("x-api-key", key)
        .content_type("application/json")
        .body(r#"{"body": "Some *Markdown*."}"#);
    let created = TestResponse::of(app.get_response(post).await).await;
    assert_eq!(created.status, StatusCode::CREATED, "{}", created.body);
    created.json()["id"].as_str().unwrap().to_owned()
}
