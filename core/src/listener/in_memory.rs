//! The listener in memory: each change is delivered to it once, unless the process ends before.
//!
//! Events about the same post or key are delivered in the order of the changes, one at a time. Changes wait for the
//! listener only when the queue of events is full, and fail if it stays full.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{self, OwnedPermit, Receiver, Sender};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::host::callback::Callback;
use crate::post::Event;
use crate::store::{Outcome, StoreError};

/// The number of locks that order the changes. Changes of different posts can share a lock and then
/// wait for each other, which is harmless.
const LOCKS: usize = 1024;
/// The most events that may wait for the listener, and how long a change waits for a place.
const MAX_WAITING: usize = 8192;
const MAX_WAIT: Duration = Duration::from_secs(5);

/// What waits in the queue.
enum QueueItem {
    Event(Box<Event>),
    /// Completes when all events before it were delivered.
    Flush(oneshot::Sender<()>),
}

/// The host's listener, with the queue of events for it.
pub(crate) struct InMemoryListener {
    callback: Callback<Event, ()>,
    /// The queue's sender. It is created with the first event, since there may be no runtime before.
    queue: Mutex<Option<Sender<QueueItem>>>,
    locks: Vec<tokio::sync::Mutex<()>>,
}

impl InMemoryListener {
    pub(crate) fn new(callback: Callback<Event, ()>) -> Self {
        Self {
            callback,
            queue: Mutex::default(),
            locks: (0..LOCKS).map(|_| tokio::sync::Mutex::default()).collect(),
        }
    }

    /// Makes a change to the post or key that `subject` identifies. If the change is applied, it then queues the event,
    /// whose place in the queue is reserved before.
    ///
    /// Both happen in a task of their own: the future of a request is dropped when its client disconnects, and that
    /// must not lose the event of an applied change.
    pub(crate) async fn change_and_notify(
        self: &Arc<Self>,
        subject: impl Hash,
        event: Event,
        change: impl Future<Output = Result<Outcome, StoreError>> + Send + 'static,
    ) -> Result<Outcome, StoreError> {
        let place = self.reserve().await?;
        let mut hasher = DefaultHasher::new();
        subject.hash(&mut hasher);
        let lock = hasher.finish() as usize % LOCKS;
        let listener = Arc::clone(self);
        let task = tokio::spawn(async move {
            let _guard = listener.locks[lock].lock().await;
            let outcome = change.await;
            if matches!(outcome, Ok(Outcome::Applied)) {
                place.send(QueueItem::Event(Box::new(event)));
            }
            outcome
        });
        task.await
            .unwrap_or_else(|failed| Err(StoreError::new("finish a change", failed)))
    }

    /// Waits until every event that is in the queue now was delivered.
    pub(crate) async fn flush(&self) {
        let (flushed, waiting) = oneshot::channel();
        if self.queue().send(QueueItem::Flush(flushed)).await.is_ok() {
            // An error means that the queue's task ended with its runtime.
            let _ = waiting.await;
        }
    }

    /// Reserves a place in the queue.
    async fn reserve(&self) -> Result<OwnedPermit<QueueItem>, StoreError> {
        let no_place = |cause| StoreError::new("queue an event for the listener", cause);
        let sender = match self.queue().try_reserve_owned() {
            Ok(place) => return Ok(place),
            Err(TrySendError::Full(sender) | TrySendError::Closed(sender)) => sender,
        };
        let place = timeout(MAX_WAIT, sender.reserve_owned()).await;
        let place = place.map_err(|_| no_place(format!("{MAX_WAITING} events are waiting")))?;
        place.map_err(|closed| no_place(closed.to_string()))
    }

    /// The queue. It is made again if its task ended with its runtime, but the service is used in another.
    fn queue(&self) -> Sender<QueueItem> {
        let mut queue = self.queue.lock();
        if let Some(sender) = &*queue
            && !sender.is_closed()
        {
            return sender.clone();
        }
        let (sender, events) = mpsc::channel(MAX_WAITING);
        tokio::spawn(deliver(Arc::clone(&self.callback), events));
        queue.insert(sender).clone()
    }
}

/// Calls the listener for one event at a time, until the service is dropped.
async fn deliver(callback: Callback<Event, ()>, mut queue: Receiver<QueueItem>) {
    while let Some(queued) = queue.recv().await {
        let event = match queued {
            QueueItem::Event(event) => *event,
            QueueItem::Flush(flushed) => {
                // The caller may have gone away.
                let _ = flushed.send(());
                continue;
            }
        };
        let (name, callback) = (event.name(), Arc::clone(&callback));
        // Its own task, since the host's code may panic.
        if let Err(failed) = tokio::spawn(async move { callback(event).await }).await {
            tracing::error!(event = name, %failed, "the event listener did not finish");
        }
    }
}
