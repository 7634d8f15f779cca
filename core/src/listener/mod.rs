//! The host's listeners: one in memory, and any number of durable ones. All clones of a service share them.

mod delivery_error;
mod durable;
mod error;
mod in_memory;

use std::sync::Arc;

use parking_lot::RwLock;

pub use self::delivery_error::DeliveryError;
use self::durable::DurableListener;
pub(crate) use self::durable::ListenerConfig;
pub use self::error::DurableListenerError;
pub(crate) use self::in_memory::InMemoryListener;
use crate::observe::measured_store::MeasuredStore;
use crate::post::{NewChange, Timestamp};
use crate::store::{Outcome, StoreError, Write};

#[derive(Default)]
pub(crate) struct Listeners(RwLock<RegisteredListeners>);

#[derive(Clone, Default)]
struct RegisteredListeners {
    in_memory: Option<Arc<InMemoryListener>>,
    durable: Vec<Arc<DurableListener>>,
}

impl Listeners {
    pub(crate) fn set_in_memory(&self, listener: InMemoryListener) {
        self.0.write().in_memory = Some(Arc::new(listener));
    }

    /// Adds a durable listener, and starts to deliver its changes if there is a runtime already.
    pub(crate) fn add_durable(&self, config: ListenerConfig) {
        let listener = DurableListener::new(config);
        listener.start();
        self.0.write().durable.push(Arc::new(listener));
    }

    fn registered(&self) -> RegisteredListeners {
        self.0.read().clone()
    }

    /// Makes a write. If it is applied, its change is delivered to the listeners.
    pub(crate) async fn write(
        &self,
        store: &MeasuredStore,
        write: Write,
        change: Option<NewChange>,
    ) -> Result<Outcome, StoreError> {
        let Some(change) = change else {
            return store.write(write, None).await;
        };
        let RegisteredListeners { in_memory, durable } = self.registered();
        for listener in &durable {
            listener.register().await?;
        }
        let outcome = match in_memory {
            Some(listener) => {
                let (subject, event) = (change.subject().to_owned(), change.event().clone());
                let store = store.clone();
                let write = async move { store.write(write, Some(change)).await };
                listener.change_and_notify(subject, event, write).await
            }
            None => store.write(write, Some(change)).await,
        };
        for listener in &durable {
            listener.start();
            listener.wake();
        }
        outcome
    }

    /// Starts to deliver changes that were left over to durable listeners, if that has not begun.
    pub(crate) fn start(&self) {
        let registered = self.0.read();
        registered
            .durable
            .iter()
            .for_each(|listener| listener.start());
    }

    /// Waits until every change that was made before this call was delivered to each listener, or has failed.
    pub(crate) async fn flush(&self, now: Timestamp) -> Result<(), StoreError> {
        let RegisteredListeners { in_memory, durable } = self.registered();
        if let Some(listener) = in_memory {
            listener.flush().await;
        }
        for listener in durable {
            listener.flush(now).await?;
        }
        Ok(())
    }

    /// Ends the deliveries to durable listeners, so that other instances go on at once.
    pub(crate) async fn end(&self) {
        for listener in self.registered().durable {
            listener.end().await;
        }
    }
}
