//! Runs CPU work that grows with its input outside the async workers.
//!
//! Work waits in one of four queues: reads and writes each have one for light and one for heavy work. So
//! a write never waits for readers, and short posts do not wait for long ones. Each queue has half of the
//! cores. Work whose request was dropped is not begun.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tracing::debug_span;

use crate::waits::{Wait, measure};

/// Input of fewer bytes is worked on at once: that takes less time than a change of threads.
const SMALL: usize = 4096;
/// Input of more bytes is heavy.
const LIGHT: usize = 16 * 1024;

/// What work is for.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    /// Showing something.
    Read,
    /// Storing something.
    Write,
}

/// The queues for work on tokio's blocking threads.
pub(crate) struct Blocking {
    reads: Queues,
    writes: Queues,
}

struct Queues {
    light: Arc<Semaphore>,
    heavy: Arc<Semaphore>,
}

/// Permission to do some work now.
pub(crate) struct Permit(Option<OwnedSemaphorePermit>);

impl Blocking {
    pub(crate) fn new() -> Self {
        Self {
            reads: Queues::new(),
            writes: Queues::new(),
        }
    }

    /// Waits for a permit to do work whose time grows with an input of so many bytes.
    ///
    /// Copy the input after this, so that requests that wait hold no copies.
    pub(crate) async fn permit(&self, work: Work, input_len: usize) -> Permit {
        if input_len <= SMALL {
            return Permit(None);
        }
        let queues = match work {
            Work::Read => &self.reads,
            Work::Write => &self.writes,
        };
        let queue = match input_len <= LIGHT {
            true => &queues.light,
            false => &queues.heavy,
        };
        let permit = Arc::clone(queue).acquire_owned();
        // The semaphore is never closed, so there is always a permit.
        Permit(
            measure(Wait::Queue, debug_span!("queue"), permit)
                .await
                .ok(),
        )
    }
}

impl Queues {
    fn new() -> Self {
        let cores = available_parallelism().map_or(1, |cores| cores.get().div_ceil(2));
        Self {
            light: Arc::new(Semaphore::new(cores)),
            heavy: Arc::new(Semaphore::new(cores)),
        }
    }
}

impl Permit {
    /// Does the work. If this is dropped before the work has begun, it never begins; otherwise it goes on
    /// to its end, and until then holds the permit.
    pub(crate) async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        let Some(permit) = self.0 else {
            return work();
        };
        // A set aborts its tasks when it is dropped.
        let mut task = JoinSet::new();
        task.spawn_blocking(move || {
            let _permit = permit;
            work()
        });
        match measure(Wait::Work, debug_span!("work"), task.join_next()).await {
            Some(Ok(done)) => done,
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
            let blocking = Blocking::new();
            let permit = blocking.permit(Work::Read, usize::MAX).await;
            tokio::select! {
                biased;
                () = permit.run(move || begin.store(true, Ordering::Relaxed)) => panic!("the gate is closed"),
                () = ready(()) => {}
            }
            drop(opener);
            let permit = blocking.permit(Work::Read, usize::MAX).await;
            assert!(!permit.run(move || has_begun.load(Ordering::Relaxed)).await);
        });
    }
}
