//! The service on two instances over one store, each of which keeps what it read for long: what a
//! change is decided on is never what was.

use std::time::Duration;

use handbill::{Cached, MemoryStore};
use handbill_testing::http::{App, Created};
use handbill_tests::bare;
use serde_json::json;

/// Two instances, and a post that the first one created and the second one keeps as it was then.
async fn instances() -> (App, App, Created) {
    let store = MemoryStore::new();
    let cached = || Cached::new(store.clone(), Duration::from_secs(3600));
    let first = App::over(&bare::mount(), cached()).await;
    let second = App::over(&bare::mount(), cached()).await;
    let post = first.create(&json!({ "title": "A", "body": "x" })).await;
    assert_eq!(second.read(&post).await["title"], "A");
    (first, second, post)
}

#[tokio::test]
async fn a_change_back_to_what_was_is_made() {
    let (first, second, post) = instances().await;
    first.update(&post, &json!({ "title": "B" })).await;
    assert_eq!(second.read(&post).await["title"], "A", "kept");
    second.update(&post, &json!({ "title": "A" })).await;
    assert_eq!(second.read(&post).await["title"], "A");
    let listed = first.get("/api/posts").await.ok();
    assert_eq!(listed["posts"][0]["title"], "A", "{listed}");
}

#[tokio::test]
async fn what_if_match_expects_is_what_is() {
    let (first, second, post) = instances().await;
    let changed = first.put(&post, &json!({ "title": "B" })).await;
    let stale = second.put(&post, &json!({ "title": "C" }));
    stale
        .header("if-match", &post.etag)
        .await
        .problem("precondition_failed");
    let now = second.put(&post, &json!({ "title": "C" }));
    now.header("if-match", changed.etag()).await.ok();
}

#[tokio::test]
async fn a_new_edit_token_holds_everywhere_at_once_and_the_old_one_nowhere() {
    let (first, second, post) = instances().await;
    let replaced = first
        .call("POST", &format!("{}/edit_token", post.path()))
        .header("x-edit-token", &post.token)
        .await
        .ok();
    let token = replaced["edit_token"].as_str().unwrap().to_owned();
    // Not even for what would change nothing.
    for fields in [json!({ "title": "A" }), json!({ "title": "B" })] {
        second
            .put(&post, &fields)
            .await
            .problem("invalid_edit_token");
    }
    let post = Created { token, ..post };
    second.update(&post, &json!({ "title": "B" })).await;
    assert_eq!(second.read(&post).await["title"], "B");
}
