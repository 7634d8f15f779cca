//! Reads of posts and keys.

use super::connections::{Connections, Effect, Server};
use super::failure::Failure;
use super::{lists, row};
use crate::id::PostId;
use crate::key::KeyRecord;
use crate::post::{Entry, PageRequest, PostPage};
use crate::secret::SecretHash;

/// Connections that read: reads are short, and the server's cores few.
pub(super) const MAX_CONNECTIONS: usize = 8;

const POST: &str = "SELECT * FROM handbill_posts WHERE id = $1";
const POST_BY_EDIT_TOKEN: &str = "
SELECT * FROM handbill_posts WHERE id = $1 AND edit_token = $2 AND token_names_id
UNION ALL
SELECT * FROM handbill_posts WHERE edit_token = $2 AND NOT token_names_id";
const KEY_BY_SECRET: &str = "SELECT * FROM handbill_keys WHERE secret = $1";
const KEYS: &str = "SELECT * FROM handbill_keys ORDER BY created_at, id";
const IS_READ_ONLY: &str = "
SELECT current_setting('transaction_read_only') = 'on' FROM handbill_meta WHERE name = 'schema'";

#[derive(Debug)]
pub(super) struct Reader {
    connections: Connections,
}

impl Reader {
    pub(super) fn new(server: Server) -> Self {
        Self {
            connections: Connections::new(server, Effect::Reads, MAX_CONNECTIONS),
        }
    }

    pub(super) fn close(&self) {
        self.connections.close();
    }

    /// Returns whether writes are not possible.
    pub(super) async fn is_read_only(&self) -> Result<bool, Failure> {
        let rows = self.connections.rows(|| sqlx::query(IS_READ_ONLY)).await?;
        let row = rows.first().ok_or(sqlx::Error::RowNotFound)?;
        Ok(sqlx::Row::try_get(row, 0)?)
    }

    pub(super) async fn post(&self, id: PostId) -> Result<Option<Entry>, Failure> {
        let statement = || sqlx::query(POST).bind(id.as_str());
        let rows = self.connections.rows(statement).await?;
        Ok(rows.first().map(row::entry).transpose()?)
    }

    pub(super) async fn post_by_edit_token(
        &self,
        token: SecretHash,
    ) -> Result<Option<Entry>, Failure> {
        let id = PostId::named_by(&token);
        let statement = || {
            let query = sqlx::query(POST_BY_EDIT_TOKEN).bind(id.as_str());
            query.bind(token.as_bytes().as_slice())
        };
        let rows = self.connections.rows(statement).await?;
        Ok(rows.first().map(row::entry).transpose()?)
    }

    pub(super) async fn posts(&self, page: &PageRequest) -> Result<PostPage, Failure> {
        lists::page(&self.connections, page).await
    }

    pub(super) async fn key_by_secret(
        &self,
        secret: SecretHash,
    ) -> Result<Option<KeyRecord>, Failure> {
        let statement = || sqlx::query(KEY_BY_SECRET).bind(secret.as_bytes().as_slice());
        let rows = self.connections.rows(statement).await?;
        Ok(rows.first().map(row::key).transpose()?)
    }

    pub(super) async fn keys(&self) -> Result<Vec<KeyRecord>, Failure> {
        let rows = self.connections.rows(|| sqlx::query(KEYS)).await?;
        Ok(rows.iter().map(row::key).collect::<sqlx::Result<_>>()?)
    }
}
