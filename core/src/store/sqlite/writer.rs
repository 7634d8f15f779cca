//! Writes: one connection, which commits all that is waiting together (group commit), so that
//! durable writes grow in number with the clients instead of queueing for the disk.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot};
use tokio::task::yield_now;

use super::change::{delete_post, insert_key, note_key_use, revoke_key, update_post};
use super::fresh::Freshness;
use super::insert::{MOST_POSTS, insert_and_commit, insert_posts};
use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::post::{Post, Revision};
use crate::store::{StoreError, Write};
use crate::time::Timestamp;

/// Writes that may wait. Beyond it, the store is not available.
const MAX_WAITING: usize = 1024;
/// Writes that are committed together at most.
const MAX_BATCH: usize = MOST_POSTS;
/// Writes that cost less than the transaction that they are committed in.
const FEW: usize = 16;

/// Memory for the pages that writes touch again and again, in KiB, as SQLite wants it: negative. A
/// commit after which pages changed places in a tree takes time that grows with it.
const CACHE_SIZE: &str = "-8192";
/// Pages of the write-ahead log after which it is carried over into the database: 64 MiB, so that a
/// page which changes often is carried over once for many changes.
const PAGES_BETWEEN_CHECKPOINTS: &str = "16384";

/// What a write changes.
#[derive(Clone, Debug)]
pub(super) enum Change {
    InsertPost(Box<Post>),
    UpdatePost { expected: Revision, post: Box<Post> },
    DeletePost { id: PostId, expected: Revision },
    InsertKey(KeyRecord),
    NoteKeyUse { id: KeyId, at: Timestamp },
    RevokeKey(KeyId),
}

impl Change {
    fn is_of_keys(&self) -> bool {
        match self {
            Self::InsertPost(_) | Self::UpdatePost { .. } | Self::DeletePost { .. } => false,
            Self::InsertKey(_) | Self::NoteKeyUse { .. } | Self::RevokeKey(_) => true,
        }
    }
}

/// The way to the connection that writes.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    queue: mpsc::Sender<Job>,
}

enum Job {
    Write {
        change: Change,
        done: oneshot::Sender<Result<Write, WriteError>>,
    },
    Finish {
        done: oneshot::Sender<()>,
    },
}

impl Writer {
    pub(super) fn start(options: SqliteConnectOptions, freshness: Freshness) -> Self {
        let (queue, waiting) = mpsc::channel(MAX_WAITING);
        let options = options
            // What a statement would need to be undone is of no use after a crash.
            .pragma("temp_store", "MEMORY")
            .pragma("cache_size", CACHE_SIZE)
            .pragma("wal_autocheckpoint", PAGES_BETWEEN_CHECKPOINTS);
        tokio::spawn(
            Desk {
                options,
                connection: None,
                freshness,
            }
            .run(waiting),
        );
        Self { queue }
    }

    /// Returns when the change is on the disk, or is known not to be done.
    pub(super) async fn write(
        &self,
        doing: &'static str,
        change: Change,
    ) -> Result<Write, StoreError> {
        let failed = |error: WriteError| StoreError::new(doing, error);
        let (done, outcome) = oneshot::channel();
        self.queue
            .try_send(Job::Write { change, done })
            .map_err(|error| match error {
                mpsc::error::TrySendError::Full(_) => failed(WriteError::QueueFull),
                mpsc::error::TrySendError::Closed(_) => failed(WriteError::Closed),
            })?;
        outcome
            .await
            .unwrap_or(Err(WriteError::Closed))
            .map_err(failed)
    }

    /// Returns when what was waiting is done and the connection is closed.
    pub(super) async fn finish(&self) {
        let (done, finished) = oneshot::channel();
        if self.queue.send(Job::Finish { done }).await.is_ok() {
            let _ = finished.await;
        }
    }
}

/// Why a change was not made.
#[derive(Clone, Debug)]
enum WriteError {
    QueueFull,
    Closed,
    /// Shared by all changes that were to be committed together.
    Database(Arc<sqlx::Error>),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::QueueFull => write!(f, "{MAX_WAITING} writes are waiting already"),
            Self::Closed => f.write_str("the store is closed"),
            Self::Database(error) => error.fmt(f),
        }
    }
}

impl Error for WriteError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Database(error) => Some(error.as_ref()),
            Self::QueueFull | Self::Closed => None,
        }
    }
}

/// The one task that writes.
struct Desk {
    options: SqliteConnectOptions,
    /// None at first, and after a failure that leaves the connection's state unknown.
    connection: Option<SqliteConnection>,
    freshness: Freshness,
}

impl Desk {
    async fn run(mut self, mut waiting: mpsc::Receiver<Job>) {
        let mut jobs = Vec::new();
        while waiting.recv_many(&mut jobs, MAX_BATCH).await > 0 {
            if jobs.len() < FEW {
                // Whose requests have been received but not been looked at come along.
                yield_now().await;
                while jobs.len() < MAX_BATCH
                    && let Ok(job) = waiting.try_recv()
                {
                    jobs.push(job);
                }
            }
            let (mut changes, mut answers, mut finish) = (Vec::new(), Vec::new(), None);
            for job in jobs.drain(..) {
                match job {
                    Job::Write { change, done } => {
                        changes.push(change);
                        answers.push(done);
                    }
                    Job::Finish { done } => finish = Some(done),
                }
            }
            let outcome = self.transaction(&changes).await;
            for (at, answer) in answers.into_iter().enumerate() {
                // Nobody may be waiting any more; the change is made all the same.
                let _ = answer.send(match &outcome {
                    Ok(writes) => Ok(writes.get(at).copied().unwrap_or(Write::Conflict)),
                    Err(error) => Err(WriteError::Database(Arc::clone(error))),
                });
            }
            if let Some(done) = finish {
                if let Some(connection) = self.connection.take() {
                    let _ = connection.close().await;
                }
                let _ = done.send(());
                return;
            }
        }
    }

    /// Makes all changes in one transaction, or none of them: conflicts are no failures, and what
    /// is left of these, a full disk say, spares nobody. After a failure the connection is not used
    /// again: what became of a synchronisation with the disk that failed, nobody knows but who
    /// opens the file next.
    async fn transaction(&mut self, changes: &[Change]) -> Result<Vec<Write>, Arc<sqlx::Error>> {
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => SqliteConnection::connect_with(&self.options).await?,
        };
        let writes = apply(&mut connection, changes).await?;
        self.freshness
            .committed(changes.iter().any(Change::is_of_keys));
        self.connection = Some(connection);
        Ok(writes)
    }
}

/// Makes all changes and commits them. New posts come first and together: the changes come from
/// callers who do not know of each other yet.
async fn apply(connection: &mut SqliteConnection, changes: &[Change]) -> sqlx::Result<Vec<Write>> {
    let new_posts = changes.iter().filter_map(|change| match change {
        Change::InsertPost(post) => Some(post.as_ref()),
        _ => None,
    });
    let new_posts: Vec<&Post> = new_posts.collect();
    let is_all = new_posts.len() == changes.len();
    if is_all && insert_and_commit(connection, &new_posts).await? {
        return Ok(vec![Write::Applied; changes.len()]);
    }
    sqlx::query("BEGIN IMMEDIATE")
        .execute(&mut *connection)
        .await?;
    let mut inserted = match new_posts.as_slice() {
        [] => Vec::new(),
        new_posts => insert_posts(connection, new_posts).await?,
    }
    .into_iter();

    let mut writes = Vec::with_capacity(changes.len());
    for change in changes {
        writes.push(match change {
            Change::InsertPost(_) => inserted.next().unwrap_or(Write::Conflict),
            Change::UpdatePost { expected, post } => {
                update_post(connection, *expected, post).await?
            }
            Change::DeletePost { id, expected } => delete_post(connection, *id, *expected).await?,
            Change::InsertKey(key) => insert_key(connection, key).await?,
            Change::NoteKeyUse { id, at } => note_key_use(connection, *id, *at).await?,
            Change::RevokeKey(id) => revoke_key(connection, *id).await?,
        });
    }
    sqlx::query("COMMIT").execute(connection).await?;
    Ok(writes)
}
