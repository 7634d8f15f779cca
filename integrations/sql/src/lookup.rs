//! Lookups of rows by their names. Concurrent callers share a query.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use crate::coalescer::Coalescer;

/// Finds values of type `V` by names of type `K`.
pub(crate) struct Lookup<K, V, E = Arc<sqlx::Error>>(Coalescer<K, Result<Found<K, V>, E>>);

type Found<K, V> = Arc<HashMap<K, V>>;

impl<K: Clone + Eq + Hash, V: Clone, E: Clone + From<sqlx::Error>> Lookup<K, V, E> {
    /// Runs at most so many `queries` at a time.
    pub(crate) fn new(queries: usize) -> Self {
        Self(Coalescer::new(queries))
    }

    /// Finds a value by its name, together with those of other callers: `query` reads the rows of some names.
    pub(crate) async fn find<R>(
        &self,
        name: K,
        query: impl AsyncFnOnce(HashSet<K>) -> Result<Vec<R>, E>,
        from_row: fn(&R) -> sqlx::Result<(K, V)>,
    ) -> Result<Option<V>, E> {
        let query = async |names| {
            let rows = query(names).await?;
            let found = rows.iter().map(from_row).collect::<sqlx::Result<_>>()?;
            Ok(Arc::new(found))
        };
        let found = self.0.ask(name.clone(), query).await?;
        Ok(found.get(&name).cloned())
    }
}
