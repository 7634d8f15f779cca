use std::sync::Arc;

use handbill::Store;

/// A store to check: `store`, or `(store, kept)` with what must live as long, or an `Option` of
/// either, which is `None` where something that the store needs is missing.
///
/// `Form` is one of [`Bare`], [`WithKept`] and [`Optional`]. The compiler infers it.
pub trait Fresh<Form> {
    /// What must live as long as the store.
    type Kept;

    /// The store, and what must live as long.
    fn into_parts(self) -> Option<(Arc<dyn Store>, Self::Kept)>;
}

/// The form of a store by itself.
#[derive(Debug)]
pub struct Bare;

/// The form of a store and what must live as long.
#[derive(Debug)]
pub struct WithKept;

/// The form of a store that may be missing.
#[derive(Debug)]
pub struct Optional<Form>(Form);

impl<S: Store> Fresh<Bare> for S {
    type Kept = ();

    fn into_parts(self) -> Option<(Arc<dyn Store>, ())> {
        Some((Arc::new(self), ()))
    }
}

impl<S: Store, Kept> Fresh<WithKept> for (S, Kept) {
    type Kept = Kept;

    fn into_parts(self) -> Option<(Arc<dyn Store>, Kept)> {
        Some((Arc::new(self.0), self.1))
    }
}

impl<Form, F: Fresh<Form>> Fresh<Optional<Form>> for Option<F> {
    type Kept = F::Kept;

    fn into_parts(self) -> Option<(Arc<dyn Store>, F::Kept)> {
        self.and_then(F::into_parts)
    }
}
