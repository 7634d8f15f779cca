//! Queues for work that takes long: rendering, comparing and costly lists. Clients take turns in each.
//!
//! A queue lets one request through at a time, or a few. Each client has at most as many requests in it, and its other
//! requests wait behind those. So a client that sends many requests waits for itself, and every other client waits for
//! few requests of each client before it. Short posts do not wait for long ones, and writes do not wait for reads.
//!
//! A request that has a permit does all its work under it. It never waits in a second queue, where it would hold up the
//! first one.

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::{Arc, Weak};
use std::thread::available_parallelism;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tracing::debug_span;

use crate::host::client::ClientAddr;
#[cfg(feature = "pages")]
use crate::limits::pages::PageQueues;
use crate::observe::measured_store::SMALL;
use crate::observe::timings::{Phase, measure};
use crate::problem::{Code, Problem};

/// Input of more bytes is heavy.
const LIGHT: usize = 16 * 1024;
/// The length of input that is not known before.
pub(crate) const HEAVY: usize = usize::MAX;

/// How long a request waits for its permit.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// When a refused request may come again.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// How many requests of one client are in a queue. Further ones are refused.
pub(super) const MAX_REQUESTS: usize = 64;

/// The queues of a service. Requests in different ones do not wait for each other.
pub(crate) struct Queues {
    /// Pages, forms and JSON of one post.
    pub(crate) reads: Queue,
    /// What is to be stored.
    pub(crate) writes: Queue,
    /// Each list has up to 2 MiB of bodies and HTML.
    pub(crate) lists_with_bodies: Queue,
    /// A store may go through all posts of an owner for each page.
    pub(crate) owner_lists: Queue,
    /// A store may go through all posts that have a word. A page reads the bodies of the posts that it shows.
    pub(crate) searches: Queue,
    #[cfg(feature = "pages")]
    pub(crate) pages: PageQueues,
}

/// A queue for light and one for heavy work.
pub(crate) struct Queue {
    light: Lane,
    heavy: Lane,
}

struct Lane {
    /// How many requests it lets through at a time, and how many of each caller are in it.
    concurrency: usize,
    max_requests: usize,
    shared: Arc<Semaphore>,
    /// One for each caller that has requests in the lane.
    callers: Mutex<HashMap<Caller, Weak<Semaphore>>>,
}

/// Whose requests take turns with those of others.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Caller {
    Host,
    /// The clients of a block. Those without an address count as one.
    Clients(Option<IpAddr>),
}

/// Permission to do work now. The next request follows once all copies of it are dropped. The default is for
/// small work, which needs no permit.
#[derive(Default)]
pub(crate) struct Permit(Option<Arc<HeldPermits>>);

struct HeldPermits {
    _caller: Option<OwnedSemaphorePermit>,
    _shared: OwnedSemaphorePermit,
}

impl Default for Queues {
    fn default() -> Self {
        let cores = available_parallelism().map_or(1, NonZeroUsize::get);
        let half_of_cores = cores.div_ceil(2);
        let one_at_a_time = || Queue::new(1, MAX_REQUESTS);
        Self {
            reads: Queue::new(half_of_cores, MAX_REQUESTS),
            writes: Queue::new(half_of_cores, MAX_REQUESTS),
            lists_with_bodies: one_at_a_time(),
            owner_lists: one_at_a_time(),
            searches: Queue::new(cores, MAX_REQUESTS),
            #[cfg(feature = "pages")]
            pages: PageQueues::default(),
        }
    }
}

impl Queue {
    pub(super) fn new(concurrency: usize, max_requests: usize) -> Self {
        let lane = || Lane {
            concurrency,
            max_requests,
            shared: Arc::new(Semaphore::new(concurrency)),
            callers: Mutex::default(),
        };
        Self {
            light: lane(),
            heavy: lane(),
        }
    }

    /// Waits until a request of this client may do work whose time grows with an input of so many bytes.
    ///
    /// Copy the input after this, so that requests that wait hold no copies.
    ///
    /// # Errors
    /// 429 if too many requests of the client are in the queue, 503 if it has waited for 10 seconds.
    pub(crate) async fn permit(
        &self,
        client: Option<ClientAddr>,
        input_len: usize,
    ) -> Result<Permit, Problem> {
        let Some(lane) = self.lane(input_len) else {
            return Ok(Permit::default());
        };
        let caller = lane.caller_semaphore(client.into());
        if Arc::strong_count(&caller) > lane.max_requests {
            let detail = "Too many requests of this client wait. Try again in a moment.";
            return Err(Problem::new(Code::TooManyRequests, detail).with_retry_after(RETRY_AFTER));
        }
        let permit = timeout(MAX_WAIT, lane.permit(caller)).await;
        permit.map_err(|_| {
            Problem::unavailable("Too many requests are being worked on. Try again in a moment.")
        })
    }

    /// The same for what cannot be refused: a call of the host's own code, and the response to a change that was made.
    pub(crate) async fn unlimited_permit(
        &self,
        caller: impl Into<Caller>,
        input_len: usize,
    ) -> Permit {
        match self.lane(input_len) {
            Some(lane) => lane.permit(lane.caller_semaphore(caller.into())).await,
            None => Permit::default(),
        }
    }

    pub(crate) fn try_permit(&self, input_len: usize) -> Option<Permit> {
        let Some(lane) = self.lane(input_len) else {
            return Some(Permit::default());
        };
        let shared = Arc::clone(&lane.shared).try_acquire_owned().ok()?;
        Some(Permit(Some(Arc::new(HeldPermits {
            _caller: None,
            _shared: shared,
        }))))
    }

    fn lane(&self, input_len: usize) -> Option<&Lane> {
        let lane = match input_len <= LIGHT {
            true => &self.light,
            false => &self.heavy,
        };
        (input_len > SMALL).then_some(lane)
    }
}

impl Lane {
    async fn permit(&self, caller: Arc<Semaphore>) -> Permit {
        let held = async {
            Some(HeldPermits {
                _caller: Some(caller.acquire_owned().await.ok()?),
                _shared: Arc::clone(&self.shared).acquire_owned().await.ok()?,
            })
        };
        // No semaphore is ever closed, so there is always a permit.
        let held = measure(Phase::Queue, debug_span!("queue"), held).await;
        Permit(held.map(Arc::new))
    }

    fn caller_semaphore(&self, caller: Caller) -> Arc<Semaphore> {
        let mut callers = self.callers.lock();
        if let Some(semaphore) = callers.get(&caller).and_then(Weak::upgrade) {
            return semaphore;
        }
        callers.retain(|_, semaphore| semaphore.strong_count() > 0);
        let semaphore = Arc::new(Semaphore::new(self.concurrency));
        callers.insert(caller, Arc::downgrade(&semaphore));
        semaphore
    }
}

impl From<Option<ClientAddr>> for Caller {
    fn from(client: Option<ClientAddr>) -> Self {
        Self::Clients(client.map(ClientAddr::block))
    }
}

impl Permit {
    /// The permit for a part of the work, with an input of so many bytes. If they are few, it is done at once.
    pub(crate) fn part(&self, input_len: usize) -> Self {
        Self(self.0.clone().filter(|_| input_len > SMALL))
    }

    /// Does the work, outside the async workers if its input is not small. If this is dropped before the work has
    /// begun, it never begins; otherwise it goes on to its end, and until then holds the permit.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        let Some(held) = self.0.clone() else {
            return work();
        };
        // A set aborts its tasks when it is dropped.
        let mut task = JoinSet::new();
        task.spawn_blocking(move || {
            let _held = held;
            work()
        });
        match measure(Phase::Work, debug_span!("work"), task.join_next()).await {
            Some(Ok(output)) => output,
            Some(Err(failed)) => resume_unwind(failed.into_panic()),
            None => unreachable!("the set has a task"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;

    use tokio::runtime::Builder;
    use tokio::task::spawn_blocking;

    use super::*;

    #[test]
    fn work_that_was_given_up_before_it_began_never_begins() {
        let mut runtime = Builder::new_current_thread();
        let runtime = runtime.max_blocking_threads(1).build().unwrap();
        runtime.block_on(async {
            let (opener, gate) = mpsc::channel::<()>();
            spawn_blocking(move || gate.recv());
            let has_begun = Arc::new(AtomicBool::new(false));
            let begin = Arc::clone(&has_begun);
            let queues = Queues::default();
            let permit = queues.reads.unlimited_permit(Caller::Host, HEAVY).await;
            tokio::select! {
                biased;
                () = permit.run(move || begin.store(true, Ordering::Relaxed)) => panic!("the gate is closed"),
                () = ready(()) => {}
            }
            drop((permit, opener));
            let permit = queues.reads.unlimited_permit(Caller::Host, HEAVY).await;
            assert!(!permit.run(move || has_begun.load(Ordering::Relaxed)).await);
        });
    }
}
