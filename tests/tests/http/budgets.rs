//! What one client does must not take the memory of others: how much is held. Bytes are counted.

use bytes::Bytes;
use handbill::Handbill;
use http::{Request, Response};
use http_body_util::{BodyExt, Empty, Full};
use serde_json::json;
use tower::ServiceExt;

use crate::queues::everyone_waits;

const MEBIBYTE: usize = 1024 * 1024;

/// The response to a `GET`, still in memory.
async fn response(service: &Handbill, path: &str) -> Response<Full<Bytes>> {
    let request = Request::get(path).body(Empty::<Bytes>::new()).unwrap();
    let Ok(response) = service.clone().oneshot(request).await;
    response
}

/// Where in memory the body of a response is.
async fn place(service: &Handbill, path: &str) -> *const u8 {
    let Ok(body) = response(service, path).await.into_body().collect().await;
    body.to_bytes().as_ptr()
}

#[tokio::test]
async fn a_large_response_is_cached_from_the_first_time_although_the_cache_is_full() {
    let app = crate::app().await;
    let small = app
        .set(|service| service.with_cache_bytes(8 * MEBIBYTE as u64))
        .await;
    for _ in 0..60 {
        let path = app.create_body(&"x".repeat(100_000)).await.path();
        for _ in 0..3 {
            small.get(&path).await.expect_status(200);
        }
    }
    let large = app.create_body(&"\u{1F389}".repeat(100_000)).await;
    for path in [large.path(), large.page()] {
        let first = place(&small.service, &path).await;
        assert_eq!(place(&small.service, &path).await, first, "{path}");
    }
}

#[tokio::test]
async fn large_responses_that_are_not_read_have_a_limit() {
    const BODY: usize = 400_000;
    let app = crate::app().await;
    let app = app.set(|service| service.with_cache_bytes(0)).await;
    let heavy = app.create_body(&"\u{1F389}".repeat(BODY / 4)).await;
    let light = app.create_body("light").await;
    let source = format!("{}.md", heavy.page());
    let mut held = Vec::new();
    let refused = loop {
        let response = response(&app.service, &source).await;
        if response.status() != 200 {
            break response;
        }
        held.push(response);
        assert!(held.len() < 2 * 64 * MEBIBYTE / BODY, "there is no limit");
    };
    let bytes = held.len() * BODY;
    assert!(bytes.abs_diff(64 * MEBIBYTE) <= BODY, "{bytes} were held");
    assert_eq!(refused.status(), 503);
    assert_eq!(refused.headers()["retry-after"], "1");

    for path in [
        heavy.path(),
        heavy.page(),
        heavy.edit_page(),
        source.clone(),
    ] {
        app.get(&path).await.problem("store_unavailable");
    }
    let title = json!({ "title": "t" });
    // Readers don't prevent changes.
    app.put(&heavy, &title).await.expect_status(200);
    app.put(&light, &title).await.expect_status(200);
    for path in [light.path(), light.page(), light.edit_page()] {
        app.get(&path).await.expect_status(200);
    }

    held.pop();
    app.get(&source).await.expect_status(200);
}

#[tokio::test]
async fn memory_is_short_before_large_responses_are_refused() {
    const BODY: usize = 400_000;
    let app = crate::app().await;
    let app = app.set(|service| service.with_cache_bytes(0)).await;
    let heavy = app.create_body(&"\u{1F389}".repeat(BODY / 4)).await;
    let source = format!("{}.md", heavy.page());
    let waiting = app.service.clone();
    let waiting = tokio::spawn(async move { waiting.memory_shortage().await });
    let mut held = Vec::new();
    while held.len() * BODY <= 48 * MEBIBYTE {
        everyone_waits().await;
        assert!(!waiting.is_finished(), "{} are held", held.len());
        let response = response(&app.service, &source).await;
        assert_eq!(response.status(), 200);
        held.push(response);
    }
    let excess = held.len() * BODY - 48 * MEBIBYTE;
    assert_eq!(waiting.await.unwrap(), excess as u64);
    assert_eq!(app.service.memory_shortage().await, excess as u64);

    held.pop();
    let waiting = app.service.clone();
    let waiting = tokio::spawn(async move { waiting.memory_shortage().await });
    everyone_waits().await;
    assert!(!waiting.is_finished());
    waiting.abort();
}

#[tokio::test]
async fn a_large_response_that_many_read_counts_once() {
    let app = crate::app().await;
    let heavy = app.create_body(&"\u{1F389}".repeat(100_000)).await;
    let mut held = Vec::new();
    for _ in 0..1_000 {
        let response = response(&app.service, &heavy.path()).await;
        assert_eq!(response.status(), 200);
        held.push(response);
    }
}
