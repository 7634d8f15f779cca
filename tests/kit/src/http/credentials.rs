//! Replacement of a leaked or lost edit token.

use serde_json::{Value, json};

use super::app::NO_TOKEN;
use super::{App, Call, Created, Mount};

fn replace(app: &App, post: &Created) -> Call {
    app.call("POST", &format!("{}/edit_token", post.path()))
}

#[track_caller]
fn token_of(app: &App, replaced: &Value) -> String {
    let token = replaced["edit_token"].as_str().unwrap_or_default();
    let edit_url = format!("{}/e/{token}", app.base());
    let expected = json!({ "edit_url": edit_url, "edit_token": token });
    assert_eq!(*replaced, expected, "the response to a replacement");
    assert_eq!(token.len(), 43, "the length of a token");
    token.to_owned()
}

/// The old token is invalid at once and the new one works, whether the token or a key of the owner
/// authorised the replacement.
pub async fn a_replaced_edit_token_is_invalid_at_once_and_the_new_one_works(mount: &Mount) {
    let app = App::new(mount).await;
    let other = app.create_body("x").await;
    for by_token in [true, false] {
        let old = app.create_body("x").await;
        let call = replace(&app, &old);
        let response = if by_token {
            call.header("x-edit-token", &old.token).await
        } else {
            call.header("x-api-key", &*app.key).await
        };
        response.expect_header("cache-control", "no-store");
        let new = Created {
            token: token_of(&app, &response.ok()),
            ..old.clone()
        };
        assert_ne!(new.token, old.token, "the new token");
        let change = json!({ "title": "t" });
        for call in [
            app.put(&old, &change),
            app.delete(&old),
            replace(&app, &old).header("x-edit-token", &old.token),
        ] {
            call.await.problem("invalid_edit_token");
        }
        let old_page = app.get(&old.edit_page()).await;
        old_page.problem("not_found");
        app.update(&new, &change).await;
        app.get(&new.edit_page()).await.expect_status(200);
        app.delete(&new).await.expect_status(204);
    }
    app.update(&other, &json!({ "title": "other posts keep theirs" }))
        .await;
}

/// A replacement does not change what readers see.
pub async fn a_replaced_edit_token_changes_nothing_for_readers(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let before = app.read(&post).await;
    let call = replace(&app, &post).header("x-edit-token", &post.token);
    call.await.ok();
    assert_eq!(app.read(&post).await, before, "the post after it");
}

/// Only its holder or a key of the post's owner may replace an edit token. Missing, wrong and
/// conflicting credentials are refused.
pub async fn an_edit_token_is_replaced_by_its_holder_or_the_owner_alone(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let other = app.with_another_key().await;
    let query = format!("{}/edit_token?token={NO_TOKEN}", post.path());
    let query = app.call("POST", &query);
    for (call, code) in [
        (
            replace(&app, &post).header("x-api-key", &*other.key),
            "not_the_owner",
        ),
        (
            replace(&app, &post).header("x-api-key", "nonsense"),
            "invalid_api_key",
        ),
        (replace(&app, &post), "missing_edit_token"),
        (
            replace(&app, &post).header("x-edit-token", NO_TOKEN),
            "invalid_edit_token",
        ),
        (
            query.header("x-edit-token", &post.token),
            "conflicting_edit_tokens",
        ),
    ] {
        call.await.problem(code);
    }
    let revoke = app.call("DELETE", "/api/keys/current");
    let revoke = revoke.header("x-api-key", &*app.key).await;
    revoke.expect_status(204);
    let revoked = replace(&app, &post).header("x-api-key", &*app.key).await;
    revoked.problem("invalid_api_key");
    app.update(&post, &json!({ "title": "the token is still good" }))
        .await;
}

/// The token may be in the query. A body is not needed and not read.
pub async fn an_edit_token_is_replaced_without_a_body(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let path = format!("{}/edit_token?token={}", post.path(), post.token);
    let response = app.call("POST", &path).await;
    let token = token_of(&app, &response.ok());
    let call = replace(&app, &post).header("x-edit-token", token);
    let response = call.body("text/plain", "whatever").await;
    token_of(&app, &response.ok());
}
