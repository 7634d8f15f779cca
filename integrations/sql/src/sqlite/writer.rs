//! Writes: one task with one connection, which commits all changes that wait in one transaction, so that
//! durable writes do not queue for the disk one by one.
//!
//! After a failed commit the connection is opened again, since only that tells what became of a failed
//! synchronisation with the disk.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use handbill::store::{Outcome, StoreError, WriteStats};
use sqlx::SqliteConnection;

use super::change::{self, Request};
use super::connections::{DedicatedConnections, Source};
use super::erase::Eraser;
use super::statements;
use crate::group_commit::{self, Batches, MAX_WAITING, Queue, Refused};
use crate::lock::lock;
use crate::statements::{HostStatements, Statements, StatementsError};

/// The length of the write-ahead log, in pages, after which SQLite copies it into the database:
/// 16 MiB. A page which changes often is copied once for many changes, but writes wait for the copying.
const PAGES_BETWEEN_CHECKPOINTS: &str = "4096";

/// The queue of the writing task.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    queue: Arc<Queue<Request, WriteError>>,
    statements: HostStatements<SqliteConnection>,
}

impl Writer {
    pub(super) fn start(source: Source) -> Self {
        let (queue, batches) = group_commit::queue(MAX_WAITING);
        let source = source
            .with_pragma("temp_store", "MEMORY")
            .with_pragma("secure_delete", "ON")
            .with_pragma("wal_autocheckpoint", PAGES_BETWEEN_CHECKPOINTS);
        let (statements, eraser) = (HostStatements::default(), Eraser::new(&source));
        let connection = DedicatedConnections::new(source, 1);
        tokio::spawn(run(batches, connection, eraser, Arc::clone(&statements)));
        Self {
            queue: Arc::new(queue),
            statements,
        }
    }

    /// Runs these in the transaction of each later change.
    pub(super) fn set_statements(&self, statements: Statements<SqliteConnection>) {
        *lock(&self.statements) = Some(statements);
    }

    /// Returns when what is asked for is on the disk, or is known not to be made.
    pub(super) async fn write(
        &self,
        doing: &'static str,
        request: Request,
    ) -> Result<Outcome, StoreError> {
        let written = self.queue.write(request).await;
        written.map_err(|error| StoreError::new(doing, error))
    }

    pub(super) fn stats(&self) -> WriteStats {
        self.queue.stats()
    }

    /// Returns when all changes that waited are made and the connection is closed.
    pub(super) async fn close(&self) {
        self.queue.close().await;
    }
}

/// Why a change was not made.
#[derive(Clone, Debug)]
enum WriteError {
    Refused(Refused),
    /// Shared by all changes of one transaction.
    Database(Arc<sqlx::Error>),
    /// Those of the host, for this change.
    Statements(Arc<StatementsError>),
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
            Self::Statements(error) => write!(f, "the host's statements failed: {error}"),
        }
    }
}

impl Error for WriteError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Database(error) => error.source(),
            Self::Statements(error) => error.source(),
            Self::Refused(_) => None,
        }
    }
}

async fn run(
    batches: Batches<Request, WriteError>,
    connection: DedicatedConnections,
    mut eraser: Eraser,
    statements: HostStatements<SqliteConnection>,
) {
    // Whether there were durable listeners when that was looked at last.
    let mut has_listeners = false;
    while let Some(batch) = eraser.erase_before(batches.next()).await {
        let commit = async |requests: &[Request]| {
            if requests.iter().any(Request::erases) {
                eraser.mark_dirty();
            }
            let statements = lock(&statements).clone();
            let commit = async |connection: &mut SqliteConnection| match &statements {
                None => {
                    let outcomes = change::commit(connection, requests, &mut has_listeners).await?;
                    Ok(outcomes.into_iter().map(Ok).collect())
                }
                Some(statements) => statements::commit(connection, requests, statements).await,
            };
            let committed = connection.with(commit).await;
            let outcomes = committed.map_err(|error| WriteError::Database(Arc::new(error)))?;
            let failed = |error| WriteError::Statements(Arc::new(error));
            let outcomes = outcomes.into_iter();
            Ok(outcomes.map(|outcome| outcome.map_err(failed)).collect())
        };
        batch.commit(commit).await;
    }
    eraser.finish().await;
    connection.close().await;
    // Tells those who close the store.
    drop(batches);
}
