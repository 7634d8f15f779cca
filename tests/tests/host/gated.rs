use async_trait::async_trait;
use handbill::{
    Entry, Health, KeyId, KeyRecord, MemoryStore, PageRequest, Post, PostId, PostPage, Revision,
    SecretHash, Store, StoreError, Timestamp, Write,
};
use tokio::sync::Semaphore;

/// A store that makes the first update at once, but returns only after the gate opens.
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

    async fn post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        self.inner.post(id).await
    }

    async fn current_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        self.inner.current_post(id).await
    }

    async fn post_by_edit_token(&self, token: SecretHash) -> Result<Option<Entry>, StoreError> {
        self.inner.post_by_edit_token(token).await
    }

    async fn posts(&self, page: PageRequest) -> Result<PostPage, StoreError> {
        self.inner.posts(page).await
    }

    async fn insert_key(&self, key: KeyRecord) -> Result<Write, StoreError> {
        self.inner.insert_key(key).await
    }

    async fn key_by_secret(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
        self.inner.key_by_secret(secret).await
    }

    async fn keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        self.inner.keys().await
    }

    async fn note_key_use(&self, id: KeyId, at: Timestamp) -> Result<(), StoreError> {
        self.inner.note_key_use(id, at).await
    }

    async fn revoke_key(&self, id: KeyId) -> Result<Write, StoreError> {
        self.inner.revoke_key(id).await
    }

    async fn health(&self) -> Result<Health, StoreError> {
        self.inner.health().await
    }
}
