//! What the host can show as JSON, and the responses that it can give.

use std::convert::Infallible;

use futures_util::StreamExt;
use handbill::{Event, PostSelection, Tag, Timestamp};
use handbill_tests::warnings::Warnings;
use http_body_util::{Limited, StreamBody};

use super::*;
use crate::listener::heard;

fn json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}

fn full() -> Draft {
    Draft::new()
        .title("Hello")
        .body("# One\n\nTwo *three*.")
        .tags(["rust", "web"])
        .focus_keyword("hello")
        .language("en")
        .owner("user:42".parse().unwrap())
}

#[tokio::test]
async fn a_post_without_its_body_is_shown_as_in_a_list_of_the_api() {
    let handbill = handbill();
    for draft in [full(), Draft::new().body("x")] {
        let id = handbill.posts().create(draft).await.unwrap().id;
        let summary = handbill.posts().summary(id).await.unwrap();
        let mut listed = get(&handbill, "/api/posts").await["posts"][0].take();
        let url = listed.as_object_mut().unwrap().remove("url");
        assert_eq!(url, Some(json!(handbill.posts().url(id))));
        assert_eq!(json(&summary), listed);

        for bodies in [false, true] {
            let first = PageRequest::new(1, 1).unwrap().with_bodies(bodies);
            let posts = handbill.posts().list(first).await.unwrap().posts;
            if let Some(body) = &posts[0].body {
                listed["body"] = json!(body);
            }
            assert_eq!(listed.get("body").is_some(), bodies);
            assert_eq!(json(&posts[0]), listed);
        }
    }
}

#[tokio::test]
async fn the_parts_of_a_post_are_texts() {
    let time = Timestamp::from_micros(1_795_168_800_123_456);
    assert_eq!(json(&time), "2026-11-20T10:00:00.123Z");
    assert_eq!(json(&"#Rust".parse::<Tag>().unwrap()), "rust");
    assert_eq!(json(&"user:42".parse::<Owner>().unwrap()), "user:42");
    let id = PostId::generate();
    assert_eq!(json(&id), id.as_str());
    let id = handbill::KeyId::generate();
    assert_eq!(json(&id), id.as_str());
    assert_eq!(
        json(&Visibility::ALL),
        json!(["public", "unlisted", "draft"])
    );
}

#[tokio::test]
async fn an_event_is_an_object_with_its_name_and_without_secrets() {
    let (handbill, mut heard) = heard(handbill());
    let issued = handbill.keys().issue(Some("ci"), None).await.unwrap();
    let created = handbill.posts().create(full()).await.unwrap();
    let summary = handbill.posts().summary(created.id).await.unwrap();
    let changed = Draft::new().visibility(Visibility::Draft);
    let changed = handbill.posts().update(created.id, changed).await.unwrap();
    handbill.posts().delete(created.id).await.unwrap();
    handbill.keys().revoke(issued.record.id).await.unwrap();

    let of_post = |event: &str, post: &Value| {
        let mut expected = post.clone();
        expected["event"] = json!(event);
        expected["owner"] = json!("user:42");
        expected
    };
    let expected = [
        json!({
            "event": "key.issued", "id": issued.record.id, "label": "ci", "owner": issued.record.owner,
        }),
        of_post("post.created", &json(&summary)),
        of_post("post.updated", &json(&changed.summary)),
        json!({
            "event": "post.deleted", "id": created.id, "visibility": "draft", "owner": "user:42",
        }),
        json!({ "event": "key.revoked", "id": issued.record.id }),
    ];
    for expected in expected {
        let event: Event = heard.recv().await.unwrap();
        let shown = json(&event);
        assert_eq!(shown, expected);
        for secret in [created.edit.token.expose(), issued.key.expose()] {
            assert!(!shown.to_string().contains(secret), "{shown}");
        }
    }
}

#[tokio::test]
async fn the_name_of_a_post_is_its_title_or_what_its_text_begins_with() {
    let handbill = handbill();
    for (draft, name) in [
        (
            Draft::new().title("Title").body("# Heading\n\nText."),
            Some("Title"),
        ),
        (Draft::new().body("# Heading\n\nText."), Some("Heading")),
        (
            Draft::new().body("One sentence. Another."),
            Some("One sentence."),
        ),
        (Draft::new().body("![](https://example.org/a.png)"), None),
    ] {
        let id = handbill.posts().create(draft).await.unwrap().id;
        let post = handbill.posts().summary(id).await.unwrap();
        assert_eq!(post.name().as_deref(), name);
    }
}

/// The host's own routes respond as the service does.
#[tokio::test]
async fn a_problem_of_the_host_is_responded_to_as_the_service_does() {
    let handbill = handbill();
    let unknown = PostId::generate();
    let request = Request::get(format!("/api/posts/{unknown}"));
    let expected = send(&handbill, request.body(Full::default()).unwrap()).await;
    let problem = handbill.posts().read(unknown).await.unwrap_err();
    let response = handbill.response(&problem);
    assert_eq!(response.status(), expected.status());
    assert_eq!(response.headers(), expected.headers());
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, expected.body());

    let faulty = handbill.posts().create(Draft::new()).await.unwrap_err();
    let response = handbill.response(&faulty);
    assert_eq!(response.status(), 422);
    assert_eq!(
        response.headers()["content-type"],
        "application/problem+json"
    );
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(
        (&body["code"], &body["errors"][0]["field"]),
        (&json!("invalid_post"), &json!("body"))
    );

    let response = handbill.too_many_requests(Duration::from_millis(1001));
    assert_eq!(response.status(), 429);
    assert_eq!(response.headers()["retry-after"], "2");
}

#[tokio::test]
async fn a_response_to_a_failure_of_the_store_has_no_cause() {
    static GATE: Semaphore = Semaphore::const_new(0);
    let inner = MemoryStore::new();
    let handbill = Handbill::new(BASE, Decorated(Gated { inner, gate: &GATE })).unwrap();
    let posts = handbill.posts();
    let failed = posts.create_once("job", Draft::new().body("x")).await;
    let problem = failed.unwrap_err();
    assert!(std::error::Error::source(&problem).is_some());
    let response = handbill.response(&problem);
    assert_eq!(response.status(), 503);
    assert_eq!(response.headers()["retry-after"], "1");
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert!(!String::from_utf8_lossy(&body).contains("secret"));
}

/// Also if the form comes back to the browser.
#[tokio::test]
async fn the_cause_of_a_failure_of_the_store_is_logged_once() {
    static GATE: Semaphore = Semaphore::const_new(0);
    for accept in ["text/html", "*/*"] {
        let inner = MemoryStore::new();
        let handbill = Handbill::new(BASE, Decorated(Gated { inner, gate: &GATE })).unwrap();
        let (log, _guard) = Warnings::collect();
        let request = Request::post("/write")
            .header("accept", accept)
            .header("content-type", "application/x-www-form-urlencoded");
        let response = send(&handbill, request.body("body=x".into()).unwrap()).await;
        assert_eq!(response.status(), 503);
        assert_eq!(log.texts(), ["the service is not available"], "{accept}");
    }
}

/// As tower-http's `RequestBodyLimitLayer` does it, for a body without `Content-Length`. A framework may wrap the
/// error.
#[tokio::test]
async fn a_limit_that_the_host_puts_around_the_service_is_a_body_that_is_too_large() {
    let handbill = handbill();
    let key = handbill.keys().issue(None, None).await.unwrap().key;
    let body = || {
        let frames = futures_util::stream::repeat(Bytes::from(" ".repeat(100))).take(20);
        let frames = frames.map(|data| Ok::<_, Infallible>(http_body::Frame::data(data)));
        Limited::new(StreamBody::new(frames), 1000)
    };
    let request = || {
        Request::post("/api/posts")
            .header("x-api-key", key.expose())
            .header("content-type", "application/json")
    };
    let wrapped = body().map_err(std::io::Error::other);
    let responses = [
        handbill
            .clone()
            .oneshot(request().body(body()).unwrap())
            .await
            .unwrap(),
        handbill
            .clone()
            .oneshot(request().body(wrapped).unwrap())
            .await
            .unwrap(),
    ];
    for response in responses {
        assert_eq!(response.status(), 413);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["code"], "body_too_large");
    }
    // Any other end of a body is one that is not complete.
    let cut = body().map_err(|_| std::io::Error::other("the connection broke"));
    let response = handbill
        .clone()
        .oneshot(request().body(cut).unwrap())
        .await
        .unwrap();
    assert_eq!(response.status(), 400);
    let all = PostSelection::all();
    assert_eq!(handbill.posts().visit(&all).count().await, 0);
}
