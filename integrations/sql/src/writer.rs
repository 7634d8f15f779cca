//! The queue of a store's writing task, which commits all changes that wait in one transaction.

use std::error::Error;
use std::sync::Arc;

use handbill::store::{InstallationSecret, NewChange, Outcome, StoreError, Write, WriteStats};

use crate::group_commit::{self, Batches, MAX_WAITING, Queue, Refused};
use crate::request::Request;
use crate::statements::{HostStatements, Statements};

/// `C` is the connection that the host's statements run on.
pub(crate) struct Writer<C> {
    queue: Queue<Request, WriteError>,
    statements: HostStatements<C>,
}

impl<C> Writer<C> {
    /// A queue, and what the writing task gets from it.
    pub(crate) fn new() -> (Arc<Self>, Batches<Request, WriteError>, HostStatements<C>) {
        let (queue, batches) = group_commit::queue(MAX_WAITING);
        let statements = HostStatements::default();
        let writer = Self {
            queue,
            statements: Arc::clone(&statements),
        };
        (Arc::new(writer), batches, statements)
    }

    /// Runs these in the transaction of each later change.
    pub(crate) fn set_statements(&self, statements: Statements<C>) {
        *self.statements.lock() = Some(statements);
    }

    pub(crate) async fn write(
        &self,
        write: Write,
        change: Option<NewChange>,
    ) -> Result<Outcome, StoreError> {
        let doing = write.doing();
        self.make(doing, Request::Write(write, change)).await
    }

    pub(crate) async fn insert_installation_secret(
        &self,
        doing: &'static str,
        candidate: InstallationSecret,
    ) -> Result<(), StoreError> {
        let insert = Request::InsertInstallationSecret(candidate);
        self.make(doing, insert).await.map(drop)
    }

    /// Returns when what is asked for is durable, or is known not to be made.
    pub(crate) async fn make(
        &self,
        doing: &'static str,
        request: Request,
    ) -> Result<Outcome, StoreError> {
        let made = self.queue.write(request).await;
        made.map_err(|error| StoreError::new(doing, error))
    }

    pub(crate) fn stats(&self) -> WriteStats {
        self.queue.stats()
    }

    /// Returns when all changes that waited are made and the task has ended.
    pub(crate) async fn close(&self) {
        self.queue.close().await;
    }
}

/// Why a change was not made. All changes of one transaction may share it.
pub(crate) type WriteError = Arc<dyn Error + Send + Sync>;

impl From<Refused> for WriteError {
    fn from(refused: Refused) -> Self {
        let reason: Box<dyn Error + Send + Sync> = match refused {
            Refused::QueueFull => format!("{MAX_WAITING} writes are waiting already").into(),
            Refused::Closed => "the store is closed".into(),
        };
        reason.into()
    }
}
