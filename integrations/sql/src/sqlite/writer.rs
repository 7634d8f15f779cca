//! Writes: one task with one connection, which commits all changes that wait in one transaction, so that
//! durable writes do not queue for the disk one by one.
//!
//! After a failed commit the connection is opened again, since only that tells what became of a failed
//! synchronisation with the disk.

use std::sync::Arc;

use sqlx::SqliteConnection;

use super::change;
use super::connections::Source;
use super::erase::Eraser;
use super::statements;
use crate::connections::Connections;
use crate::group_commit::Batches;
use crate::request::Request;
use crate::statements::HostStatements;
use crate::writer::{WriteError, Writer};

/// The length of the write-ahead log, in pages, after which SQLite copies it into the database:
/// 16 MiB. A page which changes often is copied once for many changes, but writes wait for the copying.
const PAGES_BETWEEN_CHECKPOINTS: &str = "4096";

/// Starts the writing task.
pub(super) fn start(source: Source) -> Arc<Writer<SqliteConnection>> {
    let (writer, batches, statements) = Writer::new();
    let source = source
        .with_pragma("temp_store", "MEMORY")
        .with_pragma("secure_delete", "ON")
        .with_pragma("wal_autocheckpoint", PAGES_BETWEEN_CHECKPOINTS);
    let eraser = Eraser::new(&source);
    let connection = Connections::new(source, 1);
    tokio::spawn(run(batches, connection, eraser, statements));
    writer
}

async fn run(
    batches: Batches<Request, WriteError>,
    connection: Connections<Source>,
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
            let statements = statements.lock().clone();
            let commit = async |connection: &mut SqliteConnection| match &statements {
                None => {
                    let outcomes = change::commit(connection, requests, &mut has_listeners).await?;
                    Ok(outcomes.into_iter().map(Ok).collect())
                }
                Some(statements) => statements::commit(connection, requests, statements).await,
            };
            let committed = connection.with(commit).await;
            committed.map_err(|error| -> WriteError { Arc::new(error) })
        };
        batch.commit(commit).await;
    }
    eraser.finish().await;
    connection.close().await;
    // Tells those who close the store.
    drop(batches);
}
