//! Reads. They never wait for the writer.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use handbill::store::{Entry, KeyRecord, PostId, SecretHash, StoreError};
use sqlx::mysql::MySqlRow;
use sqlx::{AssertSqlSafe, MySqlConnection};

use super::failure::{Cause, read};
use super::source::Source;
use super::statement::statement;
use crate::columns::{keys_where, posts_where};
use crate::connections::Connections;
use crate::lookup::Lookup;
use crate::query::Query;
use crate::row;

/// Reads are short, so more would only wait for the server's cores.
const MAX_CONNECTIONS: u32 = 8;
/// Concurrent lookups share so many queries.
const QUERIES: usize = 4;

static POSTS: LazyLock<String> = LazyLock::new(|| posts_where("id IN "));
static KEYS: LazyLock<String> = LazyLock::new(|| keys_where("secret IN "));
const IS_READ_ONLY: &str =
    "SELECT @@GLOBAL.read_only AS is_read_only FROM handbill_meta WHERE name = 'schema'";

pub(crate) struct Reader {
    pub(super) connections: Connections<Source>,
    /// For probes, which must not wait for other reads.
    probe: Connections<Source>,
    posts: Lookup<PostId, Entry>,
    keys: Lookup<SecretHash, KeyRecord>,
}

impl Reader {
    pub(super) fn new(source: &Source) -> Self {
        Self {
            connections: Connections::new(source.clone(), MAX_CONNECTIONS),
            probe: Connections::new(source.clone(), 1),
            posts: Lookup::new(QUERIES),
            keys: Lookup::new(1),
        }
    }

    /// What a query finds. `doing` says what it is for.
    pub(crate) async fn rows<T>(
        &self,
        doing: &'static str,
        query: Query<'_>,
        from_row: fn(&MySqlRow) -> sqlx::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = self.raw_rows(&query).await;
        let found = rows.and_then(|rows| rows.iter().map(from_row).collect());
        found.map_err(|error| StoreError::new(doing, error))
    }

    pub(super) async fn raw_rows(&self, query: &Query<'_>) -> sqlx::Result<Vec<MySqlRow>> {
        let fetch =
            async |connection: &mut MySqlConnection| statement(query).fetch_all(connection).await;
        read(&self.connections, fetch).await
    }

    pub(super) async fn post(&self, id: PostId) -> Result<Option<Entry>, Arc<sqlx::Error>> {
        let query = async |ids: HashSet<PostId>| {
            let ids = ids.iter().map(|id| format!("'{id}'"));
            self.look_up(&POSTS, ids).await
        };
        self.posts.find(id, query, row::entry_by_id).await
    }

    pub(super) async fn key(
        &self,
        secret: SecretHash,
    ) -> Result<Option<KeyRecord>, Arc<sqlx::Error>> {
        let query = async |secrets: HashSet<SecretHash>| {
            let secrets = secrets.iter().map(|secret| hex::encode(secret.as_bytes()));
            let secrets = secrets.map(|secret| format!("x'{secret}'"));
            self.look_up(&KEYS, secrets).await
        };
        self.keys.find(secret, query, row::key_by_secret).await
    }

    /// The rows of some names, which are SQL of digits and letters. So the server need not prepare a query for each
    /// number of names.
    async fn look_up(
        &self,
        sql: &'static str,
        names: impl Iterator<Item = String>,
    ) -> Result<Vec<MySqlRow>, Arc<sqlx::Error>> {
        let sql = format!("{sql} ({})", names.collect::<Vec<_>>().join(","));
        let fetch = async |connection: &mut MySqlConnection| {
            let query = sqlx::raw_sql(AssertSqlSafe(sql.as_str()));
            query.fetch_all(connection).await
        };
        Ok(read(&self.connections, fetch).await?)
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
    let is_read_only = sqlx::query_scalar(IS_READ_ONLY);
    is_read_only.fetch_one(connection).await
}
