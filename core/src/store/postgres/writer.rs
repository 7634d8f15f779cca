//! Creations: what is waiting is inserted together, by a few desks that do not wait for each other.

use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};

use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::connections::{Connections, PATIENCE};
use super::counter::Wake;
use super::failure::Failure;
use super::insert::insert_posts;
use crate::post::Post;
use crate::store::Write;

/// Posts that may wait. Beyond it, the store is not available.
const MAX_WAITING: usize = 1024;
/// Posts that are inserted together at most.
const MAX_BATCH: usize = 64;
/// Batches of one instance that are under way at the same time: while one is made durable, the next
/// one is worked on. With more, each has fewer posts and costs the server as much.
pub(super) const DESKS: usize = 2;

/// The way to the desks.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    /// None when the store is closed, which the desks see by the last sender's end.
    queue: Arc<StdMutex<Option<mpsc::Sender<Creation>>>>,
    desks: Arc<Mutex<JoinSet<()>>>,
}

#[derive(Debug)]
struct Creation {
    post: Post,
    done: oneshot::Sender<Result<Write, Failure>>,
}

impl Writer {
    pub(super) fn start(connections: &Arc<Connections>, wake: &Wake) -> Self {
        let (queue, waiting) = mpsc::channel(MAX_WAITING);
        let waiting = Arc::new(Mutex::new(waiting));
        let desks = (0..DESKS).map(|_| {
            let desk = Desk {
                connections: Arc::clone(connections),
                waiting: Arc::clone(&waiting),
                wake: wake.clone(),
            };
            desk.run()
        });
        let desks = Arc::new(Mutex::new(desks.collect()));
        Self {
            queue: Arc::new(StdMutex::new(Some(queue))),
            desks,
        }
    }

    /// Returns when the post is durable, or is known not to be inserted, or when it took too long:
    /// then it may be or not.
    pub(super) async fn insert(&self, post: Post) -> Result<Write, Failure> {
        let (done, outcome) = oneshot::channel();
        let creation = Creation { post, done };
        let queued = match &*self.queue() {
            Some(queue) => queue.try_send(creation),
            None => return Err(Failure::Closed),
        };
        queued.map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => Failure::QueueFull,
            mpsc::error::TrySendError::Closed(_) => Failure::Closed,
        })?;
        match timeout(PATIENCE, outcome).await {
            Ok(outcome) => outcome.unwrap_or(Err(Failure::Closed)),
            Err(_) => Err(Failure::TimedOut),
        }
    }

    /// Returns when what was waiting is done and the desks are closed.
    pub(super) async fn finish(&self) {
        drop(self.queue().take());
        let mut desks = self.desks.lock().await;
        while desks.join_next().await.is_some() {}
    }

    // Nothing panics while it holds the lock.
    fn queue(&self) -> MutexGuard<'_, Option<mpsc::Sender<Creation>>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One task that inserts.
struct Desk {
    connections: Arc<Connections>,
    waiting: Arc<Mutex<mpsc::Receiver<Creation>>>,
    wake: Wake,
}

impl Desk {
    async fn run(self) {
        let mut creations = Vec::new();
        while self.next(&mut creations).await > 0 {
            // Who has lost patience was told that it failed.
            creations.retain(|creation| !creation.done.is_closed());
            let (posts, answers): (Vec<_>, Vec<_>) = creations
                .drain(..)
                .map(|creation| (creation.post, creation.done))
                .unzip();
            if posts.is_empty() {
                continue;
            }
            let outcome = insert_posts(&self.connections, &posts).await;
            self.wake.now();
            for (at, answer) in answers.into_iter().enumerate() {
                // Nobody may be waiting any more; the post is inserted all the same.
                let _ = answer.send(match &outcome {
                    Ok(writes) => Ok(writes.get(at).copied().unwrap_or(Write::Conflict)),
                    Err(failure) => Err(failure.clone()),
                });
            }
        }
    }

    async fn next(&self, creations: &mut Vec<Creation>) -> usize {
        let mut waiting = self.waiting.lock().await;
        waiting.recv_many(creations, MAX_BATCH).await
    }
}
