use std::sync::Arc;

use handbill::Store;

/// A store to check: `store`, `(store, resource)` with something that the store needs to exist, or
/// an `Option` of either. `None` skips the check, for example if a database is missing.
///
/// `Form` is one of [`Bare`], [`WithResource`] and [`Optional`]. The compiler infers it.
pub trait Fresh<Form> {
    /// The resource that must live as long as the store.
    type Resource;

    /// The store and its resource.
    fn into_parts(self) -> Option<(Arc<dyn Store>, Self::Resource)>;
}

/// The form of a store alone.
#[derive(Debug)]
pub struct Bare;

/// The form of a store with a resource.
#[derive(Debug)]
pub struct WithResource;

/// The form of a store that may be missing.
#[derive(Debug)]
pub struct Optional<Form>(Form);

impl<S: Store> Fresh<Bare> for S {
    type Resource = ();

    fn into_parts(self) -> Option<(Arc<dyn Store>, ())> {
        Some((Arc::new(self), ()))
    }
}

impl<S: Store, Resource> Fresh<WithResource> for (S, Resource) {
    type Resource = Resource;

    fn into_parts(self) -> Option<(Arc<dyn Store>, Resource)> {
        Some((Arc::new(self.0), self.1))
    }
}

impl<Form, F: Fresh<Form>> Fresh<Optional<Form>> for Option<F> {
    type Resource = F::Resource;

    fn into_parts(self) -> Option<(Arc<dyn Store>, F::Resource)> {
        self.and_then(F::into_parts)
    }
}
