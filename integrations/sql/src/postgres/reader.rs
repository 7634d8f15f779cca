//! Reads posts.
//!
//! What readers see may come from a replica. What a change or a permission is decided on comes from
//! the primary: to ask the primary for its LSN would cost as much as the one row, and a replica may
//! show a change a moment before it is acknowledged.

use std::sync::{Arc, LazyLock};

use handbill::store::{Entry, Health, PostId, SecretHash};
use sqlx::Row;
use sqlx::postgres::PgRow;
use tokio::time::{Instant, timeout};

use super::connections::{Connections, Statement};
use super::failure::{Failure, READ_ONLY};
use super::replicas::Replicas;
use crate::backoff::TIMEOUT;
use crate::columns::{self, posts_where};
use crate::row;

static POST: LazyLock<String> = LazyLock::new(|| posts_where("id = $1"));
const IS_READ_ONLY: &str = "
SELECT current_setting('transaction_read_only') = 'on' FROM handbill_meta WHERE name = 'schema'";

#[derive(Clone)]
pub(super) struct Reader {
    primary: Arc<Connections>,
    /// For probes, which must not wait for other reads.
    probe: Arc<Connections>,
    pub(super) replicas: Replicas,
}

impl Reader {
    pub(super) fn new(primary: &Arc<Connections>, probe: Connections) -> Self {
        Self {
            primary: Arc::clone(primary),
            probe: Arc::new(probe),
            replicas: Replicas::none(primary),
        }
    }

    /// The rows of a statement, from a replica that has them or from the primary. Never older than
    /// the start of this call.
    pub(super) async fn rows<'q>(
        &self,
        statement: impl Fn() -> Statement<'q> + Sync,
    ) -> Result<Vec<PgRow>, Failure> {
        let read = async {
            match self.replicas.rows(&statement).await {
                Some(rows) => Ok(rows),
                None => self.primary.rows(&statement).await,
            }
        };
        timeout(TIMEOUT, read)
            .await
            .unwrap_or(Err(Failure::TimedOut))
    }

    pub(super) async fn post(&self, id: PostId) -> Result<Option<Entry>, Failure> {
        entry(
            &self
                .rows(|| sqlx::query(POST.as_str()).bind(id.as_str()))
                .await?,
        )
    }

    pub(super) async fn current_post(&self, id: PostId) -> Result<Option<Entry>, Failure> {
        let statement = || sqlx::query(POST.as_str()).bind(id.as_str());
        entry(&self.primary.rows(statement).await?)
    }

    pub(super) async fn post_by_edit_token(
        &self,
        token: SecretHash,
    ) -> Result<Option<Entry>, Failure> {
        let statement = || columns::post_by_edit_token(&token).into_statement();
        entry(&self.primary.rows(statement).await?)
    }

    /// Fails at once if the primary can't be reached or is read-only.
    pub(super) async fn health(&self) -> Result<Health, Failure> {
        let statement = || sqlx::query(IS_READ_ONLY);
        let rows = self.probe.rows_by(Instant::now(), statement).await?;
        let row = rows.first().ok_or(sqlx::Error::RowNotFound)?;
        match row.try_get(0)? {
            true => Err(READ_ONLY),
            false => Ok(self.replicas.health()),
        }
    }

    pub(super) fn close(&self) {
        self.replicas.close();
        self.probe.close();
        self.primary.close();
    }
}

fn entry(rows: &[PgRow]) -> Result<Option<Entry>, Failure> {
    Ok(rows.first().map(row::entry).transpose()?)
}
