//! Writes: one connection, which commits all that is waiting together (group commit), so that
//! durable writes grow in number with the clients instead of queueing for the disk.

use std::error::Error;
use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot};
use tokio::task::yield_now;

use super::batch::{Answers, Batch, Caller, Change};
use super::fresh::Freshness;
use crate::store::{StoreError, Write};

/// Writes that may wait. Beyond it, the store is not available.
const MAX_WAITING: usize = 1024;
/// Writes that cost less than the transaction that they are committed in.
const FEW: usize = 16;

/// Memory for the pages that writes touch again and again, in KiB, as SQLite wants it: negative. A
/// commit after which pages changed places in a tree takes time that grows with it.
const CACHE_SIZE: &str = "-8192";
/// Pages of the write-ahead log after which it is carried over into the database: 64 MiB, so that a
/// page which changes often is carried over once for many changes.
const PAGES_BETWEEN_CHECKPOINTS: &str = "16384";

/// The way to the connection that writes.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    queue: mpsc::Sender<Job>,
}

enum Job {
    Write { change: Change, caller: Caller },
    Finish { done: oneshot::Sender<()> },
}

impl Writer {
    pub(super) fn start(options: SqliteConnectOptions, freshness: Freshness) -> Self {
        let (queue, waiting) = mpsc::channel(MAX_WAITING);
        let options = options
            // What a statement would need to be undone is of no use after a crash.
            .pragma("temp_store", "MEMORY")
            .pragma("cache_size", CACHE_SIZE)
            .pragma("wal_autocheckpoint", PAGES_BETWEEN_CHECKPOINTS);
        let database = Database {
            options,
            connection: None,
            freshness,
        };
        let waiting = Waiting {
            jobs: waiting,
            is_open: true,
            finish: None,
        };
        tokio::spawn(write(database, waiting));
        Self { queue }
    }

    /// Returns when the change is on the disk, or is known not to be done.
    pub(super) async fn write(
        &self,
        doing: &'static str,
        change: Change,
    ) -> Result<Write, StoreError> {
        let failed = |error: WriteError| StoreError::new(doing, error);
        let (caller, outcome) = oneshot::channel();
        self.queue
            .try_send(Job::Write { change, caller })
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
pub(super) enum WriteError {
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

/// The one task that writes: commits batch after batch. While the database works on one, the callers
/// of the one before are told, and the next one is put together.
async fn write(mut database: Database, mut waiting: Waiting) {
    let (mut batch, mut answers) = (Batch::empty(), Answers::default());
    loop {
        if batch.len() < FEW {
            answers.send();
            waiting.fill(&mut batch).await;
            // Whose requests have been received but not been looked at come along.
            yield_now().await;
            waiting.fill(&mut batch).await;
        }
        if batch.len() == 0 {
            break;
        }
        let mut next = Batch::empty();
        let outcome = {
            let mut commit = pin!(database.commit(&mut batch));
            poll_fn(|context| {
                let outcome = commit.as_mut().poll(context);
                // Whatever the outcome: it may be there at once, and its answers follow these.
                answers.send();
                waiting.poll_fill(&mut next, context);
                outcome
            })
            .await
        };
        answers = batch.answers(outcome);
        batch = next;
    }
    database.close().await;
    if let Some(done) = waiting.finish {
        let _ = done.send(());
    }
}

/// The other end of the queue.
struct Waiting {
    jobs: mpsc::Receiver<Job>,
    is_open: bool,
    finish: Option<oneshot::Sender<()>>,
}

impl Waiting {
    /// Puts all that is waiting into a batch, as far as there is room. Returns when there is something
    /// in it, or nothing more comes.
    async fn fill(&mut self, batch: &mut Batch) {
        poll_fn(|context| {
            self.poll_fill(batch, context);
            if batch.len() == 0 && self.is_open {
                Poll::Pending
            } else {
                Poll::Ready(())
            }
        })
        .await;
    }

    /// Does so at once, and lets the task know when there is more.
    fn poll_fill(&mut self, batch: &mut Batch, context: &mut Context<'_>) {
        while self.is_open
            && batch.has_room()
            && let Poll::Ready(job) = self.jobs.poll_recv(context)
        {
            match job {
                Some(Job::Write { change, caller }) => batch.push(change, caller),
                Some(Job::Finish { done }) => {
                    self.is_open = false;
                    self.finish = Some(done);
                }
                None => self.is_open = false,
            }
        }
    }
}

struct Database {
    options: SqliteConnectOptions,
    /// None at first, and after a failure that leaves the connection's state unknown.
    connection: Option<SqliteConnection>,
    freshness: Freshness,
}

impl Database {
    /// Makes all changes in one transaction, or none of them: conflicts are no failures, and what
    /// is left of these, a full disk say, spares nobody. After a failure the connection is not used
    /// again: what became of a synchronisation with the disk that failed, nobody knows but who
    /// opens the file next.
    async fn commit(&mut self, batch: &mut Batch) -> Result<Vec<Write>, Arc<sqlx::Error>> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => SqliteConnection::connect_with(&self.options).await?,
        };
        let writes = batch.commit(&mut connection).await?;
        self.freshness.committed(batch.changes_keys());
        self.connection = Some(connection);
        Ok(writes)
    }

    async fn close(&mut self) {
        if let Some(connection) = self.connection.take() {
            let _ = connection.close().await;
        }
    }
}
