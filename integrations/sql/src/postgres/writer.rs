//! Inserts posts in batches: those that arrive at the same time share one statement.

use std::sync::Arc;

use handbill::store::{Outcome, WriteStats};
use tokio::time::timeout;

use super::connections::{Connections, TIMEOUT};
use super::failure::Failure;
use super::insert::{NewPost, insert_posts};
use crate::counter::Counter;
use crate::group_commit::{self, Batches, MAX_WAITING, Queue, Refused};

/// Batches that one instance inserts at the same time: the server works on one while it makes the
/// other one durable.
pub(super) const BATCHERS: usize = 2;

#[derive(Clone, Debug)]
pub(super) struct Writer(Arc<Queue<NewPost, Failure>>);

impl Writer {
    pub(super) fn start(connections: &Arc<Connections>, counter: &Counter) -> Self {
        let (queue, batches) = group_commit::queue(MAX_WAITING);
        let batches = Arc::new(batches);
        for _ in 0..BATCHERS {
            let (batches, connections) = (Arc::clone(&batches), Arc::clone(connections));
            tokio::spawn(run(batches, connections, counter.clone()));
        }
        Self(Arc::new(queue))
    }

    /// Returns when the post is durable, or is known not to be inserted. After a timeout it may be
    /// inserted or not.
    pub(super) async fn insert(&self, post: NewPost) -> Result<Outcome, Failure> {
        let inserted = timeout(TIMEOUT, self.0.write(post)).await;
        inserted.unwrap_or(Err(Failure::TimedOut))
    }

    pub(super) fn stats(&self) -> WriteStats {
        self.0.stats()
    }

    /// Takes no more posts, and returns when those in the queue are inserted.
    pub(super) async fn close(&self) {
        self.0.close().await;
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::QueueFull => Self::QueueFull,
            Refused::Closed => Self::Closed,
        }
    }
}

/// Inserts one batch after the other.
async fn run(
    batches: Arc<Batches<NewPost, Failure>>,
    connections: Arc<Connections>,
    counter: Counter,
) {
    while let Some(batch) = batches.next().await {
        let insert = async |posts: &[NewPost]| {
            let inserted = insert_posts(&connections, posts).await;
            counter.wake();
            Ok(inserted?.into_iter().map(Ok).collect())
        };
        batch.commit(insert).await;
    }
}
