//! Posts and keys in a PostgreSQL database, shared by any number of instances.
//!
//! It guarantees that reads are never older than what any instance has acknowledged, that a write is
//! durable when it returns, and that each call ends within five seconds. It relies on the server's
//! commits being durable, and uses no feature that only a superuser has.
//!
//! | files | what they do |
//! |---|---|
//! | `open`, `schema` | open the database, create or upgrade the tables |
//! | `address`, `server`, `source` | parse the address, connect with or without TLS, or by the host's pool |
//! | `connections`, `failure` | the connection pool, timeouts and retries |
//! | `writer`, `insert`, `change` | insert posts in batches, change single posts |
//! | `keys` | store keys and the installation's secret |
//! | `bars` | owners who may not write |
//! | `outbox`, `statements` | changes that wait for durable listeners, and the host's own statements with each |
//! | `reader`, `lists` | read posts, pages of lists and tags |
//! | `search` | find posts by their words |
//! | `counter`, `count.sql` | count list entries in the background, so that writers share no row |
//! | `replicas/` | read from standbys that have replayed the primary's LSN |
//! | `listener` | receive notifications of other instances' changes, for [`Changes`] |

mod address;
mod bars;
mod change;
mod connections;
mod counter;
mod failure;
mod insert;
mod keys;
mod listener;
mod lists;
mod open;
mod outbox;
mod reader;
mod replicas;
mod schema;
mod search;
mod server;
mod source;
mod statements;
mod writer;

use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use handbill::store::{
    Authority, Bar, Changes, Due, Entry, Freshness, Health, InstallationSecret, KeyId, KeyRecord,
    List, NewChange, Outbox, Outcome, PageRequest, Post, PostId, PostKey, PostList, Revision,
    SearchIndex, SecretHash, Store, StoreError, StoreStats, Tag, TagCount, Timestamp, Words, Write,
};
use sqlx::postgres::PgRow;
use tokio::task::JoinSet;
use tokio::time::timeout;

use self::change::{change_post, forget_owner};
use self::connections::{Connections, Statement};
use self::failure::Failure;
use self::insert::{NewPost, insert_posts, insert_tombstone};
use self::listener::Listener;
use self::reader::Reader;
use self::server::Server;
use self::source::Source;
use self::writer::Writer;
use crate::backoff::TIMEOUT;
use crate::counter::Counter;
use crate::query::Query;
use crate::{columns, row};

/// Tells other instances of the post `id`.
const NOTIFY_OF_POST: &str = "PG_NOTIFY('handbill_changes', id)";

/// Stores posts and keys in a PostgreSQL database, which any number of instances may share.
///
/// When a method returns, its change is as durable as the server's commits, and all instances see it.
/// Posts that are created at the same time are inserted in batches. A clone is the same store.
///
/// # Address
///
/// `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, or `postgresql://`, with these parameters after a
/// question mark:
///
/// | parameter | meaning |
/// |---|---|
/// | `host`, `hostaddr`, `port`, `user`, `password`, `dbname` | the same as before the question mark |
/// | `sslmode`, `sslrootcert`, `sslcert`, `sslkey` | TLS, as in libpq: see below |
/// | `application_name` | the name of the connections in the server's statistics |
/// | `options[NAME]` | a setting of the connections, such as `options[search_path]=blog` for a schema |
/// | `statement-cache-capacity` | `0` behind a pooler in transaction mode: see below |
///
/// A host may be the directory of a Unix socket.
///
/// # TLS
///
/// With the feature `postgres-tls`, connections can have TLS (by rustls). `sslmode` says whether they must:
///
/// | `sslmode` | connection |
/// |---|---|
/// | `disable` | in plain text |
/// | `allow` | in plain text, or with TLS if the server insists |
/// | `prefer` (default) | with TLS if the server has it, or in plain text: an attacker on the network decides |
/// | `require` | with TLS. The certificate is not verified, unless `sslrootcert` is given: then it is `verify-ca` |
/// | `verify-ca` | with TLS and a certificate of a trusted authority, for any host |
/// | `verify-full` | the same, and the certificate is for the host in the address |
///
/// Trusted authorities are those of the system, and those in the PEM file `sslrootcert`. To trust no other
/// than your own, set the environment variable `SSL_CERT_FILE` to the path of its certificate: it replaces
/// the authorities of the system. With `verify-ca` do so always, since public authorities
/// sign certificates for anyone's hosts.
///
/// Without the feature, the connection is in plain text, and `require` and more are errors. Before Handbill
/// first connects to another machine in plain text, it logs one warning. With `allow`, it logs it also if the
/// server then insists on TLS.
///
/// # Deleted data
///
/// PostgreSQL overwrites deleted and replaced rows some time after a `VACUUM`, and has them in its
/// write-ahead log, its backups and its standbys until these are removed. When that happens is up to the
/// settings of your server.
///
/// # Tables
///
/// The tables are named `handbill_…`, so that they can be in the host's own database. `open` creates
/// missing tables in the first schema of the search path, which needs the privilege `CREATE` on that
/// schema. To use existing tables, `SELECT`, `INSERT`, `UPDATE` and `DELETE` are enough. To upgrade those of an
/// earlier version takes their owner. Any number of
/// instances may open the same database at the same time.
///
/// # Connections
///
/// An instance has up to 13 connections: 8 that read, 4 that write and one for probes, opened when needed. The
/// server's default `max_connections` of 100 is enough for 6 instances. [`cached`](Self::cached) adds one
/// connection that listens, and each [replica](Self::with_replica) has up to 8 of its own.
///
/// Behind a pooler in transaction mode (pgbouncer), add `statement-cache-capacity=0` to the address.
/// Handbill then prepares no statements in advance and runs each in an explicit transaction, which takes
/// four round trips instead of one.
///
/// # Failures
///
/// Each call ends within 5 seconds. Handbill retries statements that failed with a serialization error or
/// deadlock (`40001`, `40P01`), or that could not reach a primary, until that limit. A read whose
/// connection broke is repeated once on a new connection. A write whose connection broke is an error,
/// because its outcome is unknown: the service responds with 503, and a client can safely repeat the
/// request with an `Idempotency-Key`. When the server has been unreachable for 5 seconds, calls fail at once.
/// [`health`](Store::health) never waits for it. A statement waits for a lock for 4 seconds, also when its
/// caller has gone, and then does nothing. The store recovers by itself when the server, or its
/// successor at the same address, is back.
///
/// The server needs no `statement_timeout`. With synchronous standbys it does harm: a statement that is
/// cancelled while it waits for a standby is committed all the same.
///
/// ```no_run
/// use handbill::Handbill;
/// use handbill_sql::PostgresStore;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let store = PostgresStore::open("postgres://handbill@localhost/blog").await?;
/// let handbill = Handbill::new("https://example.org", store.clone())?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct PostgresStore {
    source: Source,
    /// Whether changes are made known to other instances: by `NOTIFY` on the channel `handbill_changes`, with the
    /// identifier of the post. A creation is notified only if the post has a time. For others it is not needed, since
    /// no instance has them cached, and the server commits transactions that notify one after the other.
    notifies: bool,
    /// Connections to the primary, to read from it.
    readers: Arc<Connections>,
    /// Connections to the primary, for everything that writes.
    writers: Arc<Connections>,
    reader: Arc<Reader>,
    writer: Arc<Writer>,
    lookups: Arc<keys::Lookups>,
    counter: Counter,
    /// One task for each [`cached`](Self::cached).
    listeners: Arc<Mutex<JoinSet<()>>>,
    changes: Option<Changes>,
}

impl PostgresStore {
    /// Also reads from a standby of the server, at an address of the same form. Call it once for each
    /// standby, on the same runtime. The address must always lead to the same standby, so not to a load
    /// balancer.
    ///
    /// Posts with [`Freshness::Bounded`], [`list_posts`](Store::list_posts) and
    /// [`list_tags`](Store::list_tags) are read from the standbys in turn, and never show data from before
    /// an acknowledged change of any instance. Before a read, Handbill asks the primary for its current LSN
    /// (concurrent reads share one query). A standby may respond only if it has replayed that LSN. So
    /// replicas take load off the primary and do not replace it: while the primary is away, reads fail.
    ///
    /// Handbill stops reading from a standby that is down, lagging or promoted, and resumes when it has
    /// recovered. The standby may be down when this is called. [`health`](Store::health) shows the state
    /// of each; the lag in time is the age of the last transaction that the standby has replayed.
    ///
    /// # Errors
    /// If the address is invalid.
    pub fn with_replica(self, address: &str) -> Result<Self, StoreError> {
        let server = address::parse(address)
            .map_err(|reason| StoreError::new("read from a replica", reason))?;
        let mut reader = Reader::clone(&self.reader);
        reader.replicas.add(server.with_settings());
        let reader = Arc::new(reader);
        Ok(Self { reader, ..self })
    }

    /// Lets services over the store use cached responses that show one post, which are behind the changes of other
    /// instances by less than `bound`. Lists are read each time.
    ///
    /// Instances notify each other of changes by `NOTIFY`. Twice within the bound, each sends itself a heartbeat: when
    /// it arrives, all earlier changes have arrived, too, and unchanged posts need not be read again. This takes one
    /// connection. Where notifications do not arrive (behind a pooler in transaction mode, with a
    /// [pool](Self::with_pool), or with an engine that has none), each post is read again after the bound.
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use handbill::Handbill;
    /// use handbill_sql::PostgresStore;
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let store = PostgresStore::open("postgres://handbill@db1/handbill")
    ///     .await?
    ///     .with_replica("postgres://handbill@db2/handbill")?
    ///     .cached(Duration::from_secs(1));
    /// let handbill = Handbill::new("https://example.org/blog", store)?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn cached(self, bound: Duration) -> Self {
        let changes = Changes::notified(bound);
        if let Source::Server(server) = &self.source
            && self.notifies
            && !server.pooled
            && !bound.is_zero()
        {
            let (server, readers) = (Server::clone(server), Arc::clone(&self.readers));
            let listener = Listener::new(server, readers, changes.clone(), bound);
            self.listeners.lock().spawn(listener.run());
        }
        let changes = Some(changes);
        Self { changes, ..self }
    }

    /// Finishes the creations in progress and closes the connections. Later reads and writes are errors.
    pub async fn close(&self) {
        self.listeners.lock().abort_all();
        self.writer.close().await;
        self.writers.close();
        self.reader.close();
    }

    async fn make(&self, write: Write, change: Option<NewChange>) -> Result<Outcome, Failure> {
        let (writers, notifies) = (&self.writers, self.notifies);
        match write {
            Write::InsertPost { post, words, by } => {
                let new = NewPost {
                    post,
                    words,
                    by,
                    change,
                };
                self.insert(new).await
            }
            Write::InsertTombstone(tombstone) => insert_tombstone(writers, &tombstone).await,
            Write::UpdatePost {
                expected,
                post,
                words,
                by,
            } => {
                let (changed, new) = ((post.summary.id, expected), (&*post, words.as_ref()));
                self.change(changed, Some(new), by, change).await
            }
            Write::DeletePost { id, expected, by } => {
                self.change((id, expected), None, by, change).await
            }
            Write::InsertKey { key, by } => keys::insert(writers, &key, by, change.as_ref()).await,
            Write::TouchKey { id, at } => keys::touch(writers, id, at).await,
            Write::RevokeKey(id) => keys::revoke(writers, id, change.as_ref()).await,
            Write::ForgetOwner { owner, limit } => {
                forget_owner(writers, notifies, &owner, limit).await
            }
            Write::Bar { owner, until } => bars::bar(writers, owner, until).await,
            Write::Unbar { owner, at } => bars::unbar(writers, owner, at).await,
        }
    }

    async fn insert(&self, new: NewPost) -> Result<Outcome, Failure> {
        if new.change.is_none() || !self.writers.have_statements() {
            return self.writer.write(new).await;
        }
        let inserted = insert_posts(&self.writers, self.notifies, &[new]).await;
        self.counter.wake();
        inserted.map(|outcomes| outcomes[0])
    }

    async fn change(
        &self,
        post: (PostId, Revision),
        new: Option<(&Post, Option<&Words>)>,
        by: Option<Authority>,
        change: Option<NewChange>,
    ) -> Result<Outcome, Failure> {
        let (writers, change) = (&self.writers, change.as_ref());
        let changed = change_post(writers, self.notifies, post, new, by, change).await;
        self.counter.wake();
        changed
    }

    /// Runs a statement that writes. `doing` says what it is for.
    async fn run<'q>(
        &self,
        doing: &'static str,
        statement: impl Fn() -> Statement<'q>,
    ) -> Result<Vec<PgRow>, StoreError> {
        let rows = self.writers.rows(statement).await;
        rows.map_err(|failure| StoreError::new(doing, failure))
    }

    /// What a statement finds on the primary.
    async fn read<T>(
        &self,
        doing: &'static str,
        query: Query<'_>,
        from_row: fn(&PgRow) -> sqlx::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = self.readers.rows(|| query.clone().into_statement()).await;
        let found =
            rows.and_then(|rows| Ok(rows.iter().map(from_row).collect::<sqlx::Result<_>>()?));
        found.map_err(|failure| StoreError::new(doing, failure))
    }
}

impl fmt::Debug for PostgresStore {
    /// Tells nothing of what is inside, such as passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn write(&self, write: Write, change: Option<NewChange>) -> Result<Outcome, StoreError> {
        let doing = write.doing();
        let made = timeout(TIMEOUT, self.make(write, change)).await;
        made.unwrap_or(Err(Failure::TimedOut))
            .map_err(|failure| StoreError::new(doing, failure))
    }

    async fn get_post(
        &self,
        by: PostKey,
        freshness: Freshness,
    ) -> Result<Option<Entry>, StoreError> {
        let found = match (by, freshness) {
            (PostKey::Id(id), Freshness::Bounded) => self.reader.post(id).await,
            (PostKey::Id(id), Freshness::Current) => self.reader.current_post(id).await,
            (PostKey::EditToken(token), _) => self.reader.post_by_edit_token(token).await,
        };
        found.map_err(|failure| StoreError::new("read a post", failure))
    }

    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        let found = lists::page(&self.reader, &page).await;
        found.map_err(|failure| StoreError::new("list posts", failure))
    }

    async fn count_since(
        &self,
        list: List,
        tag: Option<Tag>,
        times: Vec<Timestamp>,
    ) -> Result<Vec<u64>, StoreError> {
        let found = lists::since(&self.reader, &list, tag.as_ref(), &times).await;
        found.map_err(|failure| StoreError::new("count posts", failure))
    }

    async fn list_due(&self, limit: u32) -> Result<Vec<Due>, StoreError> {
        let query = columns::due(limit);
        self.read("list what is due", query, row::due).await
    }

    async fn list_tags(&self, limit: u32) -> Result<Vec<TagCount>, StoreError> {
        let found = lists::tags(&self.reader, limit).await;
        found.map_err(|failure| StoreError::new("list tags", failure))
    }

    async fn walk_entries(
        &self,
        after: Option<PostId>,
        limit: u32,
    ) -> Result<Vec<Entry>, StoreError> {
        let query = columns::posts_after(after.as_ref(), limit);
        self.read("walk through the posts", query, row::entry).await
    }

    async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
        let found = keys::find(&self.readers, &self.lookups, secret).await;
        found.map_err(|failure| StoreError::new("find a key", failure))
    }

    async fn walk_keys(
        &self,
        after: Option<KeyId>,
        limit: u32,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        let query = columns::keys_after(after.as_ref(), limit);
        self.read("walk through the keys", query, row::key).await
    }

    async fn walk_bars(
        &self,
        after: Option<SecretHash>,
        limit: u32,
    ) -> Result<Vec<Bar>, StoreError> {
        let query = columns::bars_after(after.as_ref(), limit);
        self.read("walk through the bars", query, row::bar).await
    }

    async fn get_or_insert_installation_secret(
        &self,
        candidate: InstallationSecret,
    ) -> Result<InstallationSecret, StoreError> {
        let found = keys::get_or_insert_installation_secret(&self.writers, &candidate).await;
        found.map_err(|failure| StoreError::new("read the installation's secret", failure))
    }

    async fn health(&self) -> Result<Health, StoreError> {
        let health = self.reader.health().await;
        health.map_err(|failure| StoreError::new("reach the database", failure))
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
