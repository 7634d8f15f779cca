//! Responses, and the few ways in which handlers make one.

use bytes::Bytes;
use http::StatusCode;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http_body::Body;
use http_body_util::Full;
use serde::Serialize;

/// A response with its whole body at hand.
pub(crate) type Response = http::Response<Full<Bytes>>;

/// Response headers that scripts of other sites may read, beside those that they always may.
const CORS_RESPONSE_HEADERS: &str = "ETag, Link, Location, Retry-After, WWW-Authenticate, Allow";

/// Headers that there is room for from the start: more than almost any answer has.
const MOST_HEADERS: usize = 12;

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
    *response.headers_mut() = HeaderMap::with_capacity(MOST_HEADERS);
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
pub(crate) fn ascii<T>(text: T) -> HeaderValue
where
    HeaderValue: TryFrom<T>,
{
    HeaderValue::try_from(text).unwrap_or_else(|_| unreachable!("addresses and dates are ASCII"))
}

/// Adds what all answers have in common: nobody guesses their type, all lengths are told, and scripts of
/// other sites may read what is open to them.
pub(crate) fn complete(response: &mut Response, is_open_to_scripts: bool) {
    let length = response.body().size_hint().exact().unwrap_or_default();
    let has_content = !matches!(
        response.status(),
        StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED
    );
    let headers = response.headers_mut();
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    if has_content {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    if is_open_to_scripts {
        let (anyone, names) = (HeaderValue::from_static("*"), CORS_RESPONSE_HEADERS);
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, anyone);
        headers.insert(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(names),
        );
    }
}

/// Whether a response has what [`complete`] adds.
pub(crate) fn is_complete(response: &Response) -> bool {
    response
        .headers()
        .contains_key(header::X_CONTENT_TYPE_OPTIONS)
}
