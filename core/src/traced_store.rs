//! Measures the calls of a store, and has a span of `tracing` around each, so that a host sees what a request waits for.

use std::sync::Arc;

use async_trait::async_trait;
use tracing::debug_span;

use crate::change::NewChange;
use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::owner::Owner;
use crate::post::{Entry, PageRequest, PostList, TagCount, Tombstone};
use crate::secret::{InstallationSecret, SecretHash};
use crate::store::{Decorator, Health, Mutation, Store, StoreError, Write, with_store_methods};
use crate::time::Timestamp;
use crate::waits::{Wait, measure};

/// A store whose calls each have a span `store`, with the name of the method as `operation`, at the level debug.
pub(crate) struct Traced(pub(crate) Arc<dyn Store>);

macro_rules! traced {
    (
        mutations { $($mutations:tt)* }
        others { $($name:ident($($argument:ident: $type:ty),*) -> $output:ty;)* }
    ) => {
        #[async_trait]
        impl Decorator for Traced {
            fn inner(&self) -> &dyn Store {
                &*self.0
            }

            async fn mutate(
                &self,
                mutation: Mutation,
                change: Option<NewChange>,
            ) -> Result<Write, StoreError> {
                let span = debug_span!("store", operation = mutation.name());
                measure(Wait::Store, span, mutation.apply(self.inner(), change)).await
            }

            $(
                async fn $name(&self $(, $argument: $type)*) -> Result<$output, StoreError> {
                    let span = debug_span!("store", operation = stringify!($name));
                    measure(Wait::Store, span, self.inner().$name($($argument),*)).await
                }
            )*
        }
    };
}

with_store_methods! { traced! {} }
