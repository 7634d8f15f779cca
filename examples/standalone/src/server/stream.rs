//! A client's stream, whose end is reported late.
//!
//! A client that has sent its request may close its half of the connection and still read the response.
//! That looks exactly as if it had gone. So a request under way goes on for a moment after the end of the
//! stream, and is dropped then, with the work that waits for its turn.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::server::activity::Activity;

/// How long a request under way outlives the client's half of the connection.
const GRACE: Duration = Duration::from_secs(2);

pub(crate) struct ClientStream<S> {
    stream: S,
    activity: Arc<Activity>,
    /// Set at the end of the stream.
    grace: Option<Pin<Box<Sleep>>>,
}

impl<S> ClientStream<S> {
    pub(crate) fn new(stream: S, activity: Arc<Activity>) -> Self {
        Self {
            stream,
            activity,
            grace: None,
        }
    }

    fn sent(&self, written: &Poll<io::Result<usize>>) {
        if let Poll::Ready(Ok(1..)) = written {
            self.activity.sent();
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ClientStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.grace.is_none() {
            let before = buffer.filled().len();
            ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
            if buffer.filled().len() > before || !self.activity.has_request() {
                return Poll::Ready(Ok(()));
            }
        }
        let grace = self.grace.get_or_insert_with(|| Box::pin(sleep(GRACE)));
        let is_over = grace.as_mut().poll(context).is_ready();
        if is_over || !self.activity.has_request() {
            return Poll::Ready(Ok(()));
        }
        Poll::Pending
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ClientStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.sent(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.sent(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
