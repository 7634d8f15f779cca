//! A store that suspends in each call, so that tests can interleave calls.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use handbill::{Entry, MemoryStore, Owner, Post, PostId, Revision, Store, StoreError, Write};
use handbill_tests::layer::{Layer, Layered};
use tokio::task::yield_now;

/// A store that suspends.
pub(crate) type Slow = Layered<Suspending>;

/// Suspends before and after it reads or changes a post. Clones share the data and the counters, as
/// two instances on one database do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Suspending {
    /// The data, without suspending.
    pub(crate) inner: MemoryStore,
    reads: Arc<AtomicU64>,
    fails: Arc<AtomicBool>,
    changed: Arc<Mutex<Vec<PostId>>>,
}

impl Suspending {
    /// The number of calls of [`Store::get_post`].
    pub(crate) fn reads(&self) -> u64 {
        self.reads.load(Ordering::SeqCst)
    }

    /// If `fails`, later calls about posts take effect and then return an error.
    pub(crate) fn fail(&self, fails: bool) {
        self.fails.store(fails, Ordering::SeqCst);
    }

    /// The posts that changed since the previous call.
    pub(crate) fn changed(&self) -> Vec<PostId> {
        std::mem::take(&mut *self.changed.lock().unwrap())
    }

    fn note(&self, id: PostId, written: &Result<Write, StoreError>) {
        if matches!(written, Ok(Write::Applied)) {
            self.changed.lock().unwrap().push(id);
        }
    }

    async fn finish<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        yield_now().await;
        if self.fails.load(Ordering::SeqCst) {
            return Err(StoreError::new("test", "the connection broke"));
        }
        result
    }
}

#[async_trait]
impl Layer for Suspending {
    fn below(&self) -> &dyn Store {
        &self.inner
    }

    async fn insert_post(&self, post: Post) -> Result<Write, StoreError> {
        yield_now().await;
        let id = post.summary.id;
        let written = self.inner.insert_post(post).await;
        self.note(id, &written);
        self.finish(written).await
    }

    async fn update_post(&self, expected: Revision, post: Post) -> Result<Write, StoreError> {
        yield_now().await;
        let id = post.summary.id;
        let written = self.inner.update_post(expected, post).await;
        self.note(id, &written);
        self.finish(written).await
    }

    async fn delete_post(&self, id: PostId, expected: Revision) -> Result<Write, StoreError> {
        yield_now().await;
        let written = self.inner.delete_post(id, expected).await;
        self.note(id, &written);
        self.finish(written).await
    }

    async fn forget_owner(&self, owner: Owner, limit: u32) -> Result<Write, StoreError> {
        yield_now().await;
        let forgotten = self.inner.forget_owner(owner, limit).await;
        self.finish(forgotten).await
    }

    async fn get_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        yield_now().await;
        let found = self.inner.get_post(id).await;
        self.finish(found).await
    }
}

/// A future that the test polls step by step.
pub(crate) struct Call<T>(Pin<Box<dyn Future<Output = T>>>);

impl<T> Call<T> {
    pub(crate) fn new(call: impl Future<Output = T> + 'static) -> Self {
        Self(Box::pin(call))
    }

    /// Polls once, and returns the output if the call is complete.
    pub(crate) fn step(&mut self) -> Option<T> {
        match self
            .0
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        }
    }

    /// Polls to the end. Panics if the call waits for another one.
    #[track_caller]
    pub(crate) fn finish(&mut self) -> T {
        let mut steps = (0..9).filter_map(|_| self.step());
        let Some(output) = steps.next() else {
            panic!("the call waits for another one");
        };
        output
    }

    /// Polls once. Panics if the call completes.
    #[track_caller]
    pub(crate) fn stop(&mut self) {
        assert!(self.step().is_none(), "the call is complete");
    }
}
