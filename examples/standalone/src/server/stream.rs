//! The stream of a client: how long a connection waits when the client has stopped sending, and when it does not
//! read.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::server::CLIENT_TIMEOUT;
use crate::server::activity::Activity;

/// How long a request under way outlives the client's half of the connection.
const GRACE: Duration = Duration::from_secs(2);
/// The bytes per second that a client must read once its buffers are full.
const MIN_RATE: f64 = 16_384.0;

pub(crate) struct ClientStream<S> {
    stream: S,
    activity: Arc<Activity>,
    /// Begins at the end of the stream, if a request is under way.
    ///
    /// A client that has sent its request may close its half of the connection and still read the response.
    /// That looks exactly as if it had gone. So a request under way goes on for a moment after the end of the
    /// stream, and is dropped then, with the work that waits for its turn.
    grace: Option<Pin<Box<Sleep>>>,
    /// When the client has taken longer for a response than [`CLIENT_TIMEOUT`] and the time for its length at
    /// [`MIN_RATE`]. None while nothing waits for the client.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<S> ClientStream<S> {
    pub(crate) fn new(stream: S, activity: Arc<Activity>) -> Self {
        Self {
            stream,
            activity,
            grace: None,
            deadline: None,
        }
    }

    fn after_write(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match (&written, &mut self.deadline) {
            (Poll::Pending, deadline) => {
                let deadline = deadline.get_or_insert_with(|| Box::pin(sleep(CLIENT_TIMEOUT)));
                ready!(deadline.as_mut().poll(context));
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            // A response that never waits for the client is sent when it is made.
            (Poll::Ready(Ok(bytes @ 1..)), Some(deadline)) => {
                self.activity.sent();
                let more = Duration::from_secs_f64(*bytes as f64 / MIN_RATE);
                let later = deadline.deadline() + more;
                deadline.as_mut().reset(later);
            }
            _ => {}
        }
        written
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ClientStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.grace.is_none() {
            let before = buffer.filled().len();
            ready!(Pin::new(&mut this.stream).poll_read(context, buffer))?;
            if buffer.filled().len() > before {
                return Poll::Ready(Ok(()));
            }
        }
        if !this.activity.has_request() {
            return Poll::Ready(Ok(()));
        }
        let grace = this.grace.get_or_insert_with(|| Box::pin(sleep(GRACE)));
        grace.as_mut().poll(context).map(Ok)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ClientStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.after_write(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.after_write(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// hyper flushes when it has written all.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.deadline = None;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
