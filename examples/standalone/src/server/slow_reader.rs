//! A connection whose client must read what it is sent.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::server::connection::CLIENT_TIMEOUT;

/// The bytes per second that a client must read once its buffers are full.
const MIN_RATE: f64 = 16_384.0;

/// Ends with an error if the client takes longer for a response than [`CLIENT_TIMEOUT`] and the time for
/// its length at [`MIN_RATE`].
pub(crate) struct MinReadRate<S> {
    stream: S,
    /// None while nothing waits for the client.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<S> MinReadRate<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self {
            stream,
            deadline: None,
        }
    }

    fn observe(
        &mut self,
        written: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        match (&written, &mut self.deadline) {
            (Poll::Pending, deadline) => {
                let deadline = deadline.get_or_insert_with(|| Box::pin(sleep(CLIENT_TIMEOUT)));
                if deadline.as_mut().poll(context).is_ready() {
                    return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                }
            }
            (Poll::Ready(Ok(bytes)), Some(deadline)) => {
                let more = Duration::from_secs_f64(*bytes as f64 / MIN_RATE);
                let later = deadline.deadline() + more;
                deadline.as_mut().reset(later);
            }
            _ => {}
        }
        written
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for MinReadRate<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.observe(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.observe(written, context)
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

impl<S: AsyncRead + Unpin> AsyncRead for MinReadRate<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}
