//! The service on two instances over one store. Each instance caches reads for a long time, but a
//! change is never decided on cached data.

use std::time::Duration;

use handbill_testing::http::{App, Created};
use handbill::{Cached, MemoryStore};
use handbill_tests::bare;
use serde_json::json;

/// Two instances and a post. The first instance created it, and the second one has an old version
/// in its cache.
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
async fn a_change_back_to_an_older_version_is_made() {
    let (first, second, post) = instances().await;
    first.update(&post, &json!({ "title": "B" })).await;
    assert_eq!(second.read(&post).await["title"], "A", "kept");
    second.update(&post, &json!({ "title": "A" })).await;
    assert_eq!(second.read(&post).await["title"], "A");
    let listed = first.get("/api/posts").await.ok();
    assert_eq!(listed["posts"][0]["title"], "A", "{listed}");
}

#[tokio::test]
async fn if_match_is_compared_with_the_current_version() {
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
async fn all_instances_accept_a_new_edit_token_at_once_and_refuse_the_old_one() {
    let (first, second, post) = instances().await;
    let replaced = first
        .call("POST", &format!("{}/edit_token", post.path()))
        .header("x-edit-token", &post.token)
        .await
        .ok();
    let token = replaced["edit_token"].as_str().unwrap().to_owned();
    // Not even if the update changes nothing.
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
