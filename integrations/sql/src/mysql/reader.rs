//! Reads. They never wait for the writer.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::{Arc, LazyLock};

use handbill::store::{Entry, KeyRecord, PostId, SecretHash, StoreError};
use sqlx::mysql::MySqlRow;
use sqlx::{AssertSqlSafe, MySqlConnection};

use super::change::Statement;
use super::failure::{Cause, read};
use super::source::Source;
use crate::coalescer::Coalescer;
use crate::columns::{keys_where, posts_where};
use crate::connections::Connections;
use crate::row::{self, Row as _};

/// Reads are short, so more would only wait for the server's cores.
const MAX_CONNECTIONS: u32 = 8;
/// Concurrent lookups share so many queries.
const QUERIES: usize = 4;

static POSTS: LazyLock<String> = LazyLock::new(|| posts_where("id IN "));
static KEYS: LazyLock<String> = LazyLock::new(|| keys_where("secret IN "));
const IS_READ_ONLY: &str =
    "SELECT @@GLOBAL.read_only AS is_read_only FROM handbill_meta WHERE name = 'schema'";

type Found<K, V> = Result<Arc<HashMap<K, V>>, Arc<sqlx::Error>>;

pub(super) struct Reader {
    pub(super) connections: Connections<Source>,
    /// For probes, which must not wait for other reads.
    probe: Connections<Source>,
    posts: Coalescer<PostId, Found<PostId, Entry>>,
    keys: Coalescer<SecretHash, Found<SecretHash, KeyRecord>>,
}

impl Reader {
    pub(super) fn new(source: &Source) -> Self {
        Self {
            connections: Connections::new(source.clone(), MAX_CONNECTIONS),
            probe: Connections::new(source.clone(), 1),
            posts: Coalescer::new(QUERIES),
            keys: Coalescer::new(1),
        }
    }

    /// What a statement finds. `doing` says what it is for.
    pub(super) async fn rows<'q, T>(
        &self,
        doing: &'static str,
        statement: impl Fn() -> Statement<'q>,
        from_row: fn(&MySqlRow) -> sqlx::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = self.raw_rows(statement).await;
        let found = rows.and_then(|rows| rows.iter().map(from_row).collect());
        found.map_err(|error| StoreError::new(doing, error))
    }

    pub(super) async fn raw_rows<'q>(
        &self,
        statement: impl Fn() -> Statement<'q>,
    ) -> sqlx::Result<Vec<MySqlRow>> {
        let fetch =
            async |connection: &mut MySqlConnection| statement().fetch_all(connection).await;
        read(&self.connections, fetch).await
    }

    pub(super) async fn post(&self, id: PostId) -> Result<Option<Entry>, Arc<sqlx::Error>> {
        let entry = |row: &MySqlRow| row::entry(row).map(|entry| (entry.id(), entry));
        let text = |id: &PostId| format!("'{id}'");
        self.look_up(&self.posts, &POSTS, id, text, entry).await
    }

    pub(super) async fn key(
        &self,
        secret: SecretHash,
    ) -> Result<Option<KeyRecord>, Arc<sqlx::Error>> {
        let key = |row: &MySqlRow| row::key(row).map(|key| (key.secret, key));
        let text = |secret: &SecretHash| format!("x'{}'", hex::encode(secret.as_bytes()));
        self.look_up(&self.keys, &KEYS, secret, text, key).await
    }

    /// Finds a value by its name, together with those of other callers. `to_text` makes SQL of digits and letters. So
    /// the server need not prepare a query for each number of names.
    async fn look_up<K: Clone + Eq + Hash, V: Clone>(
        &self,
        coalescer: &Coalescer<K, Found<K, V>>,
        sql: &'static str,
        name: K,
        to_text: fn(&K) -> String,
        from_row: fn(&MySqlRow) -> sqlx::Result<(K, V)>,
    ) -> Result<Option<V>, Arc<sqlx::Error>> {
        let query = async |names: HashSet<K>| {
            let names = names.iter().map(to_text).collect::<Vec<_>>().join(",");
            let sql = format!("{sql} ({names})");
            let fetch = async |connection: &mut MySqlConnection| {
                let query = sqlx::raw_sql(AssertSqlSafe(sql.as_str()));
                query.fetch_all(connection).await
            };
            let rows = read(&self.connections, fetch).await;
            let found = rows.and_then(|rows| rows.iter().map(from_row).collect());
            found.map(Arc::new).map_err(Arc::new)
        };
        let found = coalescer.ask(name.clone(), query).await?;
        Ok(found.get(&name).cloned())
    }

    /// Whether the server takes no writes. Only a connection that was idle may be replaced by a new one.
    pub(super) async fn is_read_only(&self) -> sqlx::Result<bool> {
        match self.probe.with(is_read_only).await {
            Err(error) if Cause::of(&error) == Cause::Connection => {
                self.probe.with(is_read_only).await
            }
            asked => asked,
        }
    }

    pub(super) async fn close(&self) {
        self.connections.close().await;
        self.probe.close().await;
    }
}

async fn is_read_only(connection: &mut MySqlConnection) -> sqlx::Result<bool> {
    let row = sqlx::query(IS_READ_ONLY).fetch_one(connection).await?;
    row.flag("is_read_only")
}
