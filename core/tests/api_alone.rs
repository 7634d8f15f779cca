//! Without the feature `pages` there is the API alone: `cargo test -p handbill --no-default-features --test api_alone`.
#![cfg(not(feature = "pages"))]
#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

use handbill::{Draft, Handbill, MemoryStore};
use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

async fn send(handbill: &Handbill, request: Request<String>) -> (StatusCode, Value) {
    let response: Response<_> = handbill.clone().oneshot(request).await.unwrap();
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&body).unwrap())
}

fn handbill() -> Handbill {
    Handbill::new("https://example.org/blog", MemoryStore::new()).unwrap()
}

#[tokio::test]
async fn posts_are_published_and_read() {
    let handbill = handbill();
    let key = handbill.keys().issue(None, None).await.unwrap();
    let create = Request::post("/api/posts")
        .header("content-type", "application/json")
        .header("x-api-key", key.key.expose())
        .body(json!({ "title": "Hello", "body": "Some *Markdown*." }).to_string());
    let (status, created) = send(&handbill, create.unwrap()).await;
    assert_eq!(status, StatusCode::CREATED);
    let path = format!("/api/posts/{}", created["id"].as_str().unwrap());
    let (status, post) = send(&handbill, Request::get(path).body(String::new()).unwrap()).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(post["html"], "<p>Some <em>Markdown</em>.</p>\n");
    let (_, document) = send(
        &handbill,
        Request::get("/openapi.json").body(String::new()).unwrap(),
    )
    .await;
    let summary = &document["paths"]["/api/posts"]["get"]["summary"];
    assert_eq!(
        summary,
        "Lists the public posts, the latest published first."
    );
}

#[tokio::test]
async fn a_browser_gets_no_page() {
    let handbill = handbill();
    let post = handbill
        .posts()
        .create(Draft::new().body("x"))
        .await
        .unwrap();
    for path in ["/", "/write", "/feed.atom", &format!("/p/{}", post.id)] {
        let request = Request::get(path)
            .header("accept", "text/html")
            .body(String::new());
        let (status, problem) = send(&handbill, request.unwrap()).await;
        assert_eq!(
            (status, &problem["code"]),
            (StatusCode::NOT_FOUND, &json!("not_found")),
            "{path}"
        );
    }
}
