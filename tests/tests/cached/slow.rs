//! A store that takes its time, so that tests can do something meanwhile.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use handbill::{
    Entry, Health, KeyId, KeyRecord, MemoryStore, PageRequest, Post, PostId, PostList, Revision,
    SecretHash, Store, StoreError, Timestamp, Write,
};
use tokio::task::yield_now;

/// Stops before and after it looks a post up or changes one. A clone is the same store, with the
/// same counts: what another instance has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slow {
    /// What is kept, at once.
    pub(crate) inner: MemoryStore,
    asked: Arc<AtomicU64>,
    fails: Arc<AtomicBool>,
    changed: Arc<Mutex<Vec<PostId>>>,
}

impl Slow {
    /// How often [`Store::post`] was asked.
    pub(crate) fn asked(&self) -> u64 {
        self.asked.load(Ordering::SeqCst)
    }

    /// From now on all that is asked of posts is done, and fails.
    pub(crate) fn fail(&self, fails: bool) {
        self.fails.store(fails, Ordering::SeqCst);
    }

    /// The posts that were changed since this was asked last.
    pub(crate) fn changed(&self) -> Vec<PostId> {
        std::mem::take(&mut *self.changed.lock().unwrap())
    }

    fn note(&self, id: PostId, written: &Result<Write, StoreError>) {
        if matches!(written, Ok(Write::Applied)) {
            self.changed.lock().unwrap().push(id);
        }
    }

    async fn answer<T>(&self, answer: Result<T, StoreError>) -> Result<T, StoreError> {
        yield_now().await;
        if self.fails.load(Ordering::SeqCst) {
            return Err(StoreError::new("answer", "the connection broke"));
        }
        answer
    }
}

#[async_trait]
impl Store for Slow {
    async fn insert_post(&self, post: Post) -> Result<Write, StoreError> {
        yield_now().await;
        let id = post.summary.id;
        let written = self.inner.insert_post(post).await;
        self.note(id, &written);
        self.answer(written).await
    }

    async fn update_post(&self, expected: Revision, post: Post) -> Result<Write, StoreError> {
        yield_now().await;
        let id = post.summary.id;
        let written = self.inner.update_post(expected, post).await;
        self.note(id, &written);
        self.answer(written).await
    }

    async fn delete_post(&self, id: PostId, expected: Revision) -> Result<Write, StoreError> {
        yield_now().await;
        let written = self.inner.delete_post(id, expected).await;
        self.note(id, &written);
        self.answer(written).await
    }

    async fn get_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        yield_now().await;
        let found = self.inner.get_post(id).await;
        self.answer(found).await
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

    async fn health(&self) -> Result<Health, StoreError> {
        self.inner.health().await
    }
}

/// A call that goes on only when it is told to.
pub(crate) struct Call<T>(Pin<Box<dyn Future<Output = T>>>);

impl<T> Call<T> {
    pub(crate) fn new(call: impl Future<Output = T> + 'static) -> Self {
        Self(Box::pin(call))
    }

    /// Goes on to where it has to wait, or to the end.
    pub(crate) fn step(&mut self) -> Option<T> {
        match self
            .0
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(answer) => Some(answer),
            Poll::Pending => None,
        }
    }

    /// Goes on to the end, which comes without anybody else's call going on.
    #[track_caller]
    pub(crate) fn finish(&mut self) -> T {
        let mut steps = (0..9).filter_map(|_| self.step());
        let Some(answer) = steps.next() else {
            panic!("it waits for another call");
        };
        answer
    }

    /// Goes on to where it has to wait.
    #[track_caller]
    pub(crate) fn stop(&mut self) {
        assert!(self.step().is_none(), "it is over");
    }
}
