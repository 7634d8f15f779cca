//! The bodies of requests and responses.
//!
//! actix-web's payload stays on the thread of its connection, and the service needs a body that it can
//! send to other threads. So the chunks of a request go through a channel.

use std::convert::Infallible;
use std::error::Error;
use std::future::{pending, poll_fn};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use actix_web::body::{self, BodyStream, BoxBody, SizedStream};
use actix_web::dev::Payload;
use bytes::Bytes;
use futures_core::Stream;
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyDataStream, BodyExt};
use tokio::sync::mpsc;

/// The body of the requests that the mounted service receives. It is streamed while the client sends it.
///
/// You need this type if a tower layer around Handbill names the type of its requests:
/// `http::Request<handbill_actix_web::RequestBody>`.
///
/// A body that ends early ends with an error. So does a body that is read after the service has returned
/// its response, because the adapter passes chunks on only until then.
#[derive(Debug)]
pub struct RequestBody {
    /// `None` at the end of the body.
    chunks: Option<mpsc::Receiver<Option<io::Result<Bytes>>>>,
    /// The number of bytes that are missing from `Content-Length`.
    missing: Option<u64>,
}

/// The sending side of a [`RequestBody`].
pub(crate) struct Feed {
    payload: Payload,
    chunks: mpsc::Sender<Option<io::Result<Bytes>>>,
}

/// The body of a request without one.
pub(crate) const fn empty() -> RequestBody {
    RequestBody {
        chunks: None,
        missing: Some(0),
    }
}

/// Creates a body with the announced length, if there is one, and the side that fills it with
/// actix-web's payload.
pub(crate) fn stream(payload: Payload, promised: Option<u64>) -> (Feed, RequestBody) {
    let (sender, receiver) = mpsc::channel(1);
    let feed = Feed {
        payload,
        chunks: sender,
    };
    let body = RequestBody {
        chunks: Some(receiver),
        missing: promised,
    };
    (feed, body)
}

impl Feed {
    /// Sends chunks as fast as the service reads them, and `None` as the end. This function never
    /// returns: if the sender is dropped before the end, the reader gets an error.
    pub(crate) async fn run(mut self) -> Infallible {
        // Nothing is read from the connection while the service does not read.
        while let Ok(place) = self.chunks.reserve().await {
            let chunk = poll_fn(|context| Pin::new(&mut self.payload).poll_next(context)).await;
            let goes_on = matches!(chunk, Some(Ok(_)));
            place.send(chunk.map(|chunk| chunk.map_err(io::Error::other)));
            if !goes_on {
                break;
            }
        }
        pending().await
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let Some(chunks) = &mut self.chunks else {
            return Poll::Ready(None);
        };
        let received = ready!(chunks.poll_recv(context));
        let chunk = received.unwrap_or_else(|| Some(Err(io::ErrorKind::BrokenPipe.into())));
        match &chunk {
            Some(Ok(chunk)) => {
                let length = chunk.len() as u64;
                self.missing = self.missing.map(|missing| missing.saturating_sub(length));
            }
            Some(Err(_)) | None => self.chunks = None,
        }
        Poll::Ready(chunk.map(|chunk| chunk.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.chunks.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        self.missing
            .map_or_else(SizeHint::new, SizeHint::with_exact)
    }
}

/// The body of a response, with the length that is announced to the client. `promised` is the `Content-Length` that the
/// service set. A response to `HEAD` has that of `GET`, and no body. actix-web has no trailers.
pub(crate) fn of_response<B>(body: B, promised: Option<u64>, is_head: bool) -> BoxBody
where
    B: Body<Data = Bytes> + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let length = promised.or_else(|| body.size_hint().exact());
    let chunks = BodyDataStream::new(body.map_err(io::Error::other));
    match length {
        Some(0) | None if is_head && promised.is_none() => BoxBody::new(body::None::new()),
        Some(length) => BoxBody::new(SizedStream::new(length, chunks)),
        None => BoxBody::new(BodyStream::new(chunks)),
    }
}
