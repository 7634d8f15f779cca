//! The queue of a store's writing task, which commits all changes that wait in one transaction.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use handbill::store::{
    InstallationSecret, NewChange, Outcome, PostId, Retry, Revision, StoreError, Words, Write,
    WriteStats,
};

use crate::group_commit::{self, Batches, MAX_WAITING, Queue, Refused};
use crate::request::{IndexChange, OutboxChange, Request};
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

    pub(crate) async fn add_listener(&self, name: &str) -> Result<(), StoreError> {
        let add = Request::Outbox(OutboxChange::Add(name.to_owned()));
        self.make("add a durable listener", add).await.map(drop)
    }

    pub(crate) async fn remove_listener(&self, name: &str) -> Result<bool, StoreError> {
        let remove = Request::Outbox(OutboxChange::Remove(name.to_owned()));
        let removed = self.make("remove a durable listener", remove).await;
        Ok(removed? == Outcome::Applied)
    }

    pub(crate) async fn lease_listener(
        &self,
        name: &str,
        instance: &str,
        time: Duration,
    ) -> Result<bool, StoreError> {
        let lease = Request::Outbox(OutboxChange::Lease {
            listener: name.to_owned(),
            instance: instance.to_owned(),
            time,
        });
        let leased = self.make("lease a durable listener", lease).await;
        Ok(leased? == Outcome::Applied)
    }

    pub(crate) async fn settle(
        &self,
        name: &str,
        done: &[u64],
        again: &[Retry],
    ) -> Result<(), StoreError> {
        let settle = Request::Outbox(OutboxChange::Settle {
            listener: name.to_owned(),
            done: done.to_vec(),
            again: again.to_vec(),
        });
        self.make("settle changes", settle).await.map(drop)
    }

    pub(crate) async fn lease_indexing(
        &self,
        instance: &str,
        time: Duration,
    ) -> Result<bool, StoreError> {
        let instance = instance.to_owned();
        let lease = Request::Index(IndexChange::Lease { instance, time });
        Ok(self.make("lease the indexing", lease).await? == Outcome::Applied)
    }

    pub(crate) async fn index_posts(
        &self,
        posts: Vec<(PostId, Revision, Words)>,
    ) -> Result<(), StoreError> {
        let posts = Request::Index(IndexChange::Posts(posts));
        self.make("index posts", posts).await.map(drop)
    }

    pub(crate) async fn set_indexed(&self, version: u32) -> Result<(), StoreError> {
        let complete = Request::Index(IndexChange::Complete(version));
        let noted = self.make("note that all posts are indexed", complete);
        noted.await.map(drop)
    }

    /// Returns when what is asked for is durable, or is known not to be made.
    async fn make(&self, doing: &'static str, request: Request) -> Result<Outcome, StoreError> {
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
