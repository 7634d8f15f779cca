//! Group commit: changes that arrive at the same time are committed in one batch, since a durable commit
//! costs far more than one change in it.
//!
//! A caller learns of its change after the batch was committed. The queue is bounded: beyond it, changes
//! are refused at once, so that a slow database slows clients down.

use parking_lot::Mutex;
use std::iter;
use std::sync::Arc;

use handbill::store::{Outcome, WriteStats};
use tokio::sync::{Mutex as AsyncMutex, mpsc, oneshot, watch};
use tokio::task::yield_now;
use tokio::time::Instant;

/// The most changes that may wait.
pub(crate) const MAX_WAITING: usize = 1024;
/// The most changes in one batch.
const MAX_BATCH: usize = 64;

/// Where callers leave changes of type `C`, which may fail with `E`.
pub(crate) struct Queue<C, E> {
    /// `None` when the queue is closed.
    sender: Mutex<Option<mpsc::Sender<Waiting<C, E>>>>,
    /// Its sender is dropped with the batches.
    ended: watch::Receiver<()>,
    committed: Committed,
}

/// What was committed so far, or has failed.
type Committed = Arc<Mutex<WriteStats>>;

/// Where the tasks that commit get the changes. They drop it when they end.
pub(crate) struct Batches<C, E> {
    receiver: AsyncMutex<mpsc::Receiver<Waiting<C, E>>>,
    _ended: watch::Sender<()>,
    committed: Committed,
}

/// Changes that are committed together.
pub(crate) struct Batch<C, E> {
    changes: Vec<C>,
    callers: Vec<Caller<E>>,
    committed: Committed,
}

/// Why a change was not tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    QueueFull,
    Closed,
}

struct Waiting<C, E> {
    change: C,
    caller: Caller<E>,
}

type Caller<E> = oneshot::Sender<Result<Outcome, E>>;

/// A queue with room for so many changes.
pub(crate) fn queue<C, E>(max_waiting: usize) -> (Queue<C, E>, Batches<C, E>) {
    let (sender, receiver) = mpsc::channel(max_waiting);
    let (ending, ended) = watch::channel(());
    let committed = Committed::default();
    let queue = Queue {
        sender: Mutex::new(Some(sender)),
        ended,
        committed: Arc::clone(&committed),
    };
    let batches = Batches {
        receiver: AsyncMutex::new(receiver),
        _ended: ending,
        committed,
    };
    (queue, batches)
}

impl<C, E: From<Refused>> Queue<C, E> {
    /// Returns when the change is committed, or has failed. If the caller goes away, the change is made
    /// completely or not at all.
    pub(crate) async fn write(&self, change: C) -> Result<Outcome, E> {
        let (caller, outcome) = oneshot::channel();
        let queued = match &*self.sender.lock() {
            Some(sender) => sender.try_send(Waiting { change, caller }),
            None => return Err(Refused::Closed.into()),
        };
        queued.map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => Refused::QueueFull,
            mpsc::error::TrySendError::Closed(_) => Refused::Closed,
        })?;
        outcome.await.unwrap_or(Err(Refused::Closed.into()))
    }

    /// Takes no more changes, and returns when those that waited are made and the tasks that commit have
    /// ended.
    pub(crate) async fn close(&self) {
        drop(self.sender.lock().take());
        // It is never sent anything: this returns when its sender is dropped.
        let _ = self.ended.clone().changed().await;
    }
}

impl<C, E> Queue<C, E> {
    /// What waits now, and what was committed.
    pub(crate) fn stats(&self) -> WriteStats {
        let waiting = match &*self.sender.lock() {
            Some(sender) => sender.max_capacity() - sender.capacity(),
            None => 0,
        };
        WriteStats {
            waiting: waiting as u64,
            ..*self.committed.lock()
        }
    }
}

impl<C, E: Clone> Batches<C, E> {
    /// Waits for changes. `None` when the queue is closed and empty.
    pub(crate) async fn next(&self) -> Option<Batch<C, E>> {
        let mut receiver = self.receiver.lock().await;
        let first = receiver.recv().await?;
        // Requests that were already received get to join.
        yield_now().await;
        let others = iter::from_fn(|| receiver.try_recv().ok());
        let (changes, callers) = iter::once(first)
            .chain(others)
            // A caller that went away may have been sent an error.
            .filter(|waiting| !waiting.caller.is_closed())
            .take(MAX_BATCH)
            .map(|waiting| (waiting.change, waiting.caller))
            .unzip();
        Some(Batch {
            changes,
            callers,
            committed: Arc::clone(&self.committed),
        })
    }
}

impl<C, E: Clone> Batch<C, E> {
    /// Commits the changes and tells each caller what became of its own. `commit` makes them and
    /// returns their outcomes in the same order, or makes none. A change whose outcome is an error is not made.
    pub(crate) async fn commit(
        self,
        commit: impl AsyncFnOnce(&[C]) -> Result<Vec<Result<Outcome, E>>, E>,
    ) {
        // All callers may have gone away.
        if self.changes.is_empty() {
            return;
        }
        let began = Instant::now();
        let outcomes = commit(&self.changes).await;
        {
            let mut committed = self.committed.lock();
            committed.writes += self.changes.len() as u64;
            committed.batches += 1;
            committed.time += began.elapsed();
        }
        for (place, caller) in self.callers.into_iter().enumerate() {
            let outcome = match &outcomes {
                Ok(outcomes) => outcomes[place].clone(),
                Err(error) => Err(error.clone()),
            };
            // An error means that the caller went away. Its change is made all the same.
            let _ = caller.send(outcome);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;
    use std::sync::{Arc, Mutex};
    use std::task::{Context, Poll, Waker};

    use shuttle::future::{block_on, spawn, yield_now};

    use super::{Batches, MAX_BATCH, Queue, Refused, queue};
    use handbill::store::Outcome;

    /// A batch with this change fails.
    const FAULTY: usize = 1;
    /// The steps of a caller that does not go away.
    const STAY: usize = usize::MAX;

    type Written = Result<Outcome, WriteError>;

    #[derive(Clone, Debug, PartialEq)]
    enum WriteError {
        Refused(Refused),
        /// The commit of this batch failed.
        Batch(usize),
    }

    impl From<Refused> for WriteError {
        fn from(refused: Refused) -> Self {
            Self::Refused(refused)
        }
    }

    /// What has happened.
    #[derive(Debug, Default)]
    struct Events {
        /// How many changes the queue took.
        queued: usize,
        batches: Vec<Vec<usize>>,
        committed: Vec<usize>,
        is_closing: bool,
    }

    #[derive(Clone)]
    struct World {
        queue: Arc<Queue<usize, WriteError>>,
        max_waiting: usize,
        events: Arc<Mutex<Events>>,
    }

    /// Changes have different outcomes, so that a caller notices the outcome of another one.
    fn outcome_of(change: usize) -> Outcome {
        [Outcome::Applied, Outcome::Conflict, Outcome::NotFound][change % 3]
    }

    fn count<'a>(changes: impl IntoIterator<Item = &'a usize>, change: usize) -> usize {
        changes
            .into_iter()
            .filter(|other| **other == change)
            .count()
    }

    impl World {
        /// A queue, and so many tasks that commit.
        fn new(max_waiting: usize, tasks: usize) -> Self {
            let (queue, batches) = queue(max_waiting);
            let world = Self {
                queue: Arc::new(queue),
                max_waiting,
                events: Arc::default(),
            };
            let batches = Arc::new(batches);
            for _ in 0..tasks {
                spawn(world.clone().run(Arc::clone(&batches)));
            }
            world
        }

        async fn run(self, batches: Arc<Batches<usize, WriteError>>) {
            while let Some(batch) = batches.next().await {
                let commit = async |changes: &[usize]| {
                    let number = {
                        let mut events = self.events.lock().unwrap();
                        events.batches.push(changes.to_vec());
                        events.batches.len() - 1
                    };
                    // The database works.
                    yield_now().await;
                    if changes.contains(&FAULTY) {
                        return Err(WriteError::Batch(number));
                    }
                    self.events.lock().unwrap().committed.extend(changes);
                    // Its response is on the way.
                    yield_now().await;
                    let outcomes = changes.iter().copied().map(outcome_of);
                    Ok(outcomes.map(Ok).collect())
                };
                batch.commit(commit).await;
            }
        }

        /// The outcome for a caller that stops waiting after so many steps, and how many it took.
        async fn attempt(&self, change: usize, steps: usize) -> (Option<Written>, usize) {
            let mut write = pin!(self.queue.write(change));
            let mut taken = 0;
            let outcome = poll_fn(|context| match write.as_mut().poll(context) {
                Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
                Poll::Pending => {
                    if taken == 0 {
                        self.events.lock().unwrap().queued += 1;
                    }
                    taken += 1;
                    if taken == steps {
                        return Poll::Ready(None);
                    }
                    if steps < STAY {
                        context.waker().wake_by_ref();
                    }
                    Poll::Pending
                }
            });
            (outcome.await, taken)
        }

        async fn write(self, change: usize, steps: usize) {
            let was_closing = self.events.lock().unwrap().is_closing;
            let (outcome, taken) = self.attempt(change, steps).await;
            assert!(!was_closing || taken == 0, "taken after the end");
            let events = self.events.lock().unwrap();
            let tried = count(events.batches.iter().flatten(), change);
            let committed = count(&events.committed, change);
            match outcome {
                None => assert!(tried <= 1),
                Some(Ok(outcome)) => {
                    assert_eq!(outcome, outcome_of(change), "the outcome of another");
                    assert_eq!((tried, committed), (1, 1), "acknowledged before the commit");
                }
                Some(Err(WriteError::Batch(number))) => {
                    let batch = &events.batches[number];
                    assert!(batch.contains(&change), "the failure of another batch");
                    assert!(batch.contains(&FAULTY), "a batch that did not fail");
                    assert_eq!((tried, committed), (1, 0));
                }
                Some(Err(WriteError::Refused(refused))) => {
                    assert_eq!((taken, tried), (0, 0), "refused late");
                    let waiting = events.queued - events.batches.iter().flatten().count();
                    match refused {
                        Refused::QueueFull => assert!(waiting >= self.max_waiting, "not full"),
                        Refused::Closed => assert!(was_closing, "closed too early"),
                    }
                }
            }
        }

        async fn close(&self) {
            self.events.lock().unwrap().is_closing = true;
            self.queue.close().await;
            let events = self.events.lock().unwrap();
            let complete = events
                .batches
                .iter()
                .filter(|batch| !batch.contains(&FAULTY));
            let mut complete: Vec<_> = complete.flatten().collect();
            let mut committed: Vec<_> = events.committed.iter().collect();
            complete.sort_unstable();
            committed.sort_unstable();
            assert_eq!(committed, complete, "a batch is not committed");
            complete.dedup();
            assert_eq!(committed, complete, "a change is committed twice");
        }
    }

    /// Callers that write, of which the last goes away after so many steps, and two that close the queue.
    fn writes_and_end(callers: usize, last_steps: usize, max_waiting: usize, tasks: usize) {
        let world = World::new(max_waiting, tasks);
        let caller = |change| {
            let steps = if change + 1 == callers {
                last_steps
            } else {
                STAY
            };
            spawn(world.clone().write(change, steps))
        };
        let callers: Vec<_> = (0..callers).map(caller).collect();
        block_on(world.close());
        let batches = world.events.lock().unwrap().batches.len();
        for caller in callers {
            block_on(caller).unwrap();
        }
        let events = world.events.lock().unwrap();
        assert_eq!(events.batches.len(), batches, "a batch after the end");
    }

    #[test]
    fn in_every_order_of_steps_changes_are_committed_once_before_they_are_acknowledged() {
        for (callers, last_steps, max_waiting, tasks) in [
            (2, STAY, 2, 1),
            (2, STAY, 1, 1),
            (2, 2, 2, 1),
            (1, STAY, 1, 2),
        ] {
            let writes = move || writes_and_end(callers, last_steps, max_waiting, tasks);
            shuttle::check_dfs(writes, None);
        }
    }

    #[test]
    fn in_any_order_of_steps_changes_are_committed_once_before_they_are_acknowledged() {
        for (last_steps, tasks) in [(1, 1), (3, 2)] {
            shuttle::check_random(move || writes_and_end(6, last_steps, 4, tasks), 10_000);
        }
    }

    #[tokio::test]
    async fn a_full_queue_refuses_at_once_and_batches_have_a_limit() {
        let (queue, batches) = queue::<usize, WriteError>(MAX_BATCH + 2);
        let mut waiting: Vec<_> = (0..MAX_BATCH + 2)
            .map(|change| Box::pin(queue.write(change)))
            .collect();
        let mut context = Context::from_waker(Waker::noop());
        for write in &mut waiting {
            assert!(write.as_mut().poll(&mut context).is_pending());
        }
        let refused = pin!(queue.write(0)).poll(&mut context);
        assert_eq!(refused, Poll::Ready(Err(Refused::QueueFull.into())));
        drop(waiting.remove(0));
        for changes in [1..=MAX_BATCH, MAX_BATCH + 1..=MAX_BATCH + 1] {
            let batch = batches.next().await.unwrap();
            assert_eq!(batch.changes, changes.collect::<Vec<_>>());
        }
    }
}
