//! The end of waiting for an answer that does not come.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;

/// No answer takes as long, on the slowest machine: one that does would never come.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the future gives, or none where it hangs. By a thread, since the runtime of whoever runs
/// the checks may be without a clock.
pub(super) async fn wait<F: Future>(future: F) -> Option<F::Output> {
    let (ring, mut bell) = oneshot::channel();
    let (done, is_done) = channel::<()>();
    thread::spawn(move || {
        if is_done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            // Where nobody listens any more, the answer came in the last moment.
            let _ = ring.send(());
        }
    });
    let mut future = pin!(future);
    let outcome = poll_fn(|task| match future.as_mut().poll(task) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => Pin::new(&mut bell).poll(task).map(|_| None),
    });
    let outcome = outcome.await;
    drop(done);
    outcome
}
