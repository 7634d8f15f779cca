//! Updating a post.

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::app::NO_TOKEN;
use super::{App, Call, Created, Mount};
use crate::samples::texts;

/// Every field that clients send.
fn all_fields() -> Value {
    let mut fields = json!({ "body": "B", "tags": ["a", "b"], "visibility": "unlisted" });
    for (name, text) in texts(1) {
        fields[name] = json!(text);
    }
    fields
}

async fn full(app: &App) -> Created {
    app.create(&all_fields()).await
}

/// Omitted fields are unchanged.
pub async fn omitted_fields_stay_unchanged(mount: &Mount) {
    let app = App::new(mount).await;
    let post = full(&app).await;
    let mut expected = app.read(&post).await;
    let changes = texts(2).map(|(name, text)| (name, json!(text)));
    for (name, value) in changes.chain([("tags", json!(["c"]))]) {
        let updated = app.update(&post, &json!({ name: value })).await;
        expected[name] = value;
        expected["updated_at"] = updated["updated_at"].clone();
        assert_eq!(updated, expected, "the response to a change of {name}");
        assert_eq!(app.read(&post).await, expected, "what is read after it");
    }
    let updated = app.update(&post, &json!({ "body": "*B2*" })).await;
    for (name, value) in [
        ("html", "<p><em>B2</em></p>\n"),
        ("excerpt", "B2"),
        ("title", "title 2"),
    ] {
        assert_eq!(updated[name], value, "{name} in {updated}");
    }
}

/// `null` or an empty string clears any text field and the tags, but never the body.
pub async fn null_or_an_empty_string_clears_all_but_the_body(mount: &Mount) {
    let app = App::new(mount).await;
    for empty in [json!(null), json!("")] {
        for method in ["PUT", "PATCH"] {
            let post = full(&app).await;
            let cleared = texts(1).map(|(name, _)| (name, json!(null)));
            for (name, cleared) in cleared.chain([("tags", json!([]))]) {
                let call = app.edit(method, &post).json(&json!({ name: empty }));
                assert_eq!(call.await.ok()[name], cleared, "{method} {name}: {empty}");
            }
            let call = app.edit(method, &post).json(&json!({ "body": empty }));
            assert_eq!(call.await.faulty_fields(), ["body"], "{method} {empty}");
            assert_eq!(app.read(&post).await["body"], "B", "the body is unchanged");
        }
    }
}

/// A client may send back what it read, from a post or from a list.
pub async fn a_post_can_be_sent_back_as_it_was_read(mount: &Mount) {
    let app = App::new(mount).await;
    let post = full(&app).await;
    let before = app.get(&post.path()).await;
    let response = app.put(&post, &before.ok()).await;
    assert_eq!(
        response.ok(),
        before.ok(),
        "the post after it was sent back"
    );
    response.expect_header("etag", &before.etag());
    let listed = app
        .get("/api/keys/current/posts")
        .header("x-api-key", &*app.key);
    let listed = listed.await.ok()["posts"][0].clone();
    let updated = app.update(&post, &listed).await;
    assert_eq!(
        updated,
        before.ok(),
        "the post after its place in a list was"
    );
}

/// An update without a difference leaves `updated_at` and `ETag` unchanged.
pub async fn an_update_that_changes_nothing_leaves_time_and_etag(mount: &Mount) {
    let app = App::new(mount).await;
    let post = full(&app).await;
    let before = app.get(&post.path()).await;
    for same in [
        json!({}),
        json!({ "title": " title 1 " }),
        json!({ "tags": "A, #b,a" }),
        json!({ "body": "B" }),
        all_fields(),
    ] {
        let response = app.put(&post, &same).await;
        assert_eq!(response.ok(), before.ok(), "{response} to {same}");
        response.expect_header("etag", &before.etag());
    }
}

/// `updated_at` increases with each change, and each state has its own entity tag.
pub async fn each_change_has_a_later_time_and_a_new_etag(mount: &Mount) {
    let app = App::new(mount).await;
    let post = full(&app).await;
    let mut last = app.read(&post).await["updated_at"].to_string();
    let mut etags = vec![post.etag.clone()];
    for n in 0..20 {
        let response = app.put(&post, &json!({ "title": n.to_string() })).await;
        let updated = response.ok();
        let at = updated["updated_at"].to_string();
        assert!(at > last, "{at} is not after {last}");
        let created_at = updated["created_at"].to_string();
        assert!(created_at < at, "{at} is not after creation, {created_at}");
        last = at;
        let etag = response.etag();
        app.get(&post.path()).await.expect_header("etag", &etag);
        assert!(!etags.contains(&etag), "{etag} stood for another state");
        etags.push(etag);
    }
}

/// Only `PATCH` accepts `application/merge-patch+json` (RFC 7396).
pub async fn only_patch_accepts_merge_patch(mount: &Mount) {
    let app = App::new(mount).await;
    let post = full(&app).await;
    let change = json!({ "title": null, "focus_keyword": "n" }).to_string();
    for (method, media_type, status) in [
        ("PATCH", "application/merge-patch+json", 200),
        ("PATCH", "application/json", 200),
        ("PUT", "application/json; charset=UTF-8", 200),
        ("PUT", "application/merge-patch+json", 415),
        ("PATCH", "application/json-patch+json", 415),
    ] {
        let call = app.edit(method, &post);
        let response = call.body(media_type, change.clone()).await;
        assert_eq!(response.status, status, "{response}, sent as {media_type}");
    }
    let fields = all_fields().to_string();
    let create = app.post_as().body("application/merge-patch+json", fields);
    create.await.problem("unsupported_media_type");
}

/// Updates the title with this query and these headers.
fn with_token(app: &App, post: &Created, query: &str, headers: &[&str]) -> Call {
    let mut call = app.call("PATCH", &format!("{}{query}", post.path()));
    for header in headers {
        call = call.header("x-edit-token", header);
    }
    call.json(&json!({ "title": "new" }))
}

/// The edit token is in `X-Edit-Token`, in `?token=`, or the same in both.
pub async fn the_edit_token_comes_in_the_header_or_the_query(mount: &Mount) {
    let app = App::new(mount).await;
    let post = full(&app).await;
    let token = &*post.token;
    let in_query = format!("?token={token}");
    let twice = format!("{in_query}&token={token}&x=1");
    for (query, headers) in [
        ("", &[token][..]),
        (&in_query, &[]),
        (&in_query, &[token]),
        (&in_query, &[""]),
        (&twice, &[]),
    ] {
        with_token(&app, &post, query, headers).await.ok();
    }
    for (query, headers) in [
        ("", &[][..]),
        ("?token=", &[]),
        ("?token", &[""]),
        (&format!("?Token={token}"), &[]),
    ] {
        let response = with_token(&app, &post, query, headers).await;
        response.problem("missing_edit_token");
    }
    let longer = with_token(&app, &post, &format!("{in_query}x"), &[]).await;
    longer.problem("invalid_edit_token");
    let no_text = with_token(&app, &post, "?token=%FF", &[]).await;
    no_text.problem("invalid_parameter");
}

/// Two different edit tokens return 400, wherever they are. Two headers are no valid header, as with others.
pub async fn edit_tokens_that_differ_are_refused(mount: &Mount) {
    let app = App::new(mount).await;
    let post = full(&app).await;
    let token = &*post.token;
    for (query, headers) in [
        (format!("?token={token}"), &[NO_TOKEN][..]),
        (format!("?token={NO_TOKEN}"), &[token]),
        (format!("?token={token}&token=x"), &[]),
    ] {
        let response = with_token(&app, &post, &query, headers).await;
        response.problem("conflicting_edit_tokens");
    }
    let twice = with_token(&app, &post, "", &[token, NO_TOKEN]).await;
    twice.problem("invalid_header");
}

/// An edit token alone decides: an API key next to it is neither needed nor checked, and does not
/// replace a wrong token.
pub async fn an_api_key_next_to_an_edit_token_is_not_checked(mount: &Mount) {
    let app = App::new(mount).await;
    let post = full(&app).await;
    for key in ["", "nonsense", &*app.key] {
        let call = app.put(&post, &json!({ "title": key }));
        call.header("x-api-key", key).await.ok();
    }
    let wrong_token = |method, path: &str| {
        let call = app.call(method, path).header("x-edit-token", NO_TOKEN);
        call.header("x-api-key", &*app.key)
    };
    for call in [
        wrong_token("PUT", &post.path()).json(&json!({ "title": "x" })),
        wrong_token("DELETE", &post.path()),
        wrong_token("POST", &format!("{}/edit_token", post.path())),
    ] {
        call.await.problem("invalid_edit_token");
    }
}

/// Concurrent updates without a condition are all applied, one after the other.
pub async fn concurrent_changes_are_all_applied_one_after_the_other(mount: &Mount) {
    let app = App::new(mount).await;
    let post = full(&app).await;
    let mut tasks = JoinSet::new();
    for n in 0..32 {
        let (app, post) = (app.clone(), post.clone());
        tasks.spawn(async move { app.update(&post, &json!({ "title": n.to_string() })).await });
    }
    let mut times: Vec<String> = tasks
        .join_all()
        .await
        .iter()
        .map(|post: &Value| post["updated_at"].to_string())
        .collect();
    times.sort();
    times.dedup();
    assert_eq!(times.len(), 32, "times of 32 changes: {times:?}");
    let last = app.read(&post).await["updated_at"].to_string();
    assert_eq!(last, times[31], "the time of the last change");
}
