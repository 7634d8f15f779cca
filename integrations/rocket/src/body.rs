//! A request's body on its way from Rocket, which lends it, to the service, which owns what it gets.

use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};
use rocket::data::{ByteUnit, Data};
use rocket::tokio::io::AsyncReadExt;
use rocket::tokio::sync::mpsc;

/// How much is read at a time. A request holds three times this, whatever its client sends.
const CHUNK_BYTES: usize = 16 * 1024;

/// The body of the requests that the mounted service gets: what the client sends, while it sends it.
///
/// It is named by those who wrap Handbill into tower layers and have to spell out the request's
/// type: `http::Request<handbill_rocket::RequestBody>`.
///
/// A body that breaks off, or ends short of its `Content-Length`, ends in an error. So does one that
/// is read on after the service has answered, since Rocket lends the body no longer than that.
#[derive(Debug)]
pub struct RequestBody {
    chunks: mpsc::Receiver<io::Result<Bytes>>,
    /// What is still to come of what `Content-Length` promised.
    missing: Option<u64>,
    ended: bool,
}

/// What fills a [`RequestBody`].
pub(crate) struct Feed<'r> {
    data: Data<'r>,
    chunks: mpsc::Sender<io::Result<Bytes>>,
}

/// A body of the length that was promised, if one was, and what fills it with Rocket's data.
pub(crate) fn lend(data: Data<'_>, promised: Option<u64>) -> (Feed<'_>, RequestBody) {
    let (sender, receiver) = mpsc::channel(1);
    let feed = Feed {
        data,
        chunks: sender,
    };
    let body = RequestBody {
        chunks: receiver,
        missing: promised,
        ended: false,
    };
    (feed, body)
}

impl Feed<'_> {
    /// Hands on what arrives as fast as it is read. It does not come back: a sender that is gone
    /// without an end, which is an empty chunk here, is an error to whoever reads.
    pub(crate) async fn run(self) -> Infallible {
        let mut stream = self.data.open(ByteUnit::max_value());
        let mut buffer = BytesMut::new();
        loop {
            buffer.reserve(CHUNK_BYTES);
            let read = stream.read_buf(&mut buffer).await;
            let chunk = read.map(|_| buffer.split().freeze());
            let goes_on = chunk.as_ref().is_ok_and(|chunk| !chunk.is_empty());
            if self.chunks.send(chunk).await.is_err() || !goes_on {
                return pending().await;
            }
        }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let received = ready!(self.chunks.poll_recv(context));
        let chunk = received.unwrap_or_else(|| Err(io::ErrorKind::BrokenPipe.into()));
        self.ended = !chunk.as_ref().is_ok_and(|chunk| !chunk.is_empty());
        Poll::Ready(match chunk {
            Ok(_) if self.ended => {
                let is_short = self.missing.is_some_and(|missing| missing > 0);
                is_short.then(|| Err(io::ErrorKind::UnexpectedEof.into()))
            }
            Ok(chunk) => {
                let length = chunk.len() as u64;
                self.missing = self.missing.map(|missing| missing.saturating_sub(length));
                Some(Ok(Frame::data(chunk)))
            }
            Err(error) => Some(Err(error)),
        })
    }

    fn is_end_stream(&self) -> bool {
        self.ended
    }

    fn size_hint(&self) -> SizeHint {
        self.missing
            .map_or_else(SizeHint::new, SizeHint::with_exact)
    }
}
