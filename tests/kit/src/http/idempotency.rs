//! Idempotent creation with `Idempotency-Key`.

use std::future::IntoFuture;

use handbill::store::{Outcome, Write};
use handbill::{MemoryStore, Store};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{App, Call, Mount};
use crate::check::setup;

fn once(app: &App, name: &str, fields: &Value) -> Call {
    app.post(fields).header("idempotency-key", name)
}

#[track_caller]
fn assert_total(list: &Value, expected: u64) {
    assert_eq!(list["total"], expected, "posts that there are: {list}");
}

/// A repeated creation returns the same 201, byte for byte, even if the post has changed since.
pub async fn a_repeated_creation_returns_the_first_response(mount: &Mount) {
    let app = App::new(mount).await;
    let fields = json!({ "body": "x", "title": "t" });
    let first = once(&app, "a", &fields).await;
    let post = first.created();
    let repeat = async || {
        let repeat = once(&app, "a", &fields).await;
        repeat.expect_status(201);
        assert_eq!(repeat.body, first.body, "{repeat}: the body of a repeat");
        for name in ["location", "etag", "cache-control", "content-type"] {
            assert_eq!(repeat.header(name), first.header(name), "{repeat}: {name}");
        }
    };
    repeat().await;
    assert_total(&app.get("/api/posts").await.ok(), 1);

    app.update(&post, &json!({ "title": "changed" })).await;
    repeat().await;
    let title = app.read(&post).await["title"].clone();
    assert_eq!(title, "changed", "the title after a repeat");
    app.delete(&post).await.expect_status(204);
    repeat().await;
    app.get(&post.path()).await.problem("gone");
}

/// Each API key has its own idempotency keys, which are compared byte for byte.
pub async fn another_idempotency_key_or_none_creates_another_post(mount: &Mount) {
    let app = App::new(mount).await;
    let other = app.with_another_key().await;
    let fields = json!({ "body": "x" });
    for call in [
        once(&app, "a", &fields),
        once(&app, "A", &fields),
        once(&other, "a", &fields),
        app.post(&fields),
        app.post(&fields),
    ] {
        call.await.created();
    }
    assert_total(&app.get("/api/posts").await.ok(), 5);
}

/// The same key with another body returns 422.
pub async fn an_idempotency_key_with_another_body_is_refused(mount: &Mount) {
    let app = App::new(mount).await;
    let fields = json!({ "body": "x" });
    let first = once(&app, "a", &fields).await;
    for other in [json!({ "body": "y" }), json!({ "body": "x", "title": "t" })] {
        let response = once(&app, "a", &other).await;
        response.problem("idempotency_key_reused");
    }
    let repeat = once(&app, "a", &fields).await;
    assert_eq!(repeat.body, first.body, "{repeat}: the body of a repeat");
    assert_total(&app.get("/api/posts").await.ok(), 1);
}

/// A failed request does not use up its key.
pub async fn a_failed_request_does_not_use_up_its_idempotency_key(mount: &Mount) {
    let app = App::new(mount).await;
    let blank = once(&app, "a", &json!({ "body": "" })).await;
    blank.problem("invalid_post");
    once(&app, "a", &json!({ "body": "x" })).await.created();
    assert_total(&app.get("/api/posts").await.ok(), 1);
}

/// A key has 1 to 255 visible ASCII characters and appears once.
pub async fn an_idempotency_key_has_1_to_255_visible_ascii_characters(mount: &Mount) {
    let app = App::new(mount).await;
    let fields = json!({ "body": "x" });
    let (longest, too_long) = ("x".repeat(255), "x".repeat(256));
    for valid in ["!", "~", &*longest, "\"quoted\"", "a,b"] {
        once(&app, valid, &fields).await.created();
    }
    for invalid in ["", "a b", "a\tb", "\u{e9}", &*too_long] {
        let response = once(&app, invalid, &fields).await;
        response.problem("invalid_idempotency_key");
    }
    let twice = once(&app, "a", &fields).header("idempotency-key", "a");
    twice.await.problem("invalid_idempotency_key");
    assert_total(&app.get("/api/posts").await.ok(), 5);
}

/// A repeated creation returns 409 after the edit token was replaced, since the first response's
/// token is invalid.
pub async fn a_creation_whose_token_was_replaced_is_not_repeated(mount: &Mount) {
    let app = App::new(mount).await;
    let fields = json!({ "body": "x" });
    let post = once(&app, "a", &fields).await.created();
    let replace = app.call("POST", &format!("{}/edit_token", post.path()));
    let replaced = replace.header("x-edit-token", &post.token).await.ok();
    let repeat = once(&app, "a", &fields).await;
    repeat.problem("edit_token_replaced");
    let other = once(&app, "a", &json!({ "body": "y" })).await;
    other.problem("idempotency_key_reused");
    let token = replaced["edit_token"].as_str().unwrap_or_default();
    let delete = app.call("DELETE", &post.path());
    let delete = delete.header("x-edit-token", token).await;
    delete.expect_status(204);
    let repeat = once(&app, "a", &fields).await;
    repeat.problem("edit_token_replaced");
    assert_total(&app.get("/api/posts").await.ok(), 0);
}

/// Concurrent repeats create one post and get the same response.
pub async fn concurrent_repeats_create_one_post(mount: &Mount) {
    let app = App::new(mount).await;
    let mut tasks = JoinSet::new();
    for _ in 0..32 {
        tasks.spawn(once(&app, "a", &json!({ "body": "x" })).into_future());
    }
    let responses = tasks.join_all().await;
    for response in &responses {
        response.expect_status(201);
        let first = &responses[0].body;
        assert_eq!(response.body, first, "{response}: the body of a repeat");
    }
    assert_total(&app.get("/api/posts").await.ok(), 1);
}

/// A client with a revoked API key does not learn what that key created.
pub async fn a_revoked_key_cannot_repeat_a_creation(mount: &Mount) {
    let app = App::new(mount).await;
    let fields = json!({ "body": "x" });
    once(&app, "a", &fields).await.created();
    let revoke = app.call("DELETE", "/api/keys/current");
    let revoke = revoke.header("x-api-key", &*app.key).await;
    revoke.expect_status(204);
    let repeat = once(&app, "a", &fields).await;
    repeat.problem("invalid_api_key");
}

/// A creation may be repeated at another instance on the same store, with the same result.
pub async fn instances_on_one_store_repeat_each_others_creations(mount: &Mount) {
    let store = MemoryStore::new();
    let one = App::over(mount, store.clone()).await;
    let other = App::of(mount, App::service(mount, store), &one.key).await;
    let fields = json!({ "body": "x" });
    for (first, second, name) in [(&one, &other, "a"), (&other, &one, "b")] {
        let created = once(first, name, &fields).await;
        created.expect_status(201);
        let repeat = once(second, name, &fields).await;
        repeat.expect_status(201);
        assert_eq!(repeat.body, created.body, "{repeat}: the body of a repeat");
    }
    assert_total(&one.get("/api/posts").await.ok(), 2);
}

/// A person who knows a key, which may have been revoked since, and the idempotency key of a creation cannot
/// compute the edit token: not even with a service of their own, which has another store.
pub async fn an_api_key_and_an_idempotency_key_do_not_give_the_edit_token(mount: &Mount) {
    let (store, stranger_s_store) = (MemoryStore::new(), MemoryStore::new());
    let service = App::service(mount, store);
    let issued = setup(service.keys().issue(None, None))
        .await
        .expect("a key");
    let key = issued.key.expose();
    let written = setup(stranger_s_store.write(
        Write::InsertKey {
            key: issued.record,
            by: None,
        },
        None,
    ))
    .await;
    assert_eq!(written.expect("a write"), Outcome::Applied);
    let app = App::of(mount, service, key).await;
    let stranger = App::of(mount, App::service(mount, stranger_s_store), key).await;

    let fields = json!({ "body": "x" });
    let post = once(&app, "order-42", &fields).await.created();
    let computed = once(&stranger, "order-42", &fields).await.created();
    assert_ne!(computed.id, post.id, "identifiers of two installations");
    let update = app
        .call("PATCH", &post.path())
        .json(&json!({ "body": "y" }));
    let update = update.header("x-edit-token", &computed.token).await;
    update.problem("invalid_edit_token");
    assert_eq!(app.read(&post).await["body"], "x");
}
