//! The budget of a service: how many bytes of large response bodies it may have in memory.
//!
//! A client that reads slowly holds its response in memory, and many clients could hold a different one
//! each. So all large response bodies of a service are counted, those in the cache and those that are
//! being sent. A body that several clients read is in memory once, and counted once.
//!
//! Before the limit is reached, the service notifies the host, which can close connections of slow readers. Which
//! ones is for the host to decide, since only the host knows connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use http::Response;
use http_body_util::Full;
use tokio::sync::Notify;

use crate::problem::Problem;

/// Bodies that are no longer are not counted. They are bounded by the number of the host's connections.
const UNCOUNTED: usize = 64 * 1024;
/// The most bytes of large bodies beside those in the cache.
const MAX_UNCACHED_BYTES: u64 = 64 * 1024 * 1024;
/// Beyond this number, the service notifies the host.
const MANY_UNCACHED_BYTES: u64 = MAX_UNCACHED_BYTES / 4 * 3;

/// The number of bytes in large response bodies, and its limit.
#[derive(Clone)]
pub(crate) struct ResponseBudget {
    count: Arc<ByteCount>,
    max: u64,
}

struct ByteCount {
    bytes: AtomicU64,
    /// Memory is short beyond this number of bytes.
    shortage_at: u64,
    shortage: Notify,
}

/// Bytes that count until their last copy is dropped.
struct CountedBytes {
    bytes: Bytes,
    count: Arc<ByteCount>,
}

impl ResponseBudget {
    pub(crate) fn new(cache_bytes: u64) -> Self {
        Self {
            count: Arc::new(ByteCount {
                bytes: AtomicU64::new(0),
                shortage_at: cache_bytes.saturating_add(MANY_UNCACHED_BYTES),
                shortage: Notify::new(),
            }),
            max: cache_bytes.saturating_add(MAX_UNCACHED_BYTES),
        }
    }

    /// Refuses to make or send a body of so many bytes while others have reached the limit.
    pub(crate) fn check_room(&self, len: usize) -> Result<(), Problem> {
        self.check_below(self.max, len)
    }

    /// The same for the response to a write, for which there is more room, so that reads don't prevent it.
    pub(crate) fn check_room_for_write(&self, len: usize) -> Result<(), Problem> {
        self.check_below(self.max.saturating_add(MAX_UNCACHED_BYTES), len)
    }

    fn check_below(&self, max: u64, len: usize) -> Result<(), Problem> {
        if len <= UNCOUNTED || self.count.bytes.load(Ordering::Relaxed) < max {
            return Ok(());
        }
        let detail = "Too many large responses are being sent. Try again in a moment.";
        Err(Problem::unavailable(detail))
    }

    /// Counts a body until its last copy is dropped.
    pub(crate) fn count(&self, bytes: Bytes) -> Bytes {
        if bytes.len() <= UNCOUNTED {
            return bytes;
        }
        let count = Arc::clone(&self.count);
        let len = bytes.len() as u64;
        if count.bytes.fetch_add(len, Ordering::SeqCst) + len > count.shortage_at {
            count.shortage.notify_waiters();
        }
        Bytes::from_owner(CountedBytes { bytes, count })
    }

    /// Waits until memory is short. Returns how many bytes too many there are.
    pub(crate) async fn shortage(&self) -> u64 {
        loop {
            // It is also notified of what is counted between here and the wait.
            let shortage = self.count.shortage.notified();
            let bytes = self.count.bytes.load(Ordering::SeqCst);
            match bytes.saturating_sub(self.count.shortage_at) {
                0 => shortage.await,
                excess => return excess,
            }
        }
    }

    pub(crate) fn count_response(&self, response: Response<Full<Bytes>>) -> Response<Full<Bytes>> {
        response.map(|body| Full::new(self.count(body.into_inner().unwrap_or_default())))
    }
}

impl AsRef<[u8]> for CountedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for CountedBytes {
    fn drop(&mut self) {
        let len = self.bytes.len() as u64;
        self.count.bytes.fetch_sub(len, Ordering::Relaxed);
    }
}
