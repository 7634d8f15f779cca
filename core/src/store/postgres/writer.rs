//! Creations: what is waiting is inserted together, by a few desks that do not wait for each other.

use std::sync::Arc;

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
pub(super) const MAX_WAITING: usize = 1024;
/// Posts that are inserted together at most.
const MAX_BATCH: usize = 64;
/// Batches of one instance that are under way at the same time: while one is made durable, the next
/// one is worked on. With more, each has fewer posts and costs the server as much.
pub(super) const DESKS: usize = 2;

/// The way to the desks.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    queue: mpsc::Sender<Job>,
    desks: Arc<Mutex<JoinSet<()>>>,
}

#[derive(Debug)]
enum Job {
    Insert(Box<Creation>),
    Finish,
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
        Self { queue, desks }
    }

    /// Returns when the post is durable, or is known not to be inserted, or when it took too long:
    /// then it may be or not.
    pub(super) async fn insert(&self, post: Post) -> Result<Write, Failure> {
        let (done, outcome) = oneshot::channel();
        let job = Job::Insert(Box::new(Creation { post, done }));
        self.queue.try_send(job).map_err(|error| match error {
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
        let mut desks = self.desks.lock().await;
        if self.queue.send(Job::Finish).await.is_ok() {
            while desks.join_next().await.is_some() {}
        }
    }
}

/// One task that inserts.
struct Desk {
    connections: Arc<Connections>,
    waiting: Arc<Mutex<mpsc::Receiver<Job>>>,
    wake: Wake,
}

impl Desk {
    async fn run(self) {
        let mut jobs = Vec::new();
        while self.next(&mut jobs).await > 0 {
            let (mut posts, mut answers) = (Vec::new(), Vec::new());
            for job in jobs.drain(..) {
                match job {
                    // Who has lost patience was told that it failed.
                    Job::Insert(creation) if creation.done.is_closed() => {}
                    Job::Insert(creation) => {
                        posts.push(creation.post);
                        answers.push(creation.done);
                    }
                    // The desks go on until nothing is waiting.
                    Job::Finish => self.waiting.lock().await.close(),
                }
            }
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

    async fn next(&self, jobs: &mut Vec<Job>) -> usize {
        self.waiting.lock().await.recv_many(jobs, MAX_BATCH).await
    }
}
