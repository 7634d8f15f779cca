//! Writes: one task with one connection, which commits all changes that wait in one transaction
//! (group commit), so that durable writes do not queue for the disk one by one.
//!
//! A caller hears of its change after the commit that made it is on the disk. The queue is bounded:
//! beyond it, writes fail at once. After a failed commit the connection is opened again, since only
//! that tells what became of a failed synchronisation with the disk.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use sqlx::sqlite::SqliteConnectOptions;
use tokio::sync::{mpsc, oneshot};
use tokio::task::yield_now;

use super::change::{self, Change};
use super::connections::OwnConnections;
use super::erase::Eraser;
use crate::store::{StoreError, Write};

/// The most writes that may wait.
const MAX_WAITING: usize = 1024;
/// The most changes in one transaction.
const MAX_CHANGES: usize = 64;
/// The length of the write-ahead log, in pages, after which SQLite copies it into the database:
/// 16 MiB. A page which changes often is copied once for many changes, but writes wait for the copying.
const PAGES_BETWEEN_CHECKPOINTS: &str = "4096";

/// The queue of the writing task.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    queue: mpsc::Sender<Job>,
}

enum Job {
    Write { change: Change, caller: Caller },
    Close { closed: oneshot::Sender<()> },
}

type Caller = oneshot::Sender<Result<Write, WriteError>>;

impl Writer {
    pub(super) fn start(options: SqliteConnectOptions) -> Self {
        let (queue, jobs) = mpsc::channel(MAX_WAITING);
        let options = options
            .pragma("temp_store", "MEMORY")
            .pragma("secure_delete", "ON")
            .pragma("wal_autocheckpoint", PAGES_BETWEEN_CHECKPOINTS);
        let eraser = Eraser::new(&options);
        tokio::spawn(run(OwnConnections::new(options, 1), eraser, jobs));
        Self { queue }
    }

    /// Returns when the change is on the disk, or is known not to be made.
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

    /// Returns when all changes that waited are made and the connection is closed.
    pub(super) async fn close(&self) {
        let (closed, is_closed) = oneshot::channel();
        if self.queue.send(Job::Close { closed }).await.is_ok() {
            let _ = is_closed.await;
        }
    }
}

/// Why a change was not made.
#[derive(Clone, Debug)]
enum WriteError {
    QueueFull,
    Closed,
    /// Shared by all changes of one transaction.
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
            Self::Database(error) => error.source(),
            Self::QueueFull | Self::Closed => None,
        }
    }
}

async fn run(connection: OwnConnections, mut eraser: Eraser, mut queue: mpsc::Receiver<Job>) {
    let (mut jobs, mut closing) = (Vec::new(), None);
    loop {
        let received = queue.recv_many(&mut jobs, MAX_CHANGES);
        if eraser.erase_before(received).await == 0 {
            break;
        }
        // Requests that were received already get to join.
        yield_now().await;
        while jobs.len() < MAX_CHANGES
            && let Ok(job) = queue.try_recv()
        {
            jobs.push(job);
        }
        let (mut changes, mut callers) = (Vec::new(), Vec::new());
        for job in jobs.drain(..) {
            match job {
                Job::Write { change, caller } => {
                    changes.push(change);
                    callers.push(caller);
                }
                Job::Close { closed } => {
                    queue.close();
                    closing = Some(closed);
                }
            }
        }
        if changes.is_empty() {
            continue;
        }
        if changes.iter().any(Change::erases) {
            eraser.must_erase();
        }
        let outcomes = connection
            .with(async |connection| change::commit(connection, &changes).await)
            .await
            .map_err(Arc::new);
        for (place, caller) in callers.into_iter().enumerate() {
            let outcome = match &outcomes {
                Ok(outcomes) => Ok(outcomes[place]),
                Err(error) => Err(WriteError::Database(Arc::clone(error))),
            };
            // The caller may have gone away; its change is made all the same.
            let _ = caller.send(outcome);
        }
    }
    eraser.finish().await;
    connection.close().await;
    if let Some(closed) = closing {
        let _ = closed.send(());
    }
}
