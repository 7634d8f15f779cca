//! Creating exactly once.

use std::future::IntoFuture;

use serde_json::{Value, json};

use crate::app::{App, Call};

fn once(app: &App, name: &str, fields: &Value) -> Call {
    app.post(fields).header("idempotency-key", name)
}

async fn total(app: &App) -> Value {
    app.get("/api/posts").await.ok()["total"].clone()
}

#[tokio::test]
async fn a_repeat_is_answered_as_the_first_request_was() {
    let app = App::new().await;
    let fields = json!({ "body": "x", "title": "t" });
    let first = once(&app, "a", &fields).await;
    let post = first.created();
    let repeat = once(&app, "a", &fields).await;
    assert_eq!(repeat.status, 201);
    assert_eq!(repeat.body, first.body);
    assert_eq!(repeat.headers, first.headers);
    assert_eq!(total(&app).await, 1);

    app.update(&post, &json!({ "title": "changed" })).await;
    assert_eq!(once(&app, "a", &fields).await.body, first.body);
    assert_eq!(app.read(&post).await["title"], "changed");
    app.delete(&post).await;
    assert_eq!(once(&app, "a", &fields).await.body, first.body);
    app.get(&post.path()).await.problem("gone");
    assert_eq!(total(&app).await, 0);
}

#[tokio::test]
async fn another_name_key_or_none_at_all_creates_another_post() {
    let app = App::new().await;
    let other = App::of(app.service.clone()).await;
    let fields = json!({ "body": "x" });
    let mut ids = vec![
        once(&app, "a", &fields).await.created().id,
        once(&app, "A", &fields).await.created().id,
        once(&other, "a", &fields).await.created().id,
        app.create(&fields).await.id,
        app.create(&fields).await.id,
    ];
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 5);
    assert_eq!(total(&app).await, 5);
}

#[tokio::test]
async fn the_same_name_for_another_body_is_refused() {
    let app = App::new().await;
    let first = once(&app, "a", &json!({ "body": "x" })).await;
    for other in [json!({ "body": "y" }), json!({ "body": "x", "title": "t" })] {
        once(&app, "a", &other)
            .await
            .problem("idempotency_key_reused");
    }
    assert_eq!(
        once(&app, "a", &json!({ "body": "x" })).await.body,
        first.body
    );
    assert_eq!(total(&app).await, 1);
}

#[tokio::test]
async fn a_request_that_failed_uses_no_name_up() {
    let app = App::new().await;
    once(&app, "a", &json!({ "body": "" }))
        .await
        .problem("invalid_post");
    once(&app, "a", &json!({ "body": "x" })).await.created();
    assert_eq!(total(&app).await, 1);
}

#[tokio::test]
async fn a_name_is_1_to_255_visible_ascii_characters() {
    let app = App::new().await;
    let fields = json!({ "body": "x" });
    let (longest, too_long) = ("x".repeat(255), "x".repeat(256));
    for valid in ["!", "~", &*longest, "\"quoted\"", "a,b"] {
        once(&app, valid, &fields).await.created();
    }
    for invalid in ["", "a b", "a\tb", "\u{e9}", &*too_long] {
        once(&app, invalid, &fields)
            .await
            .problem("invalid_idempotency_key");
    }
    let twice = once(&app, "a", &fields).header("idempotency-key", "a");
    twice.await.problem("invalid_idempotency_key");
    assert_eq!(total(&app).await, 5);
}

#[tokio::test]
async fn a_creation_whose_token_was_replaced_is_not_repeated() {
    let app = App::new().await;
    let fields = json!({ "body": "x" });
    let post = once(&app, "a", &fields).await.created();
    let replace = app.call("POST", &format!("{}/edit_token", post.path()));
    let replaced = replace.header("x-edit-token", &post.token).await.ok();
    once(&app, "a", &fields)
        .await
        .problem("edit_token_replaced");
    once(&app, "a", &json!({ "body": "y" }))
        .await
        .problem("idempotency_key_reused");
    let delete = app.call("DELETE", &post.path());
    let delete = delete.header("x-edit-token", replaced["edit_token"].as_str().unwrap());
    assert_eq!(delete.await.status, 204);
    once(&app, "a", &fields)
        .await
        .problem("edit_token_replaced");
    assert_eq!(total(&app).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_repeats_create_one_post() {
    let app = App::new().await;
    let folder = tempfile::tempdir().unwrap();
    let store = handbill::SqliteStore::open(folder.path().join("once.db"))
        .await
        .unwrap();
    for app in [app, App::over(store).await] {
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..32 {
            tasks.spawn(once(&app, "a", &json!({ "body": "x" })).into_future());
        }
        let answers = tasks.join_all().await;
        assert!(answers.iter().all(|answer| answer.status == 201));
        assert!(answers.iter().all(|answer| answer.body == answers[0].body));
        assert_eq!(total(&app).await, 1);
    }
}

#[tokio::test]
async fn a_revoked_key_repeats_nothing() {
    let app = App::new().await;
    let fields = json!({ "body": "x" });
    once(&app, "a", &fields).await.created();
    let revoke = app.call("DELETE", "/api/keys/current");
    assert_eq!(revoke.header("x-api-key", &*app.key).await.status, 204);
    once(&app, "a", &fields).await.problem("invalid_api_key");
}
