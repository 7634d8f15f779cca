//! Creations: what is waiting is inserted together, in batches of which a few are under way.

use std::future::poll_fn;
use std::mem;
use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::{JoinSet, yield_now};
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
pub(super) const MAX_BATCHES: usize = 2;
/// How long a batch waits for one more post while others are under way.
const FOR_ONE_MORE: Duration = Duration::from_millis(10);

/// The way to the desk.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    /// None when the store is closed, which the desk sees by the last sender's end.
    queue: Arc<StdMutex<Option<mpsc::Sender<Creation>>>>,
    desk: Arc<Mutex<JoinSet<()>>>,
}

#[derive(Debug)]
struct Creation {
    post: Post,
    done: oneshot::Sender<Result<Write, Failure>>,
}

impl Writer {
    pub(super) fn start(connections: &Arc<Connections>, wake: &Wake) -> Self {
        let (sender, queue) = mpsc::channel(MAX_WAITING);
        let desk = Desk {
            connections: Arc::clone(connections),
            wake: wake.clone(),
            queue,
            is_open: true,
            waiting: Vec::new(),
            batches: JoinSet::new(),
            posts_under_way: 0,
        };
        let desk = JoinSet::from_iter([desk.run()]);
        Self {
            queue: Arc::new(StdMutex::new(Some(sender))),
            desk: Arc::new(Mutex::new(desk)),
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

    /// Returns when what was waiting is done and the desk is closed.
    pub(super) async fn finish(&self) {
        drop(self.queue().take());
        while self.desk.lock().await.join_next().await.is_some() {}
    }

    // Nothing panics while it holds the lock.
    fn queue(&self) -> MutexGuard<'_, Option<mpsc::Sender<Creation>>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes in what comes, and sends it off in batches.
///
/// A batch costs the server about as much as fifteen posts in it. So while one is under way, the next
/// one waits until it has as many posts: of two of the same size, none is small.
struct Desk {
    connections: Arc<Connections>,
    wake: Wake,
    queue: mpsc::Receiver<Creation>,
    is_open: bool,
    /// The next batch.
    waiting: Vec<Creation>,
    /// Those under way: each returns how many posts it had.
    batches: JoinSet<usize>,
    posts_under_way: usize,
}

impl Desk {
    async fn run(mut self) {
        while self.is_open || !self.batches.is_empty() {
            let may_go = !self.waiting.is_empty() && self.batches.len() < MAX_BATCHES;
            let news = poll_fn(|context| self.poll_news(context));
            let has_waited = match may_go {
                true => timeout(FOR_ONE_MORE, news).await.is_err(),
                false => {
                    news.await;
                    false
                }
            };
            // Whose requests have been received but not been looked at come along.
            yield_now().await;
            self.take_in();
            let enough = match self.is_open && !has_waited {
                true => self.posts_under_way.clamp(1, MAX_BATCH),
                false => 1,
            };
            if self.waiting.len() >= enough && self.batches.len() < MAX_BATCHES {
                self.send_off();
            }
        }
    }

    /// Is ready when a post has come, no more will come, or a batch is done.
    fn poll_news(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let mut news = Poll::Pending;
        let room = MAX_BATCH - self.waiting.len();
        if self.is_open
            && room > 0
            && let Poll::Ready(come) = self.queue.poll_recv_many(context, &mut self.waiting, room)
        {
            self.is_open = come > 0;
            news = Poll::Ready(());
        }
        if let Poll::Ready(Some(done)) = self.batches.poll_join_next(context) {
            self.posts_under_way -= done.unwrap_or(0);
            news = Poll::Ready(());
        }
        news
    }

    fn take_in(&mut self) {
        while self.waiting.len() < MAX_BATCH
            && let Ok(creation) = self.queue.try_recv()
        {
            self.waiting.push(creation);
        }
    }

    fn send_off(&mut self) {
        let creations = mem::take(&mut self.waiting);
        let posts = creations.len();
        self.posts_under_way += posts;
        let (connections, wake) = (Arc::clone(&self.connections), self.wake.clone());
        self.batches.spawn(async move {
            insert(&connections, &wake, creations).await;
            posts
        });
    }
}

async fn insert(connections: &Connections, wake: &Wake, mut creations: Vec<Creation>) {
    // Who has lost patience was told that it failed.
    creations.retain(|creation| !creation.done.is_closed());
    let (posts, answers): (Vec<_>, Vec<_>) = creations
        .into_iter()
        .map(|creation| (creation.post, creation.done))
        .unzip();
    if posts.is_empty() {
        return;
    }
    let outcome = insert_posts(connections, &posts).await;
    wake.now();
    for (at, answer) in answers.into_iter().enumerate() {
        // Nobody may be waiting any more; the post is inserted all the same.
        let _ = answer.send(match &outcome {
            Ok(writes) => Ok(writes.get(at).copied().unwrap_or(Write::Conflict)),
            Err(failure) => Err(failure.clone()),
        });
    }
}
