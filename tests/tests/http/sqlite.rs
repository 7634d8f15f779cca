//! The service on a database.

use handbill_sql::SqliteStore;
use handbill_testing::http::App;
use handbill_tests::bare;
use serde_json::json;
use tempfile::TempDir;

/// The service with a database, and the folder of the database.
pub(crate) async fn app() -> (App, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("posts.db")).await;
    (App::over(&bare::mount(), store.unwrap()).await, folder)
}

/// A backup does not know of later changes. Those that are made after it was restored are other ones.
#[tokio::test(flavor = "multi_thread")]
async fn after_a_backup_was_restored_a_change_has_another_entity_tag() {
    const LISTS: [&str; 3] = ["/api/posts", "/feed.atom", "/feed.json"];
    let folder = tempfile::tempdir().unwrap();
    let [file, copy] = ["posts.db", "copy.db"].map(|name| folder.path().join(name));
    let store = SqliteStore::open(file).await.unwrap();
    let app = App::over(&bare::mount(), store.clone()).await;
    let post = app.create_body("first").await;
    store.backup(copy.clone()).await.unwrap();
    let pages = [post.path(), post.page(), format!("{}.md", post.page())];
    let mut paths: Vec<&str> = pages.iter().map(String::as_str).collect();
    paths.extend(LISTS);

    app.update(&post, &json!({ "body": "lost" })).await;
    let mut lost = Vec::new();
    for path in &paths {
        lost.push(app.get(path).await.etag());
    }
    let opened = app.get(&post.edit_page()).await;
    store.close().await;
    let restored = SqliteStore::open(copy).await.unwrap();
    let app = App::over(&bare::mount(), restored).await;
    app.update(&post, &json!({ "body": "other" })).await;

    for (path, lost) in paths.iter().zip(&lost) {
        let response = app.get(path).header("if-none-match", lost).await;
        response.expect_status(200);
    }
    let overwriting = app.put(&post, &json!({ "body": "overwritten" }));
    let refused = overwriting.header("if-match", &lost[0]).await;
    refused.problem("precondition_failed");
    let form = ["revision", "seen"].map(|name| {
        let value = opened
            .text()
            .split(&format!("name=\"{name}\" value=\""))
            .nth(1);
        (name, value.unwrap().split('"').next().unwrap())
    });
    let form = [&form[..], &[("body", "overwritten")]].concat();
    let conflict = app.submit(&post.edit_page(), &form).await;
    conflict.expect_status(412);
    assert_eq!(app.read(&post).await["body"], "other");
}
