//! Asking for API keys, inspecting and revoking them.

use handbill::KeyRequests;
use serde_json::{Value, json};

use super::app::FORM;
use super::{Answer, App, Call, Mount};

fn ask(app: &App, label: &Value) -> Call {
    app.call("POST", "/api/keys")
        .json(&json!({ "label": label }))
}

fn current(app: &App, method: &str, key: &str) -> Call {
    app.call(method, "/api/keys/current")
        .header("x-api-key", key)
}

#[track_caller]
fn key_of(answer: &Answer) -> String {
    let issued = answer.expect_status(201).json();
    let key = issued["api_key"].as_str();
    key.unwrap_or_else(|| panic!("{answer}: no api_key"))
        .to_owned()
}

/// A key request returns 201 with `{id, api_key, label, created_at}`, which is not cached (contract,
/// section 3).
pub async fn a_new_key_has_the_fields_of_the_contract(mount: &Mount) {
    let app = App::new(mount).await;
    let answer = ask(&app, &json!(" My script ")).await;
    let key = key_of(&answer);
    answer
        .expect_header("cache-control", "no-store")
        .expect_header("content-type", "application/json");
    let issued = answer.json();
    let expected = json!({
        "id": issued["id"], "api_key": key, "label": "My script",
        "created_at": issued["created_at"],
    });
    assert_eq!(issued, expected, "{answer}");
    let secret = key.strip_prefix("hb_").unwrap_or_default();
    let is_key = secret.len() == 49 && secret.bytes().all(|byte| byte.is_ascii_alphanumeric());
    assert!(is_key, "`{key}` is not hb_ and 49 of base62");
    let creator = app.with_key(&key);
    creator.create_body("the key is good at once").await;
}

/// A key's holder sees what is known of it: `{id, label, created_at, last_used_at}`, the last to the
/// hour (contract, section 3).
pub async fn a_key_can_be_inspected(mount: &Mount) {
    let app = App::new(mount).await;
    let asked = ask(&app, &json!("My script")).await;
    let (key, issued) = (key_of(&asked), asked.json());
    let answer = current(&app, "GET", &key).await;
    answer.expect_header("cache-control", "no-store");
    let inspected = answer.ok();
    let used = inspected["last_used_at"].as_str().unwrap_or_default();
    let is_hour = used.ends_with(":00:00.000Z");
    assert!(is_hour, "{answer}: last_used_at is to the hour");
    let expected = json!({
        "id": issued["id"], "label": "My script", "created_at": issued["created_at"],
        "last_used_at": used,
    });
    assert_eq!(inspected, expected, "{answer}");
}

/// A revoked key is refused from the next request on; what it created stays, with its edit
/// addresses, and so do other keys (contract, section 3).
pub async fn a_revoked_key_is_refused_and_what_it_created_stays(mount: &Mount) {
    let app = App::new(mount).await;
    let creator = app.with_another_key().await;
    let post = creator.create_body("mine").await;
    let revoke = current(&app, "DELETE", &creator.key).await;
    revoke.expect_status(204);
    for method in ["GET", "DELETE"] {
        let answer = current(&app, method, &creator.key).await;
        assert_eq!(answer.status, 401, "{answer}, with a revoked key");
    }
    let create = creator.post(&json!({ "body": "x" })).await;
    create.problem("invalid_api_key");

    let body = app.read(&post).await["body"].clone();
    assert_eq!(body, "mine", "what the key created");
    app.update(&post, &json!({ "body": "still mine" })).await;
    app.get(&post.edit_page()).await.expect_status(200);
    app.create_body("other keys live on").await;
}

/// A label is optional, and so is the body (contract, section 3).
pub async fn a_label_is_optional(mount: &Mount) {
    let app = App::new(mount).await;
    for call in [
        app.call("POST", "/api/keys"),
        app.call("POST", "/api/keys").body("application/json", ""),
        app.call("POST", "/api/keys").json(&json!({})),
        ask(&app, &json!(null)),
        ask(&app, &json!("  ")),
    ] {
        let answer = call.await;
        key_of(&answer);
        assert_eq!(answer.json()["label"], json!(null), "{answer}");
    }
}

/// A label is one line of at most 100 characters (contract, section 3).
pub async fn a_label_is_one_line_of_at_most_100_characters(mount: &Mount) {
    let app = App::new(mount).await;
    let longest = json!("é".repeat(100));
    let answer = ask(&app, &longest).await;
    assert_eq!(answer.json()["label"], longest, "{answer}");
    for (label, fault) in [
        (json!("é".repeat(101)), "too_long"),
        (json!("a\nb"), "control_character"),
        (json!("a\u{0}b"), "control_character"),
        (json!("\u{202E}a"), "bidi_override"),
        (json!(1), "wrong_type"),
        (json!(["x"]), "wrong_type"),
    ] {
        let answer = ask(&app, &label).await;
        answer.expect_faults(&[("label", fault)]);
    }
    let other_name = app.call("POST", "/api/keys").json(&json!({ "name": "x" }));
    let answer = other_name.await;
    answer.expect_faults(&[("name", "unknown_field")]);
}

/// What a key request brings is a JSON object, and says so (contract, section 4).
pub async fn a_key_request_with_a_body_is_json(mount: &Mount) {
    let app = App::new(mount).await;
    let ask = || app.call("POST", "/api/keys");
    let twice = r#"{"label":"a","label":"a"}"#;
    for body in ["[]", "null", "\"x\"", "{", twice] {
        let answer = ask().body("application/json", body).await;
        answer.problem("invalid_json");
    }
    for call in [
        ask().body("text/plain", "label=x"),
        ask().body(FORM, "label=x"),
        ask().sending(super::SentBody::whole("{}")),
    ] {
        call.await.problem("unsupported_media_type");
    }
    let issued = app.service.keys().list().await.unwrap();
    assert_eq!(issued.len(), 1, "keys that there are");
}

/// Where the host closes key requests they are 403, whatever they bring, and keys that there are go
/// on working (contract, section 6).
pub async fn a_host_can_close_key_requests(mount: &Mount) {
    let app = App::new(mount).await;
    let closed = app.set(|service| service.with_key_requests(KeyRequests::Closed));
    let closed = closed.await;
    let ask = || closed.call("POST", "/api/keys");
    for call in [
        ask(),
        ask().body("application/json", "{"),
        closed.submit("/keys", &[("label", "x")]),
    ] {
        call.await.problem("key_requests_closed");
    }
    let page = closed.get("/keys").await;
    page.expect_status(200).expect_no_text("<form");
    let issued = closed.service.keys().list().await.unwrap();
    assert_eq!(issued.len(), 1, "keys that there are");
    closed.create_body("keys that there are go on").await;
}

/// Unknown, malformed and revoked keys all answer `invalid_api_key`, alike in every byte (contract,
/// section 4).
pub async fn invalid_keys_get_identical_responses(mount: &Mount) {
    let app = App::new(mount).await;
    let revoked = key_of(&ask(&app, &json!("x")).await);
    let revoke = current(&app, "DELETE", &revoked).await;
    revoke.expect_status(204);
    let elsewhere = App::new(mount).await;
    let last = if app.key.ends_with('0') { "1" } else { "0" };
    let typo = format!("{}{last}", &app.key[..app.key.len() - 1]);
    let long = "x".repeat(4_000);
    let create = |key: &str| {
        let create = app.call("POST", "/api/posts").json(&json!({ "body": "x" }));
        create.header("x-api-key", key)
    };
    let given = create("x").unmounted().await;
    let mut first: Option<Answer> = None;
    for key in [
        &*revoked,
        &*elsewhere.key,
        &*typo,
        "x",
        "hb_",
        "\u{e9}",
        &*long,
    ] {
        let mut answer = create(key).await;
        answer.problem("invalid_api_key");
        answer.headers = answer.headers_named_as(&given);
        let first = first.get_or_insert_with(|| answer.clone());
        let alike = answer.headers == first.headers && answer.body == first.body;
        assert!(alike, "`{key}`: {answer}; another key: {first}");
    }
}

/// Creating posts, inspecting and revoking a key need a key, in `X-Api-Key` alone (contract,
/// sections 3 and 4).
pub async fn a_missing_api_key_is_challenged(mount: &Mount) {
    let app = App::new(mount).await;
    let create = || app.call("POST", "/api/posts").json(&json!({ "body": "x" }));
    let bearer = format!("Bearer {}", app.key);
    for call in [
        create(),
        create().header("x-api-key", ""),
        create().header("authorization", bearer),
        app.call("GET", "/api/keys/current"),
        app.call("DELETE", "/api/keys/current"),
    ] {
        let answer = call.await;
        answer.problem("missing_api_key");
        let challenge = answer.header("www-authenticate").unwrap_or_default();
        let is_named = challenge.contains("X-Api-Key");
        assert!(is_named, "{answer}: the challenge is {challenge}");
    }
}

/// An API key that stands there twice is 400: of two lines, none is dropped or joined to the other
/// on the way (contract, section 4).
pub async fn a_repeated_api_key_is_refused(mount: &Mount) {
    let app = App::new(mount).await;
    for call in [
        app.post(&json!({ "body": "x" })),
        current(&app, "GET", &app.key),
        current(&app, "DELETE", &app.key),
    ] {
        let twice = call.header("x-api-key", &*app.key).await;
        twice.problem("invalid_header");
    }
    app.create_body("the key is still good").await;
}
