//! CPU work that grows with its input, kept away from the async workers.

use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::sync::Semaphore;
use tokio::task;

/// Input of fewer bytes is worked on at once: that takes less time than a change of threads.
const SMALL: usize = 4096;

/// Runs work on tokio's blocking threads, on half of the cores at most.
pub(crate) struct Blocking(Arc<Semaphore>);

impl Blocking {
    pub(crate) fn new() -> Self {
        // At least one core remains for requests that need no such work.
        let permits = available_parallelism().map_or(1, |cores| cores.get().div_ceil(2));
        Self(Arc::new(Semaphore::new(permits)))
    }

    /// Does work whose time grows with an input of so many bytes.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        input_len: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        if input_len <= SMALL {
            return work();
        }
        // The permit belongs to the work, which goes on if the request is cancelled.
        let permit = Arc::clone(&self.0).acquire_owned().await;
        let working = task::spawn_blocking(move || {
            let _permit = permit;
            work()
        });
        match working.await {
            Ok(done) => done,
            Err(failed) => std::panic::resume_unwind(failed.into_panic()),
        }
    }
}
