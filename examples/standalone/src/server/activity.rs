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
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Waits for a request, or for the client to read the last response.
    Idle { since: Instant },
    /// Has a request that arrived early, and waits for the client to read the last response.
    Queued { since: Instant },
    /// Waits for more of a request's body.
    Receives { since: Instant },
    /// Works on a request.
    Works,
}

impl Activity {
    pub(crate) fn new(is_waited_for: Arc<AtomicBool>) -> Arc<Self> {
        let since = Instant::now();
        Arc::new(Self {
            state: Mutex::new(State {
                request: 0,
                phase: Phase::Idle { since },
            }),
            close: Notify::new(),
            is_waited_for,
        })
    }

    /// A request has arrived. Returns its number.
    pub(crate) fn begin(&self) -> u64 {
        let mut state = self.state.lock();
        state.request += 1;
        if let Phase::Idle { since } = state.phase {
            state.phase = Phase::Queued { since };
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
        self.state.lock().phase = Phase::Idle { since };
        self.is_waited_for.load(Ordering::Relaxed)
    }

    /// The body of this request is being read, and its reader waits for more of it or not. What is read
    /// after the response does not count.
    pub(crate) fn receive(&self, request: u64, waits: bool) {
        let mut state = self.state.lock();
        match state.phase {
            _ if state.request != request => {}
            Phase::Works if waits => {
                let since = Instant::now();
                state.phase = Phase::Receives { since };
            }
            Phase::Receives { .. } if !waits => state.phase = Phase::Works,
            _ => {}
        }
    }

    /// A further part of a response was sent, so the client has read what came before.
    pub(crate) fn sent(&self) {
        if let Phase::Idle { since } | Phase::Queued { since } = &mut self.state.lock().phase {
            *since = Instant::now();
        }
    }

    /// Whether there is a request without a response.
    pub(crate) fn has_request(&self) -> bool {
        !matches!(self.state.lock().phase, Phase::Idle { .. })
    }

    /// Since when the connection waits for its client, if it does.
    pub(crate) fn waits_since(&self) -> Option<Instant> {
        match self.state.lock().phase {
            Phase::Idle { since } | Phase::Queued { since } | Phase::Receives { since } => {
                Some(since)
            }
            Phase::Works => None,
        }
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
