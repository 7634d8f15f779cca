//! Two instances of the service on one store, which hear nothing of each other for an hour: writes never rely on cached
//! data.

use std::time::Duration;

use handbill::store::Changes;
use handbill_testing::http::{App, Created};
use handbill_tests::bare;
use serde_json::json;

use crate::slow::Slow;

/// Two instances, and a post that the first one created and the second one has cached.
async fn instances() -> (App, App, Created) {
    let slow = Slow::default();
    let store = || {
        slow.0
            .telling(&Changes::notified(Duration::from_secs(3600)))
    };
    let first = App::over(&bare::mount(), store()).await;
    let second = App::over(&bare::mount(), store()).await;
    let post = first.create(&json!({ "title": "A", "body": "x" })).await;
    assert_eq!(second.read(&post).await["title"], "A");
    (first, second, post)
}

#[tokio::test]
async fn an_update_back_to_the_cached_state_is_applied() {
    let (first, second, post) = instances().await;
    first.update(&post, &json!({ "title": "B" })).await;
    assert_eq!(second.read(&post).await["title"], "A", "cached");
    second.update(&post, &json!({ "title": "A" })).await;
    assert_eq!(second.read(&post).await["title"], "A");
    let listed = first.get("/api/posts").await.ok();
    assert_eq!(listed["posts"][0]["title"], "A", "{listed}");
}

/// So it is when a change was made, its response was lost, and another instance is asked to repeat it.
#[tokio::test]
async fn an_acknowledged_update_is_shown_at_once_also_if_another_instance_has_made_it() {
    let (first, second, post) = instances().await;
    first.update(&post, &json!({ "title": "B" })).await;
    assert_eq!(second.read(&post).await["title"], "A", "cached");
    second.update(&post, &json!({ "title": "B" })).await;
    assert_eq!(second.read(&post).await["title"], "B");
}

#[tokio::test]
async fn if_match_is_compared_with_the_stored_post_and_not_the_cached_one() {
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
async fn a_replaced_edit_token_is_valid_on_all_instances_at_once_and_the_old_one_on_none() {
    let (first, second, post) = instances().await;
    let replaced = first
        .call("POST", &format!("{}/edit_token", post.path()))
        .header("x-edit-token", &post.token)
        .await
        .ok();
    let token = replaced["edit_token"].as_str().unwrap().to_owned();
    // An update that would change nothing is refused, too.
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
