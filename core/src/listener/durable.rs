//! A durable listener: it hears of each change at least once, also after a crash.
//!
//! The changes that wait are in the outbox of the store. A task of each instance asks for those that are due. The instance that holds
//! the listener tells it of them, of several subjects at a time, and removes those that it has heard of.

use std::collections::HashMap;
use std::error::Error;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Notify, OnceCell, watch};
use tokio::task::{self, AbortHandle, JoinError, JoinHandle, JoinSet};
use tokio::time::{Instant, timeout};

use crate::change::{Change, NewChange};
use crate::hex;
use crate::measured_store::MeasuredStore;
use crate::store::{DueChange, MAX_PAUSE, Outbox, StoreError};
use crate::time::{Clock, Timestamp};

/// How many calls of a listener may run at a time.
const MAX_CALLS: usize = 32;
/// How long a call may take. Then it is dropped, and has failed.
const CALL_TIMEOUT: Duration = Duration::from_secs(60);
/// The pause after the first failure. Each further one doubles it, up to [`MAX_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// For how long an instance holds a listener, and after which time it does so again.
const HOLD: Duration = Duration::from_secs(5);
const HOLD_AGAIN: Duration = Duration::from_secs(1);
/// How often the store is asked for changes of other instances, and after a failure.
const POLL: Duration = Duration::from_secs(1);
/// How often a flush looks for changes that another instance tells.
const FLUSH_POLL: Duration = Duration::from_millis(20);

type Failed = Box<dyn Error + Send + Sync>;
type Call = Pin<Box<dyn Future<Output = Result<(), Failed>> + Send>>;
pub(crate) type Callback = dyn Fn(Change) -> Call + Send + Sync;

/// What a durable listener is made of.
pub(crate) struct Parts {
    pub(crate) name: String,
    pub(crate) callback: Arc<Callback>,
    pub(crate) store: MeasuredStore,
    pub(crate) clock: Arc<Clock>,
}

/// A durable listener of this instance.
pub(crate) struct DurableListener {
    shared: Arc<Shared>,
    /// Dropped with the service, which ends the task.
    alive: watch::Sender<()>,
    task: Mutex<Option<JoinHandle<()>>>,
}

/// What the service and the task share.
struct Shared {
    parts: Parts,
    /// Whether the store knows the listener.
    registered: OnceCell<()>,
    wake: Notify,
    settled: Notify,
}

impl DurableListener {
    pub(super) fn new(parts: Parts) -> Self {
        let shared = Shared {
            parts,
            registered: OnceCell::new(),
            wake: Notify::new(),
            settled: Notify::new(),
        };
        Self {
            shared: Arc::new(shared),
            alive: watch::Sender::new(()),
            task: Mutex::default(),
        }
    }

    /// Starts the task, unless it runs or there is no runtime yet.
    pub(super) fn start(&self) {
        let mut task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        // A task ends with its runtime, but the service may be used in another.
        let runs = task.as_ref().is_some_and(|task| !task.is_finished());
        if !runs && let Ok(runtime) = Handle::try_current() {
            let teller = Teller::new(Arc::clone(&self.shared));
            *task = Some(runtime.spawn(teller.run(self.alive.subscribe())));
        }
    }

    /// Makes the listener known to the store, once: from then on, it misses nothing.
    pub(super) async fn register(&self) -> Result<(), StoreError> {
        self.shared.register().await
    }

    /// A change was made.
    pub(super) fn wake(&self) {
        self.shared.wake.notify_one();
    }

    /// Waits until the listener has heard of, or failed at, every change that waits now and is due.
    pub(super) async fn flush(&self, now: Timestamp) -> Result<(), StoreError> {
        self.register().await?;
        self.start();
        let name = &*self.shared.parts.name;
        let outbox = self.shared.outbox()?;
        let states = outbox.listeners().await?;
        let state = states.into_iter().find(|state| state.name == name);
        let Some(last) = state.and_then(|state| state.last) else {
            return Ok(());
        };
        loop {
            let settled = self.shared.settled.notified();
            self.wake();
            match outbox.due_changes(name, now, 1).await?.first() {
                Some(first) if first.number <= last => {
                    // Another instance may be the one that tells it.
                    let _ = timeout(FLUSH_POLL, settled).await;
                }
                _ => return Ok(()),
            }
        }
    }
}

impl Shared {
    fn outbox(&self) -> Result<&dyn Outbox, StoreError> {
        let outbox = self.parts.store.outbox();
        outbox.ok_or_else(|| StoreError::new("tell a durable listener", "the store has no outbox"))
    }

    async fn register(&self) -> Result<(), StoreError> {
        let add = || async { self.outbox()?.add_listener(&self.parts.name).await };
        self.registered.get_or_try_init(add).await.copied()
    }
}

/// A call that has ended.
type Ended = Result<(task::Id, Result<(), Failed>), JoinError>;

enum Woken {
    Stopped,
    Ended(Ended),
    MayBeDue,
}

/// The task that tells a listener of its changes.
struct Teller {
    shared: Arc<Shared>,
    /// Identifies this task among those of all instances.
    holder: String,
    /// Since when it holds the listener.
    held_since: Option<Instant>,
    calls: JoinSet<Result<(), Failed>>,
    /// The changes of the calls that run.
    running: HashMap<task::Id, (u64, u32)>,
    /// What became of calls, to be stored.
    done: Vec<u64>,
    again: Vec<(u64, Timestamp)>,
}

impl Teller {
    fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            holder: hex::encode(&rand::random::<[u8; 16]>()),
            held_since: None,
            calls: JoinSet::new(),
            running: HashMap::new(),
            done: Vec::new(),
            again: Vec::new(),
        }
    }

    async fn run(mut self, mut alive: watch::Receiver<()>) {
        loop {
            if let Err(error) = self.turn().await {
                let listener = &*self.shared.parts.name;
                tracing::warn!(listener, error = %error, cause = ?error.source().map(ToString::to_string), "changes wait for a durable listener");
                if timeout(POLL, alive.changed()).await.is_ok() {
                    break;
                }
                continue;
            }
            match self.wait(&mut alive).await {
                Woken::Stopped => break,
                Woken::Ended(ended) => self.note(ended),
                Woken::MayBeDue => {}
            }
            while let Some(ended) = self.calls.try_join_next_with_id() {
                self.note(ended);
            }
        }
        self.stop().await;
    }

    /// Waits until there may be something to do.
    async fn wait(&mut self, alive: &mut watch::Receiver<()>) -> Woken {
        let mut stopped = pin!(alive.changed());
        let mut woken = pin!(self.shared.wake.notified());
        let calls = &mut self.calls;
        let first = poll_fn(|context| {
            // It is never sent anything: it ends when the service is dropped.
            if stopped.as_mut().poll(context).is_ready() {
                return Poll::Ready(Woken::Stopped);
            }
            if let Poll::Ready(Some(ended)) = calls.poll_join_next_with_id(context) {
                return Poll::Ready(Woken::Ended(ended));
            }
            woken.as_mut().poll(context).map(|()| Woken::MayBeDue)
        });
        timeout(POLL, first).await.unwrap_or(Woken::MayBeDue)
    }

    /// Stores what became of calls, and makes new ones.
    async fn turn(&mut self) -> Result<(), StoreError> {
        let shared = Arc::clone(&self.shared);
        shared.register().await?;
        let (outbox, name) = (shared.outbox()?, &*shared.parts.name);
        self.settle(outbox).await?;
        if self.running.len() == MAX_CALLS {
            return self.hold(outbox).await.map(|_| ());
        }
        let now = shared.parts.clock.now();
        let due = outbox.due_changes(name, now, MAX_CALLS as u32).await?;
        let is_running = |change: &DueChange| {
            let mut running = self.running.values();
            running.any(|(number, _)| *number == change.number)
        };
        let new: Vec<_> = due
            .into_iter()
            .filter(|change| !is_running(change))
            .collect();
        let has_work = !new.is_empty() || !self.running.is_empty();
        if has_work && self.hold(outbox).await? {
            let free = MAX_CALLS - self.running.len();
            new.into_iter()
                .take(free)
                .for_each(|change| self.tell(change));
        }
        Ok(())
    }

    /// Whether this task holds the listener.
    async fn hold(&mut self, outbox: &dyn Outbox) -> Result<bool, StoreError> {
        if self
            .held_since
            .is_some_and(|since| since.elapsed() < HOLD_AGAIN)
        {
            return Ok(true);
        }
        let now = Instant::now();
        let name = &*self.shared.parts.name;
        let is_held = outbox.hold_listener(name, &self.holder, HOLD).await?;
        self.held_since = is_held.then_some(now);
        Ok(is_held)
    }

    /// Calls the listener in a task of its own, since the host's code may panic, and may never return.
    fn tell(&mut self, due: DueChange) {
        let DueChange {
            number,
            attempts,
            text,
        } = due;
        let callback = Arc::clone(&self.shared.parts.callback);
        let call = async move {
            let change = NewChange::from_text(&text)?.numbered(number);
            match timeout(CALL_TIMEOUT, callback(change)).await {
                Ok(outcome) => outcome,
                Err(_) => Err(format!("it did not return within {CALL_TIMEOUT:?}").into()),
            }
        };
        let id = AbortHandle::id(&self.calls.spawn(call));
        self.running.insert(id, (number, attempts));
    }

    /// Notes what became of a call.
    fn note(&mut self, ended: Ended) {
        let (id, outcome) = match ended {
            Ok((id, outcome)) => (id, outcome),
            Err(failed) => (failed.id(), Err(failed.into())),
        };
        let Some((number, attempts)) = self.running.remove(&id) else {
            return;
        };
        let Err(error) = outcome else {
            self.done.push(number);
            return;
        };
        let pause = pause_after(attempts);
        let listener = &*self.shared.parts.name;
        tracing::error!(listener, change = number, attempts = attempts + 1, ?pause, %error, "a durable listener failed");
        let now = self.shared.parts.clock.now();
        let pause = i64::try_from(pause.as_micros()).unwrap_or(i64::MAX);
        let due = Timestamp::from_micros(now.as_micros().saturating_add(pause));
        self.again.push((number, due));
    }

    async fn settle(&mut self, outbox: &dyn Outbox) -> Result<(), StoreError> {
        if self.done.is_empty() && self.again.is_empty() {
            return Ok(());
        }
        let name = &*self.shared.parts.name;
        outbox.settle(name, &self.done, &self.again).await?;
        self.done.clear();
        self.again.clear();
        self.shared.settled.notify_waiters();
        Ok(())
    }

    /// Stores what became of calls that have ended, and lets another instance go on. Calls that run are dropped: the
    /// next instance makes them again.
    async fn stop(mut self) {
        while let Some(ended) = self.calls.try_join_next_with_id() {
            self.note(ended);
        }
        let shared = Arc::clone(&self.shared);
        let Ok(outbox) = shared.outbox() else {
            return;
        };
        // What fails here is made up for: the changes come again, and the hold ends by itself.
        let _ = self.settle(outbox).await;
        if self.held_since.is_some() {
            let (name, none) = (&*shared.parts.name, Duration::ZERO);
            let _ = outbox.hold_listener(name, &self.holder, none).await;
        }
    }
}

/// The pause after this number of earlier attempts and one more.
fn pause_after(attempts: u32) -> Duration {
    let doubled = 2_u32.checked_pow(attempts);
    let pause = doubled.and_then(|times| FIRST_PAUSE.checked_mul(times));
    pause.map_or(MAX_PAUSE, |pause| pause.min(MAX_PAUSE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_a_day() {
        let pauses: Vec<_> = (0..5)
            .map(|attempts| pause_after(attempts).as_secs())
            .collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16]);
        for attempts in [17, 31, 32, u32::MAX] {
            assert_eq!(pause_after(attempts), MAX_PAUSE);
        }
    }
}
