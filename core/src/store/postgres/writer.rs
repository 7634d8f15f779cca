//! Group commit: posts that arrive at the same time are inserted in one batch.
//!
//! A commit costs the server far more than one post in it. The caller gets the outcome when the batch
//! is durable. A full queue is an error, so that a slow server slows clients down.

use std::sync::{Arc, Mutex as StdMutex};

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::{JoinSet, yield_now};
use tokio::time::timeout;

use super::connections::{Connections, TIMEOUT};
use super::counter::Counter;
use super::failure::Failure;
use super::insert::insert_posts;
use crate::post::Post;
use crate::store::Write;
use crate::store::lock::lock;

/// Posts that may wait.
const QUEUE_LENGTH: usize = 1024;
const MAX_BATCH: usize = 64;
/// Batches that one instance inserts at the same time: the server works on one while it makes the
/// other one durable.
pub(super) const BATCHERS: usize = 2;

#[derive(Clone, Debug)]
pub(super) struct Writer {
    /// `None` when the store is closed, which ends the batchers.
    queue: Arc<StdMutex<Option<mpsc::Sender<Creation>>>>,
    batchers: Arc<Mutex<JoinSet<()>>>,
}

#[derive(Debug)]
struct Creation {
    post: Post,
    outcome: oneshot::Sender<Result<Write, Failure>>,
}

impl Writer {
    pub(super) fn start(connections: &Arc<Connections>, counter: &Counter) -> Self {
        let (sender, queue) = mpsc::channel(QUEUE_LENGTH);
        let batcher = Batcher {
            queue: Arc::new(Mutex::new(queue)),
            connections: Arc::clone(connections),
            counter: counter.clone(),
        };
        let batchers = (0..BATCHERS).map(|_| batcher.clone().run());
        Self {
            queue: Arc::new(StdMutex::new(Some(sender))),
            batchers: Arc::new(Mutex::new(batchers.collect())),
        }
    }

    /// Returns when the post is durable, or is known not to be inserted. After a timeout it may be
    /// inserted or not.
    pub(super) async fn insert(&self, post: Post) -> Result<Write, Failure> {
        let (sender, outcome) = oneshot::channel();
        let creation = Creation {
            post,
            outcome: sender,
        };
        let queued = match &*lock(&self.queue) {
            Some(queue) => queue.try_send(creation),
            None => return Err(Failure::Closed),
        };
        queued.map_err(|error| match error {
            TrySendError::Full(_) => Failure::QueueFull,
            TrySendError::Closed(_) => Failure::Closed,
        })?;
        match timeout(TIMEOUT, outcome).await {
            Ok(outcome) => outcome.unwrap_or(Err(Failure::Closed)),
            Err(_) => Err(Failure::TimedOut),
        }
    }

    /// Takes no more posts, and returns when those in the queue are inserted.
    pub(super) async fn finish(&self) {
        drop(lock(&self.queue).take());
        while self.batchers.lock().await.join_next().await.is_some() {}
    }
}

/// Inserts one batch after the other.
#[derive(Clone)]
struct Batcher {
    queue: Arc<Mutex<mpsc::Receiver<Creation>>>,
    connections: Arc<Connections>,
    counter: Counter,
}

impl Batcher {
    /// Ends when the queue is closed and empty.
    async fn run(self) {
        loop {
            let batch = self.next_batch().await;
            if batch.is_empty() {
                return;
            }
            self.insert(batch).await;
        }
    }

    async fn next_batch(&self) -> Vec<Creation> {
        let mut queue = self.queue.lock().await;
        let mut batch = Vec::new();
        queue.recv_many(&mut batch, MAX_BATCH).await;
        // Let requests that were already received join the batch.
        yield_now().await;
        while batch.len() < MAX_BATCH
            && let Ok(creation) = queue.try_recv()
        {
            batch.push(creation);
        }
        batch
    }

    async fn insert(&self, mut batch: Vec<Creation>) {
        // A caller that stopped waiting was sent an error.
        batch.retain(|creation| !creation.outcome.is_closed());
        let (posts, senders): (Vec<_>, Vec<_>) = batch
            .into_iter()
            .map(|creation| (creation.post, creation.outcome))
            .unzip();
        if posts.is_empty() {
            return;
        }
        let outcome = insert_posts(&self.connections, &posts).await;
        self.counter.wake();
        for (at, sender) in senders.into_iter().enumerate() {
            // An error means that the caller stopped waiting.
            let _ = sender.send(match &outcome {
                Ok(writes) => Ok(writes.get(at).copied().unwrap_or(Write::Conflict)),
                Err(failure) => Err(failure.clone()),
            });
        }
    }
}
