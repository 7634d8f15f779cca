//! What a connection does: it waits for its client, or works for it.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;
use tokio::time::Instant;

/// What a connection does now, and whether it is to close.
#[derive(Debug)]
pub(crate) struct Activity {
    state: Mutex<State>,
    close: Notify,
    /// Whether a new connection waits until another one is closed.
    is_waited_for: Arc<AtomicBool>,
}

#[derive(Debug)]
struct State {
    /// The number of the last request.
    request: u64,
    phase: Phase,
    /// Since when the connection waits, unless it works.
    since: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Waits for a request, or for the client to read the last response.
    Idle,
    /// Has a request that arrived early, and waits for the client to read the last response.
    Queued,
    /// Waits for more of a request's body.
    Receives,
    /// Works on a request.
    Works,
}

impl Activity {
    pub(crate) fn new(is_waited_for: Arc<AtomicBool>) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State {
                request: 0,
                phase: Phase::Idle,
                since: Instant::now(),
            }),
            close: Notify::new(),
            is_waited_for,
        })
    }

    /// A request has arrived. Returns its number.
    pub(crate) fn begin(&self) -> u64 {
        let mut state = self.state.lock();
        state.request += 1;
        if state.phase == Phase::Idle {
            state.phase = Phase::Queued;
        }
        state.request
    }

    /// The work on the request begins.
    pub(crate) fn work(&self) {
        self.state.lock().phase = Phase::Works;
    }

    /// The response to the request is made. Returns whether the connection must close after it, for a new
    /// one.
    pub(crate) fn end(&self, since: Instant) -> bool {
        let mut state = self.state.lock();
        (state.phase, state.since) = (Phase::Idle, since);
        self.is_waited_for.load(Ordering::Relaxed)
    }

    /// The body of this request is being read, and its reader waits for more of it or not. What is read
    /// after the response does not count.
    pub(crate) fn receive(&self, request: u64, waits: bool) {
        let mut state = self.state.lock();
        match state.phase {
            _ if state.request != request => {}
            Phase::Works if waits => {
                (state.phase, state.since) = (Phase::Receives, Instant::now());
            }
            Phase::Receives if !waits => state.phase = Phase::Works,
            _ => {}
        }
    }

    /// A further part of a response was sent, so the client has read what came before.
    pub(crate) fn sent(&self) {
        let mut state = self.state.lock();
        if matches!(state.phase, Phase::Idle | Phase::Queued) {
            state.since = Instant::now();
        }
    }

    /// Whether there is a request without a response.
    pub(crate) fn has_request(&self) -> bool {
        self.state.lock().phase != Phase::Idle
    }

    /// Since when the connection waits for its client, if it does.
    pub(crate) fn waits_since(&self) -> Option<Instant> {
        let state = self.state.lock();
        (state.phase != Phase::Works).then_some(state.since)
    }

    /// Asks the connection to close.
    pub(crate) fn close(&self) {
        self.close.notify_one();
    }

    /// Waits until the connection is asked to close, and does not work on a request.
    pub(crate) async fn closing(&self) {
        loop {
            self.close.notified().await;
            if self.waits_since().is_some() {
                return;
            }
        }
    }
}
