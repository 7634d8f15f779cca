//! What clients are told when the store is in trouble: that, and nothing about why.

use async_trait::async_trait;
use handbill::{
    ClientAddr, Entry, Handbill, KeyId, KeyRecord, PageRequest, Post, PostId, PostPage, RateLimits,
    Revision, SecretHash, Store, StoreError, Timestamp, Write,
};
use serde_json::json;

use crate::app::{App, BASE, NO_POST, NO_TOKEN};

const CAUSE: &str = "disk on fire at /var/lib/secret-path";

/// Fails whatever it is asked.
struct Broken;

fn trouble<T>() -> Result<T, StoreError> {
    Err(StoreError::new("do anything", CAUSE))
}

#[async_trait]
impl Store for Broken {
    async fn insert_post(&self, _: Post) -> Result<Write, StoreError> {
        trouble()
    }
    async fn update_post(&self, _: Revision, _: Post) -> Result<Write, StoreError> {
        trouble()
    }
    async fn delete_post(&self, _: PostId, _: Revision) -> Result<Write, StoreError> {
        trouble()
    }
    async fn post(&self, _: PostId) -> Result<Option<Entry>, StoreError> {
        trouble()
    }
    async fn post_by_edit_token(&self, _: SecretHash) -> Result<Option<Entry>, StoreError> {
        trouble()
    }
    async fn posts(&self, _: PageRequest) -> Result<PostPage, StoreError> {
        trouble()
    }
    async fn insert_key(&self, _: KeyRecord) -> Result<Write, StoreError> {
        trouble()
    }
    async fn key_by_secret(&self, _: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
        trouble()
    }
    async fn keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        trouble()
    }
    async fn note_key_use(&self, _: KeyId, _: Timestamp) -> Result<(), StoreError> {
        trouble()
    }
    async fn revoke_key(&self, _: KeyId) -> Result<Write, StoreError> {
        trouble()
    }
    async fn ping(&self) -> Result<(), StoreError> {
        trouble()
    }
}

#[tokio::test]
async fn a_store_in_trouble_is_503_without_its_cause() {
    let working = App::new().await;
    let service = Handbill::new(BASE, Broken).unwrap();
    let app = App {
        service: service.with_rate_limits(&RateLimits::off()),
        key: working.key,
    };
    let path = format!("/api/posts/{NO_POST}");
    let by_token = |method| app.call(method, &path).header("x-edit-token", NO_TOKEN);
    for call in [
        app.get("/healthz"),
        app.get("/api/posts"),
        app.get(&path),
        app.post(&json!({ "body": "x" })),
        by_token("PUT").json(&json!({ "title": "x" })),
        by_token("DELETE"),
        app.call("POST", &format!("{path}/edit_token"))
            .header("x-api-key", &*app.key),
        app.call("POST", "/api/keys"),
        app.get("/api/keys/current").header("x-api-key", &*app.key),
        app.get("/"),
        app.get(&format!("/p/{NO_POST}")),
        app.get(&format!("/e/{NO_TOKEN}")),
    ] {
        let answer = call.await;
        answer.problem("store_unavailable");
        assert!(!answer.text().contains("fire"), "{}", answer.text());
    }
    let page = app.get("/").header("accept", "text/html").await;
    assert_eq!(page.status, 503);
    assert!(page.header("retry-after").is_some());
    assert!(!page.text().contains("fire"), "{}", page.text());
}

#[tokio::test]
async fn what_asks_no_store_is_answered_without_one() {
    let working = App::new().await;
    let app = App {
        service: Handbill::new(BASE, Broken).unwrap(),
        key: working.key,
    };
    for path in ["/openapi.json", "/keys", "/docs/errors", "/style.css"] {
        assert_eq!(app.get(path).await.status, 200, "{path}");
    }
    // A key with a typing error is told apart without asking.
    let typo = app
        .get("/api/keys/current")
        .header("x-api-key", format!("{}x", app.key));
    let typo = typo.extension(ClientAddr([192, 0, 2, 1].into()));
    typo.await.problem("invalid_api_key");
    app.post(&json!([]))
        .header("x-api-key", "x")
        .await
        .problem("invalid_header");
}
