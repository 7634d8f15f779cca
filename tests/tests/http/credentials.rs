//! Replacing a post's edit token.

use serde_json::{Value, json};

use crate::app::{App, BASE, Call, Created, NO_TOKEN};

fn replace(app: &App, post: &Created) -> Call {
    app.call("POST", &format!("{}/edit_token", post.path()))
}

fn token_of(replaced: &Value) -> String {
    let token = replaced["edit_token"].as_str().unwrap();
    assert_eq!(token.len(), 43);
    let edit_url = format!("{BASE}/e/{token}");
    assert_eq!(
        *replaced,
        json!({ "edit_url": edit_url, "edit_token": token })
    );
    token.to_owned()
}

#[tokio::test]
async fn the_old_token_is_dead_at_once_and_the_new_one_works() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    for by_token in [true, false] {
        let old = app.create_body("x").await;
        let call = replace(&app, &old);
        let answer = if by_token {
            call.header("x-edit-token", &old.token).await
        } else {
            call.header("x-api-key", &*app.key).await
        };
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let new = Created {
            token: token_of(&answer.ok()),
            ..old.clone()
        };
        assert_ne!(new.token, old.token);
        let change = json!({ "title": "t" });
        app.put(&old, &change).await.problem("invalid_edit_token");
        app.delete(&old).await.problem("invalid_edit_token");
        app.get(&old.edit_page()).await.problem("not_found");
        let again = replace(&app, &old).header("x-edit-token", &old.token).await;
        again.problem("invalid_edit_token");
        assert_eq!(app.update(&new, &change).await["title"], "t");
        assert_eq!(app.get(&new.edit_page()).await.status, 200);
        assert_eq!(app.delete(&new).await.status, 204);
    }
    app.update(&post, &json!({ "title": "other posts keep theirs" }))
        .await;
}

#[tokio::test]
async fn readers_see_nothing_of_it() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    let before = app.read(&post).await;
    replace(&app, &post)
        .header("x-edit-token", &post.token)
        .await
        .ok();
    assert_eq!(app.read(&post).await, before);
}

#[tokio::test]
async fn another_key_than_the_creators_may_not() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    let other = App::of(app.service.clone()).await;
    let by_other = replace(&app, &post).header("x-api-key", &*other.key).await;
    by_other.problem("not_the_creator");
    let unknown = replace(&app, &post).header("x-api-key", "nonsense").await;
    unknown.problem("invalid_api_key");
    replace(&app, &post).await.problem("missing_edit_token");
    let wrong = replace(&app, &post).header("x-edit-token", NO_TOKEN).await;
    wrong.problem("invalid_edit_token");
    let query = app.call(
        "POST",
        &format!("{}/edit_token?token={NO_TOKEN}", post.path()),
    );
    let conflicting = query.header("x-edit-token", &post.token).await;
    conflicting.problem("conflicting_edit_tokens");

    let revoke = app.call("DELETE", "/api/keys/current");
    assert_eq!(revoke.header("x-api-key", &*app.key).await.status, 204);
    let revoked = replace(&app, &post).header("x-api-key", &*app.key).await;
    revoked.problem("invalid_api_key");
    app.update(&post, &json!({ "title": "the token is still good" }))
        .await;
}

#[tokio::test]
async fn a_lost_token_beside_the_creators_key_is_no_hindrance() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    let call = replace(&app, &post).header("x-edit-token", NO_TOKEN);
    token_of(&call.header("x-api-key", &*app.key).await.ok());
}

#[tokio::test]
async fn a_body_is_neither_needed_nor_read() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    let call = replace(&app, &post).header("x-edit-token", &post.token);
    token_of(&call.body("text/plain", "whatever").await.ok());
}

#[tokio::test]
async fn the_token_is_in_the_query_too() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    let path = format!("{}/edit_token?token={}", post.path(), post.token);
    token_of(&app.call("POST", &path).await.ok());
}
