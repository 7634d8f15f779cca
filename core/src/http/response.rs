//! Building responses.

use bytes::Bytes;
use http::StatusCode;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http_body::Body;
use http_body_util::Full;
use serde::Serialize;

/// A response with its whole body in memory.
pub(crate) type Response = http::Response<Full<Bytes>>;

/// The media type of JSON.
pub(crate) const JSON: &str = "application/json";

/// Response headers that scripts of other sites may read, in addition to those that CORS always allows.
const CORS_RESPONSE_HEADERS: &str = "ETag, Link, Location, Retry-After, WWW-Authenticate, Allow";

/// The Content Security Policy of everything but the pages, which set their own: shown by itself in a
/// browser, it loads nothing, runs nothing, and cannot be framed.
const NOTHING: &str =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Who may store a response (RFC 9111, section 5.2.2).
#[derive(Clone, Copy)]
pub(crate) enum CacheControl {
    /// Any cache may store it, and must revalidate it before use.
    Revalidated,
    /// Only the client may store it, and must revalidate it before use.
    #[cfg(feature = "pages")]
    RevalidatedPrivately,
    /// No cache may store it: it carries a secret, or describes this moment only.
    NoStore,
    /// No cache may store it: it is for the owner of a post only.
    NoStorePrivate,
}

impl CacheControl {
    pub(crate) const fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Revalidated => "public, no-cache",
            #[cfg(feature = "pages")]
            Self::RevalidatedPrivately => "private, no-cache",
            Self::NoStore => "no-store",
            Self::NoStorePrivate => "private, no-store",
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
    let content_type = HeaderValue::from_static(content_type);
    set(&mut response, header::CONTENT_TYPE, content_type);
    response
}

/// JSON that no cache may store.
pub(crate) fn json(status: StatusCode, body: &impl Serialize) -> Response {
    let mut response = bytes(JSON, json_bytes(body));
    *response.status_mut() = status;
    set_cache_control(&mut response, CacheControl::NoStore);
    response
}

pub(crate) fn json_bytes(body: &impl Serialize) -> Bytes {
    let json = serde_json::to_vec(body)
        .unwrap_or_else(|_| unreachable!("views have string keys and cannot fail"));
    // A boxed slice has no spare capacity, which would stay in memory as long as the response is cached.
    json.into_boxed_slice().into()
}

pub(crate) fn len(response: &Response) -> usize {
    response.body().size_hint().lower() as usize
}

pub(crate) fn set(response: &mut Response, name: HeaderName, value: HeaderValue) {
    response.headers_mut().insert(name, value);
}

pub(crate) fn set_noindex(headers: &mut HeaderMap) {
    let noindex = HeaderValue::from_static("noindex");
    headers.insert("x-robots-tag", noindex);
}

pub(crate) fn set_cache_control(response: &mut Response, cache_control: CacheControl) {
    set(response, header::CACHE_CONTROL, cache_control.header());
}

/// A header value from text that is known to be visible ASCII.
pub(crate) fn ascii<T>(text: T) -> HeaderValue
where
    HeaderValue: TryFrom<T>,
{
    HeaderValue::try_from(text).unwrap_or_else(|_| unreachable!("addresses and dates are ASCII"))
}

/// Adds the headers that all responses have: `X-Content-Type-Options`, `Content-Security-Policy`,
/// `Content-Length`, and the CORS headers if scripts of other sites may read the response.
pub(crate) fn complete(mut response: Response, is_open_to_scripts: bool) -> Response {
    let length = response.body().size_hint().exact().unwrap_or_default();
    let has_content = !matches!(
        response.status(),
        StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED
    );
    let headers = response.headers_mut();
    let nosniff = HeaderValue::from_static("nosniff");
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
    let policy = HeaderValue::from_static(NOTHING);
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(policy);
    if has_content {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    if is_open_to_scripts {
        let anyone = HeaderValue::from_static("*");
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, anyone);
        let names = HeaderValue::from_static(CORS_RESPONSE_HEADERS);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, names);
    }
    response
}
