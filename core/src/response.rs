//! Responses, and the few ways in which handlers make one.

use bytes::Bytes;
use http::StatusCode;
use http::header::{self, HeaderName, HeaderValue};
use http_body_util::Full;
use serde::Serialize;

/// A response with its whole body at hand.
pub(crate) type Response = http::Response<Full<Bytes>>;

/// What a response says of its keeping (RFC 9111).
#[derive(Clone, Copy)]
pub(crate) enum Keep {
    /// Whoever likes may keep it, and asks before using it.
    Revalidated,
    /// Only whoever asked may keep it, and asks before using it.
    RevalidatedPrivately,
    /// Nobody may: it carries a secret, or is of this moment only.
    Never,
}

impl Keep {
    pub(crate) const fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Revalidated => "public, no-cache",
            Self::RevalidatedPrivately => "private, no-cache",
            Self::Never => "no-store",
        })
    }
}

pub(crate) fn empty(status: StatusCode) -> Response {
    let mut response = Response::default();
    *response.status_mut() = status;
    response
}

pub(crate) fn bytes(content_type: &'static str, body: Bytes) -> Response {
    let mut response = Response::new(Full::new(body));
    set(
        &mut response,
        header::CONTENT_TYPE,
        HeaderValue::from_static(content_type),
    );
    response
}

pub(crate) fn json(status: StatusCode, body: &impl Serialize) -> Response {
    let mut response = bytes("application/json", json_bytes(body));
    *response.status_mut() = status;
    response
}

pub(crate) fn json_bytes(body: &impl Serialize) -> Bytes {
    serde_json::to_vec(body)
        .unwrap_or_else(|_| unreachable!("views have string keys and cannot fail"))
        .into()
}

pub(crate) fn set(response: &mut Response, name: HeaderName, value: HeaderValue) {
    response.headers_mut().insert(name, value);
}

pub(crate) fn keep(response: &mut Response, keep: Keep) {
    set(response, header::CACHE_CONTROL, keep.header());
}

/// A header's value from text of ours, all of which is visible ASCII.
pub(crate) fn ascii(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or_else(|_| unreachable!("addresses and dates are ASCII"))
}
