//! Writes: one connection, which commits all that is waiting together (group commit), so that
//! durable writes grow in number with the clients instead of queueing for the disk.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot};

use super::change::{delete_post, insert_key, insert_posts, note_key_use, revoke_key, update_post};
use super::lists::Moves;
use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::post::{Post, Revision};
use crate::store::{StoreError, Write};
use crate::time::Timestamp;

/// Writes that may wait. Beyond it, the store is not available.
const MAX_WAITING: usize = 1024;
/// Writes that are committed together at most.
const MAX_BATCH: usize = 256;

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
    pub(super) fn start(options: SqliteConnectOptions) -> Self {
        let (queue, waiting) = mpsc::channel(MAX_WAITING);
        tokio::spawn(
            Desk {
                options,
                connection: None,
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

/// Where a transaction failed.
enum Failure {
    /// Nothing of it was done.
    BeforeCommit(sqlx::Error),
    /// It was done whole or not at all.
    AtCommit(sqlx::Error),
}

/// The one task that writes.
struct Desk {
    options: SqliteConnectOptions,
    /// None at first, and after a failure that leaves the connection's state unknown.
    connection: Option<SqliteConnection>,
}

impl Desk {
    async fn run(mut self, mut waiting: mpsc::Receiver<Job>) {
        let mut jobs = Vec::new();
        while waiting.recv_many(&mut jobs, MAX_BATCH).await > 0 {
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
            let outcomes = self.commit(&changes).await;
            for (answer, outcome) in answers.into_iter().zip(outcomes) {
                // Nobody may be waiting any more; the change is made all the same.
                let _ = answer.send(outcome);
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

    /// Commits all changes together; if one of them fails, each by itself, so that it fails alone.
    async fn commit(&mut self, changes: &[Change]) -> Vec<Result<Write, WriteError>> {
        match self.transaction(changes).await {
            Ok(writes) => writes.into_iter().map(Ok).collect(),
            Err(Failure::BeforeCommit(_)) if changes.len() > 1 => {
                let mut outcomes = Vec::with_capacity(changes.len());
                for change in changes {
                    let alone = self.transaction(std::slice::from_ref(change)).await;
                    outcomes.push(match alone {
                        Ok(writes) => Ok(writes.first().copied().unwrap_or(Write::Conflict)),
                        Err(failure) => Err(failure.into()),
                    });
                }
                outcomes
            }
            Err(failure) => {
                let error = WriteError::from(failure);
                changes.iter().map(|_| Err(error.clone())).collect()
            }
        }
    }

    /// One transaction. After a failure its connection is not used again: what became of a failed
    /// synchronisation with the disk, nobody knows but the next one to open the file.
    async fn transaction(&mut self, changes: &[Change]) -> Result<Vec<Write>, Failure> {
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => SqliteConnection::connect_with(&self.options)
                .await
                .map_err(Failure::BeforeCommit)?,
        };
        let writes = apply(&mut connection, changes)
            .await
            .map_err(Failure::BeforeCommit)?;
        sqlx::query("COMMIT")
            .execute(&mut connection)
            .await
            .map_err(Failure::AtCommit)?;
        self.connection = Some(connection);
        Ok(writes)
    }
}

impl From<Failure> for WriteError {
    fn from(failure: Failure) -> Self {
        let (Failure::BeforeCommit(error) | Failure::AtCommit(error)) = failure;
        Self::Database(Arc::new(error))
    }
}

/// Makes all changes in a transaction that is left open. New posts come first and together: the
/// changes come from callers who do not know of each other yet.
async fn apply(connection: &mut SqliteConnection, changes: &[Change]) -> sqlx::Result<Vec<Write>> {
    sqlx::query("BEGIN IMMEDIATE")
        .execute(&mut *connection)
        .await?;
    let mut moves = Moves::default();
    let new_posts = changes.iter().filter_map(|change| match change {
        Change::InsertPost(post) => Some(post.as_ref()),
        _ => None,
    });
    let new_posts: Vec<&Post> = new_posts.collect();
    let mut inserted = insert_posts(connection, &new_posts, &mut moves)
        .await?
        .into_iter();

    let mut writes = Vec::with_capacity(changes.len());
    for change in changes {
        writes.push(match change {
            Change::InsertPost(_) => inserted.next().unwrap_or(Write::Conflict),
            Change::UpdatePost { expected, post } => {
                update_post(connection, *expected, post, &mut moves).await?
            }
            Change::DeletePost { id, expected } => {
                delete_post(connection, *id, *expected, &mut moves).await?
            }
            Change::InsertKey(key) => insert_key(connection, key).await?,
            Change::NoteKeyUse { id, at } => note_key_use(connection, *id, *at).await?,
            Change::RevokeKey(id) => revoke_key(connection, *id).await?,
        });
    }
    moves.apply(connection).await?;
    Ok(writes)
}
