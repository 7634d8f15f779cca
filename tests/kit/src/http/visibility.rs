//! Who can find and read a post: public, unlisted and draft.

use std::collections::BTreeMap;

use http::StatusCode;
use serde_json::{Value, json};

use super::app::{NO_POST, NO_TOKEN};
use super::markup::tags;
use super::{App, Call, Created, Mount, TestResponse};

async fn create(app: &App, visibility: &str) -> Created {
    let fields = json!({
        "title": "Hidden", "body": "Hidden.", "tags": "shared", "visibility": visibility,
    });
    app.create(&fields).await
}

/// Every request about this post that shows no right to it, with its name.
async fn without_right(app: &App, id: &str, etag: &str) -> Vec<Call> {
    let other = app.with_another_key().await;
    let path = format!("/api/posts/{id}");
    let change = json!({ "title": "x" });
    let mut calls = Vec::new();
    for (header, value) in [
        ("accept", "*/*"),
        ("accept", "text/html"),
        ("if-none-match", etag),
        ("x-edit-token", NO_TOKEN),
        ("x-edit-token", "x"),
        ("x-api-key", "nonsense"),
        ("x-api-key", &*other.key),
    ] {
        let call = |method, path: &str| app.call(method, path).header(header, value);
        calls.extend([
            call("GET", &path),
            call("HEAD", &path),
            call("OPTIONS", &path),
            call("PUT", &path).json(&change),
            call("PATCH", &path).json(&change),
            call("DELETE", &path),
            call("POST", &format!("{path}/edit_token")),
            call("GET", &format!("{path}?token={NO_TOKEN}")),
            call("GET", &format!("/p/{id}")),
            call("HEAD", &format!("/p/{id}")),
            call("GET", &format!("/p/{id}.md")),
            app.get(&format!("/p/{id}"))
                .header("accept", "text/markdown"),
        ]);
    }
    calls
}

/// What a client can tell apart, with the identifier left out.
fn seen(response: &TestResponse, id: &str) -> (StatusCode, BTreeMap<String, String>, String) {
    let headers = response.headers.iter();
    let headers = headers
        .filter(|(name, _)| *name != "date")
        .map(|(name, value)| (name.to_string(), format!("{value:?}")));
    let text = response.text().replace(id, "");
    (response.status, headers.collect(), text)
}

async fn is_like_an_unused_identifier(app: &App, draft: &Created) {
    let known = without_right(app, &draft.id, &draft.etag).await;
    let unused = without_right(app, NO_POST, &draft.etag).await;
    for (known, unused) in known.into_iter().zip(unused) {
        let (known, unused) = (known.await, unused.await);
        assert_eq!(
            seen(&known, &draft.id),
            seen(&unused, NO_POST),
            "{known}, and for an unused identifier: {unused}"
        );
    }
}

/// To a request without the right to it, a draft is like an identifier that was never used, byte for byte
/// and on every method: also after it was deleted, and if it was public before.
pub async fn a_draft_is_like_an_unused_identifier(mount: &Mount) {
    let app = App::new(mount).await;
    let draft = create(&app, "draft").await;
    is_like_an_unused_identifier(&app, &draft).await;
    app.get(&draft.path()).await.problem("not_found");
    app.delete(&draft).await.expect_status(204);
    is_like_an_unused_identifier(&app, &draft).await;

    let hidden = create(&app, "public").await;
    app.get(&hidden.page()).await.expect_status(200);
    app.read(&hidden).await;
    app.update(&hidden, &json!({ "visibility": "draft" })).await;
    is_like_an_unused_identifier(&app, &hidden).await;
    app.delete(&hidden).await.expect_status(204);
    is_like_an_unused_identifier(&app, &hidden).await;
}

/// A draft is read with its edit token or a key of its owner, and is in no cache. Its page does not
/// exist, but its edit page does.
pub async fn a_draft_is_read_with_its_token_or_its_owners_key(mount: &Mount) {
    let app = App::new(mount).await;
    let draft = create(&app, "draft").await;
    let in_query = app.get(&format!("{}?token={}", draft.path(), draft.token));
    let with_key = || {
        app.get(&draft.path())
            .header("x-api-key", &*app.key)
            .header("accept", "*/*")
    };
    for call in [app.edit("GET", &draft), in_query, with_key()] {
        let response = call.clone().await;
        assert_eq!(response.ok()["visibility"], "draft", "{response}");
        response.expect_header("cache-control", "private, no-store");
        let known = call.header("if-none-match", response.etag()).await;
        known.expect_status(304);
        known.expect_header("cache-control", "private, no-store");
    }
    let updated = app.put(&draft, &json!({ "title": "Still a draft" })).await;
    updated
        .expect_status(200)
        .expect_header("cache-control", "private, no-store");
    let page = app.get(&draft.page()).header("x-api-key", &*app.key);
    page.await.problem("not_found");
    app.get(&draft.edit_page()).await.expect_status(200);
    // A wrong token decides, also next to the owner's key.
    let wrong = with_key().header("x-edit-token", NO_TOKEN);
    wrong.await.problem("not_found");

    app.delete(&draft).await.expect_status(204);
    for call in [app.edit("GET", &draft), with_key()] {
        call.await.problem("gone");
    }
}

/// An unlisted post is read by anyone who has its address. Search engines are asked not to index it, in a
/// header at all its addresses and in its page.
pub async fn an_unlisted_post_is_read_by_its_address_and_not_indexed(mount: &Mount) {
    let app = App::new(mount).await;
    for (visibility, robots) in [("unlisted", Some("noindex")), ("public", None)] {
        let post = create(&app, visibility).await;
        let source = format!("{}.md", post.page());
        for path in [post.path(), post.page(), source] {
            let response = app.get(&path).await;
            response
                .expect_status(200)
                .expect_header("cache-control", "public, no-cache");
            assert_eq!(response.header("x-robots-tag"), robots, "{response}");
        }
        let source = app.get(&post.page()).header("accept", "text/markdown");
        let source = source.await;
        assert_eq!(source.header("x-robots-tag"), robots, "{source}");
        let page = app.get(&post.page()).await;
        let all = tags(&page);
        let mut metas = all
            .iter()
            .filter(|tag| tag.attribute("name") == Some("robots"));
        let content = metas.next().and_then(|tag| tag.attribute("content"));
        assert_eq!(content, robots, "{page}: robots");
        app.delete(&post).await.expect_status(204);
        app.get(&post.path()).await.problem("gone");
    }
}

/// Everything that lists posts, with the headers that tell of changes.
async fn listings(app: &App) -> Vec<(String, String, Option<String>, Option<String>)> {
    let mut all = Vec::new();
    for path in [
        "/api/posts",
        "/api/posts?per_page=1",
        "/api/posts?tag=shared",
        "/api/posts?include=body",
        "/",
        "/?tag=shared",
        "/feed.atom",
        "/feed.json",
        "/feed.atom?tag=shared",
        "/feed.json?tag=shared",
        "/sitemap.xml",
        "/tags",
        "/tags?sort=posts",
        "/llms.txt",
    ] {
        let response = app.get(path).await;
        response.expect_status(200);
        let header = |name| response.header(name).map(str::to_owned);
        let (etag, link) = (header("etag"), header("link"));
        all.push((path.to_owned(), response.text().to_owned(), etag, link));
    }
    all
}

/// A draft or an unlisted post leaves no trace in lists, totals, links, feeds, the sitemap and their entity
/// tags: not when it is created, changed, hidden again or deleted.
pub async fn hidden_posts_leave_no_trace_in_anything_that_lists_posts(mount: &Mount) {
    let app = App::new(mount).await;
    let seen = json!({ "title": "Seen", "body": "Seen.", "tags": "shared" });
    app.create(&seen).await;
    let before = listings(&app).await;
    let unchanged = async |what: &str| {
        for (before, after) in before.iter().zip(listings(&app).await) {
            assert_eq!(*before, after, "after {what}");
        }
    };
    for visibility in ["draft", "unlisted"] {
        let post = create(&app, visibility).await;
        unchanged("a hidden post was created").await;
        app.update(&post, &json!({ "title": "Changed", "tags": "other" }))
            .await;
        unchanged("a hidden post was changed").await;
        let other = match visibility {
            "draft" => "unlisted",
            _ => "draft",
        };
        app.update(&post, &json!({ "visibility": other })).await;
        unchanged("a hidden post was hidden otherwise").await;
        app.delete(&post).await.expect_status(204);
        unchanged("a hidden post was deleted").await;
    }
}

async fn listed(app: &App) -> Vec<Value> {
    let list = app.get("/api/posts?tag=shared").await.ok();
    let posts = list["posts"].as_array().into_iter().flatten();
    posts.map(|post| post["id"].clone()).collect()
}

/// A draft that becomes public appears at the top, with the time as `published_at`. A post that is hidden
/// and shown again returns to its place, with the same time.
pub async fn a_post_is_listed_by_the_time_when_it_first_became_public(mount: &Mount) {
    let app = App::new(mount).await;
    let draft = create(&app, "draft").await;
    let (first, second) = (create(&app, "public").await, create(&app, "public").await);
    let read = app.edit("GET", &draft).await.ok();
    assert_eq!(read["published_at"], json!(null), "of a draft");
    let shown = app.update(&draft, &json!({ "visibility": "public" })).await;
    let order = [&draft, &second, &first].map(|post| json!(post.id));
    assert_eq!(listed(&app).await, order, "with a draft that became public");
    // `updated_at` may be up to a millisecond ahead, so that clients see each change.
    let second_read = app.get(&second.path()).await.ok();
    let times = [
        &second_read["created_at"],
        &shown["published_at"],
        &shown["updated_at"],
    ];
    let times = times.map(|time| time.as_str().expect("a time"));
    assert!(times.is_sorted(), "of {shown}");

    for visibility in ["unlisted", "draft"] {
        let hidden = app
            .update(&second, &json!({ "visibility": visibility }))
            .await;
        let left = [&draft, &first].map(|post| json!(post.id));
        assert_eq!(listed(&app).await, left, "with a hidden post");
        let shown = app
            .update(
                &second,
                &json!({ "visibility": "public", "published_at": null }),
            )
            .await;
        assert_eq!(listed(&app).await, order, "with a post shown again");
        assert_eq!(shown["published_at"], hidden["published_at"], "{shown}");
        assert_eq!(shown["published_at"], shown["created_at"], "{shown}");
    }
}

/// A post that becomes a draft is not found at once, also by clients that know its entity tag.
pub async fn a_post_that_becomes_a_draft_disappears_at_once(mount: &Mount) {
    let app = App::new(mount).await;
    let post = create(&app, "public").await;
    let mut etags = Vec::new();
    let paths = [post.path(), post.page(), format!("{}.md", post.page())];
    for path in &paths {
        etags.push(app.get(path).await.etag());
    }
    app.update(&post, &json!({ "visibility": "draft" })).await;
    for (path, etag) in paths.iter().zip(&etags) {
        app.get(path).await.problem("not_found");
        let known = app.get(path).header("if-none-match", etag);
        known.await.problem("not_found");
    }
    app.update(&post, &json!({ "visibility": "unlisted" }))
        .await;
    for path in &paths {
        app.get(path).await.expect_status(200);
    }
}
