//! What forwards the methods of [`Store`]: decorators, and pointers to stores.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::{
    Cached, DueChange, Health, ListenerState, Mutation, Outbox, Store, StoreError, StoreStats,
    Write,
};
use crate::change::NewChange;
use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::owner::Owner;
use crate::post::{Entry, PageRequest, Post, PostList, Revision, TagCount, Tombstone};
use crate::secret::{InstallationSecret, SecretHash};
use crate::time::Timestamp;

/// Passes what it is given to a macro, and then the methods of [`Store`]: first those that make a [`Mutation`].
macro_rules! with_store_methods {
    ($macro:ident! { $($given:tt)* }) => {
        $macro! {
            $($given)*
            mutations {
                insert_post(post: Post) = Mutation::InsertPost(Box::new(post));
                update_post(expected: Revision, post: Post) =
                    Mutation::UpdatePost { expected, post: Box::new(post) };
                delete_post(id: PostId, expected: Revision) = Mutation::DeletePost { id, expected };
                insert_key(key: KeyRecord) = Mutation::InsertKey(key);
                revoke_key(id: KeyId) = Mutation::RevokeKey(id);
            }
            others {
                insert_tombstone(tombstone: Tombstone) -> Write;
                get_post(id: PostId) -> Option<Entry>;
                get_current_post(id: PostId) -> Option<Entry>;
                find_post_by_edit_token(token: SecretHash) -> Option<Entry>;
                list_posts(page: PageRequest) -> PostList;
                list_tags(limit: u32) -> Vec<TagCount>;
                walk_entries(after: Option<PostId>, limit: u32) -> Vec<Entry>;
                find_key(secret: SecretHash) -> Option<KeyRecord>;
                walk_keys(after: Option<KeyId>, limit: u32) -> Vec<KeyRecord>;
                touch_key(id: KeyId, at: Timestamp) -> ();
                get_or_insert_installation_secret(candidate: InstallationSecret) -> InstallationSecret;
                forget_owner(owner: Owner, limit: u32) -> Write;
                health() -> Health;
            }
        }
    };
}

pub(crate) use with_store_methods;

macro_rules! decorator {
    (
        mutations { $($mutations:tt)* }
        others { $($name:ident($($argument:ident: $type:ty),*) -> $output:ty;)* }
    ) => {
        /// A store that wraps another one and does some things differently. [`Decorated`] makes a [`Store`] of it.
        ///
        /// Only [`inner`](Self::inner) is required. Every other method forwards to the store inside, and so will those
        /// that `Store` gets in later versions.
        ///
        /// ```
        /// use std::sync::atomic::{AtomicU64, Ordering};
        ///
        /// use async_trait::async_trait;
        /// use handbill::store::{Decorated, Decorator, Mutation, NewChange, Write};
        /// use handbill::{Handbill, MemoryStore, Store, StoreError};
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
        ///     async fn mutate(
        ///         &self,
        ///         mutation: Mutation,
        ///         change: Option<NewChange>,
        ///     ) -> Result<Write, StoreError> {
        ///         let write = mutation.apply(&self.inner, change).await?;
        ///         if write == Write::Applied {
        ///             self.applied.fetch_add(1, Ordering::Relaxed);
        ///         }
        ///         Ok(write)
        ///     }
        /// }
        ///
        /// let store = Decorated(Counting::<MemoryStore>::default());
        /// let handbill = Handbill::new("https://example.org/blog", store)?;
        /// # Ok::<(), handbill::ParseBaseUrlError>(())
        /// ```
        ///
        /// A decorator fulfils the [contract](Store#contract), like every store. `store_checks!` of the crate
        /// `handbill-testing` checks it.
        #[async_trait]
        pub trait Decorator: Send + Sync + 'static {
            /// The store inside.
            fn inner(&self) -> &dyn Store;

            /// Makes a mutation. All writes of posts and keys come here, except those of [`Store::insert_tombstone`],
            /// [`Store::touch_key`] and [`Store::forget_owner`]. A write that listeners may hear of comes with its
            /// change. Forward both with [`Mutation::apply`], or durable listeners miss the change.
            async fn mutate(
                &self,
                mutation: Mutation,
                change: Option<NewChange>,
            ) -> Result<Write, StoreError> {
                mutation.apply(self.inner(), change).await
            }

            $(
                #[doc = concat!("[`Store::", stringify!($name), "`].")]
                async fn $name(&self $(, $argument: $type)*) -> Result<$output, StoreError> {
                    self.inner().$name($($argument),*).await
                }
            )*

            /// The outbox to which everything is forwarded but its writes, which come to [`mutate`](Self::mutate).
            /// Without one, there can be no durable listeners.
            fn outbox(&self) -> Option<&dyn Outbox> {
                self.inner().outbox()
            }

            /// [`Store::stats`].
            fn stats(&self) -> StoreStats {
                self.inner().stats()
            }
        }
    };
}

with_store_methods! { decorator! {} }

/// The [`Store`] of a [`Decorator`], and its outbox if the decorator has one.
#[derive(Clone, Debug, Default)]
pub struct Decorated<D>(pub D);

/// Implements `Store` and `Outbox` for a type by its method `decorator`.
macro_rules! store_by_decorator {
    (
        $store:ident<$parameter:ident: $bound:ident>;
        mutations { $($mutation:ident($($part:ident: $of:ty),*) = $value:expr;)* }
        others { $($name:ident($($argument:ident: $type:ty),*) -> $output:ty;)* }
    ) => {
        #[async_trait]
        impl<$parameter: $bound> Store for $store<$parameter> {
            $(
                async fn $mutation(&self $(, $part: $of)*) -> Result<Write, StoreError> {
                    self.decorator().mutate($value, None).await
                }
            )*

            $(
                async fn $name(&self $(, $argument: $type)*) -> Result<$output, StoreError> {
                    Decorator::$name(self.decorator() $(, $argument)*).await
                }
            )*

            fn outbox(&self) -> Option<&dyn Outbox> {
                Decorator::outbox(self.decorator()).map(|_| self as &dyn Outbox)
            }

            fn stats(&self) -> StoreStats {
                Decorator::stats(self.decorator())
            }
        }

        #[async_trait]
        impl<$parameter: $bound> Outbox for $store<$parameter> {
            async fn write(&self, mutation: Mutation, change: NewChange) -> Result<Write, StoreError> {
                self.decorator().mutate(mutation, Some(change)).await
            }

            async fn add_listener(&self, name: &str) -> Result<(), StoreError> {
                outbox_of(self.decorator())?.add_listener(name).await
            }

            async fn remove_listener(&self, name: &str) -> Result<bool, StoreError> {
                outbox_of(self.decorator())?.remove_listener(name).await
            }

            async fn listeners(&self) -> Result<Vec<ListenerState>, StoreError> {
                outbox_of(self.decorator())?.listeners().await
            }

            async fn hold_listener(
                &self,
                name: &str,
                holder: &str,
                time: Duration,
            ) -> Result<bool, StoreError> {
                outbox_of(self.decorator())?.hold_listener(name, holder, time).await
            }

            async fn due_changes(
                &self,
                name: &str,
                now: Timestamp,
                limit: u32,
            ) -> Result<Vec<DueChange>, StoreError> {
                outbox_of(self.decorator())?.due_changes(name, now, limit).await
            }

            async fn settle(
                &self,
                name: &str,
                done: &[u64],
                again: &[(u64, Timestamp)],
            ) -> Result<(), StoreError> {
                outbox_of(self.decorator())?.settle(name, done, again).await
            }
        }
    };
}

fn outbox_of(decorator: &impl Decorator) -> Result<&dyn Outbox, StoreError> {
    let outbox = decorator.outbox();
    outbox.ok_or_else(|| StoreError::new("find the outbox", "the store inside has none"))
}

with_store_methods! { store_by_decorator! { Decorated<D: Decorator>; } }
with_store_methods! { store_by_decorator! { Cached<S: Store>; } }

impl<D> Decorated<D> {
    fn decorator(&self) -> &D {
        &self.0
    }
}

impl<S> Cached<S> {
    fn decorator(&self) -> &Self {
        self
    }
}

/// A pointer to a store is a store: `Arc<S>` to share one, `Box<dyn Store>` to choose one at run time.
macro_rules! store_by_pointer {
    (
        $pointer:ident;
        mutations { $($mutation:ident($($part:ident: $of:ty),*) = $value:expr;)* }
        others { $($name:ident($($argument:ident: $type:ty),*) -> $output:ty;)* }
    ) => {
        #[async_trait]
        impl<S: Store + ?Sized> Store for $pointer<S> {
            $(
                async fn $mutation(&self $(, $part: $of)*) -> Result<Write, StoreError> {
                    S::$mutation(self $(, $part)*).await
                }
            )*

            $(
                async fn $name(&self $(, $argument: $type)*) -> Result<$output, StoreError> {
                    S::$name(self $(, $argument)*).await
                }
            )*

            fn outbox(&self) -> Option<&dyn Outbox> {
                S::outbox(self)
            }

            fn stats(&self) -> StoreStats {
                S::stats(self)
            }
        }
    };
}

with_store_methods! { store_by_pointer! { Arc; } }
with_store_methods! { store_by_pointer! { Box; } }
