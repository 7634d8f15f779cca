use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use handbill::{MemoryStore, Post, Store, StoreError, Write};
use handbill_tests::layer::{Layer, Layered};

/// A store that fails after so many inserts of posts.
pub(crate) struct FailsAfter {
    store: MemoryStore,
    left: AtomicU32,
}

impl FailsAfter {
    pub(crate) fn new(store: MemoryStore, inserts: u32) -> Layered<Self> {
        let left = AtomicU32::new(inserts);
        Layered(Self { store, left })
    }
}

#[async_trait]
impl Layer for FailsAfter {
    fn below(&self) -> &dyn Store {
        &self.store
    }

    async fn insert_post(&self, post: Post) -> Result<Write, StoreError> {
        let one_less = |left: u32| left.checked_sub(1);
        let left = self
            .left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less);
        if left.is_err() {
            return Err(StoreError::new("insert a post", "the disk is full"));
        }
        self.store.insert_post(post).await
    }
}
