//! `GET /healthz` for a store with replicas.

use std::time::Duration;

use async_trait::async_trait;
use handbill::{
    Entry, Health, InstallationSecret, KeyId, KeyRecord, MemoryStore, PageRequest, Post, PostId,
    PostList, Replica, ReplicaState, Revision, SecretHash, Store, StoreError, Timestamp, Write,
};
use handbill_testing::http::App;
use handbill_tests::bare;
use serde_json::json;

/// A store that reports this health.
struct Telling {
    health: Health,
    inner: MemoryStore,
}

#[async_trait]
impl Store for Telling {
    async fn health(&self) -> Result<Health, StoreError> {
        Ok(self.health.clone())
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

async fn shown(health: Health) -> serde_json::Value {
    let inner = MemoryStore::new();
    let app = App::over(&bare::mount(), Telling { health, inner }).await;
    app.get("/healthz").await.ok()
}

#[tokio::test]
async fn a_store_without_replicas_shows_none() {
    assert_eq!(shown(Health::default()).await, json!({ "status": "ok" }));
}

#[tokio::test]
async fn replicas_are_shown_with_their_state_and_their_lag_if_known() {
    let up = Replica::new("db2", 5432, ReplicaState::Up)
        .with_lag_bytes(0)
        .with_lag(Duration::from_micros(3999));
    let lagging = Replica::new("10.0.0.3", 5432, ReplicaState::Lagging)
        .with_lag_bytes(u64::MAX)
        .with_lag(Duration::MAX);
    let down = Replica::new("2001:db8::4", 6432, ReplicaState::Down);
    let health = Health::default()
        .with_replica(up)
        .with_replica(lagging)
        .with_replica(down);
    let replica = |address, state, lag_bytes: Option<u64>, lag_ms: Option<u64>| json!({ "address": address, "state": state, "lag_bytes": lag_bytes, "lag_ms": lag_ms });
    let expected = json!({
        "status": "ok",
        "replicas": [
            replica("db2:5432", "up", Some(0), Some(3)),
            replica("10.0.0.3:5432", "lagging", Some(u64::MAX), Some(u64::MAX)),
            replica("[2001:db8::4]:6432", "down", None, None),
        ],
    });
    assert_eq!(shown(health).await, expected);
}
