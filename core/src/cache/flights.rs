//! Responses that are being made, so that concurrent reads share one making.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::timeout;

use super::{CacheKey, CachedResponse};
use crate::store::ReadStamp;

/// How long a read waits for another one, which may be in a queue of its client.
const MAX_WAIT: Duration = Duration::from_millis(50);

#[derive(Default)]
pub(super) struct Flights(Mutex<HashMap<CacheKey, Flight>>);

struct Flight {
    read_at: ReadStamp,
    response: FlightReceiver,
}

type FlightReceiver = watch::Receiver<Option<Arc<CachedResponse>>>;

/// Hands the response that the caller makes to those who wait. If this is dropped before, they make their own.
pub(crate) struct FlightSender<'a> {
    flights: &'a Flights,
    key: &'a CacheKey,
    sender: watch::Sender<Option<Arc<CachedResponse>>>,
}

impl Flights {
    /// Begins a read under this key. The error is the channel of one that is under way and recent enough.
    pub(super) fn begin<'a>(
        &'a self,
        key: &'a CacheKey,
        read_at: ReadStamp,
        is_recent: impl FnOnce(ReadStamp) -> bool,
    ) -> Result<FlightSender<'a>, FlightReceiver> {
        let mut flights = self.0.lock();
        if let Some(flight) = flights.get(key)
            && is_recent(flight.read_at)
        {
            return Err(flight.response.clone());
        }
        let (sender, response) = watch::channel(None);
        flights.insert(key.clone(), Flight { read_at, response });
        Ok(FlightSender {
            flights: self,
            key,
            sender,
        })
    }
}

/// What the other read has made. `None` if it made nothing for others, or takes too long.
pub(super) async fn join(mut flight: FlightReceiver) -> Option<Arc<CachedResponse>> {
    let response = timeout(MAX_WAIT, flight.wait_for(Option::is_some)).await;
    response.ok()?.ok()?.clone()
}

impl FlightSender<'_> {
    /// Hands the response to those who wait.
    pub(crate) fn finish(self, response: &Arc<CachedResponse>) {
        self.sender.send_replace(Some(Arc::clone(response)));
    }
}

impl Drop for FlightSender<'_> {
    fn drop(&mut self) {
        let mut flights = self.flights.0.lock();
        let is_own = |flight: &Flight| flight.response.same_channel(&self.sender.subscribe());
        if flights.get(self.key).is_some_and(is_own) {
            flights.remove(self.key);
        }
    }
}
