use async_trait::async_trait;
use handbill::store::{Decorator, InstallationSecret, NewChange, Outcome, StoreError, Write};
use handbill::{MemoryStore, Store};
use tokio::sync::Semaphore;

/// A store that makes the first update at once, but returns only after the gate opens. Each reading of the
/// installation's secret uses up a permit of the gate, and fails without one.
pub(crate) struct Gated {
    pub(crate) inner: MemoryStore,
    pub(crate) gate: &'static Semaphore,
}

#[async_trait]
impl Decorator for Gated {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    async fn write(&self, write: Write, change: Option<NewChange>) -> Result<Outcome, StoreError> {
        let is_first_update = matches!(
            write,
            Write::UpdatePost { expected, .. } if expected.number() == 1
        );
        let written = self.inner.write(write, change).await;
        if is_first_update {
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
