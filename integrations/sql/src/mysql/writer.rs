//! Writes: one task with one connection, which commits all changes that wait in one transaction, so that durable
//! writes do not queue for the disk one by one.
//!
//! A transaction that met another one, of another instance or on another node, is made again as a whole.

use std::sync::Arc;

use handbill::store::{Outcome, StoreError, Write};
use sqlx::MySqlConnection;
use tokio::time::timeout_at;

use super::change::{self, GATES, Transaction};
use super::failure::{Cause, Retries, in_time};
use super::source::Source;
use super::statement::execute;
use super::{statements, transaction};
use crate::connections::Connections;
use crate::counter::Counter;
use crate::group_commit::Batches;
use crate::request::{NewPost, Request};
use crate::statements::HostStatements;
use crate::writer::{WriteError, Writer};

/// The most bytes of posts that one statement inserts.
const MAX_TOGETHER: usize = 512 * 1024;

const UNKNOWN: &str = "the server does not say whether it has committed this";

pub(super) type Outcomes = Vec<Result<Outcome, WriteError>>;

/// Starts the writing task.
pub(super) fn start(source: Source, counter: Counter) -> Arc<Writer<MySqlConnection>> {
    let (writer, batches, statements) = Writer::new();
    let task = Task {
        connection: Connections::new(source, 1),
        gate: rand::random_range(0..GATES),
        statements,
    };
    tokio::spawn(task.run(batches, counter));
    writer
}

struct Task {
    connection: Connections<Source>,
    gate: u32,
    statements: HostStatements<MySqlConnection>,
}

impl Task {
    async fn run(self, batches: Batches<Request, WriteError>, counter: Counter) {
        while let Some(batch) = batches.next().await {
            let commit = async |requests: &[Request]| {
                let committed = self.commit(requests).await;
                counter.wake();
                committed.map_err(|error| -> WriteError { Arc::new(error) })
            };
            batch.commit(commit).await;
        }
        self.connection.close().await;
        // Tells those who close the store.
        drop(batches);
    }

    async fn commit(&self, requests: &[Request]) -> sqlx::Result<Outcomes> {
        let mut retries = Retries::on(&self.connection);
        // A node that loses the others while it commits may report a conflict, too.
        let (mut met_at_commit, mut may_be_committed) = (false, false);
        loop {
            let mut is_committing = false;
            let attempt = self.connection.with(async |connection| {
                let outcomes = self.attempt(connection, requests, &mut is_committing).await;
                match outcomes {
                    // The transaction may be there still, and others wait for its locks.
                    Err(error @ sqlx::Error::Database(_)) => {
                        execute(connection, "ROLLBACK").await.map(|()| Err(error))
                    }
                    outcomes => outcomes.map(Ok),
                }
            });
            let attempt = timeout_at(retries.deadline, attempt).await;
            let error = match in_time(attempt).and_then(|outcomes| outcomes) {
                // It may have met what it has written itself.
                Ok(outcomes) if may_be_committed && outcomes.iter().any(is_conflict) => {
                    return Err(sqlx::Error::Protocol(UNKNOWN.to_owned()));
                }
                Ok(outcomes) => {
                    self.connection.source().away.end();
                    return Ok(outcomes);
                }
                Err(error) => error,
            };
            if matches!(Cause::of(&error), Cause::Connection | Cause::NotReady) {
                may_be_committed |= met_at_commit;
            }
            // Before the commit, nothing was done.
            if !retries.wait_after(&error, is_committing).await {
                return Err(error);
            }
            met_at_commit |= is_committing;
        }
    }

    async fn attempt(
        &self,
        connection: &mut MySqlConnection,
        requests: &[Request],
        is_committing: &mut bool,
    ) -> sqlx::Result<Outcomes> {
        let statements = self.statements.lock().clone();
        let mut transaction = change::begin(connection, self.gate, requests).await?;
        let outcomes = match &statements {
            None => {
                let max_size = self.connection.source().max_size.min(MAX_TOGETHER);
                make(&mut transaction, requests, max_size).await?
            }
            Some(statements) => statements::make(&mut transaction, requests, statements).await?,
        };
        *is_committing = true;
        transaction::commit(connection).await?;
        Ok(outcomes)
    }
}

/// Makes changes. New posts come first: the callers are independent of each other.
async fn make(
    transaction: &mut Transaction<'_>,
    requests: &[Request],
    max_size: usize,
) -> sqlx::Result<Outcomes> {
    let new_posts: Vec<_> = requests.iter().filter_map(NewPost::of).collect();
    let inserted = transaction.insert_posts(&new_posts, max_size).await?;
    let mut inserted = inserted.into_iter();
    let mut outcomes = Vec::with_capacity(requests.len());
    for request in requests {
        let outcome = match NewPost::of(request) {
            Some(_) => inserted.next().unwrap_or(Outcome::Conflict),
            None => transaction.make(request).await?,
        };
        if outcome == Outcome::Applied {
            transaction.add_change(request.change()).await?;
        }
        outcomes.push(Ok(outcome));
    }
    Ok(outcomes)
}

/// Refuses a post that is too long: the server would close the connection, and nothing of its batch would be written.
pub(super) fn check_size(write: &Write, source: &Source) -> Result<(), StoreError> {
    let (Write::InsertPost { post, words, .. } | Write::UpdatePost { post, words, .. }) = write
    else {
        return Ok(());
    };
    let (size, max_size) = (change::size_of(post, words.as_ref()), source.max_size);
    if size <= max_size {
        return Ok(());
    }
    let reason = format!(
        "the post has {size} bytes with its words, and the server takes {max_size}: raise max_allowed_packet"
    );
    Err(StoreError::new(write.doing(), reason))
}

fn is_conflict(outcome: &Result<Outcome, WriteError>) -> bool {
    matches!(outcome, Ok(Outcome::Conflict))
}
