use async_trait::async_trait;
use handbill::{
    Entry, Health, InstallationSecret, KeyId, KeyRecord, MemoryStore, PageRequest, Post, PostId,
    PostList, Revision, SecretHash, Store, StoreError, Timestamp, Write,
};
use tokio::sync::Semaphore;

/// A store that makes the first update at once, but returns only after the gate opens. Each reading of the
/// installation's secret uses up a permit of the gate, and fails without one.
pub(crate) struct Gated {
    pub(crate) inner: MemoryStore,
    pub(crate) gate: &'static Semaphore,
}

#[async_trait]
impl Store for Gated {
    async fn update_post(&self, expected: Revision, post: Post) -> Result<Write, StoreError> {
        let written = self.inner.update_post(expected, post).await;
        if expected.number() == 1 {
            let _ = self.gate.acquire().await;
        }
        written
    }

    async fn insert_post(&self, post: Post) -> Result<Write, StoreError> {
        self.inner.insert_post(post).await
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
        let permit = self.gate.try_acquire();
        let permit = permit.map_err(|closed| StoreError::new("read the secret", closed))?;
        permit.forget();
        self.inner
            .get_or_insert_installation_secret(candidate)
            .await
    }

    async fn health(&self) -> Result<Health, StoreError> {
        self.inner.health().await
    }
}
