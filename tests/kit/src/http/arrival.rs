//! Responses arrive as the service returned them. Each check compares a response with the service's
//! response to the same request without the mount.

use std::future::IntoFuture;

use serde_json::json;
use tokio::task::JoinSet;

use super::app::{FORM, NO_POST, NO_TOKEN};
use super::{Address, App, Call, Kind, Mount, SentBody};

/// Sends the request through the mount and directly to the service, and compares status, body, and
/// every line of every header of the service. Servers may add other headers.
async fn hold(call: Call, status: u16) {
    let given = call.clone().unmounted().await;
    assert_eq!(given.status, status, "{given}, past the mount");
    let arrived = call.await;
    arrived.expect_status(status);
    let [found, expected] = [&arrived, &given].map(|response| response.body.len());
    assert_eq!(found, expected, "{arrived}: bytes of the body");
    assert_eq!(arrived.body, given.body, "{arrived}: the body");
    for name in given.headers.keys() {
        let lines = |headers: &http::HeaderMap| -> Vec<_> {
            headers.get_all(name).iter().cloned().collect()
        };
        let (found, expected) = (lines(&arrived.headers), lines(&given.headers));
        assert_eq!(found, expected, "{arrived}: lines of {name}");
    }
}

/// Reads arrive with every header and byte for byte, also if they are long.
pub async fn reads_arrive_unchanged(mount: &Mount) {
    let app = App::new(mount).await;
    let fields = json!({ "title": "T", "body": "*ü*\r\n\n", "tags": "a, b" });
    let post = app.create(&fields).await;
    let long = app.create_body(&"w\u{f6}rd ".repeat(20_000)).await;
    // The form of `/write` is never the same twice: it has an idempotency key.
    let is_open = |address: &Address| {
        let is_repeatable = address.kind != Kind::Card && address.path != "/write";
        address.is_read() && !address.needs_key() && is_repeatable
    };
    let mut paths = app.paths(&post, is_open).await;
    let queries = [
        "",
        "/?per_page=1",
        "/api/posts?per_page=1&include=body&tag=a",
        "/feed.json?tag=a",
    ];
    paths.extend(queries.map(str::to_owned));
    paths.extend([long.path(), long.page()]);
    for path in paths {
        hold(app.get(&path), 200).await;
    }
    let key = app.get("/api/keys/current");
    hold(key.header("x-api-key", &*app.key), 200).await;
}

/// Creations arrive with every header and byte for byte.
pub async fn creations_arrive_unchanged(mount: &Mount) {
    let app = App::new(mount).await;
    let create = app.post(&json!({ "body": "x" }));
    hold(create.header("idempotency-key", "a"), 201).await;
}

/// Responses without a body arrive with every header and still without a body: 204, 304, and those
/// to `HEAD`.
pub async fn responses_without_a_body_arrive_unchanged(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    for path in [&*post.path(), "/api/posts", "/", &*post.page()] {
        hold(app.call("HEAD", path), 200).await;
        hold(app.call("OPTIONS", path), 204).await;
        let etag = app.get(path).await.etag();
        let read = app.get(path).header("if-none-match", &etag);
        hold(read, 304).await;
        let head = app.call("HEAD", path).header("if-none-match", &etag);
        hold(head, 304).await;
    }
    hold(app.call("HEAD", "/nothing"), 404).await;
    hold(app.call("HEAD", "/api/keys/current"), 401).await;
    hold(app.call("HEAD", "/api/keys"), 405).await;
    let preflight = app.call("OPTIONS", "/api/posts");
    let preflight = preflight.header("origin", "https://other.example");
    hold(
        preflight.header("access-control-request-method", "POST"),
        204,
    )
    .await;
}

/// The redirect after saving a form arrives with every header, and the mount does not follow it.
pub async fn redirections_arrive_unchanged(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    hold(app.submit(&post.edit_page(), &[("body", "x")]), 303).await;
}

/// Problems of every status arrive with every header and byte for byte: no framework replaces them.
pub async fn problems_arrive_unchanged(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let gone = app.create_body("x").await;
    app.delete(&gone).await.expect_status(204);
    let other = app.with_another_key().await;
    let replace = |post: &super::Created| {
        let path = format!("{}/edit_token", post.path());
        app.call("POST", &path).header("x-api-key", &*app.key)
    };
    let fields = json!({ "body": "x" });
    let once = || app.post(&fields).header("idempotency-key", "a");
    let replaced = once().await.created();
    replace(&replaced).await.ok();
    let by_other = app.call("POST", &format!("{}/edit_token", post.path()));
    let other_body = app.post(&json!({ "body": "y" }));
    for (call, status) in [
        (app.get("/api/posts?page=0"), 400),
        (app.post_as().body("application/json", "{"), 400),
        (app.call("POST", "/api/posts").json(&fields), 401),
        (app.edit("PUT", &post).header("x-edit-token", "x"), 415),
        (app.call("DELETE", &post.path()), 401),
        (
            app.call("DELETE", &post.path())
                .header("x-edit-token", NO_TOKEN),
            403,
        ),
        (by_other.header("x-api-key", &*other.key), 403),
        (app.get(&format!("/api/posts/{NO_POST}")), 404),
        (app.get("/nothing"), 404),
        (app.call("DELETE", "/api/posts"), 405),
        (app.call("PUT", "/"), 405),
        (once(), 409),
        (app.get(&gone.path()), 410),
        (app.get(&gone.page()), 410),
        (app.delete(&post).header("if-match", "\"x\""), 412),
        (
            app.post_as()
                .header("content-type", "application/json")
                .sending(SentBody::withheld((1 << 20) + 1)),
            413,
        ),
        (app.post_as().body("text/plain", "x"), 415),
        (app.post(&json!({ "title": 1 })), 422),
        (other_body.header("idempotency-key", "a"), 422),
    ] {
        hold(call, status).await;
    }
}

/// Error pages arrive with every header and byte for byte.
pub async fn error_pages_arrive_unchanged(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let gone = app.create_body("x").await;
    app.delete(&gone).await.expect_status(204);
    let elsewhere = app.call("POST", "/keys").body(FORM, "label=x");
    for (call, status) in [
        (app.get("/?page=0"), 400),
        (elsewhere.header("sec-fetch-site", "cross-site"), 403),
        (app.get("/nothing"), 404),
        (app.get(&format!("/e/{NO_TOKEN}")), 404),
        (app.call("DELETE", "/"), 405),
        (app.get(&gone.page()), 410),
        (
            app.submit(&post.edit_page(), &[("revision", "9"), ("body", "other")]),
            412,
        ),
        (app.call("POST", "/keys").body("text/plain", "x"), 415),
        (app.submit(&post.edit_page(), &[("body", " ")]), 422),
    ] {
        hold(call.header("accept", "text/html"), status).await;
    }
}

/// A strong entity tag is the same strong tag whatever encodings a client accepts, since it
/// identifies these bytes (RFC 9110, section 8.8.3.3).
pub async fn entity_tags_are_neither_weakened_nor_marked(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app.create_body(&"long ".repeat(1_000)).await;
    for path in [&*post.path(), "/api/posts", "/", &*post.page()] {
        let plain = app.get(path).await;
        let etag = plain.etag();
        assert!(etag.starts_with('"'), "{plain}: {etag} is a weak one");
        let encoded = app.get(path).header("accept-encoding", "gzip, br, zstd");
        let encoded = encoded.await;
        encoded
            .expect_header("etag", &etag)
            .expect_no_header("content-encoding");
        assert_eq!(encoded.body, plain.body, "{encoded}: the body");
    }
}

/// Concurrent requests get their own responses.
pub async fn concurrent_requests_get_their_own_responses(mount: &Mount) {
    let app = App::new(mount).await;
    let mut creations = JoinSet::new();
    for n in 0..32 {
        let body = format!("number {n}");
        let create = app.post(&json!({ "body": body })).into_future();
        creations.spawn(async move { (body, create.await.created()) });
    }
    let mut reads = JoinSet::new();
    for (body, post) in creations.join_all().await {
        let read = app.get(&post.path()).into_future();
        let page = app.get(&post.page()).into_future();
        reads.spawn(async move { (body, post, read.await, page.await) });
    }
    for (body, post, read, page) in reads.join_all().await {
        let found = read.ok();
        assert_eq!(found["id"], post.id, "{read}");
        assert_eq!(found["body"], body, "{read}");
        page.expect_status(200).expect_text(&format!(">{body}<"));
    }
}
