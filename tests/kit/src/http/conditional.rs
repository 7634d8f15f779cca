//! Conditional requests (RFC 9110, section 13).

use std::future::IntoFuture;

use serde_json::json;
use tokio::task::JoinSet;

use super::app::NO_POST;
use super::{Address, App, Created, Mount};

/// Malformed lists of entity tags.
const MALFORMED: [&str; 8] = [
    "", ",", "abc", "\"a", "\"a\"b\"", "w/\"a\"", "\"a b\"", "*, \"a\"",
];

/// Every address whose responses a client may cache and must revalidate.
async fn cacheable(app: &App, post: &Created) -> Vec<String> {
    let public = |address: &Address| address.kind.is_public_page();
    let mut paths = app.paths(post, public).await;
    let others = ["/api/posts?per_page=1", "/openapi.json", "/llms.txt"];
    paths.extend(others.map(str::to_owned));
    paths.push(post.path());
    paths
}

/// `If-None-Match` gives 304 to `GET` and `HEAD` if one of its tags is current by weak comparison,
/// and the full response otherwise (RFC 9110, section 13.1.2).
pub async fn a_read_is_304_if_the_clients_copy_is_current(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    for path in cacheable(&app, &post).await {
        let whole = app.get(&path).await;
        let etag = whole.expect_status(200).etag();
        for current in [
            etag.clone(),
            format!("W/{etag}"),
            format!("\"x\", {etag},"),
            "*".to_owned(),
        ] {
            for method in ["GET", "HEAD"] {
                let call = app.call(method, &path);
                let response = call.header("if-none-match", &current).await;
                assert_eq!(response.status, 304, "{response} with {current}");
            }
        }
        for other in ["\"x\"", "W/\"x\""] {
            let response = app.get(&path).header("if-none-match", other).await;
            response.expect_status(200);
            assert_eq!(response.body, whole.body, "{response}: the whole body");
        }
    }
}

/// A 304 has the headers that the 200 would have had: `ETag`, `Cache-Control`, `Last-Modified`,
/// `Link` (RFC 9110, section 15.4.5).
pub async fn a_304_has_the_headers_that_update_a_cached_copy(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    for path in cacheable(&app, &post).await {
        let whole = app.get(&path).await;
        whole.expect_header("cache-control", "public, no-cache");
        let call = app.get(&path).header("if-none-match", whole.etag());
        let response = call.await;
        response.expect_status(304);
        for name in ["etag", "cache-control", "last-modified", "link"] {
            let (expected, sent) = (whole.header(name), response.header(name));
            assert_eq!(
                sent, expected,
                "{response}: {name}, against that of the 200"
            );
        }
    }
}

/// A list's entity tag depends only on what the list shows.
pub async fn the_etag_of_a_list_depends_only_on_its_contents(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app.create(&json!({ "body": "x", "tags": "a" })).await;
    app.create(&json!({ "body": "y", "tags": "b" })).await;
    let tag_of = async |query: &str| app.get(&format!("/api/posts{query}")).await.etag();
    let before = [tag_of("").await, tag_of("?tag=b").await];
    assert_eq!(tag_of("").await, before[0], "the tag of an unchanged list");
    app.update(&post, &json!({ "title": "new" })).await;
    assert_ne!(tag_of("").await, before[0], "the tag of a changed list");
    let other = tag_of("?tag=b").await;
    assert_eq!(other, before[1], "the tag of a list without the post");
}

/// `If-Modified-Since` applies only without `If-None-Match`, and is ignored if it is not a date
/// (RFC 9110, section 13.1.3).
pub async fn if_modified_since_applies_only_without_if_none_match(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let whole = app.get(&post.path()).await;
    let modified = whole.header("last-modified").unwrap_or_default();
    for (since, status) in [
        (modified, 304),
        ("Fri, 01 Jan 2100 00:00:00 GMT", 304),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 200),
        ("yesterday", 200),
    ] {
        let call = app.get(&post.path());
        let response = call.header("if-modified-since", since).await;
        assert_eq!(response.status, status, "{response} since {since}");
    }
    let beside_a_tag = app.get(&post.path()).header("if-none-match", "\"x\"");
    let beside_a_tag = beside_a_tag.header("if-modified-since", modified).await;
    beside_a_tag.expect_status(200);
}

/// A change based on an outdated state returns 412 and changes nothing (RFC 9110, sections 13.1.1,
/// 13.1.2 and 13.1.4).
pub async fn an_update_is_refused_if_its_condition_fails(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app.create_body("first").await;
    let second = app.put(&post, &json!({ "body": "second" })).await;
    let current = second.etag();
    for (name, value) in [
        ("if-match", &*post.etag),
        ("if-match", "\"x\""),
        ("if-match", &format!("W/{current}")),
        ("if-none-match", "*"),
        ("if-none-match", &current),
        ("if-none-match", &format!("W/{current}")),
        ("if-unmodified-since", "Thu, 01 Jan 1970 00:00:00 GMT"),
        ("if-unmodified-since", "Thursday, 01-Jan-70 00:00:00 GMT"),
        ("if-unmodified-since", "Thu Jan  1 00:00:00 1970"),
    ] {
        for call in [
            app.put(&post, &json!({ "body": "third" })),
            app.put(&post, &json!({})),
            app.edit("PATCH", &post).json(&json!({ "body": "third" })),
            app.delete(&post),
        ] {
            let response = call.header(name, value).await;
            response.problem("precondition_failed");
        }
    }
    let body = app.read(&post).await["body"].clone();
    assert_eq!(body, "second", "the body after changes that were refused");
}

/// A change based on the current state succeeds (RFC 9110, section 13.1.1).
pub async fn an_update_succeeds_if_its_condition_holds(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let mut etag = post.etag.clone();
    for n in 0..4 {
        let list = [
            etag.clone(),
            "*".into(),
            format!("\"x\", {etag}"),
            format!("W/\"y\",{etag}"),
        ];
        let update = app.put(&post, &json!({ "title": n.to_string() }));
        let response = update.header("if-match", &list[n]).await;
        assert_eq!(response.ok()["title"], n.to_string(), "{response}");
        etag = response.etag();
    }
    let update = app
        .put(&post, &json!({ "title": "5" }))
        .header("if-none-match", "\"x\"")
        .header("if-unmodified-since", "Fri, 01 Jan 2100 00:00:00 GMT");
    etag = update.await.expect_status(200).etag();
    let delete = app.delete(&post).header("if-match", etag).await;
    delete.expect_status(204);
}

/// A malformed condition returns 400, on reads and on writes.
pub async fn a_malformed_condition_is_refused(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    for malformed in MALFORMED {
        for path in cacheable(&app, &post).await {
            let response = app.get(&path).header("if-none-match", malformed).await;
            response.problem("invalid_header");
        }
        for name in ["if-match", "if-none-match"] {
            for call in [app.put(&post, &json!({ "body": "y" })), app.delete(&post)] {
                let response = call.header(name, malformed).await;
                response.problem("invalid_header");
            }
        }
    }
    assert_eq!(app.read(&post).await["body"], "x", "the body is unchanged");
}

/// A repeated condition header returns 400: the mount neither drops nor joins lines.
pub async fn a_repeated_condition_is_refused(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let date = "Fri, 01 Jan 2100 00:00:00 GMT";
    for (name, value) in [
        ("if-match", &*post.etag),
        ("if-none-match", "\"x\""),
        ("if-unmodified-since", date),
    ] {
        let delete = app.delete(&post).header(name, value);
        delete.header(name, value).await.problem("invalid_header");
    }
    for (name, value) in [("if-none-match", &*post.etag), ("if-modified-since", date)] {
        let read = app.get(&post.path()).header(name, value);
        read.header(name, value).await.problem("invalid_header");
    }
    assert_eq!(app.read(&post).await["body"], "x", "the post is unchanged");
}

/// A missing post returns 404 whatever the condition is.
pub async fn a_condition_never_creates_a_post(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let unknown = app.call("DELETE", &format!("/api/posts/{NO_POST}"));
    let unknown = unknown.header("x-edit-token", &post.token);
    unknown.header("if-match", "*").await.problem("not_found");
}

/// Checking a condition and applying the change is atomic: of many concurrent changes of one state,
/// one is applied.
pub async fn of_concurrent_updates_on_one_state_one_is_applied(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let mut tasks = JoinSet::new();
    for n in 0..32 {
        let call = app.put(&post, &json!({ "title": n.to_string() }));
        tasks.spawn(call.header("if-match", &post.etag).into_future());
    }
    let (applied, refused): (Vec<_>, Vec<_>) = tasks
        .join_all()
        .await
        .into_iter()
        .partition(|response| response.status == 200);
    assert_eq!(applied.len(), 1, "changes that were applied");
    let read = app.read(&post).await;
    assert_eq!(read, applied[0].json(), "the post after the change");
    for response in refused {
        response.problem("precondition_failed");
    }
}
