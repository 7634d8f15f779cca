//! Asking for API keys, inspecting and revoking them.

use handbill::KeyRequests;
use serde_json::{Value, json};

use crate::app::{Answer, App, Call};

fn ask(app: &App, label: &Value) -> Call {
    app.call("POST", "/api/keys")
        .json(&json!({ "label": label }))
}

fn current(app: &App, method: &str, key: &str) -> Call {
    app.call(method, "/api/keys/current")
        .header("x-api-key", key)
}

fn key_of(answer: &Answer) -> String {
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.json()["api_key"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_key_is_issued_inspected_used_and_revoked() {
    let app = App::new().await;
    let answer = ask(&app, &json!(" My script ")).await;
    let key = key_of(&answer);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let issued = answer.json();
    let mut names: Vec<_> = issued.as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(names, ["api_key", "created_at", "id", "label"]);
    assert_eq!(issued["label"], "My script");
    assert_eq!(key.len(), 52);
    assert!(key.starts_with("hb_"));
    assert!(key[3..].bytes().all(|byte| byte.is_ascii_alphanumeric()));

    let inspected = current(&app, "GET", &key).await;
    assert_eq!(inspected.header("cache-control"), Some("no-store"));
    let inspected = inspected.ok();
    let used = inspected["last_used_at"].as_str().unwrap();
    assert!(used.ends_with(":00:00.000Z"), "to the hour: {used}");
    assert_eq!(
        inspected,
        json!({
            "id": issued["id"], "label": "My script", "created_at": issued["created_at"],
            "last_used_at": used,
        })
    );

    let creator = App {
        key: key.clone().into(),
        ..app.clone()
    };
    let post = creator.create_body("mine").await;
    assert_eq!(current(&app, "DELETE", &key).await.status, 204);
    for method in ["GET", "DELETE"] {
        current(&app, method, &key).await.problem("invalid_api_key");
    }
    creator
        .post(&json!({ "body": "x" }))
        .await
        .problem("invalid_api_key");

    assert_eq!(app.read(&post).await["body"], "mine");
    app.update(&post, &json!({ "body": "still mine" })).await;
    assert_eq!(app.get(&post.edit_page()).await.status, 200);
    app.create_body("other keys live on").await;
}

#[tokio::test]
async fn a_label_is_optional() {
    let app = App::new().await;
    for call in [
        app.call("POST", "/api/keys"),
        app.call("POST", "/api/keys").body("application/json", ""),
        app.call("POST", "/api/keys").json(&json!({})),
        ask(&app, &json!(null)),
        ask(&app, &json!("  ")),
    ] {
        let answer = call.await;
        key_of(&answer);
        assert_eq!(answer.json()["label"], json!(null));
    }
    let longest = "é".repeat(100);
    assert_eq!(
        ask(&app, &json!(longest)).await.json()["label"],
        json!(longest)
    );
}

#[tokio::test]
async fn a_label_is_one_line_of_at_most_100_characters() {
    let app = App::new().await;
    for (label, fault) in [
        (json!("é".repeat(101)), "too_long"),
        (json!("a\nb"), "control_character"),
        (json!("a\u{0}b"), "control_character"),
        (json!("\u{202E}a"), "bidi_override"),
        (json!(1), "wrong_type"),
        (json!(["x"]), "wrong_type"),
    ] {
        let answer = ask(&app, &label).await;
        assert_eq!(answer.faults(), [("label".to_owned(), fault.to_owned())]);
    }
    let answer = app
        .call("POST", "/api/keys")
        .json(&json!({ "name": "x" }))
        .await;
    assert_eq!(answer.faulty_fields(), ["name"]);
    for body in [
        "[]",
        "null",
        "\"x\"",
        "{",
        "{\"label\":\"a\",\"label\":\"a\"}",
    ] {
        let call = app.call("POST", "/api/keys").body("application/json", body);
        call.await.problem("invalid_json");
    }
    for media_type in ["text/plain", "application/x-www-form-urlencoded"] {
        let call = app.call("POST", "/api/keys").body(media_type, "label=x");
        call.await.problem("unsupported_media_type");
    }
    let untyped = app.call("POST", "/api/keys");
    let untyped = untyped.send("{}".to_owned()).await;
    untyped.problem("unsupported_media_type");
    assert_eq!(app.service.keys().list().await.unwrap().len(), 1);
}

#[tokio::test]
async fn keys_are_not_given_out_where_the_host_closes_them() {
    let app = App::new().await;
    let closed = app.set(|service| service.with_key_requests(KeyRequests::Closed));
    closed
        .call("POST", "/api/keys")
        .await
        .problem("key_requests_closed");
    // Who gets no key is not told what the body lacks either.
    let broken = closed
        .call("POST", "/api/keys")
        .body("application/json", "{");
    broken.await.problem("key_requests_closed");
    let page = closed.get("/keys").await;
    assert_eq!(page.status, 200);
    assert!(!page.text().contains("<form"), "{}", page.text());
    let form = closed
        .call("POST", "/keys")
        .body("application/x-www-form-urlencoded", "label=x");
    form.await.problem("key_requests_closed");
    assert_eq!(closed.service.keys().list().await.unwrap().len(), 1);
    closed
        .create_body("keys that there are go on working")
        .await;
}

#[tokio::test]
async fn keys_that_are_not_in_force_are_answered_alike_in_every_byte() {
    let app = App::new().await;
    let revoked = key_of(&ask(&app, &json!("x")).await);
    assert_eq!(current(&app, "DELETE", &revoked).await.status, 204);
    let elsewhere = App::new().await;
    let typo = format!(
        "{}{}",
        &app.key[..51],
        if app.key.ends_with('0') { "1" } else { "0" }
    );
    let wrong = [
        revoked.as_bytes(),
        elsewhere.key.as_bytes(),
        typo.as_bytes(),
        b"x",
        b"hb_",
        b"\xFF\xFE",
        &[b'x'; 5_000],
    ];
    let mut answers = Vec::new();
    for key in wrong {
        let create = app.call("POST", "/api/posts").json(&json!({ "body": "x" }));
        let answer = create.header("x-api-key", key).await;
        answer.problem("invalid_api_key");
        answers.push((answer.status, answer.headers, answer.body));
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]));
}

#[tokio::test]
async fn a_key_is_needed_to_create_and_to_inspect() {
    let app = App::new().await;
    let missing = "missing_api_key";
    let create = || app.call("POST", "/api/posts").json(&json!({ "body": "x" }));
    create().await.problem(missing);
    create().header("x-api-key", "").await.problem(missing);
    create()
        .header("authorization", format!("Bearer {}", app.key))
        .await
        .problem(missing);
    for method in ["GET", "DELETE"] {
        app.call(method, "/api/keys/current").await.problem(missing);
        let twice = current(&app, method, &app.key).header("x-api-key", &*app.key);
        twice.await.problem("invalid_header");
    }
    let twice = create()
        .header("x-api-key", &*app.key)
        .header("x-api-key", &*app.key);
    twice.await.problem("invalid_header");
    let challenge = create().await;
    let challenge = challenge.header("www-authenticate").unwrap();
    assert!(challenge.contains("X-Api-Key"), "{challenge}");
}
