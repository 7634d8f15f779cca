//! Inserts posts in batches: those that arrive at the same time share one statement.

use std::sync::Arc;

use super::connections::Connections;
use super::failure::Failure;
use super::insert::{NewPost, insert_posts};
use crate::counter::Counter;
use crate::group_commit::{self, Batches, MAX_WAITING, Queue, Refused};

/// Batches that one instance inserts at the same time: the server works on one while it makes the
/// other one durable.
pub(super) const BATCHERS: usize = 2;

/// Where posts wait to be inserted. After a timeout, a post may be inserted or not.
pub(super) type Writer = Queue<NewPost, Failure>;

pub(super) fn start(
    connections: &Arc<Connections>,
    notifies: bool,
    counter: &Counter,
) -> Arc<Writer> {
    let (queue, batches) = group_commit::queue(MAX_WAITING);
    let batches = Arc::new(batches);
    for _ in 0..BATCHERS {
        let (batches, connections) = (Arc::clone(&batches), Arc::clone(connections));
        tokio::spawn(run(batches, connections, notifies, counter.clone()));
    }
    Arc::new(queue)
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::QueueFull => Self::Other("too many posts are waiting already"),
            Refused::Closed => Self::Closed,
        }
    }
}

/// Inserts one batch after the other.
async fn run(
    batches: Arc<Batches<NewPost, Failure>>,
    connections: Arc<Connections>,
    notifies: bool,
    counter: Counter,
) {
    while let Some(batch) = batches.next().await {
        let insert = async |posts: &[NewPost]| {
            let inserted = insert_posts(&connections, notifies, posts).await;
            counter.wake();
            Ok(inserted?.into_iter().map(Ok).collect())
        };
        batch.commit(insert).await;
    }
}
