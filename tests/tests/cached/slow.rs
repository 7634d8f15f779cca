//! A store that suspends in each call, so that tests can interleave calls.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use handbill::store::{
    Changes, Decorated, Decorator, Entry, Freshness, NewChange, Outcome, PostKey, StoreError, Write,
};
use handbill::{MemoryStore, PostId, Store};
use tokio::task::yield_now;

/// A store that suspends.
pub(crate) type Slow = Decorated<Suspending>;

/// Suspends before and after it changes a post or reads one for readers. Clones share the data and the counters, as two
/// instances on one database do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Suspending {
    /// The data, without suspending.
    pub(crate) inner: MemoryStore,
    changes: Option<Changes>,
    reads: Arc<AtomicU64>,
    fails: Arc<AtomicBool>,
    changed: Arc<Mutex<Vec<PostId>>>,
}

impl Suspending {
    /// The same store, which tells a service of changes in this way.
    pub(crate) fn telling(&self, changes: &Changes) -> Slow {
        let changes = Some(changes.clone());
        Decorated(Self {
            changes,
            ..self.clone()
        })
    }

    /// How often readers read a post.
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

    async fn finish<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        yield_now().await;
        if self.fails.load(Ordering::SeqCst) {
            return Err(StoreError::new("test", "the connection broke"));
        }
        result
    }
}

#[async_trait]
impl Decorator for Suspending {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    async fn write(&self, write: Write, change: Option<NewChange>) -> Result<Outcome, StoreError> {
        yield_now().await;
        let post = write.post();
        let written = self.inner.write(write, change).await;
        if let (Some(id), Ok(Outcome::Applied)) = (post, &written) {
            self.changed.lock().unwrap().push(id);
        }
        self.finish(written).await
    }

    async fn get_post(
        &self,
        by: PostKey,
        freshness: Freshness,
    ) -> Result<Option<Entry>, StoreError> {
        let found = self.inner.get_post(by, freshness);
        let (PostKey::Id(_), Freshness::Bounded) = (by, freshness) else {
            return found.await;
        };
        self.reads.fetch_add(1, Ordering::SeqCst);
        yield_now().await;
        self.finish(found.await).await
    }

    fn changes(&self) -> Option<Changes> {
        self.changes.clone()
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
