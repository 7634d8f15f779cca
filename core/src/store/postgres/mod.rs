//! Posts and keys in a PostgreSQL database, of as many instances as there are.
//!
//! Creations that are waiting are inserted together (`writer.rs`, `insert.rs`), other changes are a
//! statement each (`change.rs`), and so are reads (`reader.rs`), but for those that are asked once for
//! all who wait (`together.rs`). What lists hold is counted beside (`counter.rs`, `blocks.rs`), so that
//! writers share no row and pages are found without walking (`lists.rs`). All goes through a few
//! connections (`connections.rs`), whose failures tell what may be tried again (`failure.rs`).
//!
//! Reads go to replicas (`replicas.rs`, `replica.rs`) that have come as far as the primary
//! (`ticket.rs`, `position.rs`). What instances keep in memory is told apart from what
//! others have changed by listening (`listener.rs`).

mod address;
mod blocks;
mod change;
mod connections;
mod counter;
mod failure;
mod insert;
mod listener;
mod lists;
mod position;
mod reader;
mod replica;
mod replicas;
mod row;
mod schema;
mod ticket;
mod writer;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use sqlx::{ConnectOptions, Connection, Executor, Row};
use tokio::time::timeout;

use self::change::Changes;
use self::connections::{Connections, Effect, PATIENCE, Server};
use self::counter::Wake;
use self::failure::Failure;
use self::listener::Listener;
use self::reader::Reader;
use self::writer::Writer;
use super::{Cached, Health, Store, StoreError, Write};
use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::post::{Entry, PageRequest, Post, PostList, Revision};
use crate::secret::SecretHash;
use crate::time::Timestamp;

/// Connections that write: one for each batch, one for the counter, one for other changes, which at
/// times have more.
const MAX_WRITE_CONNECTIONS: usize = writer::MAX_BATCHES + 2;

/// Keeps posts and keys in a PostgreSQL database, which any number of instances may share.
///
/// What a method has returned from is as durable as the server's commits are, and seen by all
/// instances. Creations that come at the same time are inserted together. A clone is the same store.
///
/// # Address
///
/// `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, or `postgresql://`, with these parameters behind a
/// question mark:
///
/// | parameter | says |
/// |---|---|
/// | `host`, `hostaddr`, `port`, `user`, `password`, `dbname` | the same as before it; a host may be the folder of a socket |
/// | `sslmode`, `sslrootcert`, `sslcert`, `sslkey` | as libpq has them; more than `prefer` needs a TLS feature of sqlx 0.9, which the host adds to its dependencies |
/// | `application_name` | what the server shows of the connections |
/// | `options[NAME]` | a setting of the connections: `options[search_path]=blog` has the tables in the schema `blog` |
/// | `statement-cache-capacity` | `0` behind a pooler in transaction mode: see below |
///
/// # Tables
///
/// They are named `handbill_…` and made when absent in the first schema of the search path, so that
/// they may live in the host's own database. Whoever opens tables that are there needs no more than
/// `SELECT`, `INSERT`, `UPDATE` and `DELETE` on them; making them needs `CREATE` on the schema. Any
/// number of instances may do that at the same time.
///
/// # Connections
///
/// An instance has up to 12 of them: 8 that read and 4 that write, opened when they are needed and
/// closed when they were idle for ten minutes. The server's `max_connections`, 100 by default, is
/// enough for 8 instances. One more listens, for [`cached`](Self::cached); and up to 8 are to each
/// [replica](Self::with_replica).
///
/// A pooler in transaction mode (pgbouncer) is told by `statement-cache-capacity=0`: no statements are
/// kept prepared then, and each runs in a transaction of its own, which takes four ways to the server
/// instead of one.
///
/// # Failures
///
/// Each call ends within 5 seconds. What others were in the way of (`40001`, `40P01`), and what found
/// no server or a standby, is tried again meanwhile; a read whose connection broke is made again on
/// another one. Where no server has been there for 5 seconds, calls fail at once, and
/// [`health`](Store::health) as soon as none is. A write whose connection broke is an error, since
/// nobody knows whether it was done: the service answers 503, and a client repeats it safely with an
/// `Idempotency-Key`. When the server, or the one that took its place at the same address, is there
/// again, the store goes on by itself.
///
/// No server-side time-out is needed, and `statement_timeout` does harm with synchronous standbys: a
/// statement that is cancelled while it waits for one counts as done.
///
/// ```no_run
/// use handbill::{Handbill, PostgresStore};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let store = PostgresStore::open("postgres://handbill@localhost/blog").await?;
/// let handbill = Handbill::new("https://example.org", store.clone())?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct PostgresStore {
    reader: Arc<Reader>,
    /// To the primary, for all that writes.
    connections: Arc<Connections>,
    writer: Writer,
    changes: Changes,
    wake: Wake,
    server: Server,
    /// Of each [`cached`](Self::cached).
    listeners: Arc<Mutex<Vec<Listener>>>,
}

impl PostgresStore {
    /// Opens the database at this address, and makes the tables if they are not there. Call it on a
    /// tokio runtime, where the store's tasks then run.
    ///
    /// # Errors
    /// Where the address has no such form, the server can't be reached or refuses the user, or the
    /// tables can't be made or are of a later release. No error repeats the address.
    pub async fn open(address: &str) -> Result<Self, StoreError> {
        let opening = |error: OpenError| StoreError::new("open the PostgreSQL database", error);
        let server = address::parse(address).map_err(|reason| opening(reason.into()))?;
        let prepared = timeout(PATIENCE, prepare(&server)).await;
        let is_postgres = prepared
            .unwrap_or_else(|_| Err(Failure::TimedOut.into()))
            .map_err(opening)?;
        let (server, changes) = match is_postgres {
            true => (server.tuned(), Changes::TOLD),
            false => (server, Changes::UNTOLD),
        };

        let reader = Reader::new(server.clone());
        let connections = Connections::new(server.clone(), Effect::Writes, MAX_WRITE_CONNECTIONS);
        let connections = Arc::new(connections);
        let wake = counter::start(Arc::clone(&connections));
        Ok(Self {
            reader: Arc::new(reader),
            writer: Writer::start(&connections, &wake),
            connections,
            changes,
            wake,
            server,
            listeners: Arc::default(),
        })
    }

    /// Reads from a standby of the server, too, at an address of the same form. More than one can be
    /// added, each by its own address: what answers under it must be one server. Call it on the same
    /// runtime.
    ///
    /// [`post`](Store::get_post) and [`posts`](Store::list_posts) are read from replicas, one after the other,
    /// and never show what was before an acknowledged change, of whatever instance: each read asks the
    /// server where its log is, together with the other reads that wait, and goes to a replica only if
    /// that has replayed as much. So replicas take work off the server, and do not stand in for it:
    /// while it does not answer, neither do reads.
    ///
    /// A replica that is behind, does not answer or follows another server is left out, until it is
    /// otherwise; it need not be there now. [`health`](Store::health) tells how each of them is. Its
    /// lag in time is since when the server has been seen at what the replica has not come to.
    ///
    /// # Errors
    /// Where the address has no such form.
    pub fn with_replica(self, address: &str) -> Result<Self, StoreError> {
        let server = address::parse(address)
            .map_err(|reason| StoreError::new("read from a replica", reason))?;
        Ok(Self {
            reader: Arc::new(self.reader.with_replica(server.tuned())),
            ..self
        })
    }

    /// The store with posts in memory, which is behind the changes of other instances by less than
    /// this bound. What does not change is not read again: instances tell each other of changes by
    /// `NOTIFY`, and each sees by a notification to itself, twice in the time of the bound, that it
    /// hears of all. One connection is used for that. Where notifications do not come (behind a pooler
    /// in transaction mode, and with engines that have none), each post is read again after the bound.
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use handbill::{Handbill, PostgresStore};
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
    pub fn cached(self, bound: Duration) -> Cached<Self> {
        let cached = Cached::new(self, bound);
        let store = cached.store();
        let can_hear = store.changes == Changes::TOLD && !store.server.shared;
        if can_hear && !bound.is_zero() {
            let connections = Arc::clone(store.reader.connections());
            let changes = cached.changes();
            let listener = Listener::start(store.server.clone(), connections, changes, bound);
            store.listeners().push(listener);
        }
        cached
    }

    /// Finishes the creations under way and closes the connections. Reads and writes after that are
    /// errors.
    pub async fn close(&self) {
        self.listeners().clear();
        self.writer.finish().await;
        self.connections.close();
        self.reader.close();
    }

    // Nothing panics while it holds the lock.
    fn listeners(&self) -> MutexGuard<'_, Vec<Listener>> {
        self.listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes on what became of a change that lists may depend on.
    fn changed(
        &self,
        doing: &'static str,
        outcome: Result<Write, Failure>,
    ) -> Result<Write, StoreError> {
        self.wake.now();
        outcome.map_err(|failure| StoreError::new(doing, failure))
    }
}

type OpenError = Box<dyn std::error::Error + Send + Sync>;

/// Sees that the tables are there. Returns whether the server is PostgreSQL itself: others that speak
/// its protocol have no `NOTIFY` and other settings.
async fn prepare(server: &Server) -> Result<bool, OpenError> {
    let mut connection = server.options.connect().await?;
    schema::prepare(&mut connection).await?;
    let row = connection.fetch_one("SELECT version()").await?;
    let version: String = row.try_get(0)?;
    // It is over; what becomes of the connection does not matter.
    let _ = connection.close().await;
    Ok(version.starts_with("PostgreSQL") && !version.contains("-YB-"))
}

#[async_trait]
impl Store for PostgresStore {
    async fn insert_post(&self, post: Post) -> Result<Write, StoreError> {
        let inserted = self.writer.insert(post).await;
        inserted.map_err(|failure| StoreError::new("insert a post", failure))
    }

    async fn update_post(&self, expected: Revision, post: Post) -> Result<Write, StoreError> {
        let updated = self
            .changes
            .update_post(&self.connections, expected, &post)
            .await;
        self.changed("update a post", updated)
    }

    async fn delete_post(&self, id: PostId, expected: Revision) -> Result<Write, StoreError> {
        let deleted = self
            .changes
            .delete_post(&self.connections, id, expected)
            .await;
        self.changed("delete a post", deleted)
    }

    async fn get_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        let found = self.reader.post(id).await;
        found.map_err(|failure| StoreError::new("read a post", failure))
    }

    async fn get_current_post(&self, id: PostId) -> Result<Option<Entry>, StoreError> {
        let found = self.reader.get_current_post(id).await;
        found.map_err(|failure| StoreError::new("read a post", failure))
    }

    async fn find_post_by_edit_token(
        &self,
        token: SecretHash,
    ) -> Result<Option<Entry>, StoreError> {
        let found = self.reader.find_post_by_edit_token(token).await;
        found.map_err(|failure| StoreError::new("find a post by its edit token", failure))
    }

    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        let found = lists::page(&self.reader, &page).await;
        found.map_err(|failure| StoreError::new("list posts", failure))
    }

    async fn insert_key(&self, key: KeyRecord) -> Result<Write, StoreError> {
        let inserted = change::insert_key(&self.connections, &key).await;
        inserted.map_err(|failure| StoreError::new("insert a key", failure))
    }

    async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
        let found = self.reader.find_key(secret).await;
        found.map_err(|failure| StoreError::new("find a key", failure))
    }

    async fn list_keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        let found = self.reader.keys().await;
        found.map_err(|failure| StoreError::new("list keys", failure))
    }

    async fn touch_key(&self, id: KeyId, at: Timestamp) -> Result<(), StoreError> {
        let noted = change::touch_key(&self.connections, id, at).await;
        noted
            .map(|_| ())
            .map_err(|failure| StoreError::new("note a key's use", failure))
    }

    async fn revoke_key(&self, id: KeyId) -> Result<Write, StoreError> {
        let revoked = change::revoke_key(&self.connections, id).await;
        revoked.map_err(|failure| StoreError::new("revoke a key", failure))
    }

    async fn health(&self) -> Result<Health, StoreError> {
        let reaching = |failure| StoreError::new("reach the database", failure);
        match self.reader.is_read_only().await {
            Ok(false) => Ok(self.reader.health()),
            Ok(true) => Err(reaching(Failure::ReadOnly)),
            Err(failure) => Err(reaching(failure)),
        }
    }
}
