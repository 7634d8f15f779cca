//! A durable listener: each change is delivered to it at least once, also after a crash.
//!
//! The changes that wait are in the outbox of the store. A task of each instance asks for those that are due. The
//! instance with the lease delivers them, several subjects in parallel, and deletes what was delivered.

use std::collections::HashMap;
use std::future::poll_fn;
use std::mem::replace;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::{Notify, OnceCell, watch};
use tokio::task::{self, AbortHandle, JoinError, JoinHandle, JoinSet};
use tokio::time::{Instant, timeout};

use super::delivery_error::{AfterFailure, DeliveryError};
use crate::host::callback::{BoxError, Callback};
use crate::observe::chain::Chain;
use crate::observe::measured_store::MeasuredStore;
use crate::post::{Change, Clock, NewChange, Timestamp, hex, random};
use crate::store::{DueChange, ListenerFailure, MAX_PAUSE, Outbox, Retry, StoreError};

const MAX_CALLS: usize = 32;
/// How long a call may take. Then it is dropped, and has failed.
const CALL_TIMEOUT: Duration = Duration::from_secs(60);
/// The pause after the first failure, unless the listener names another one. Each further one doubles it, up to
/// [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// An hour less than [`MAX_PAUSE`]. A flush asks with the time of its start, and the store returns changes that are due
/// more than `MAX_PAUSE` later. No retry during a flush may be so late.
const LONGEST_PAUSE: Duration = MAX_PAUSE.saturating_sub(Duration::from_secs(60 * 60));
/// How many bytes of an error are stored.
const MAX_ERROR: usize = 500;
/// The lease of a listener, and after which time it is renewed.
const LEASE: Duration = Duration::from_secs(5);
const RENEW_AFTER: Duration = Duration::from_secs(1);
/// How often the store is asked for changes of other instances, and after a failure.
const POLL: Duration = Duration::from_secs(1);
/// How often a flush looks for changes that another instance delivers.
const FLUSH_POLL: Duration = Duration::from_millis(20);

/// The settings of a durable listener, and what it works with.
pub(crate) struct ListenerConfig {
    pub(crate) name: String,
    pub(crate) callback: Callback<Change, Result<(), BoxError>>,
    pub(crate) store: MeasuredStore,
    pub(crate) clock: Arc<Clock>,
}

/// A durable listener of this instance.
pub(crate) struct DurableListener {
    shared: Arc<SharedListener>,
    /// Whether the task may run. Dropped with the service, which ends the task, too.
    keep_running: watch::Sender<bool>,
    task: Mutex<Option<JoinHandle<()>>>,
}

/// What the service and the task share.
struct SharedListener {
    config: ListenerConfig,
    /// Whether the store knows the listener.
    registered: OnceCell<()>,
    wake: Notify,
    settled: Notify,
}

impl DurableListener {
    pub(super) fn new(config: ListenerConfig) -> Self {
        let shared = SharedListener {
            config,
            registered: OnceCell::new(),
            wake: Notify::new(),
            settled: Notify::new(),
        };
        Self {
            shared: Arc::new(shared),
            keep_running: watch::Sender::new(true),
            task: Mutex::default(),
        }
    }

    /// Starts the task, unless it runs or there is no runtime yet.
    pub(super) fn start(&self) {
        let mut task = self.task.lock();
        // A task ends with its runtime, but the service may be used in another.
        let runs = task.as_ref().is_some_and(|task| !task.is_finished());
        if !runs
            && *self.keep_running.borrow()
            && let Ok(runtime) = Handle::try_current()
        {
            let delivery = DeliveryTask::new(Arc::clone(&self.shared));
            *task = Some(runtime.spawn(delivery.run(self.keep_running.subscribe())));
        }
    }

    /// Ends the task for good, and waits until another instance may go on.
    pub(super) async fn end(&self) {
        let task = {
            let mut task = self.task.lock();
            self.keep_running.send_replace(false);
            task.take()
        };
        if let Some(task) = task {
            // It may have ended with its runtime.
            let _ = task.await;
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

    /// Waits until every change that waits now and is due was delivered, or has failed.
    pub(super) async fn flush(&self, now: Timestamp) -> Result<(), StoreError> {
        self.register().await?;
        self.start();
        let name = &*self.shared.config.name;
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
                    // Another instance may be the one that delivers it.
                    let _ = timeout(FLUSH_POLL, settled).await;
                }
                _ => return Ok(()),
            }
        }
    }
}

impl SharedListener {
    fn outbox(&self) -> Result<&dyn Outbox, StoreError> {
        let outbox = self.config.store.outbox();
        outbox.ok_or_else(|| StoreError::new("deliver a change", "the store has no outbox"))
    }

    async fn register(&self) -> Result<(), StoreError> {
        let add = || async { self.outbox()?.add_listener(&self.config.name).await };
        self.registered.get_or_try_init(add).await.copied()
    }
}

/// The outcome of a call that has ended.
type FinishedCall = Result<(task::Id, Result<(), BoxError>), JoinError>;

/// The task that delivers changes to a listener.
struct DeliveryTask {
    shared: Arc<SharedListener>,
    /// Identifies this task among those of all instances.
    instance: String,
    /// Since when it has the lease.
    leased_since: Option<Instant>,
    calls: JoinSet<Result<(), BoxError>>,
    /// The changes of the calls that run.
    running: HashMap<task::Id, (u64, u32)>,
    /// The changes that calls have delivered and those that failed, to be stored.
    delivered: Vec<u64>,
    retries: Vec<Retry>,
    last_call_failed: bool,
    /// Why the listener wants no more changes.
    end_reason: Option<String>,
}

impl DeliveryTask {
    fn new(shared: Arc<SharedListener>) -> Self {
        Self {
            shared,
            instance: hex::encode(&random::bytes::<16>()),
            leased_since: None,
            calls: JoinSet::new(),
            running: HashMap::new(),
            delivered: Vec::new(),
            retries: Vec::new(),
            last_call_failed: false,
            end_reason: None,
        }
    }

    async fn run(mut self, mut keep_running: watch::Receiver<bool>) {
        loop {
            if let Err(error) = self.run_once().await {
                let listener = &*self.shared.config.name;
                tracing::warn!(listener, error = %Chain(&error), "changes wait for a durable listener");
                if timeout(POLL, keep_running.changed()).await.is_ok() {
                    break;
                }
                continue;
            }
            if self.wait(&mut keep_running).await {
                break;
            }
        }
        self.stop().await;
    }

    /// Waits until there may be something to do, and records what became of calls. Returns whether the task must stop.
    async fn wait(&mut self, keep_running: &mut watch::Receiver<bool>) -> bool {
        let shared = Arc::clone(&self.shared);
        let mut stopped = pin!(keep_running.changed());
        let mut woken = pin!(shared.wake.notified());
        let must_stop = poll_fn(|context| {
            // It changes when the task is to end, or the service is dropped.
            if stopped.as_mut().poll(context).is_ready() {
                return Poll::Ready(true);
            }
            let mut may_have_work = woken.as_mut().poll(context).is_ready();
            while let Poll::Ready(Some(call)) = self.calls.poll_join_next_with_id(context) {
                self.record_outcome(call);
                may_have_work = true;
            }
            match may_have_work {
                true => Poll::Ready(false),
                false => Poll::Pending,
            }
        });
        timeout(POLL, must_stop).await.unwrap_or(false)
    }

    /// Stores what became of calls, and makes new ones.
    async fn run_once(&mut self) -> Result<(), StoreError> {
        let shared = Arc::clone(&self.shared);
        shared.register().await?;
        let (outbox, name) = (shared.outbox()?, &*shared.config.name);
        self.settle(outbox).await?;
        if let Some(error) = &self.end_reason {
            if outbox.remove_listener(name).await? {
                tracing::warn!(listener = name, %error, "a durable listener has ended, and is removed with all that waits for it");
            }
            self.end_reason = None;
        }
        if self.running.len() == MAX_CALLS {
            return self.lease(outbox).await.map(|_| ());
        }
        let now = shared.config.clock.now();
        let due = outbox.due_changes(name, now, MAX_CALLS as u32).await?;
        let is_running = |change: &DueChange| {
            let mut running = self.running.values();
            running.any(|(number, _)| *number == change.number)
        };
        let new_changes: Vec<_> = due
            .into_iter()
            .filter(|change| !is_running(change))
            .collect();
        let has_work = !new_changes.is_empty() || !self.running.is_empty();
        if has_work && self.lease(outbox).await? {
            let free = MAX_CALLS - self.running.len();
            new_changes
                .into_iter()
                .take(free)
                .for_each(|change| self.deliver(change));
        }
        Ok(())
    }

    /// Whether this task has the lease, which it renews in time.
    async fn lease(&mut self, outbox: &dyn Outbox) -> Result<bool, StoreError> {
        if self
            .leased_since
            .is_some_and(|since| since.elapsed() < RENEW_AFTER)
        {
            return Ok(true);
        }
        let now = Instant::now();
        let name = &*self.shared.config.name;
        let is_leased = outbox.lease_listener(name, &self.instance, LEASE).await?;
        self.leased_since = is_leased.then_some(now);
        Ok(is_leased)
    }

    /// Calls the listener in a task of its own, since the host's code may panic, and may never return.
    fn deliver(&mut self, due: DueChange) {
        let DueChange {
            number,
            attempts,
            text,
        } = due;
        let callback = Arc::clone(&self.shared.config.callback);
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

    /// Records what became of a call.
    fn record_outcome(&mut self, finished_call: FinishedCall) {
        let (id, outcome) = match finished_call {
            Ok((id, outcome)) => (id, outcome),
            Err(join_error) => (join_error.id(), Err(join_error.into())),
        };
        let Some((number, attempts)) = self.running.remove(&id) else {
            return;
        };
        let Err(error) = outcome else {
            self.delivered.push(number);
            self.last_call_failed = false;
            return;
        };
        let (first, longest) = match error.downcast_ref().map(|error: &DeliveryError| error.next) {
            None => (FIRST_PAUSE, LONGEST_PAUSE),
            Some(AfterFailure::Retry { first, longest }) => (first, longest.min(LONGEST_PAUSE)),
            Some(AfterFailure::End) => {
                self.end_reason = Some(error.to_string());
                return;
            }
        };
        let pause = pause_after(attempts, first, longest);
        let listener = &*self.shared.config.name;
        // Log an outage once, however many changes wait.
        match replace(&mut self.last_call_failed, true) {
            false => {
                tracing::error!(listener, change = number, attempts = attempts + 1, ?pause, %error, "a durable listener failed")
            }
            true => {
                tracing::debug!(listener, change = number, attempts = attempts + 1, ?pause, %error, "a durable listener failed again")
            }
        }
        let now = self.shared.config.clock.now();
        let pause = i64::try_from(pause.as_micros()).unwrap_or(i64::MAX);
        // Not every database stores NUL in texts.
        let mut error = error.to_string().replace('\0', " ");
        error.truncate(error.floor_char_boundary(MAX_ERROR));
        self.retries.push(Retry {
            number,
            due: Timestamp::from_micros(now.as_micros().saturating_add(pause)),
            failure: ListenerFailure { at: now, error },
        });
    }

    async fn settle(&mut self, outbox: &dyn Outbox) -> Result<(), StoreError> {
        if self.delivered.is_empty() && self.retries.is_empty() {
            return Ok(());
        }
        let name = &*self.shared.config.name;
        outbox.settle(name, &self.delivered, &self.retries).await?;
        self.delivered.clear();
        self.retries.clear();
        self.shared.settled.notify_waiters();
        Ok(())
    }

    /// Stores what became of calls that have ended, and lets another instance go on. Calls that run are dropped: the
    /// next instance makes them again.
    async fn stop(mut self) {
        while let Some(finished_call) = self.calls.try_join_next_with_id() {
            self.record_outcome(finished_call);
        }
        let shared = Arc::clone(&self.shared);
        let Ok(outbox) = shared.outbox() else {
            return;
        };
        // What fails here is made up for: the changes come again, and the lease ends by itself.
        let _ = self.settle(outbox).await;
        if self.leased_since.is_some() {
            let (name, no_time) = (&*shared.config.name, Duration::ZERO);
            let _ = outbox.lease_listener(name, &self.instance, no_time).await;
        }
    }
}

/// The pause after this number of earlier attempts and one more.
fn pause_after(attempts: u32, first: Duration, longest: Duration) -> Duration {
    let doubled = 2_u32.checked_pow(attempts);
    let pause = doubled.and_then(|times| first.checked_mul(times));
    pause.map_or(longest, |pause| pause.min(longest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_23_hours() {
        let pauses: Vec<_> = (0..5)
            .map(|attempts| pause_after(attempts, FIRST_PAUSE, LONGEST_PAUSE).as_secs())
            .collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16]);
        for attempts in [17, 31, 32, u32::MAX] {
            assert_eq!(
                pause_after(attempts, FIRST_PAUSE, LONGEST_PAUSE),
                LONGEST_PAUSE
            );
        }
    }
}
