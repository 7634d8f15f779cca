//! The limit on connections. At the limit, the program closes a connection for each new one: the one whose
//! client it has waited for the longest. It may work for all clients, so until one is closed, each connection
//! is closed after its next response.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::server::activity::Activity;

/// How many connections may be open unless the options say it.
const DEFAULT: u32 = 4096;
/// Descriptors for everything else: the database, replicas, the log and the runtime.
const OTHERS: u64 = 128;
/// The pause between two searches for a connection to close.
const PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(crate) struct ConnectionLimit {
    free: Arc<Semaphore>,
    most: usize,
    open: Mutex<Vec<Arc<Activity>>>,
    /// Whether a new connection waits until another one is closed.
    is_waited_for: Arc<AtomicBool>,
}

/// A connection counts until this is dropped.
#[derive(Debug)]
pub(crate) struct ConnectionPermit {
    limit: Arc<ConnectionLimit>,
    pub(crate) activity: Arc<Activity>,
    _permit: OwnedSemaphorePermit,
}

/// Raises the limit on open files as far as the system allows, and returns how many connections may be
/// open: as many as `wanted`, or as the limit leaves room for.
pub(crate) fn max_connections(wanted: Option<u32>) -> usize {
    // Where the limit can't be read, the least that systems have is a safe guess.
    let limit = rlimit::increase_nofile_limit(u64::MAX).unwrap_or(256);
    let room = limit - OTHERS.min(limit / 2);
    let wanted = u64::from(wanted.unwrap_or(DEFAULT));
    if wanted > room {
        tracing::warn!(
            "the limit on open files ({limit}) leaves room for {room} connections, not {wanted}"
        );
    }
    wanted.min(room) as usize
}

impl ConnectionLimit {
    pub(crate) fn new(connections: usize) -> Arc<Self> {
        Arc::new(Self {
            free: Arc::new(Semaphore::new(connections)),
            most: connections,
            open: Mutex::default(),
            is_waited_for: Arc::default(),
        })
    }

    pub(crate) fn is_reached(&self) -> bool {
        self.free.available_permits() == 0
    }

    /// Waits until there may be a further connection.
    pub(crate) async fn acquire(self: &Arc<Self>) -> ConnectionPermit {
        let permit = loop {
            if let Ok(permit) = Arc::clone(&self.free).try_acquire_owned() {
                break permit;
            }
            self.is_waited_for.store(true, Ordering::Relaxed);
            self.close_one();
            let _ = timeout(PAUSE, self.free.acquire()).await;
        };
        self.is_waited_for.store(false, Ordering::Relaxed);
        let activity = Activity::new(Arc::clone(&self.is_waited_for));
        self.open.lock().push(Arc::clone(&activity));
        ConnectionPermit {
            limit: Arc::clone(self),
            activity,
            _permit: permit,
        }
    }

    /// From now on, each connection is closed after its next response. Returns when none is open.
    pub(crate) async fn close_all(&self) {
        self.is_waited_for.store(true, Ordering::Relaxed);
        let most = u32::try_from(self.most).unwrap_or(u32::MAX);
        let _all = self.free.acquire_many(most).await;
    }

    /// Closes the connection whose client the program has waited for the longest.
    fn close_one(&self) {
        let open = self.open.lock();
        let waiting = open
            .iter()
            .filter_map(|activity| Some((activity.waits_since()?, activity)));
        if let Some((_, longest)) = waiting.min_by_key(|(since, _)| *since) {
            longest.close();
        }
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut open = self.limit.open.lock();
        open.retain(|activity| !Arc::ptr_eq(activity, &self.activity));
    }
}
