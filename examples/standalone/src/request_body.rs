//! Request bodies of clients who are slow.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::{Sleep, sleep};

/// How long a client may take for one body.
const PATIENCE: Duration = Duration::from_secs(30);

/// A request's body with a deadline.
pub(crate) struct RequestBody {
    incoming: Option<Incoming>,
    deadline: Option<Pin<Box<Sleep>>>,
}

impl RequestBody {
    pub(crate) fn new(incoming: Incoming) -> Self {
        let incoming = Some(incoming).filter(|body| !body.is_end_stream());
        let deadline = incoming.as_ref().map(|_| Box::pin(sleep(PATIENCE)));
        Self { incoming, deadline }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let Some(incoming) = &mut self.incoming else {
            return Poll::Ready(None);
        };
        if let Poll::Ready(frame) = Pin::new(incoming).poll_frame(context) {
            if !matches!(frame, Some(Ok(_))) {
                self.incoming = None;
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let deadline = self
            .deadline
            .as_mut()
            .map(|deadline| deadline.as_mut().poll(context));
        if deadline.is_some_and(|deadline| deadline.is_ready()) {
            self.incoming = None;
            return Poll::Ready(Some(Err("the body took too long".into())));
        }
        Poll::Pending
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.as_ref().is_none_or(Incoming::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming
            .as_ref()
            .map_or_else(|| SizeHint::with_exact(0), Incoming::size_hint)
    }
}
