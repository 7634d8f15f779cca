//! Places for connections. If none is free, the client that the program has waited for the longest loses
//! its own to a new one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::activity::Activity;

/// If the program works for all clients, how long a new one waits before the next look at them.
const PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(crate) struct Places {
    free: Arc<Semaphore>,
    taken: Mutex<Vec<Arc<Activity>>>,
}

/// The place of a connection, until this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    places: Arc<Places>,
    activity: Arc<Activity>,
    _permit: OwnedSemaphorePermit,
}

impl Places {
    pub(crate) fn new(number: usize) -> Arc<Self> {
        Arc::new(Self {
            free: Arc::new(Semaphore::new(number)),
            taken: Mutex::default(),
        })
    }

    pub(crate) fn are_taken(&self) -> bool {
        self.free.available_permits() == 0
    }

    /// A place for a new connection. If the program works for all clients that have one, this waits.
    pub(crate) async fn take(self: &Arc<Self>) -> Place {
        let permit = loop {
            if let Ok(permit) = Arc::clone(&self.free).try_acquire_owned() {
                break permit;
            }
            self.close_one();
            let _ = timeout(PAUSE, self.free.acquire()).await;
        };
        let activity = Activity::new();
        self.taken().push(Arc::clone(&activity));
        Place {
            places: Arc::clone(self),
            activity,
            _permit: permit,
        }
    }

    /// Closes the connection that has waited for its client the longest.
    fn close_one(&self) {
        let taken = self.taken();
        let waiting = taken
            .iter()
            .filter_map(|activity| Some((activity.waits_since()?, activity)));
        if let Some((_, longest)) = waiting.min_by_key(|(since, _)| *since) {
            longest.close();
        }
    }

    fn taken(&self) -> MutexGuard<'_, Vec<Arc<Activity>>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    pub(crate) fn activity(&self) -> &Arc<Activity> {
        &self.activity
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        taken.retain(|activity| !Arc::ptr_eq(activity, &self.activity));
    }
}
