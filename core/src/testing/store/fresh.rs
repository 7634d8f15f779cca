use std::sync::Arc;

use crate::store::Store;

/// A store to check, by itself or with what must live as long: `(store, kept)`.
pub trait Fresh {
    /// What must live as long as the store.
    type Kept;

    /// The store, and what to keep until the check is over.
    fn into_parts(self) -> (Arc<dyn Store>, Self::Kept);
}

impl<S: Store> Fresh for S {
    type Kept = ();

    fn into_parts(self) -> (Arc<dyn Store>, ()) {
        (Arc::new(self), ())
    }
}

impl<S: Store, Kept> Fresh for (S, Kept) {
    type Kept = Kept;

    fn into_parts(self) -> (Arc<dyn Store>, Kept) {
        (Arc::new(self.0), self.1)
    }
}
