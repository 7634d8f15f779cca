//! The budget of each client: how many bytes of bodies it may have in memory, in the requests and responses under way
//! on all its connections.
//!
//! The service has a budget, too, for all large responses together, and these are two counts. The service counts a
//! response once, however many clients read it: only it knows which responses are the same. This counts a response
//! for each client that reads it: only the program knows connections. So the service says when memory is short, and
//! this says which connections are closed then.

use parking_lot::Mutex;
use std::sync::Arc;

use bytes::Bytes;
use handbill::ClientAddr;
use http::Response;
use http_body::Body;
use http_body_util::Full;

use crate::server::activity::Activity;
use crate::server::shares::{Closable, Share, ShareLimits, Shares};

const MEBIBYTE: u64 = 1024 * 1024;
/// The bytes of all request bodies together. Those of responses are in the budget of the service.
const MAX_REQUEST_BYTES: u64 = 256 * MEBIBYTE;
/// The most bytes of request bodies of one network, and the same of response bodies.
const MAX_BYTES_OF_NETWORK: u64 = 16 * MEBIBYTE;
/// The same of an IPv6 /48.
const MAX_BYTES_OF_BLOCK: u64 = 64 * MEBIBYTE;
/// These first bytes of a request's body, and responses that are no longer, are not counted, so that small
/// requests always have room. They are bounded by the number of connections.
pub(crate) const UNCOUNTED: u64 = 16 * 1024;

/// Counts the bodies of requests and of responses apart, so that uploads don't refuse reads.
#[derive(Debug)]
pub(crate) struct ClientBudget {
    requests: Arc<Shares>,
    pub(crate) responses: Arc<Shares>,
}

/// The bytes of a request's body, which count until this is dropped.
#[derive(Debug)]
pub(crate) struct RequestCount(Mutex<State>);

#[derive(Debug)]
struct State {
    share: Share,
    bytes_read: u64,
    is_refused: bool,
}

impl ClientBudget {
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
            responses: shares(u64::MAX),
        }
    }

    /// Counts the body of a request. Until all of it has arrived, its connection may be closed for the body of another
    /// one.
    pub(crate) fn count_request(
        &self,
        client: ClientAddr,
        activity: &Arc<Activity>,
    ) -> Arc<RequestCount> {
        let closable = Closable {
            activity: Arc::clone(activity),
            is_last: false,
        };
        Arc::new(RequestCount(Mutex::new(State {
            share: self.requests.share(Some(client), Some(closable)),
            bytes_read: 0,
            is_refused: false,
        })))
    }

    /// Counts the body of a response that is longer than [`UNCOUNTED`], until the system has taken all of it. Its
    /// connection may be closed when memory is short. The response to a change is never refused, since the change was
    /// made, and is closed after those to reads. Returns whether it has room: the bodies of this client may take too
    /// much memory already, or those of all clients, of which none can be closed.
    #[must_use]
    pub(crate) fn count_response(
        &self,
        client: ClientAddr,
        response: &mut Response<Full<Bytes>>,
        is_read: bool,
        activity: &Arc<Activity>,
    ) -> bool {
        let len = response.body().size_hint().lower();
        let closable = Closable {
            activity: Arc::clone(activity),
            is_last: !is_read,
        };
        let mut share = self.responses.share(Some(client), Some(closable));
        if !is_read {
            share.take_beyond_limits(len);
        } else if !share.take(len) {
            return false;
        }
        let body = std::mem::take(response.body_mut()).into_inner();
        *response.body_mut() = Full::new(Bytes::from_owner(CountedBytes {
            bytes: body.unwrap_or_default(),
            _share: share,
        }));
        true
    }
}

impl RequestCount {
    /// Counts a part of the body, or its end, after which the request may make a change. Returns whether it has room,
    /// and was not closed before.
    #[must_use]
    pub(crate) fn add(&self, len: u64, is_end: bool) -> bool {
        let mut state = self.0.lock();
        state.bytes_read += len;
        let counted = len.min(state.bytes_read.saturating_sub(UNCOUNTED));
        let has_room = state.share.take(counted) && (!is_end || state.share.protect());
        state.is_refused = !has_room;
        has_room
    }

    /// Whether the body was refused while it was read.
    pub(crate) fn is_refused(&self) -> bool {
        self.0.lock().is_refused
    }
}

/// Bytes that count until their last copy is dropped.
struct CountedBytes {
    bytes: Bytes,
    _share: Share,
}

impl AsRef<[u8]> for CountedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}
