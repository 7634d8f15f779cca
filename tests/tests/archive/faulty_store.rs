use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use handbill::store::{Decorated, Decorator, NewChange, Outcome, StoreError, Write};
use handbill::{MemoryStore, Store};

/// A store that fails after so many inserts of posts.
pub(crate) struct FailsAfter {
    store: MemoryStore,
    left: AtomicU32,
}

impl FailsAfter {
    pub(crate) fn new(store: MemoryStore, inserts: u32) -> Decorated<Self> {
        let left = AtomicU32::new(inserts);
        Decorated(Self { store, left })
    }

    /// One of the inserts that are left.
    fn take_insert(&self) -> Option<u32> {
        let one_less = |left: u32| left.checked_sub(1);
        let left = &self.left;
        left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less)
            .ok()
    }
}

#[async_trait]
impl Decorator for FailsAfter {
    fn inner(&self) -> &dyn Store {
        &self.store
    }

    async fn write(&self, write: Write, change: Option<NewChange>) -> Result<Outcome, StoreError> {
        let is_insert = matches!(write, Write::InsertPost { .. });
        if is_insert && self.take_insert().is_none() {
            return Err(StoreError::new("insert a post", "the disk is full"));
        }
        self.store.write(write, change).await
    }
}
