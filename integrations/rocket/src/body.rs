//! The body of a request. Rocket only lends it, and the service needs to own it, so its chunks go
//! through a channel.

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

/// The size of a chunk. A request holds at most three chunks in memory.
const CHUNK_BYTES: usize = 16 * 1024;

/// The body of the requests that the mounted service receives. It is streamed while the client sends it.
///
/// You need this type if a tower layer around Handbill names the type of its requests:
/// `http::Request<handbill_rocket::RequestBody>`.
///
/// A body that ends early, or before its `Content-Length`, ends with an error. So does a body that is
/// read after the service has returned its response, because Rocket lends it only until then.
#[derive(Debug)]
pub struct RequestBody {
    chunks: mpsc::Receiver<io::Result<Bytes>>,
    /// The number of bytes that are missing from `Content-Length`.
    missing: Option<u64>,
    ended: bool,
}

/// The sending side of a [`RequestBody`].
pub(crate) struct Feed<'r> {
    data: Data<'r>,
    chunks: mpsc::Sender<io::Result<Bytes>>,
}

/// Creates a body with the announced length, if there is one, and the side that fills it with Rocket's
/// data.
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
    /// Sends chunks as fast as the service reads them. An empty chunk marks the end. This function never
    /// returns: if the sender is dropped without that mark, the reader gets an error.
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
