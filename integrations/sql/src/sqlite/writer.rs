//! Writes: one task with one connection, which commits all changes that wait in one transaction, so that
//! durable writes do not queue for the disk one by one.
//!
//! After a failed commit the connection is opened again, since only that tells what became of a failed
//! synchronisation with the disk.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use handbill::store::{StoreError, Write};
use sqlx::sqlite::SqliteConnectOptions;

use super::change::{self, Change, Request};
use super::connections::DedicatedConnections;
use super::erase::Eraser;
use crate::group_commit::{self, Batches, MAX_WAITING, Queue, Refused};
use crate::told::Told;

/// The length of the write-ahead log, in pages, after which SQLite copies it into the database:
/// 16 MiB. A page which changes often is copied once for many changes, but writes wait for the copying.
const PAGES_BETWEEN_CHECKPOINTS: &str = "4096";

/// The queue of the writing task.
#[derive(Clone, Debug)]
pub(super) struct Writer(Arc<Queue<Request, WriteError>>);

impl Writer {
    pub(super) fn start(options: SqliteConnectOptions) -> Self {
        let (queue, batches) = group_commit::queue(MAX_WAITING);
        let options = options
            .pragma("temp_store", "MEMORY")
            .pragma("secure_delete", "ON")
            .pragma("wal_autocheckpoint", PAGES_BETWEEN_CHECKPOINTS);
        let eraser = Eraser::new(&options);
        tokio::spawn(run(batches, DedicatedConnections::new(options, 1), eraser));
        Self(Arc::new(queue))
    }

    /// Returns when the change is on the disk, together with what is told of it, or is known not to be made.
    pub(super) async fn write(
        &self,
        doing: &'static str,
        change: Change,
        told: Option<Told>,
    ) -> Result<Write, StoreError> {
        let written = self.0.write(Request { change, told }).await;
        written.map_err(|error| StoreError::new(doing, error))
    }

    /// Returns when all changes that waited are made and the connection is closed.
    pub(super) async fn close(&self) {
        self.0.close().await;
    }
}

/// Why a change was not made.
#[derive(Clone, Debug)]
enum WriteError {
    Refused(Refused),
    /// Shared by all changes of one transaction.
    Database(Arc<sqlx::Error>),
}

impl From<Refused> for WriteError {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(Refused::QueueFull) => {
                write!(f, "{MAX_WAITING} writes are waiting already")
            }
            Self::Refused(Refused::Closed) => f.write_str("the store is closed"),
            Self::Database(error) => error.fmt(f),
        }
    }
}

impl Error for WriteError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Database(error) => error.source(),
            Self::Refused(_) => None,
        }
    }
}

async fn run(
    batches: Batches<Request, WriteError>,
    connection: DedicatedConnections,
    mut eraser: Eraser,
) {
    while let Some(batch) = eraser.erase_before(batches.next()).await {
        let commit = async |requests: &[Request]| {
            if requests.iter().any(|request| request.change.erases()) {
                eraser.mark_dirty();
            }
            connection
                .with(async |connection| change::commit(connection, requests).await)
                .await
                .map_err(|error| WriteError::Database(Arc::new(error)))
        };
        batch.commit(commit).await;
    }
    eraser.finish().await;
    connection.close().await;
    // Tells those who close the store.
    drop(batches);
}
