//! The body of a request while it arrives.

use std::error::Error;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

use crate::server::activity::Activity;
use crate::server::budget::RequestCount;

/// Tells the activity whether the reader of the body waits for the client, and counts what is read.
#[derive(Debug)]
pub(crate) struct RequestBody {
    body: Incoming,
    activity: Arc<Activity>,
    /// The number of the request on its connection.
    request: u64,
    /// Gone when nothing preserves what is read any more.
    count: Weak<RequestCount>,
}

impl RequestBody {
    pub(crate) fn new(
        body: Incoming,
        activity: &Arc<Activity>,
        request: u64,
        count: &Arc<RequestCount>,
    ) -> Self {
        Self {
            body,
            activity: Arc::clone(activity),
            request,
            count: Arc::downgrade(count),
        }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        self.activity.receive(self.request, frame.is_pending());
        let frame = ready!(frame).transpose()?;
        if let Some(count) = self.count.upgrade() {
            let data = frame.as_ref().and_then(Frame::data_ref);
            let is_end = frame.is_none() || self.body.is_end_stream();
            if !count.add(data.map_or(0, Bytes::len) as u64, is_end) {
                // The rest is read only to be discarded.
                self.count = Weak::new();
                let reason = "requests and responses under way take too much memory";
                return Poll::Ready(Some(Err(reason.into())));
            }
        }
        Poll::Ready(frame.map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
