//! Requesting, inspecting and revoking API keys.

use handbill::KeyRequests;
use serde_json::{Value, json};

use super::app::FORM;
use super::forms::origin;
use super::{App, Call, Mount, TestResponse};

fn request_key(app: &App, label: &Value) -> Call {
    app.call("POST", "/api/keys")
        .json(&json!({ "label": label }))
}

fn current(app: &App, method: &str, key: &str) -> Call {
    app.call(method, "/api/keys/current")
        .header("x-api-key", key)
}

#[track_caller]
fn key_of(response: &TestResponse) -> String {
    let issued = response.expect_status(201).json();
    let key = issued["api_key"].as_str();
    key.unwrap_or_else(|| panic!("{response}: no api_key"))
        .to_owned()
}

/// A key request returns 201 with `{id, api_key, label, created_at}` and may not be cached.
pub async fn a_new_key_has_the_fields_of_the_contract(mount: &Mount) {
    let app = App::new(mount).await;
    let response = request_key(&app, &json!(" My script ")).await;
    let key = key_of(&response);
    response
        .expect_header("cache-control", "no-store")
        .expect_header("content-type", "application/json");
    let issued = response.json();
    let expected = json!({
        "id": issued["id"], "api_key": key, "label": "My script",
        "created_at": issued["created_at"],
    });
    assert_eq!(issued, expected, "{response}");
    let secret = key.strip_prefix("hb_").unwrap_or_default();
    let is_key = secret.len() == 49 && secret.bytes().all(|byte| byte.is_ascii_alphanumeric());
    assert!(is_key, "`{key}` is not hb_ and 49 of base62");
    let creator = app.with_key(&key);
    creator.create_body("the key is good at once").await;
}

/// A key can be inspected: `{id, label, owner, created_at, last_used_at}`, the last one to the
/// hour.
pub async fn a_key_can_be_inspected(mount: &Mount) {
    let app = App::new(mount).await;
    let requested = request_key(&app, &json!("My script")).await;
    let (key, issued) = (key_of(&requested), requested.json());
    let response = current(&app, "GET", &key).await;
    response.expect_header("cache-control", "no-store");
    let inspected = response.ok();
    let used = inspected["last_used_at"].as_str().unwrap_or_default();
    let is_hour = used.ends_with(":00:00.000Z");
    assert!(is_hour, "{response}: last_used_at is to the hour");
    let expected = json!({
        "id": issued["id"], "label": "My script", "created_at": issued["created_at"],
        "owner": format!("key:{}", issued["id"].as_str().unwrap_or_default()), "last_used_at": used,
    });
    assert_eq!(inspected, expected, "{response}");
}

/// A revoked key is refused from the next request on. Its posts, their edit addresses and other
/// keys still work.
pub async fn a_revoked_key_is_refused_and_what_it_created_stays(mount: &Mount) {
    let app = App::new(mount).await;
    let creator = app.with_another_key().await;
    let post = creator.create_body("mine").await;
    let revoke = current(&app, "DELETE", &creator.key).await;
    revoke.expect_status(204);
    for method in ["GET", "DELETE"] {
        let response = current(&app, method, &creator.key).await;
        assert_eq!(response.status, 401, "{response}, with a revoked key");
    }
    let create = creator.post(&json!({ "body": "x" })).await;
    create.problem("invalid_api_key");

    let body = app.read(&post).await["body"].clone();
    assert_eq!(body, "mine", "what the key created");
    app.update(&post, &json!({ "body": "still mine" })).await;
    app.get(&post.edit_page()).await.expect_status(200);
    app.create_body("other keys live on").await;
}

/// A label is optional, and so is the body.
pub async fn a_label_is_optional(mount: &Mount) {
    let app = App::new(mount).await;
    for call in [
        app.call("POST", "/api/keys"),
        app.call("POST", "/api/keys").body("application/json", ""),
        app.call("POST", "/api/keys").json(&json!({})),
        request_key(&app, &json!(null)),
        request_key(&app, &json!("  ")),
    ] {
        let response = call.await;
        key_of(&response);
        assert_eq!(response.json()["label"], json!(null), "{response}");
    }
}

/// A label is one line of at most 100 characters.
pub async fn a_label_is_one_line_of_at_most_100_characters(mount: &Mount) {
    let app = App::new(mount).await;
    let longest = json!("é".repeat(100));
    let response = request_key(&app, &longest).await;
    assert_eq!(response.json()["label"], longest, "{response}");
    for (label, fault) in [
        (json!("é".repeat(101)), "too_long"),
        (json!("a\nb"), "control_character"),
        (json!("a\u{0}b"), "control_character"),
        (json!("\u{202E}a"), "bidi_override"),
        (json!(1), "wrong_type"),
        (json!(["x"]), "wrong_type"),
    ] {
        let response = request_key(&app, &label).await;
        response.expect_faults(&[("label", fault)]);
    }
    let other_name = app.call("POST", "/api/keys").json(&json!({ "name": "x" }));
    let response = other_name.await;
    response.expect_faults(&[("name", "unknown_field")]);
}

/// The body of a key request must be a JSON object with that media type.
pub async fn a_key_request_with_a_body_is_json(mount: &Mount) {
    let app = App::new(mount).await;
    let request = || app.call("POST", "/api/keys");
    let twice = r#"{"label":"a","label":"a"}"#;
    for body in ["[]", "null", "\"x\"", "{", twice] {
        let response = request().body("application/json", body).await;
        response.problem("invalid_json");
    }
    for call in [
        request().body("text/plain", "label=x"),
        request().body(FORM, "label=x"),
        request().sending(super::SentBody::whole("{}")),
    ] {
        call.await.problem("unsupported_media_type");
    }
    let issued = app.service.keys().list().await.unwrap();
    assert_eq!(issued.len(), 1, "the number of keys");
}

/// A key request that a browser sent from another site is refused, by `Sec-Fetch-Site` or else by
/// `Origin`. Otherwise any site could get keys through its visitors.
pub async fn a_key_request_from_another_site_is_refused(mount: &Mount) {
    let app = App::new(mount).await;
    let own = origin(&app);
    let request = |headers: &[(&str, &str)]| {
        let call = app.call("POST", "/api/keys");
        let add = |call: Call, (name, value): &(&str, &str)| call.header(name, *value);
        headers.iter().fold(call, add)
    };
    let other = "https://other.example";
    for headers in [
        &[("sec-fetch-site", "cross-site")][..],
        &[("sec-fetch-site", "same-site")],
        &[("sec-fetch-site", "cross-site"), ("origin", &own)],
        &[("sec-fetch-site", "cross-site"), ("origin", other)],
        &[("origin", other)],
        &[("origin", "null")],
    ] {
        let response = request(headers).await;
        response.problem("cross_site");
    }
    let issued = app.service.keys().list().await.unwrap();
    assert_eq!(issued.len(), 1, "the number of keys");
    for headers in [
        &[][..],
        &[("sec-fetch-site", "same-origin"), ("origin", &own)],
        &[("sec-fetch-site", "none")],
        &[("origin", &own)],
    ] {
        key_of(&request(headers).await);
    }
}

/// If the host closes key requests, they return 403 whatever they contain, and existing keys still
/// work.
pub async fn a_host_can_close_key_requests(mount: &Mount) {
    let app = App::new(mount).await;
    let closed = app.set(|service| service.with_key_requests(KeyRequests::Closed));
    let closed = closed.await;
    let request = || closed.call("POST", "/api/keys");
    for call in [
        request(),
        request().body("application/json", "{"),
        closed.submit("/keys", &[("label", "x")]),
    ] {
        call.await.problem("key_requests_closed");
    }
    let page = closed.get("/keys").await;
    page.expect_status(200).expect_no_text("<form");
    let issued = closed.service.keys().list().await.unwrap();
    assert_eq!(issued.len(), 1, "the number of keys");
    closed.create_body("existing keys still work").await;
}

/// Unknown, malformed and revoked keys return the same `invalid_api_key`, byte for byte.
pub async fn invalid_keys_get_identical_responses(mount: &Mount) {
    let app = App::new(mount).await;
    let revoked = key_of(&request_key(&app, &json!("x")).await);
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
    let mut first: Option<TestResponse> = None;
    for key in [
        &*revoked,
        &*elsewhere.key,
        &*typo,
        "x",
        "hb_",
        "\u{e9}",
        &*long,
    ] {
        let mut response = create(key).await;
        response.problem("invalid_api_key");
        response.headers = response.headers_named_as(&given);
        let first = first.get_or_insert_with(|| response.clone());
        let alike = response.headers == first.headers && response.body == first.body;
        assert!(alike, "`{key}`: {response}; another key: {first}");
    }
}

/// Creating posts and inspecting or revoking a key need a key, and only in `X-Api-Key`.
pub async fn a_missing_api_key_is_challenged(mount: &Mount) {
    let app = App::new(mount).await;
    let create = || app.call("POST", "/api/posts").json(&json!({ "body": "x" }));
    for call in [
        create(),
        create().header("x-api-key", ""),
        app.call("GET", "/api/keys/current"),
        app.call("DELETE", "/api/keys/current"),
    ] {
        let response = call.await;
        response.problem("missing_api_key");
        let challenge = response.header("www-authenticate").unwrap_or_default();
        let is_named = challenge.contains("X-Api-Key");
        assert!(is_named, "{response}: the challenge is {challenge}");
    }
}

/// A repeated `X-Api-Key` returns 400: the mount neither drops nor joins lines.
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

/// `Authorization: Bearer hb_…` is as good as `X-Api-Key`. Two of them and two different keys are refused. What else is
/// in `Authorization` is not for the service.
pub async fn a_bearer_token_is_an_api_key(mount: &Mount) {
    let app = App::new(mount).await;
    let key = &*app.key;
    let create = |authorization: &str| {
        let call = app.call("POST", "/api/posts").json(&json!({ "body": "x" }));
        call.header("authorization", authorization)
    };
    for scheme in ["Bearer", "bearer"] {
        let response = create(&format!("{scheme} {key}")).await;
        response.expect_status(201);
    }
    let inspected = app.call("GET", "/api/keys/current");
    inspected
        .header("authorization", format!("Bearer {key}"))
        .await
        .ok();
    for wrong in ["Bearer hb_nonsense", "Bearer hb_é"] {
        create(wrong).await.problem("invalid_api_key");
    }
    for others in [
        "Basic aGI6aGI=",
        "Bearer eyJhbGciOiJub25lIn0",
        "Bearer",
        key,
    ] {
        create(others).await.problem("missing_api_key");
        let both = create(others).header("x-api-key", key).await;
        both.expect_status(201);
    }
    let bearer = format!("Bearer {key}");
    create(&bearer)
        .header("x-api-key", key)
        .await
        .expect_status(201);
    let twice = create(&bearer).header("authorization", &bearer).await;
    twice.problem("invalid_header");
    let other = app.with_another_key().await;
    let both = create(&bearer).header("x-api-key", &*other.key).await;
    both.problem("invalid_header");
}
