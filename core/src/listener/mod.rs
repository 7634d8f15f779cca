//! The host's listeners: one in memory, and any number of durable ones. All clones of a service share them.

mod delivery_error;
mod durable;
mod error;
mod in_memory;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

pub use self::delivery_error::DeliveryError;
use self::durable::DurableListener;
pub(crate) use self::durable::ListenerConfig;
pub use self::error::DurableListenerError;
pub(crate) use self::in_memory::Listener;
use crate::observe::measured_store::MeasuredStore;
use crate::post::{NewChange, Timestamp};
use crate::store::{Outcome, StoreError, Write};

#[derive(Default)]
pub(crate) struct Listeners {
    are_used: AtomicBool,
    in_memory: RwLock<Option<Arc<Listener>>>,
    durable: RwLock<Vec<Arc<DurableListener>>>,
}

impl Listeners {
    pub(crate) fn set_in_memory(&self, listener: Listener) {
        let mut slot = self
            .in_memory
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *slot = Some(Arc::new(listener));
        self.are_used.store(true, Ordering::Release);
    }

    /// Adds a durable listener, and starts to deliver its changes if there is a runtime already.
    pub(crate) fn add_durable(&self, config: ListenerConfig) {
        let listener = DurableListener::new(config);
        listener.start();
        let mut durable = self.durable.write().unwrap_or_else(PoisonError::into_inner);
        durable.push(Arc::new(listener));
        self.are_used.store(true, Ordering::Release);
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
        if !self.are_used.load(Ordering::Acquire) {
            return store.write(write, Some(change)).await;
        }
        let durable = self.durable();
        for listener in &durable {
            listener.register().await?;
        }
        let outcome = match self.in_memory() {
            Some(listener) => {
                let (subject, event) = (change.subject().to_owned(), change.event());
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
        if self.are_used.load(Ordering::Acquire) {
            self.durable().iter().for_each(|listener| listener.start());
        }
    }

    /// Waits until every change that was made before this call was delivered to each listener, or has failed.
    pub(crate) async fn flush(&self, now: Timestamp) -> Result<(), StoreError> {
        if let Some(listener) = self.in_memory() {
            listener.flush().await;
        }
        for listener in self.durable() {
            listener.flush(now).await?;
        }
        Ok(())
    }

    /// Ends the deliveries to durable listeners, so that other instances go on at once.
    pub(crate) async fn end(&self) {
        for listener in self.durable() {
            listener.end().await;
        }
    }

    fn in_memory(&self) -> Option<Arc<Listener>> {
        let listener = self
            .in_memory
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        listener.clone()
    }

    fn durable(&self) -> Vec<Arc<DurableListener>> {
        let durable = self.durable.read().unwrap_or_else(PoisonError::into_inner);
        durable.clone()
    }
}
