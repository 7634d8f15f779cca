//! What a connection does: it waits for its client, or works for it.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use http_body::{Body, Frame, SizeHint};
use tokio::sync::Notify;
use tokio::time::Instant;

/// What a connection does now, and whether it is to close.
#[derive(Debug)]
pub(crate) struct Activity {
    state: Mutex<State>,
    close: Notify,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Waits for a request. The client may still be reading the last response.
    Idle { since: Instant },
    /// Waits for more of a request's body.
    Receives { since: Instant },
    /// Works on a request that is whole.
    Works,
}

impl Activity {
    pub(crate) fn new() -> Arc<Self> {
        let since = Instant::now();
        Arc::new(Self {
            state: Mutex::new(State::Idle { since }),
            close: Notify::new(),
        })
    }

    /// A request has begun.
    pub(crate) fn begin(&self, is_whole: bool) {
        *self.state() = match is_whole {
            true => State::Works,
            false => State::Receives {
                since: Instant::now(),
            },
        };
    }

    /// The response to the request is made.
    pub(crate) fn end(&self) {
        let since = Instant::now();
        *self.state() = State::Idle { since };
    }

    /// More of the body has arrived. This means nothing if the response has been made without it.
    fn receive(&self, is_whole: bool) {
        let is_awaited = matches!(*self.state(), State::Receives { .. });
        if is_awaited {
            self.begin(is_whole);
        }
    }

    /// Whether a request is under way.
    pub(crate) fn has_request(&self) -> bool {
        !matches!(*self.state(), State::Idle { .. })
    }

    /// Since when the connection waits for its client, if it does.
    pub(crate) fn waits_since(&self) -> Option<Instant> {
        match *self.state() {
            State::Idle { since } | State::Receives { since } => Some(since),
            State::Works => None,
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

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The body of a request, which says when more of it has arrived.
#[derive(Debug)]
pub(crate) struct ReceivedBody<B> {
    body: B,
    activity: Arc<Activity>,
}

impl<B> ReceivedBody<B> {
    pub(crate) fn new(body: B, activity: Arc<Activity>) -> Self {
        Self { body, activity }
    }
}

impl<B: Body + Unpin> Body for ReceivedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        self.activity
            .receive(frame.is_none() || self.body.is_end_stream());
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
