//! Reads of posts and keys.
//!
//! What readers are shown comes from replicas, where there are some that have it. What decides about
//! somebody's rights or about a change comes from the primary: to ask it where it is costs as much as
//! the one row, and a replica may show a change a moment before it is acknowledged.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use sqlx::postgres::PgRow;
use tokio::time::timeout;

use super::connections::{Connections, Effect, MOST_READING, PATIENCE, Server, Statement};
use super::failure::Failure;
use super::replicas::Replicas;
use super::row;
use crate::id::PostId;
use crate::key::KeyRecord;
use crate::post::Entry;
use crate::secret::SecretHash;
use crate::store::Health;
use crate::store::coalescer::Coalescer;

const POST: &str = "SELECT * FROM handbill_posts WHERE id = $1";
const POST_BY_EDIT_TOKEN: &str = "
SELECT * FROM handbill_posts WHERE id = $1 AND edit_token = $2 AND token_names_id
UNION ALL
SELECT * FROM handbill_posts WHERE edit_token = $2 AND NOT token_names_id";
const KEYS_BY_SECRETS: &str = "SELECT * FROM handbill_keys WHERE secret = ANY ($1::BYTEA[])";
const KEYS: &str = "SELECT * FROM handbill_keys ORDER BY created_at, id";
const IS_READ_ONLY: &str = "
SELECT current_setting('transaction_read_only') = 'on' FROM handbill_meta WHERE name = 'schema'";

#[derive(Debug)]
pub(super) struct Reader {
    /// To the primary.
    connections: Arc<Connections>,
    replicas: Replicas,
    keys: Coalescer<SecretHash, Result<Arc<KeysBySecret>, Failure>>,
}

type KeysBySecret = HashMap<SecretHash, KeyRecord>;

impl Reader {
    pub(super) fn new(server: Server) -> Self {
        let connections = Connections::new(server, Effect::Reads, MOST_READING);
        let connections = Arc::new(connections);
        Self {
            replicas: Replicas::none(Arc::clone(&connections)),
            connections,
            keys: Coalescer::default(),
        }
    }

    /// The same, with one more replica.
    pub(super) fn with_replica(&self, server: Server) -> Self {
        Self {
            connections: Arc::clone(&self.connections),
            replicas: self.replicas.and(server),
            keys: Coalescer::default(),
        }
    }

    pub(super) fn connections(&self) -> &Arc<Connections> {
        &self.connections
    }

    pub(super) fn close(&self) {
        self.replicas.close();
        self.connections.close();
    }

    /// What is known of the replicas.
    pub(super) fn health(&self) -> Health {
        self.replicas.health()
    }

    /// The rows of a statement, wherever they are had: as of now, or later.
    pub(super) async fn rows<'q>(
        &self,
        statement: impl Fn() -> Statement<'q> + Sync,
    ) -> Result<Vec<PgRow>, Failure> {
        let read = async {
            match self.replicas.rows(&statement).await {
                Some(rows) => Ok(rows),
                None => self.connections.rows(&statement).await,
            }
        };
        timeout(PATIENCE, read)
            .await
            .unwrap_or(Err(Failure::TimedOut))
    }

    /// Returns whether writes are not possible, or that there is no server now: whoever asks how the
    /// store is may have less patience than a reader.
    pub(super) async fn is_read_only(&self) -> Result<bool, Failure> {
        let statement = || sqlx::query(IS_READ_ONLY);
        let rows = self.connections.rows_if_there(statement).await?;
        let row = rows.first().ok_or(sqlx::Error::RowNotFound)?;
        Ok(sqlx::Row::try_get(row, 0)?)
    }

    pub(super) async fn post(&self, id: PostId) -> Result<Option<Entry>, Failure> {
        let rows = self.rows(|| sqlx::query(POST).bind(id.as_str())).await?;
        Ok(rows.first().map(row::entry).transpose()?)
    }

    pub(super) async fn get_current_post(&self, id: PostId) -> Result<Option<Entry>, Failure> {
        let statement = || sqlx::query(POST).bind(id.as_str());
        let rows = self.connections.rows(statement).await?;
        Ok(rows.first().map(row::entry).transpose()?)
    }

    pub(super) async fn find_post_by_edit_token(
        &self,
        token: SecretHash,
    ) -> Result<Option<Entry>, Failure> {
        let id = PostId::from_bits(*token.as_bytes());
        let statement = || {
            let query = sqlx::query(POST_BY_EDIT_TOKEN).bind(id.as_str());
            query.bind(token.as_bytes().as_slice())
        };
        let rows = self.connections.rows(statement).await?;
        Ok(rows.first().map(row::entry).transpose()?)
    }

    /// Every request that may change something has its key looked up: those that wait, together.
    pub(super) async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, Failure> {
        let question = async |secrets| self.keys_by_secrets(secrets).await.map(Arc::new);
        let found = timeout(PATIENCE, self.keys.ask(secret, question)).await;
        let keys = found.unwrap_or(Err(Failure::TimedOut))?;
        Ok(keys.get(&secret).cloned())
    }

    async fn keys_by_secrets(&self, secrets: HashSet<SecretHash>) -> Result<KeysBySecret, Failure> {
        let secrets: Vec<&[u8]> = secrets
            .iter()
            .map(|secret| secret.as_bytes().as_slice())
            .collect();
        let statement = || sqlx::query(KEYS_BY_SECRETS).bind(secrets.as_slice());
        let rows = self.connections.rows(statement).await?;
        let keys = rows
            .iter()
            .map(|row| row::key(row).map(|key| (key.secret, key)));
        Ok(keys.collect::<sqlx::Result<_>>()?)
    }

    pub(super) async fn keys(&self) -> Result<Vec<KeyRecord>, Failure> {
        let rows = self.connections.rows(|| sqlx::query(KEYS)).await?;
        Ok(rows.iter().map(row::key).collect::<sqlx::Result<_>>()?)
    }
}
