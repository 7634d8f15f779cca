//! Posts and keys in a MySQL or MariaDB database, shared by any number of instances, also on a Galera cluster.
//!
//! It guarantees that reads are never older than what any instance has acknowledged, that a write is as durable as the
//! server's commits when it returns, and that each call ends within five seconds.
//!
//! One task writes and commits all changes that wait together, and makes a transaction again that met another one
//! (`writer`, `change`, `transaction`). The words of posts are lists, too (`entries`), so that one statement adds a
//! post to all of them. Writers share no row: list entries are counted in the background (`counter`), and a bar is seen
//! by all because each write passes one of many gates (`migrations/001.sql`). `reader`, `lists` and `search` read, each
//! page from one snapshot. `address` and `source` connect, and set what the statements rely on. `failure` says what may
//! be retried, and `statement` makes MySQL's form of the queries that stores share.

mod address;
mod change;
mod counter;
mod entries;
mod failure;
mod index;
mod lists;
mod open;
mod outbox_change;
mod reader;
mod search;
mod source;
mod statement;
mod statements;
mod transaction;
mod writer;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use handbill::store::{
    Bar, Changes, Due, Entry, Freshness, Health, InstallationSecret, KeyId, KeyRecord, List,
    NewChange, Outbox, Outcome, PageRequest, PostId, PostKey, PostList, SearchIndex, SecretHash,
    Store, StoreError, StoreStats, Tag, TagCount, Timestamp, Write,
};
use sqlx::MySqlConnection;
use sqlx::mysql::MySqlRow;

pub(crate) use self::outbox_change::DUE_CHANGES;
use self::reader::Reader;
pub(crate) use self::search::UNINDEXED;
use crate::query::Query;
use crate::writer::Writer;
use crate::{columns, row};

const SECRET: &str = "SELECT secret FROM handbill_secrets WHERE name = 'installation'";

/// Stores posts and keys in a MySQL or MariaDB database, which any number of instances may share.
///
/// When a method returns, its change is as durable as the server's commits, and all instances see it. Writes that come
/// at the same time are committed together. A clone is the same store.
///
/// # Address
///
/// `mysql://USER:PASSWORD@HOST:PORT/DATABASE`, or `mariadb://`, with these parameters after a question mark:
///
/// | parameter | meaning |
/// |---|---|
/// | `sslmode`, `sslrootcert`, `sslcert`, `sslkey` | TLS: see below |
/// | `socket` | the path of a Unix socket, which is used instead of the host |
///
/// # TLS
///
/// With the feature `mysql-tls`, connections can have TLS (by rustls). `sslmode` says whether they must:
///
/// | `sslmode` | connection |
/// |---|---|
/// | `disable` | in plain text |
/// | `prefer` (default) | with TLS if the server has it, or in plain text: an attacker on the network decides |
/// | `require` | with TLS. The certificate is not verified, unless `sslrootcert` is given: then it is `verify-ca` |
/// | `verify-ca` | with TLS and a certificate of a trusted authority, for any host |
/// | `verify-full` | the same, and the certificate is for the host in the address |
///
/// Before Handbill first connects to another machine in plain text, it logs one warning. A user of MySQL 8 whose
/// password is checked by `caching_sha2_password` needs TLS.
///
/// # Tables
///
/// The tables are named `handbill_…`, so that they can be in the host's own database, whatever its character set.
/// `open` creates missing tables, which needs the privilege `CREATE`. To use existing ones, `SELECT`, `INSERT`,
/// `UPDATE` and `DELETE` are enough. There are no triggers and no stored functions. Each connection gets a strict SQL
/// mode, UTC, `READ COMMITTED` and `utf8mb4`, whatever the server's defaults.
///
/// # Connections
///
/// An instance has up to 11 connections: 8 that read, one that writes, one that counts and one for probes, opened when
/// needed.
///
/// # Galera
///
/// Instances may write through different nodes at once. Each statement waits until its node has applied what other
/// nodes have acknowledged (`wsrep_sync_wait`). A transaction that conflicts with one of another node is retried. A
/// node that has left the cluster takes no writes, and reads from it fail. The clocks of the nodes must be
/// synchronised: leases of durable listeners go by them.
///
/// # Failures
///
/// Each call ends within 5 seconds. Until then, Handbill retries transactions that met a deadlock or waited too long
/// for a lock (`1213`, `1205`), and what a server refused that is read-only or has left its cluster. A write whose
/// connection broke while it was committed is an error, because its outcome is unknown: the service responds with 503,
/// and a client can safely repeat the request with an `Idempotency-Key`. A post that does not fit into
/// `max_allowed_packet` is an error that says so. When the server has been away for 5 seconds, calls fail at once. The
/// store recovers by itself when the server, or its successor at the same address, is back.
///
/// ```no_run
/// use handbill::Handbill;
/// use handbill_sql::MySqlStore;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let store = MySqlStore::open("mysql://handbill@localhost/blog").await?;
/// let handbill = Handbill::new("https://example.org", store.clone())?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct MySqlStore {
    pub(crate) reader: Arc<Reader>,
    pub(crate) writer: Arc<Writer<MySqlConnection>>,
    changes: Option<Changes>,
}

impl MySqlStore {
    /// Lets services over the store use cached responses that show one post, which are behind the changes of other
    /// instances by less than `bound`: then the post is read again. Lists are read each time.
    #[must_use]
    pub fn cached(self, bound: Duration) -> Self {
        let changes = Some(Changes::notified(bound));
        Self { changes, ..self }
    }

    /// Finishes the writes in progress and closes the connections. Later reads and writes are errors.
    pub async fn close(&self) {
        self.writer.close().await;
        self.reader.close().await;
    }
}

impl fmt::Debug for MySqlStore {
    /// Tells nothing of what is inside, such as passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MySqlStore").finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for MySqlStore {
    async fn write(&self, write: Write, change: Option<NewChange>) -> Result<Outcome, StoreError> {
        writer::check_size(&write, self.reader.connections.source())?;
        self.writer.write(write, change).await
    }

    async fn get_post(&self, by: PostKey, _: Freshness) -> Result<Option<Entry>, StoreError> {
        let doing = "read a post";
        let found = match by {
            PostKey::Id(id) => self.reader.post(id).await,
            PostKey::EditToken(token) => {
                let query = columns::post_by_edit_token(&token);
                return Ok(self.reader.rows(doing, query, row::entry).await?.pop());
            }
        };
        found.map_err(|error| StoreError::new(doing, error))
    }

    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        let found = lists::page(&self.reader, &page).await;
        found.map_err(|error| StoreError::new("list posts", error))
    }

    async fn count_since(
        &self,
        list: List,
        tag: Option<Tag>,
        times: Vec<Timestamp>,
    ) -> Result<Vec<u64>, StoreError> {
        let found = lists::since(&self.reader, &list, tag.as_ref(), &times).await;
        found.map_err(|error| StoreError::new("count posts", error))
    }

    async fn list_due(&self, limit: u32) -> Result<Vec<Due>, StoreError> {
        let query = columns::due(limit);
        self.reader.rows("list what is due", query, row::due).await
    }

    async fn list_tags(&self, limit: u32) -> Result<Vec<TagCount>, StoreError> {
        let found = lists::tags(&self.reader, limit).await;
        found.map_err(|error| StoreError::new("list tags", error))
    }

    async fn walk_entries(
        &self,
        after: Option<PostId>,
        limit: u32,
    ) -> Result<Vec<Entry>, StoreError> {
        let query = columns::posts_after(after.as_ref(), limit);
        self.reader.rows("read posts", query, row::entry).await
    }

    async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
        let found = self.reader.key(secret).await;
        found.map_err(|error| StoreError::new("find a key", error))
    }

    async fn walk_keys(
        &self,
        after: Option<KeyId>,
        limit: u32,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        let query = columns::keys_after(after.as_ref(), limit);
        self.reader.rows("list keys", query, row::key).await
    }

    async fn walk_bars(
        &self,
        after: Option<SecretHash>,
        limit: u32,
    ) -> Result<Vec<Bar>, StoreError> {
        let query = columns::bars_after(after.as_ref(), limit);
        self.reader
            .rows("list barred owners", query, row::bar)
            .await
    }

    async fn get_or_insert_installation_secret(
        &self,
        candidate: InstallationSecret,
    ) -> Result<InstallationSecret, StoreError> {
        let doing = "read the installation's secret";
        // If there is one already, this changes nothing.
        let inserted = self.writer.insert_installation_secret(doing, candidate);
        inserted.await?;
        let secret = |row: &MySqlRow| row::installation_secret(row, "secret");
        let mut found = self.reader.rows(doing, Query::new(SECRET), secret).await?;
        found
            .pop()
            .ok_or_else(|| StoreError::new(doing, sqlx::Error::RowNotFound))
    }

    async fn health(&self) -> Result<Health, StoreError> {
        let doing = "reach the database";
        match self.reader.is_read_only().await {
            Ok(false) => Ok(Health::default()),
            Ok(true) => Err(StoreError::new(doing, "the server is read-only")),
            Err(error) => Err(StoreError::new(doing, error)),
        }
    }

    fn outbox(&self) -> Option<&dyn Outbox> {
        Some(self)
    }

    fn search_index(&self) -> Option<&dyn SearchIndex> {
        Some(self)
    }

    fn changes(&self) -> Option<Changes> {
        self.changes.clone()
    }

    fn stats(&self) -> StoreStats {
        StoreStats::default().with_writes(self.writer.stats())
    }
}
