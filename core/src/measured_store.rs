//! The store of the service. It measures what a request waits for, and has a span of `tracing` around each call.

use std::sync::Arc;

use tracing::debug_span;

use crate::change::NewChange;
use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::post::{Entry, PageRequest, PostList, TagCount};
use crate::secret::{InstallationSecret, SecretHash};
use crate::store::{
    Freshness, Health, Outbox, Outcome, PostKey, Store, StoreError, StoreStats, Write,
};
use crate::waits::{Wait, measure};

/// A store whose calls each have a span `store`, with their name as `operation`, at the level debug. It has the methods
/// of [`Store`] without being one: so their futures are in no box but that of the store.
#[derive(Clone)]
pub(crate) struct MeasuredStore(Arc<dyn Store>);

type Result<T> = std::result::Result<T, StoreError>;

impl MeasuredStore {
    pub(crate) fn new(store: impl Store) -> Self {
        Self(Arc::new(store))
    }

    pub(crate) async fn write(&self, write: Write, change: Option<NewChange>) -> Result<Outcome> {
        call(write.name(), self.0.write(write, change)).await
    }

    pub(crate) async fn get_post(
        &self,
        by: PostKey,
        freshness: Freshness,
    ) -> Result<Option<Entry>> {
        call("get_post", self.0.get_post(by, freshness)).await
    }

    pub(crate) async fn list_posts(&self, page: PageRequest) -> Result<PostList> {
        call("list_posts", self.0.list_posts(page)).await
    }

    pub(crate) async fn list_tags(&self, limit: u32) -> Result<Vec<TagCount>> {
        call("list_tags", self.0.list_tags(limit)).await
    }

    pub(crate) async fn walk_entries(
        &self,
        after: Option<PostId>,
        limit: u32,
    ) -> Result<Vec<Entry>> {
        call("walk_entries", self.0.walk_entries(after, limit)).await
    }

    pub(crate) async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>> {
        call("find_key", self.0.find_key(secret)).await
    }

    pub(crate) async fn walk_keys(
        &self,
        after: Option<KeyId>,
        limit: u32,
    ) -> Result<Vec<KeyRecord>> {
        call("walk_keys", self.0.walk_keys(after, limit)).await
    }

    pub(crate) async fn get_or_insert_installation_secret(
        &self,
        candidate: InstallationSecret,
    ) -> Result<InstallationSecret> {
        let secret = self.0.get_or_insert_installation_secret(candidate);
        call("get_or_insert_installation_secret", secret).await
    }

    pub(crate) async fn health(&self) -> Result<Health> {
        call("health", self.0.health()).await
    }

    pub(crate) fn outbox(&self) -> Option<&dyn Outbox> {
        self.0.outbox()
    }

    pub(crate) fn stats(&self) -> StoreStats {
        self.0.stats()
    }
}

fn call<T>(operation: &'static str, future: impl Future<Output = T>) -> impl Future<Output = T> {
    measure(Wait::Store, debug_span!("store", operation), future)
}
