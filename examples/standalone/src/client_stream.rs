//! A client's connection, with a limit to how long it may leave us waiting for a request's head.
//!
//! hyper can hold clients to a limit, too; then each request costs it another round of the connection's
//! state, an allocation and a look at the clock.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// How long a client may take for a request's head, and idle between two requests.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes up to which an answer's parts are joined to be sent.
const JOINED: usize = 16 << 10;

/// The wait of one connection for the head of a request.
pub(crate) struct HeadWait {
    opened: Instant,
    /// Microseconds from `opened` to when the wait began, or [`OVER`].
    since: AtomicU64,
}

const OVER: u64 = u64::MAX;

impl HeadWait {
    /// A head has come.
    pub(crate) fn is_over(&self) {
        self.since.store(OVER, Ordering::Relaxed);
    }

    /// A request was answered: its client may send the next one.
    pub(crate) fn begins(&self, now: Instant) {
        let since = (now - self.opened).as_micros() as u64;
        self.since.store(since, Ordering::Relaxed);
    }

    fn deadline(&self) -> Option<Instant> {
        let since = self.since.load(Ordering::Relaxed);
        (since != OVER).then(|| self.opened + Duration::from_micros(since) + PATIENCE)
    }
}

/// A connection that fails to be read from once its client is waited for too long.
pub(crate) struct ClientStream<S> {
    stream: S,
    wait: Arc<HeadWait>,
    /// Goes on when a wait is over, and is moved on when it comes too early for the next one: most
    /// waits cost no way to the runtime's timers.
    alarm: Pin<Box<Sleep>>,
}

impl<S> ClientStream<S> {
    /// A connection that was just opened: the wait for its first head has begun.
    pub(crate) fn new(stream: S) -> Self {
        let opened = Instant::now();
        let wait = HeadWait {
            opened,
            since: AtomicU64::new(0),
        };
        Self {
            stream,
            wait: Arc::new(wait),
            alarm: Box::pin(sleep_until(opened + PATIENCE)),
        }
    }

    /// The wait, to be told of each request.
    pub(crate) fn head_wait(&self) -> Arc<HeadWait> {
        Arc::clone(&self.wait)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ClientStream<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self {
            stream,
            wait,
            alarm,
        } = self.get_mut();
        let read = Pin::new(stream).poll_read(context, buffer);
        let (Poll::Pending, Some(deadline)) = (&read, wait.deadline()) else {
            return read;
        };
        while alarm.as_mut().poll(context).is_ready() {
            if deadline <= alarm.deadline() {
                return Poll::Ready(Err(ErrorKind::TimedOut.into()));
            }
            alarm.as_mut().reset(deadline);
        }
        Poll::Pending
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ClientStream<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(context, bytes)
    }

    /// One part costs the system less than several, small ones even if they have to be joined first.
    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let stream = Pin::new(&mut self.get_mut().stream);
        if let [one] = parts {
            return stream.poll_write(context, one);
        }
        let bytes = parts.iter().map(|part| part.len()).sum();
        if bytes > JOINED {
            return stream.poll_write_vectored(context, parts);
        }
        let mut joined = Vec::with_capacity(bytes);
        for part in parts {
            joined.extend_from_slice(part);
        }
        stream.poll_write(context, &joined)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use bytes::Bytes;
    use http_body_util::Full;
    use hyper::server::conn::http1;
    use hyper::service::service_fn;
    use hyper_util::rt::TokioIo;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::time::{advance, timeout};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn connected() -> (DuplexStream, ClientStream<DuplexStream>) {
        let (client, server) = duplex(1024);
        (client, ClientStream::new(server))
    }

    async fn fails_within(limit: Duration, stream: &mut ClientStream<DuplexStream>) -> bool {
        let read = timeout(limit, stream.read_u8()).await;
        read.is_ok_and(|read| read.unwrap_err().kind() == ErrorKind::TimedOut)
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_has_its_time_whatever_comes_of_it() {
        let (mut client, mut stream) = connected();
        for _ in 0..5 {
            assert!(!fails_within(5 * SECOND, &mut stream).await);
            client.write_all(b"G").await.unwrap();
            assert_eq!(stream.read_u8().await.unwrap(), b'G');
        }
        assert!(!fails_within(4 * SECOND, &mut stream).await);
        assert!(fails_within(2 * SECOND, &mut stream).await);
    }

    #[tokio::test(start_paused = true)]
    async fn each_wait_has_its_own_time() {
        let (_client, mut stream) = connected();
        let wait = stream.head_wait();
        for _ in 0..2 {
            advance(20 * SECOND).await;
            wait.is_over();
            assert!(!fails_within(100 * SECOND, &mut stream).await);
            wait.begins(Instant::now());
            assert!(!fails_within(29 * SECOND, &mut stream).await);
        }
        assert!(fails_within(2 * SECOND, &mut stream).await);
    }

    #[tokio::test(start_paused = true)]
    async fn hyper_leaves_a_client_whose_head_does_not_end() {
        let (mut client, stream) = connected();
        let opened = Instant::now();
        let answer = async |_| Ok::<_, Infallible>(http::Response::new(Full::<Bytes>::default()));
        let serving = http1::Builder::new()
            .half_close(true)
            .serve_connection(TokioIo::new(stream), service_fn(answer));
        client.write_all(b"GET / HTTP/1.1\r\n").await.unwrap();
        serving.await.unwrap_err();
        assert_eq!(opened.elapsed().as_secs(), PATIENCE.as_secs());
    }
}
