//! Memory for the bodies of requests and responses under way, on all connections together.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use handbill::ClientAddr;
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use http_body_util::Full;
use hyper::body::Incoming;

use crate::server::activity::Activity;
use crate::server::shares::{Closable, Share, ShareLimits, Shares};

/// The bytes of all request bodies together. The service bounds those of responses, which it counts once
/// also if they have many readers.
const MAX_REQUEST_BYTES: usize = 256 * 1024 * 1024;
/// The most bytes of request bodies of one network, and the same of response bodies.
const MAX_BYTES_OF_NETWORK: usize = 16 * 1024 * 1024;
/// The same of an IPv6 /48.
const MAX_BYTES_OF_BLOCK: usize = 64 * 1024 * 1024;
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

/// The bodies of this client take too much memory already, or those of all clients, of which none can be
/// closed.
#[derive(Debug)]
pub(crate) struct OverBudget;

impl Memory {
    pub(crate) fn new() -> Self {
        let shares = |of_all| {
            Shares::new(ShareLimits {
                of_all,
                of_network: MAX_BYTES_OF_NETWORK,
                of_block: MAX_BYTES_OF_BLOCK,
            })
        };
        Self {
            requests: shares(MAX_REQUEST_BYTES),
            responses: shares(usize::MAX),
        }
    }

    /// Counts the body of a request for as long as `Counted` exists. Until all of it has arrived, its
    /// connection may be closed for the body of another one.
    pub(crate) fn count(
        &self,
        client: ClientAddr,
        request: Request<Incoming>,
        activity: &Arc<Activity>,
    ) -> (Counted, Request<CountedBody>) {
        let taken = (!request.body().is_end_stream()).then(|| {
            let closable = Closable {
                activity: Arc::clone(activity),
                is_last: false,
            };
            let share = self.requests.share(Some(client), Some(closable));
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

    /// Counts the body of a response until the system has taken all of it. Its connection may be closed when
    /// memory is short. The response to a change is never refused, since the change was made, and is closed
    /// after those to reads.
    pub(crate) fn hold(
        &self,
        client: ClientAddr,
        response: &mut Response<Full<Bytes>>,
        is_read: bool,
        activity: &Arc<Activity>,
    ) -> Result<(), OverBudget> {
        let bytes = response.body().size_hint().exact().unwrap_or(0) as usize;
        if bytes <= UNCOUNTED {
            return Ok(());
        }
        let closable = Closable {
            activity: Arc::clone(activity),
            is_last: !is_read,
        };
        let mut share = self.responses.share(Some(client), Some(closable));
        if !is_read {
            share.take_beyond_limits(bytes);
        } else if !share.take(bytes) {
            return Err(OverBudget);
        }
        let bytes = std::mem::take(response.body_mut()).into_inner();
        let bytes = bytes.unwrap_or_default();
        *response.body_mut() = Full::new(Bytes::from_owner(ReservedBytes {
            bytes,
            _share: share,
        }));
        Ok(())
    }

    /// Closes connections that hold this many bytes of responses, or as many as there are. Returns whether
    /// it closed one.
    pub(crate) fn close_slow_readers(&self, bytes: usize) -> bool {
        self.responses.close(bytes)
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
        if let (None | Some(Ok(_)), Some(taken)) = (&frame, self.taken.upgrade()) {
            let mut taken = lock(&taken);
            let has_room = match &frame {
                Some(Ok(frame)) => {
                    let bytes = frame.data_ref().map_or(0, Bytes::len);
                    self.bytes_read += bytes;
                    let counted = bytes.min(self.bytes_read.saturating_sub(UNCOUNTED));
                    taken.share.take(counted)
                }
                // All of it has arrived, so the request may make a change.
                _ => taken.share.protect(),
            };
            if !has_room {
                taken.is_refused = true;
                // The rest is read only to be discarded.
                self.taken = Weak::new();
                return Poll::Ready(Some(Err(OverBudget.into())));
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
struct ReservedBytes {
    bytes: Bytes,
    _share: Share,
}

impl AsRef<[u8]> for ReservedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("requests and responses under way take too much memory")
    }
}

impl Error for OverBudget {}

fn lock(taken: &Mutex<Taken>) -> MutexGuard<'_, Taken> {
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}
