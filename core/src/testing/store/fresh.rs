use std::sync::Arc;

use crate::store::Store;

/// A store to check: by itself, or with what must live as long: `(store, kept)`. Either may be an
/// `Option`: where it is none, because what the store needs is not there, nothing is checked; whoever
/// makes it says so.
pub trait Fresh {
    /// What must live as long as the store.
    type Kept;

    /// The store, and what to keep until the check is over.
    fn into_parts(self) -> Option<(Arc<dyn Store>, Self::Kept)>;
}

impl<S: Store> Fresh for S {
    type Kept = ();

    fn into_parts(self) -> Option<(Arc<dyn Store>, ())> {
        Some((Arc::new(self), ()))
    }
}

impl<S: Store, Kept> Fresh for (S, Kept) {
    type Kept = Kept;

    fn into_parts(self) -> Option<(Arc<dyn Store>, Kept)> {
        Some((Arc::new(self.0), self.1))
    }
}

impl<F: Fresh> Fresh for Option<F> {
    type Kept = F::Kept;

    fn into_parts(self) -> Option<(Arc<dyn Store>, F::Kept)> {
        self.and_then(F::into_parts)
    }
}
