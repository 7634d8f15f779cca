//! Stores that wrap another one.

use std::pin::Pin;

use super::{
    Bar, Changes, Due, Entry, Freshness, Health, InstallationSecret, KeyId, KeyRecord, List,
    NewChange, Outbox, Outcome, PageRequest, PostId, PostKey, PostList, SearchIndex, SecretHash,
    Store, StoreError, StoreStats, Tag, TagCount, Timestamp, Write,
};

/// What a method of [`Store`] returns, as `async_trait` writes it.
type StoreFuture<'f, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'f>>;

/// The methods of [`Store`]. They forward to `$inner`.
macro_rules! forwarded {
    ($self:ident => $inner:expr) => {
        forwarded! { $self => $inner,
            async {
                /// Pass the change on, or durable listeners miss it.
                write(write: Write, change: Option<NewChange>) -> Outcome;
                get_post(by: PostKey, freshness: Freshness) -> Option<Entry>;
                list_posts(page: PageRequest) -> PostList;
                count_since(list: List, tag: Option<Tag>, times: Vec<Timestamp>) -> Vec<u64>;
                /// If it returns nothing, other instances publish and delete what is due.
                list_due(limit: u32) -> Vec<Due>;
                list_tags(limit: u32) -> Vec<TagCount>;
                walk_entries(after: Option<PostId>, limit: u32) -> Vec<Entry>;
                find_key(secret: SecretHash) -> Option<KeyRecord>;
                walk_keys(after: Option<KeyId>, limit: u32) -> Vec<KeyRecord>;
                walk_bars(after: Option<SecretHash>, limit: u32) -> Vec<Bar>;
                get_or_insert_installation_secret(candidate: InstallationSecret) -> InstallationSecret;
                health() -> Health;
            }
            sync {
                /// Without one, there can be no durable listeners.
                outbox() -> Option<&dyn Outbox>;
                /// Without one, there is no search.
                search_index() -> Option<&dyn SearchIndex>;
                changes() -> Option<Changes>;
                stats() -> StoreStats;
            }
        }
    };
    ($self:ident => $inner:expr,
        async {$($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*}
        sync {$($(#[$sync_doc:meta])* $sync_name:ident() -> $sync_output:ty;)*}
    ) => {
        $(
            #[doc = concat!("[`Store::", stringify!($name), "`].")]
            $(#[$doc])*
            fn $name<'s: 'f, 'f>(&'s $self, $($argument: $type),*) -> StoreFuture<'f, $output> {
                $inner.$name($($argument),*)
            }
        )*
        $(
            #[doc = concat!("[`Store::", stringify!($sync_name), "`].")]
            $(#[$sync_doc])*
            fn $sync_name(&$self) -> $sync_output {
                $inner.$sync_name()
            }
        )*
    };
}

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
pub trait Decorator: Send + Sync + 'static {
    /// The store inside.
    fn inner(&self) -> &dyn Store;

    forwarded! { self => self.inner() }
}

/// The store that a [`Decorator`] is.
#[derive(Clone, Debug, Default)]
pub struct Decorated<D>(pub D);

impl<D: Decorator> Store for Decorated<D> {
    forwarded! { self => self.0 }
}
