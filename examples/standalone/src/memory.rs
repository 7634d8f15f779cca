//! Memory for the bodies of requests and responses under way, on all connections together.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use http_body_util::Full;
use hyper::body::Incoming;

use crate::shares::{Network, Share, Shares};

/// The bytes of all request bodies together, and of all response bodies. What reads a request's body may
/// reserve twice its length.
const MAX_BYTES: usize = 256 * 1024 * 1024;
/// The most of them of one client, for either.
const MAX_BYTES_OF_ONE: usize = 16 * 1024 * 1024;
/// These first bytes of a request's body, and responses that are no longer, are not counted, so that small
/// requests always have room. They are bounded by the number of connections.
const UNCOUNTED: usize = 16 * 1024;

/// Counts bodies: those of requests and of responses apart, so that uploads don't refuse reads.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    requests: Arc<Shares>,
    responses: Arc<Shares>,
}

/// What a request has taken, until this is dropped.
#[derive(Debug)]
pub(crate) struct Counted(Option<Arc<Mutex<Taken>>>);

#[derive(Debug)]
struct Taken {
    share: Share,
    is_refused: bool,
}

/// The body of a request, whose bytes are counted as they are read.
#[derive(Debug)]
pub(crate) struct CountedBody {
    body: Incoming,
    bytes_read: usize,
    /// Gone when nothing preserves what is read any more.
    taken: Weak<Mutex<Taken>>,
}

/// The bodies of this client, or of all clients, take too much memory already.
#[derive(Debug)]
pub(crate) struct TooMuch;

impl Memory {
    pub(crate) fn new() -> Self {
        let shares = || Shares::new(MAX_BYTES, MAX_BYTES_OF_ONE);
        Self {
            requests: shares(),
            responses: shares(),
        }
    }

    /// Counts the body of a request for as long as `Counted` exists.
    pub(crate) fn count(
        &self,
        network: Network,
        request: Request<Incoming>,
    ) -> (Counted, Request<CountedBody>) {
        let taken = (!request.body().is_end_stream()).then(|| {
            let share = self.requests.share(Some(network));
            Arc::new(Mutex::new(Taken {
                share,
                is_refused: false,
            }))
        });
        let request = request.map(|body| CountedBody {
            body,
            bytes_read: 0,
            taken: taken.as_ref().map_or_else(Weak::new, Arc::downgrade),
        });
        (Counted(taken), request)
    }

    /// Counts the body of a response until the system has taken all of it.
    pub(crate) fn hold(
        &self,
        network: Network,
        response: &mut Response<Full<Bytes>>,
    ) -> Result<(), TooMuch> {
        let bytes = response.body().size_hint().exact().unwrap_or(0) as usize;
        if bytes <= UNCOUNTED {
            return Ok(());
        }
        let mut share = self.responses.share(Some(network));
        if !share.take(bytes) {
            return Err(TooMuch);
        }
        let bytes = std::mem::take(response.body_mut()).into_inner();
        let bytes = bytes.unwrap_or_default();
        *response.body_mut() = Full::new(Bytes::from_owner(Held {
            bytes,
            _share: share,
        }));
        Ok(())
    }
}

impl Counted {
    /// Whether the body was refused while it was read.
    pub(crate) fn is_refused(&self) -> bool {
        self.0.as_ref().is_some_and(|taken| lock(taken).is_refused)
    }
}

impl Body for CountedBody {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if let (Some(Ok(frame)), Some(taken)) = (&frame, self.taken.upgrade()) {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            self.bytes_read += bytes;
            let mut taken = lock(&taken);
            if !taken
                .share
                .take(bytes.min(self.bytes_read.saturating_sub(UNCOUNTED)))
            {
                taken.is_refused = true;
                // The rest is read only to be discarded.
                self.taken = Weak::new();
                return Poll::Ready(Some(Err(TooMuch.into())));
            }
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Bytes that count until their last owner is gone.
struct Held {
    bytes: Bytes,
    _share: Share,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Display for TooMuch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("requests and responses under way take too much memory")
    }
}

impl Error for TooMuch {}

fn lock(taken: &Mutex<Taken>) -> MutexGuard<'_, Taken> {
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}
