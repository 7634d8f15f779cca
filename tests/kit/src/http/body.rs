use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// A request body that is sent in chunks, with or without a `Content-Length`. It may never end.
///
/// The default is no body.
#[derive(Clone, Debug, Default)]
pub struct SentBody {
    chunks: VecDeque<Bytes>,
    /// Bytes of the announced length that are not sent yet.
    announced: Option<u64>,
    stalls: bool,
}

impl SentBody {
    /// One chunk with a `Content-Length`.
    pub fn whole(body: impl Into<Bytes>) -> Self {
        let body = body.into();
        Self {
            announced: Some(body.len() as u64),
            chunks: VecDeque::from([body]),
            stalls: false,
        }
    }

    /// Chunks without a `Content-Length`, as with `Transfer-Encoding: chunked` in HTTP/1.1.
    pub fn chunked(chunks: impl IntoIterator<Item = Bytes>) -> Self {
        Self {
            chunks: chunks.into_iter().collect(),
            ..Self::default()
        }
    }

    /// A body with this `Content-Length`, of which only the first few hundred bytes are sent. A
    /// response to it depends on the request's head alone. Those bytes are sent because some
    /// frameworks read the start of a body before they handle a request.
    pub fn withheld(length: u64) -> Self {
        const START: &[u8] = &[b' '; 256];
        let sent = usize::try_from(length / 2).unwrap_or(usize::MAX);
        Self {
            announced: Some(length),
            chunks: VecDeque::from([Bytes::from_static(START).slice(..sent.min(START.len()))]),
            stalls: true,
        }
    }

    /// The same, but after the last chunk the body neither continues nor ends. A response to it
    /// depends only on what was sent.
    pub fn without_end(self) -> Self {
        Self {
            stalls: true,
            ..self
        }
    }

    /// The bytes of the body, for clients that cannot send part of a body. Spaces replace the bytes
    /// that are withheld.
    pub fn to_bytes(&self) -> Bytes {
        let mut bytes = self.chunks.iter().flatten().copied().collect::<Vec<_>>();
        let announced = self
            .announced
            .and_then(|length| usize::try_from(length).ok());
        bytes.resize(announced.unwrap_or(bytes.len()), b' ');
        bytes.into()
    }

    pub(super) fn announced(&self) -> Option<u64> {
        self.announced
    }

    pub(super) fn stalls(&self) -> bool {
        self.stalls
    }
}

impl Body for SentBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.chunks.pop_front() {
            Some(chunk) => {
                let sent = chunk.len() as u64;
                self.announced = self.announced.map(|left| left.saturating_sub(sent));
                Poll::Ready(Some(Ok(Frame::data(chunk))))
            }
            // Nothing wakes the task for this body again: a reader that waits for it hangs.
            None if self.stalls => Poll::Pending,
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.chunks.is_empty() && !self.stalls
    }

    fn size_hint(&self) -> SizeHint {
        match self.announced {
            Some(length) => SizeHint::with_exact(length),
            None if self.is_end_stream() => SizeHint::with_exact(0),
            None => SizeHint::default(),
        }
    }
}
