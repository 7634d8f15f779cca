//! Reads and discards the rest of refused bodies.
//!
//! Otherwise a client that is still sending would find the connection reset and could not read the response.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body::Body;
use http_body_util::BodyExt;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::yield_now;
use tokio::time::timeout;

// Limits on each body.
const MAX_BYTES: usize = 16 * 1024 * 1024;
const MAX_TIME: Duration = Duration::from_secs(30);
const MAX_PAUSE: Duration = Duration::from_millis(500);
/// A body is large beyond this.
const LARGE: usize = 64 * 1024;
/// How many frames of large bodies are read before other work runs.
const LARGE_FRAMES: usize = 16;

#[derive(Clone)]
pub(crate) struct BodyDrain {
    permits: Arc<Semaphore>,
}

impl BodyDrain {
    pub(crate) fn new() -> Self {
        Self {
            permits: Arc::new(Semaphore::new(LARGE_FRAMES)),
        }
    }

    /// Discards the rest of a body in the background. Outside a runtime, nothing can still be sending.
    pub(crate) fn discard<B>(&self, rest: B)
    where
        B: Body<Data = Bytes, Error: Send> + Send + Unpin + 'static,
    {
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(timeout(MAX_TIME, self.clone().read(rest)));
        }
    }

    async fn read(self, mut rest: impl Body<Data = Bytes> + Unpin) {
        let mut length = 0;
        while let Ok(Some(Ok(frame))) = timeout(MAX_PAUSE, rest.frame()).await {
            length += frame.data_ref().map_or(0, Bytes::len);
            drop(frame);
            if length > MAX_BYTES {
                return;
            }
            if length > LARGE {
                let _permit = self.permits.acquire().await;
                yield_now().await;
            }
        }
    }
}
