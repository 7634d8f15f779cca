//! Queues for costly reads, in which clients take turns.
//!
//! A queue lets one request at a time through. Each client has one request in it, and its others wait behind
//! that one. So a client that sends many requests waits for itself, and every other client waits for at most
//! one request of each client before it.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::client::ClientAddr;
use crate::problem::{Code, Problem};

/// How long a request waits for its permit.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// When a refused request may come again.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// How many requests of one client are in a queue. Further ones are refused.
const MAX_REQUESTS: usize = 64;

/// The queues of a service. Requests in different ones do not wait for each other.
#[derive(Default)]
pub(crate) struct Queues {
    /// Each list has up to 2 MiB of bodies and HTML.
    pub(crate) lists_with_bodies: FairQueue,
    /// A store may go through all posts of an owner for each page.
    pub(crate) own_lists: FairQueue,
    /// Each feed has up to 2 MiB of HTML.
    pub(crate) feeds: FairQueue,
    /// Each file has up to 50,000 addresses, for which a store is asked 50 times.
    pub(crate) sitemaps: FairQueue,
}

/// A queue that lets one request at a time through.
pub(crate) struct FairQueue {
    common: Arc<Semaphore>,
    /// One for each client (a block) that has requests in the queue.
    clients: Mutex<HashMap<Option<IpAddr>, Weak<Semaphore>>>,
}

/// The permit to do the work now. Dropping it lets the next request through.
pub(crate) struct Permit {
    _of_client: OwnedSemaphorePermit,
    _common: OwnedSemaphorePermit,
}

impl Default for FairQueue {
    fn default() -> Self {
        Self {
            common: one(),
            clients: Mutex::default(),
        }
    }
}

impl FairQueue {
    /// Waits until a request of this client may do its work.
    ///
    /// # Errors
    /// 429 if too many requests of the client are in the queue, 503 if it has waited for 10 seconds.
    pub(crate) async fn permit(&self, client: Option<ClientAddr>) -> Result<Permit, Problem> {
        let of_client = self.of_client(client.map(ClientAddr::block));
        if Arc::strong_count(&of_client) > MAX_REQUESTS {
            let detail = "Too many requests of this client wait. Try again in a moment.";
            return Err(Problem::new(Code::TooManyRequests, detail).with_retry_after(RETRY_AFTER));
        }
        let permit = async {
            Some(Permit {
                _of_client: of_client.acquire_owned().await.ok()?,
                _common: Arc::clone(&self.common).acquire_owned().await.ok()?,
            })
        };
        let permit = timeout(MAX_WAIT, permit).await.ok().flatten();
        permit.ok_or_else(|| {
            let detail = "Too many large responses are being made. Try again in a moment.";
            Problem::unavailable(detail)
        })
    }

    fn of_client(&self, client: Option<IpAddr>) -> Arc<Semaphore> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(of_client) = clients.get(&client).and_then(Weak::upgrade) {
            return of_client;
        }
        clients.retain(|_, of_client| of_client.strong_count() > 0);
        let of_client = one();
        clients.insert(client, Arc::downgrade(&of_client));
        of_client
    }
}

fn one() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(1))
}
