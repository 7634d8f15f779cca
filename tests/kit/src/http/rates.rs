//! Rate limits. The rates here are so slow that no check waits for them.

use handbill::{ClientAddr, Handbill, KeyRequests, MemoryStore, Rate, RateLimits};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;

use super::app::{FORM, NO_TOKEN};
use super::{App, Created, Mount, SentBody, TestResponse};

/// A limit with this burst, which no check lives long enough to refill.
fn burst(times: u32) -> Option<Rate> {
    let rate = Rate::new(NonZeroU32::MIN, Duration::from_secs(86_400));
    Some(rate.with_burst(NonZeroU32::new(times)?))
}

async fn limited(mount: &Mount, set: impl FnOnce(&mut RateLimits)) -> App {
    let mut limits = RateLimits::off();
    set(&mut limits);
    let app = App::new(mount).await;
    app.set(|service| service.with_rate_limits(limits.clone()))
        .await
}

/// Checks for 429 as problem details with `Retry-After`.
#[track_caller]
fn expect_refusal(response: &TestResponse) {
    response.problem("too_many_requests");
}

/// Creations are limited per API key, and other keys are not affected.
pub async fn creations_are_limited_for_each_key(mount: &Mount) {
    let app = limited(mount, |limits| limits.creations = burst(3)).await;
    let other = app.with_another_key().await;
    let fields = json!({ "body": "x" });
    for _ in 0..3 {
        app.post(&fields).await.created();
    }
    for _ in 0..2 {
        expect_refusal(&app.post(&fields).await);
    }
    other.post(&fields).await.created();
    let list = app.get("/api/posts").await.ok();
    assert_eq!(list["total"], 4, "posts that there are");
}

/// Key requests are limited per client, for the API and the page together. The form on the page comes back filled in.
pub async fn key_requests_are_limited_for_each_client(mount: &Mount) {
    let app = limited(mount, |limits| limits.key_requests = burst(2)).await;
    let api = || app.call("POST", "/api/keys");
    let page = || app.submit("/keys", &[("label", "")]);
    api().await.expect_status(201);
    page().await.expect_status(200);
    for call in [api(), page()] {
        expect_refusal(&call.await);
    }
    let typed = app.submit("/keys", &[("label", "My laptop")]);
    let page = typed.header("accept", "text/html").await;
    page.expect_status(429).expect_text(r#"value="My laptop""#);
    assert!(page.header("retry-after").is_some());
}

/// Wrong credentials are limited per client, across all addresses. Valid credentials still work.
pub async fn wrong_credentials_are_limited_for_each_client(mount: &Mount) {
    let app = limited(mount, |limits| limits.wrong_credentials = burst(4)).await;
    let post = app.create_body("x").await;
    let wrong_token = || {
        let call = app.call("DELETE", &post.path());
        call.header("x-edit-token", NO_TOKEN)
    };
    let wrong_page = || app.get(&format!("/e/{NO_TOKEN}"));
    let wrong_key = |method, path: &str| app.call(method, path).header("x-api-key", "x");
    for (call, code) in [
        (wrong_token(), "invalid_edit_token"),
        (wrong_key("GET", "/api/keys/current"), "invalid_api_key"),
        (wrong_page(), "not_found"),
        (
            wrong_key("POST", "/api/posts").json(&json!({})),
            "invalid_api_key",
        ),
    ] {
        call.await.problem(code);
    }
    for call in [
        wrong_token(),
        wrong_page(),
        wrong_key("GET", "/api/keys/current"),
    ] {
        expect_refusal(&call.await);
    }
    // Two keys are an invalid header, not a guess.
    let twice = app.post(&json!({ "body": "x" })).header("x-api-key", "x");
    twice.await.problem("invalid_header");
    app.update(&post, &json!({ "title": "t" })).await;
}

/// Changes are limited per post, whether they come over the API or the edit page. A wrong credential
/// is not a change, and other posts are not affected.
pub async fn changes_are_limited_for_each_post(mount: &Mount) {
    let app = limited(mount, |limits| limits.changes = burst(4)).await;
    let post = app.create_body("x").await;
    let other = app.create_body("x").await;
    let fields = json!({ "title": "t" });
    let renew = |post: &Created| app.call("POST", &format!("{}/edit_token", post.path()));
    let save = || app.submit(&post.edit_page(), &[("title", "u")]);
    let delete = || app.submit(&post.edit_page(), &[("action", "delete")]);
    let wrong_token = || {
        let call = app.call("PUT", &post.path()).json(&fields);
        call.header("x-edit-token", NO_TOKEN)
    };
    wrong_token().await.problem("invalid_edit_token");
    for (call, status) in [
        (app.put(&post, &fields), 200),
        (app.edit("PATCH", &post).json(&fields), 200),
        (save(), 303),
        (delete(), 422),
    ] {
        call.await.expect_status(status);
    }
    wrong_token().await.problem("invalid_edit_token");
    for call in [
        app.put(&post, &fields),
        app.edit("PATCH", &post).json(&fields),
        app.delete(&post),
        renew(&post).header("x-edit-token", &post.token),
        renew(&post).header("x-api-key", &*app.key),
        save(),
        delete(),
    ] {
        expect_refusal(&call.await);
    }
    assert_eq!(app.read(&post).await["title"], "u", "the post's title");
    app.update(&other, &fields).await;
}

/// Previews are limited per client, and so are edit pages that are opened. Neither affects the other, nor saving.
pub async fn previews_are_limited_for_each_client(mount: &Mount) {
    let app = limited(mount, |limits| limits.previews = burst(2)).await;
    let (one, other) = (app.create_body("x").await, app.create_body("x").await);
    let send = |post: &Created, action| {
        let fields = [("action", action), ("body", "y")];
        app.submit(&post.edit_page(), &fields)
    };
    for post in [&one, &other] {
        send(post, "preview").await.expect_status(200);
    }
    for post in [&one, &other] {
        app.get(&post.edit_page()).await.expect_status(200);
    }
    for post in [&one, &other] {
        expect_refusal(&send(post, "preview").await);
        expect_refusal(&app.get(&post.edit_page()).await);
        send(post, "save").await.expect_status(303);
    }
}

/// Searches are limited per client, over the API and on pages together. Other lists are not affected.
pub async fn searches_are_limited_for_each_client(mount: &Mount) {
    let app = limited(mount, |limits| limits.searches = burst(3)).await;
    let own = |query: &str| {
        let call = app.get(&format!("/api/keys/current/posts{query}"));
        call.header("x-api-key", &*app.key)
    };
    let search = || [app.get("/api/posts?q=x"), app.get("/?q=x"), own("?q=x")];
    for call in search() {
        call.await.expect_status(200);
    }
    for call in search() {
        expect_refusal(&call.await);
    }
    for call in [app.get("/api/posts"), app.get("/?q="), own("")] {
        call.await.expect_status(200);
    }
}

/// Once the changes of a post and the previews of a client are used up, the edit page refuses a form before
/// it has arrived.
pub async fn a_form_is_not_waited_for_if_every_action_is_over_its_limit(mount: &Mount) {
    let app = limited(mount, |limits| {
        limits.changes = burst(1);
        limits.previews = burst(1);
    });
    let app = app.await;
    let post = app.create_body("x").await;
    let send = |action| app.submit(&post.edit_page(), &[("action", action), ("body", "y")]);
    // If one of the two is left, the form is read.
    send("preview").await.expect_status(200);
    expect_refusal(&send("preview").await);
    send("save").await.expect_status(303);
    let call = app.call("POST", &post.edit_page());
    let call = call.header("content-type", FORM);
    expect_refusal(&call.sending(SentBody::withheld(1_000)).await);
}

/// A post on `/write` without a key counts as a key request and as a creation of the client. A wrong key
/// there counts as a wrong credential, and a preview as a preview.
pub async fn posts_without_a_key_are_limited_for_each_client(mount: &Mount) {
    let write =
        |app: &App, more: &[(&str, &str)]| app.submit("/write", &[&[("body", "x")], more].concat());
    let app = limited(mount, |limits| limits.key_requests = burst(2)).await;
    let invalid = || app.submit("/write", &[("body", " ")]);
    write(&app, &[]).await.expect_status(303);
    // What is not valid does not count, and is not checked once the limit is reached.
    invalid().await.expect_status(422);
    app.call("POST", "/api/keys").await.expect_status(201);
    expect_refusal(&write(&app, &[]).await);
    expect_refusal(&invalid().await);
    write(&app, &[("body", "")])
        .await
        .problem("invalid_parameter");
    write(&app, &[("api_key", &app.key)])
        .await
        .expect_status(303);

    let app = limited(mount, |limits| limits.creations = burst(2)).await;
    for _ in 0..2 {
        write(&app, &[]).await.expect_status(303);
    }
    expect_refusal(&write(&app, &[]).await);
    write(&app, &[("api_key", &app.key)])
        .await
        .expect_status(303);

    let app = limited(mount, |limits| limits.wrong_credentials = burst(2)).await;
    for _ in 0..2 {
        write(&app, &[("api_key", "x")]).await.expect_status(422);
    }
    expect_refusal(&write(&app, &[("api_key", "x")]).await);

    let app = limited(mount, |limits| limits.previews = burst(1)).await;
    let preview = || write(&app, &[("action", "preview")]);
    preview().await.expect_status(200);
    expect_refusal(&preview().await);
}

/// The bytes of text that are stored are limited per key: those of new posts, and those that an update
/// adds, with the edit token or on the edit page.
pub async fn stored_bytes_are_limited_for_each_key(mount: &Mount) {
    let app = limited(mount, |limits| limits.stored_bytes = burst(1_000)).await;
    let other = app.with_another_key().await;
    let body = |length: usize| json!({ "body": "x".repeat(length) });
    let post = app.create(&body(300)).await;
    app.update(&post, &body(700)).await;
    // What makes a post no longer stores nothing.
    let short = json!({ "body": "x".repeat(693), "title": "a title" });
    app.update(&post, &short).await;
    expect_refusal(&app.post(&body(301)).await);
    expect_refusal(&app.put(&post, &body(1_001)).await);
    let long = "x".repeat(1_001);
    expect_refusal(&app.submit(&post.edit_page(), &[("body", &long)]).await);
    let tags: Vec<_> = (10..30).map(|n| format!("{n:x>48}")).collect();
    expect_refusal(&app.put(&post, &json!({ "tags": tags })).await);
    app.create(&body(300)).await;
    expect_refusal(&app.post(&body(1)).await);
    other.create(&body(1_000)).await;
    let list = app.get("/api/posts").await.ok();
    assert_eq!(list["total"], 3, "posts that there are");
}

/// The host determines the client of a request. `X-Forwarded-For` applies only if the host names
/// the proxies that it trusts.
pub async fn a_client_cannot_pose_as_another(mount: &Mount) {
    let app = limited(mount, |limits| limits.key_requests = burst(1)).await;
    app.call("POST", "/api/keys").await.expect_status(201);
    for (name, value) in [
        ("x-forwarded-for", "192.0.2.9"),
        ("forwarded", "for=192.0.2.9"),
        ("x-real-ip", "192.0.2.9"),
        ("cf-connecting-ip", "192.0.2.9"),
    ] {
        let forged = app.call("POST", "/api/keys").header(name, value);
        expect_refusal(&forged.await);
    }
}

/// The client's address reaches the service with each request, as the extension [`ClientAddr`]. The
/// checks run on this machine, so it is a loopback address. A host that mounts the service in
/// process inserts one.
pub async fn the_address_of_the_client_reaches_the_service(mount: &Mount) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let stored = Arc::clone(&seen);
    let policy = KeyRequests::decided_by(move |request| {
        let client = request.extensions.get::<ClientAddr>().copied();
        stored.lock().unwrap().push(client);
        async { true }
    });
    let app = App::new(mount).await;
    let app = app.set(|service| service.with_key_requests(policy)).await;
    app.call("POST", "/api/keys").await.expect_status(201);
    let page = app.submit("/keys", &[("label", "")]).await;
    page.expect_status(200);
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    assert_eq!(
        seen.len(),
        2,
        "the number of key requests that reached the host"
    );
    for client in seen {
        let Some(ClientAddr(address)) = client else {
            panic!("the request has no extension ClientAddr: the host must insert it")
        };
        let is_loopback = address.to_canonical().is_loopback();
        assert!(is_loopback, "{address} is no address of this machine");
    }
}

/// Rate limits are on by default, such as 10 key requests an hour for each client, and `/docs`
/// names them.
pub async fn rates_are_limited_by_default(mount: &Mount) {
    let service = Handbill::new(&mount.base_url(), MemoryStore::new());
    let app = App::of(mount, service.unwrap(), "").await;
    let docs = app.get("/docs/reference?lang=en").await;
    for rate in [
        "60 a minute, at most 30 at once",
        "120 a minute",
        "10 an hour",
        "30 a minute",
        "50 MiB a day",
    ] {
        docs.expect_text(rate);
    }
    for _ in 0..10 {
        app.call("POST", "/api/keys").await.expect_status(201);
    }
    let response = app.call("POST", "/api/keys").await;
    expect_refusal(&response);
    let seconds = response.header("retry-after").unwrap_or_default();
    let is_wait = seconds.parse().is_ok_and(|n: u32| (1..=361).contains(&n));
    assert!(
        is_wait,
        "{response}: Retry-After is {seconds}, with 10 an hour"
    );
}
