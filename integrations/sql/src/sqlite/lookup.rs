//! Lookups of single rows. Concurrent ones share one query, since a trip to the database's thread
//! takes longer than to find a row: with 32 callers a lookup takes a third of the time.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use serde::Serialize;
use sqlx::sqlite::SqliteRow;
use tokio::time::timeout;

use super::connections::Source;
use crate::coalescer::Coalescer;
use crate::connections::{ACQUIRE_TIMEOUT, Connections};

/// Finds values by their names: posts by identifier, keys by hash.
pub(super) struct Lookup<K, V> {
    connections: Connections<Source>,
    /// A query that takes the names as a JSON array of texts.
    sql: &'static str,
    to_text: fn(&K) -> String,
    from_row: fn(&SqliteRow) -> sqlx::Result<(K, V)>,
    coalescer: Coalescer<K, Found<K, V>>,
}

type Found<K, V> = Result<Arc<HashMap<K, V>>, Arc<sqlx::Error>>;

impl<K: Clone + Eq + Hash, V: Clone> Lookup<K, V> {
    /// Looks up with at most so many `queries` at a time.
    pub(super) fn new(
        source: Source,
        queries: u32,
        sql: &'static str,
        to_text: fn(&K) -> String,
        from_row: fn(&SqliteRow) -> sqlx::Result<(K, V)>,
    ) -> Self {
        Self {
            connections: Connections::new(source, queries),
            sql,
            to_text,
            from_row,
            coalescer: Coalescer::new(queries as usize),
        }
    }

    /// The value at a moment after the call.
    pub(super) async fn find(&self, name: K) -> Result<Option<V>, Arc<sqlx::Error>> {
        let query = async |names| self.query(names).await.map(Arc::new).map_err(Arc::new);
        let found = self.coalescer.ask(name.clone(), query).await?;
        Ok(found.get(&name).cloned())
    }

    async fn query(&self, names: HashSet<K>) -> sqlx::Result<HashMap<K, V>> {
        let names: Vec<String> = names.iter().map(self.to_text).collect();
        let names = json(&names);
        let rows = self.connections.with(async |connection| {
            sqlx::query(self.sql)
                .bind(names)
                .fetch_all(connection)
                .await
        });
        let rows = timeout(ACQUIRE_TIMEOUT, rows).await;
        let rows = rows.map_err(|_| sqlx::Error::PoolTimedOut)??;
        rows.iter().map(self.from_row).collect()
    }

    pub(super) async fn close(&self) {
        self.connections.close().await;
    }
}

/// Texts as SQLite's `json_each` reads them.
pub(super) fn json(texts: &[impl Serialize]) -> String {
    serde_json::to_string(texts).unwrap_or_else(|_| unreachable!("texts are JSON"))
}
