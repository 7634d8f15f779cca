//! Stores that wrap another one.

use std::pin::Pin;

use async_trait::async_trait;

use super::{
    Bar, Changes, Due, Entry, Freshness, Health, InstallationSecret, KeyId, KeyRecord, List,
    NewChange, Outbox, Outcome, PageRequest, PostId, PostKey, PostList, SearchIndex, SecretHash,
    Store, StoreError, StoreStats, Tag, TagCount, Timestamp, Write,
};

/// A store that wraps another one and does some things differently. [`Decorated`] makes a [`Store`] of it.
///
/// Only [`inner`](Self::inner) is required. Every other method forwards to the store inside, and so will those
/// that `Store` gets in later versions.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use async_trait::async_trait;
/// use handbill::store::{Decorated, Decorator, NewChange, Outcome, StoreError, Write};
/// use handbill::{Handbill, MemoryStore, Store};
///
/// /// Counts the writes that were applied.
/// #[derive(Default)]
/// struct Counting<S> {
///     inner: S,
///     applied: AtomicU64,
/// }
///
/// #[async_trait]
/// impl<S: Store> Decorator for Counting<S> {
///     fn inner(&self) -> &dyn Store {
///         &self.inner
///     }
///
///     async fn write(&self, write: Write, change: Option<NewChange>) -> Result<Outcome, StoreError> {
///         let outcome = self.inner.write(write, change).await?;
///         if outcome == Outcome::Applied {
///             self.applied.fetch_add(1, Ordering::Relaxed);
///         }
///         Ok(outcome)
///     }
/// }
///
/// let store = Decorated(Counting::<MemoryStore>::default());
/// let handbill = Handbill::new("https://example.org/blog", store)?;
/// # Ok::<(), handbill::ParseError>(())
/// ```
///
/// A decorator fulfils the [contract](Store#contract), like every store. `store_checks!` of the crate
/// `handbill-testing` checks it. One that loses the change of a write fails `a_write_that_is_applied_adds_its_change`.
#[async_trait]
pub trait Decorator: Send + Sync + 'static {
    /// The store inside.
    fn inner(&self) -> &dyn Store;

    /// [`Store::write`]. Pass the change on, or durable listeners miss it.
    async fn write(&self, write: Write, change: Option<NewChange>) -> Result<Outcome, StoreError> {
        self.inner().write(write, change).await
    }

    /// [`Store::get_post`].
    async fn get_post(
        &self,
        by: PostKey,
        freshness: Freshness,
    ) -> Result<Option<Entry>, StoreError> {
        self.inner().get_post(by, freshness).await
    }

    /// [`Store::list_posts`].
    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        self.inner().list_posts(page).await
    }

    /// [`Store::count_since`].
    async fn count_since(
        &self,
        list: List,
        tag: Option<Tag>,
        times: Vec<Timestamp>,
    ) -> Result<Vec<u64>, StoreError> {
        self.inner().count_since(list, tag, times).await
    }

    /// [`Store::list_due`]. A decorator that lists nothing leaves what is due to other instances.
    async fn list_due(&self, limit: u32) -> Result<Vec<Due>, StoreError> {
        self.inner().list_due(limit).await
    }

    /// [`Store::list_tags`].
    async fn list_tags(&self, limit: u32) -> Result<Vec<TagCount>, StoreError> {
        self.inner().list_tags(limit).await
    }

    /// [`Store::walk_entries`].
    async fn walk_entries(
        &self,
        after: Option<PostId>,
        limit: u32,
    ) -> Result<Vec<Entry>, StoreError> {
        self.inner().walk_entries(after, limit).await
    }

    /// [`Store::find_key`].
    async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
        self.inner().find_key(secret).await
    }

    /// [`Store::walk_keys`].
    async fn walk_keys(
        &self,
        after: Option<KeyId>,
        limit: u32,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        self.inner().walk_keys(after, limit).await
    }

    /// [`Store::walk_bars`].
    async fn walk_bars(
        &self,
        after: Option<SecretHash>,
        limit: u32,
    ) -> Result<Vec<Bar>, StoreError> {
        self.inner().walk_bars(after, limit).await
    }

    /// [`Store::get_or_insert_installation_secret`].
    async fn get_or_insert_installation_secret(
        &self,
        candidate: InstallationSecret,
    ) -> Result<InstallationSecret, StoreError> {
        self.inner()
            .get_or_insert_installation_secret(candidate)
            .await
    }

    /// [`Store::health`].
    async fn health(&self) -> Result<Health, StoreError> {
        self.inner().health().await
    }

    /// [`Store::outbox`]. Without one, there can be no durable listeners.
    fn outbox(&self) -> Option<&dyn Outbox> {
        self.inner().outbox()
    }

    /// [`Store::search_index`]. Without one, there is no search.
    fn search_index(&self) -> Option<&dyn SearchIndex> {
        self.inner().search_index()
    }

    /// [`Store::changes`].
    fn changes(&self) -> Option<Changes> {
        self.inner().changes()
    }

    /// [`Store::stats`].
    fn stats(&self) -> StoreStats {
        self.inner().stats()
    }
}

/// The [`Store`] of a [`Decorator`].
#[derive(Clone, Debug, Default)]
pub struct Decorated<D>(pub D);

/// A call of a store, as `async_trait` returns it.
type Call<'f, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'f>>;

/// Methods that return the future of the decorator: an `async fn` would put it into another box.
macro_rules! forwarded {
    ($($name:ident($($argument:ident: $type:ty),*) -> $found:ty;)*) => {$(
        fn $name<'s: 'f, 'f>(&'s self, $($argument: $type),*) -> Call<'f, $found> {
            self.0.$name($($argument),*)
        }
    )*};
}

impl<D: Decorator> Store for Decorated<D> {
    forwarded! {
        write(write: Write, change: Option<NewChange>) -> Outcome;
        get_post(by: PostKey, freshness: Freshness) -> Option<Entry>;
        list_posts(page: PageRequest) -> PostList;
        count_since(list: List, tag: Option<Tag>, times: Vec<Timestamp>) -> Vec<u64>;
        list_due(limit: u32) -> Vec<Due>;
        list_tags(limit: u32) -> Vec<TagCount>;
        walk_entries(after: Option<PostId>, limit: u32) -> Vec<Entry>;
        find_key(secret: SecretHash) -> Option<KeyRecord>;
        walk_keys(after: Option<KeyId>, limit: u32) -> Vec<KeyRecord>;
        walk_bars(after: Option<SecretHash>, limit: u32) -> Vec<Bar>;
        get_or_insert_installation_secret(candidate: InstallationSecret) -> InstallationSecret;
        health() -> Health;
    }

    fn outbox(&self) -> Option<&dyn Outbox> {
        self.0.outbox()
    }

    fn search_index(&self) -> Option<&dyn SearchIndex> {
        self.0.search_index()
    }

    fn changes(&self) -> Option<Changes> {
        self.0.changes()
    }

    fn stats(&self) -> StoreStats {
        self.0.stats()
    }
}
