//! Writes: one task with one connection, which commits all changes that wait in one transaction, so that durable
//! writes do not queue for the disk one by one.
//!
//! A transaction that met another one, of another instance or on another node, is made again as a whole.

use std::error::Error;
use std::sync::Arc;

use handbill::store::{Outcome, Post, Words, Write};
use sqlx::MySqlConnection;
use tokio::time::{Instant, timeout_at};

use super::change::{self, GATES, Transaction};
use super::failure::{Cause, Retries, timed_out};
use super::source::Source;
use super::{statements, transaction};
use crate::connections::Connections;
use crate::counter::Counter;
use crate::group_commit::Batches;
use crate::request::{NewPost, Request};
use crate::statements::{HostStatements, Statements};
use crate::writer::{WriteError, Writer};

/// What a server always takes as one statement, beside the longest post.
const PACKET_RESERVE: usize = 64 * 1024;
/// The most bytes of posts that one statement inserts.
const MAX_TOGETHER: usize = 512 * 1024;

const UNKNOWN: &str = "the server does not say whether it has committed this";

type Outcomes = Vec<Result<Outcome, WriteError>>;

/// Starts the writing task.
pub(super) fn start(source: Source, counter: Counter) -> Arc<Writer<MySqlConnection>> {
    let (writer, batches, statements) = Writer::new();
    let task = Task {
        max_size: source.max_packet.saturating_sub(PACKET_RESERVE),
        connection: Connections::new(source, 1),
        gate: rand::random_range(0..GATES),
        statements,
    };
    tokio::spawn(task.run(batches, counter));
    writer
}

struct Task {
    connection: Connections<Source>,
    /// The longest post that the server takes, in bytes.
    max_size: usize,
    gate: u32,
    statements: HostStatements<MySqlConnection>,
}

impl Task {
    async fn run(self, batches: Batches<Request, WriteError>, counter: Counter) {
        while let Some(batch) = batches.next().await {
            batch
                .commit(async |requests| {
                    let committed = self.commit(requests).await;
                    counter.wake();
                    committed.map_err(|error| -> WriteError { Arc::new(error) })
                })
                .await;
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
            let attempt = attempt.unwrap_or_else(|_| Err(timed_out()));
            let error = match attempt.and_then(|outcomes| outcomes) {
                // It may have met what it has written itself.
                Ok(outcomes) if may_be_committed && outcomes.iter().any(is_conflict) => {
                    return Err(sqlx::Error::Protocol(UNKNOWN.to_owned()));
                }
                Ok(outcomes) => {
                    self.connection.source().is_here();
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
            None => self.make(&mut transaction, requests).await?,
            Some(statements) => {
                self.make_with(&mut transaction, requests, statements)
                    .await?
            }
        };
        *is_committing = true;
        transaction::commit(connection).await?;
        Ok(outcomes)
    }

    /// Makes changes. New posts come first: the callers are independent of each other.
    async fn make(
        &self,
        transaction: &mut Transaction<'_>,
        requests: &[Request],
    ) -> sqlx::Result<Outcomes> {
        let fits = |request: &&Request| self.refusal(request).is_none();
        let new_posts: Vec<_> = requests
            .iter()
            .filter(fits)
            .filter_map(NewPost::of)
            .collect();
        let max_size = self.max_size.min(MAX_TOGETHER);
        let mut inserted = transaction
            .insert_posts(&new_posts, max_size)
            .await?
            .into_iter();
        let mut outcomes = Vec::with_capacity(requests.len());
        for request in requests {
            outcomes.push(match self.refusal(request) {
                Some(refusal) => Err(refusal),
                None if NewPost::of(request).is_some() => {
                    Ok(inserted.next().unwrap_or(Outcome::Conflict))
                }
                None => {
                    let outcome = transaction.make(request).await?;
                    if outcome == Outcome::Applied {
                        transaction.add_change(request.change()).await?;
                    }
                    Ok(outcome)
                }
            });
        }
        Ok(outcomes)
    }

    /// The same with statements of the host. A change whose statements fail is not made.
    async fn make_with(
        &self,
        transaction: &mut Transaction<'_>,
        requests: &[Request],
        statements: &Statements<MySqlConnection>,
    ) -> sqlx::Result<Outcomes> {
        let deadline = Instant::now() + crate::statements::TIMEOUT;
        let mut outcomes = Vec::with_capacity(requests.len());
        for request in requests {
            let outcome = match (self.refusal(request), request.change()) {
                (Some(refusal), _) => Err(refusal),
                (None, None) => Ok(transaction.make(request).await?),
                (None, Some(change)) => {
                    let write = (request, change);
                    statements::make(transaction, write, statements, deadline).await?
                }
            };
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }

    /// Why a request is not tried: the server would close the connection, and nothing of the batch would be written.
    fn refusal(&self, request: &Request) -> Option<WriteError> {
        let (post, words): (&Post, Option<&Words>) = match request {
            Request::Write(
                Write::InsertPost { post, words, .. } | Write::UpdatePost { post, words, .. },
                _,
            ) => (post, words.as_ref()),
            _ => return None,
        };
        let size = change::size_of(post, words);
        if size <= self.max_size {
            return None;
        }
        let reason: Box<dyn Error + Send + Sync> = format!(
            "the post has {size} bytes with its words, and the server takes {}: raise max_allowed_packet",
            self.max_size
        )
        .into();
        Some(reason.into())
    }
}

fn is_conflict(outcome: &Result<Outcome, WriteError>) -> bool {
    matches!(outcome, Ok(Outcome::Conflict))
}

pub(super) async fn execute(
    connection: &mut MySqlConnection,
    statement: &'static str,
) -> sqlx::Result<()> {
    sqlx::raw_sql(statement).execute(connection).await.map(drop)
}
