//! The probes, for stores with replicas and for one that does not respond.

use std::future::pending;
use std::time::Duration;

use async_trait::async_trait;
use handbill::{
    Entry, Health, InstallationSecret, KeyId, KeyRecord, MemoryStore, PageRequest, Post, PostId,
    PostList, Replica, ReplicaState, Revision, SecretHash, Store, StoreError, Timestamp, Write,
};
use handbill_testing::http::App;
use handbill_tests::bare;
use serde_json::json;
use tokio::time::Instant;

/// A store that reports this health, or never responds to a health check.
struct Telling {
    health: Option<Health>,
    inner: MemoryStore,
}

#[async_trait]
impl Store for Telling {
    async fn health(&self) -> Result<Health, StoreError> {
        match &self.health {
            Some(health) => Ok(health.clone()),
            None => pending().await,
        }
    }

    async fn insert_post(&self, post: Post) -> Result<Write, StoreError> {
        self.inner.insert_post(post).await
    }

    async fn update_post(&self, expected: Revision, post: Post) -> Result<Write, StoreError> {
        self.inner.update_post(expected, post).await
    }

    async fn delete_post(&self, id: PostId, expected: Revision) -> Result<Write, StoreError> {
        self.inner.delete_post(id, expected).await
    }

    async fn get_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        self.inner.get_post(id).await
    }

    async fn get_current_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        self.inner.get_current_post(id).await
    }

    async fn find_post_by_edit_token(
        &self,
        token: SecretHash,
    ) -> Result<Option<Entry>, StoreError> {
        self.inner.find_post_by_edit_token(token).await
    }

    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        self.inner.list_posts(page).await
    }

    async fn insert_key(&self, key: KeyRecord) -> Result<Write, StoreError> {
        self.inner.insert_key(key).await
    }

    async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
        self.inner.find_key(secret).await
    }

    async fn list_keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        self.inner.list_keys().await
    }

    async fn touch_key(&self, id: KeyId, at: Timestamp) -> Result<(), StoreError> {
        self.inner.touch_key(id, at).await
    }

    async fn revoke_key(&self, id: KeyId) -> Result<Write, StoreError> {
        self.inner.revoke_key(id).await
    }

    async fn get_or_insert_installation_secret(
        &self,
        candidate: InstallationSecret,
    ) -> Result<InstallationSecret, StoreError> {
        self.inner
            .get_or_insert_installation_secret(candidate)
            .await
    }
}

async fn app(health: Option<Health>) -> App {
    let inner = MemoryStore::new();
    App::over(&bare::mount(), Telling { health, inner }).await
}

#[tokio::test]
async fn probes_show_the_states_of_replicas_without_addresses_or_figures() {
    let up = Replica::new("db2", 5432, ReplicaState::Up)
        .with_lag_bytes(0)
        .with_lag(Duration::from_micros(3999));
    let lagging = Replica::new("10.0.0.3", 5432, ReplicaState::Lagging).with_lag_bytes(4711);
    let down = Replica::new("2001:db8::4", 6432, ReplicaState::Down);
    let health = Health::default()
        .with_replica(up)
        .with_replica(lagging)
        .with_replica(down);
    let app = app(Some(health)).await;
    let states = [
        json!({ "state": "up" }),
        json!({ "state": "lagging" }),
        json!({ "state": "down" }),
    ];
    let expected = json!({ "status": "ok", "replicas": states });
    for path in ["/readyz", "/healthz"] {
        assert_eq!(app.get(path).await.ok(), expected, "{path}");
    }
    assert_eq!(app.get("/livez").await.ok(), json!({ "status": "ok" }));
}

/// The clock is paused and jumps to the next timer whenever all tasks wait.
#[tokio::test(start_paused = true)]
async fn a_store_that_does_not_respond_is_reported_within_2_seconds() {
    let app = app(None).await;
    for path in ["/readyz", "/healthz"] {
        let start = Instant::now();
        let response = app.get(path).await;
        assert!(start.elapsed() < Duration::from_secs(2), "{response}");
        response.problem("store_unavailable");
        response.expect_header("retry-after", "1");
    }
    app.get("/livez").await.ok();
}
