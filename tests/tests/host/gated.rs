use async_trait::async_trait;
use handbill::{InstallationSecret, MemoryStore, Post, Revision, Store, StoreError, Write};
use handbill_tests::layer::Layer;
use tokio::sync::Semaphore;

/// A store that makes the first update at once, but returns only after the gate opens. Each reading of the
/// installation's secret uses up a permit of the gate, and fails without one.
pub(crate) struct Gated {
    pub(crate) inner: MemoryStore,
    pub(crate) gate: &'static Semaphore,
}

#[async_trait]
impl Layer for Gated {
    fn below(&self) -> &dyn Store {
        &self.inner
    }

    async fn update_post(&self, expected: Revision, post: Post) -> Result<Write, StoreError> {
        let written = self.inner.update_post(expected, post).await;
        if expected.number() == 1 {
            let _ = self.gate.acquire().await;
        }
        written
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
}
