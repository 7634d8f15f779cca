//! Converts Rocket's requests and tower's responses into each other's types.

use std::io::Cursor;

use handbill::{ClientAddr, SignedIn};
use http::uri::PathAndQuery;
use http::{Extensions, HeaderName, HeaderValue, Method, Uri};
use http_body_util::BodyExt;
use rocket::http::Status;
use rocket::{Request, Response};

/// How much of a response Rocket writes to the connection at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// The `Content-Length` of a request.
pub(crate) fn promised_length(request: &Request<'_>) -> Option<u64> {
    request.headers().get_one("Content-Length")?.parse().ok()
}

/// The request for the service: its path is relative to the mount point, and everything else is
/// unchanged.
pub(crate) fn request<B>(request: &Request<'_>, body: B) -> http::Request<B> {
    let mut converted = http::Request::new(body);
    // All of Rocket's methods convert.
    if let Ok(method) = Method::from_bytes(request.method().as_str().as_bytes()) {
        *converted.method_mut() = method;
    }
    *converted.uri_mut() = uri_below_base(request);
    for header in request.headers().iter() {
        let name = HeaderName::from_bytes(header.name().as_str().as_bytes());
        let value = HeaderValue::from_bytes(header.value().as_bytes());
        // Headers from the client always convert, but a fairing can add invalid ones.
        if let (Ok(name), Ok(value)) = (name, value) {
            converted.headers_mut().append(name, value);
        }
    }
    *converted.extensions_mut() = extensions(request);
    converted
}

/// What the app put into the request's local cache for the service, and the address of the client.
fn extensions(request: &Request<'_>) -> Extensions {
    let mut extensions = request.local_cache(Extensions::new).clone();
    if let Some(signed_in) = request.local_cache(|| None::<SignedIn>) {
        extensions.insert(signed_in.clone());
    }
    if let Some(address) = request.remote() {
        extensions.insert(ClientAddr(address.ip()));
    }
    extensions
}

/// Rocket normalises paths before it matches them, so `//blog` and `/%62log` arrive here too. They are
/// passed on unchanged: for the service, a path that is written differently is a different path.
fn uri_below_base(request: &Request<'_>) -> Uri {
    let base = request.route().map_or("/", |route| route.uri.base());
    // Remove nothing for the base `/`, or `//p` would become `/p`.
    let base = base.trim_end_matches('/');
    let path = request.uri().path().as_str();
    let path = path.strip_prefix(base).unwrap_or(path);
    let query = request.uri().query();
    let path_and_query = match (path, query) {
        ("", None) => "/".to_owned(),
        ("", Some(query)) => format!("/?{query}"),
        (path, None) => path.to_owned(),
        (path, Some(query)) => format!("{path}?{query}"),
    };
    // A fairing can set an invalid path. It becomes a path that does not exist.
    let path_and_query =
        PathAndQuery::try_from(path_and_query).unwrap_or_else(|_| PathAndQuery::from_static("*"));
    path_and_query.into()
}

/// The response with its complete body. With a streamed body, Rocket would make an error look like the
/// end of the body, and would send a wrong length with a 304.
pub(crate) async fn response<R>(response: http::Response<R>) -> Response<'static>
where
    R: http_body::Body,
{
    let (parts, body) = response.into_parts();
    let mut response = Response::new();
    response.set_status(Status::new(parts.status.as_u16()));
    for (name, value) in &parts.headers {
        // Rocket's headers are strings, so a header that is not UTF-8 can't be sent.
        if let Ok(value) = str::from_utf8(value.as_bytes()) {
            response.adjoin_raw_header(name.as_str().to_owned(), value.to_owned());
        }
    }
    match body.collect().await.map(|body| body.to_bytes()) {
        Ok(body) if body.is_empty() => {}
        Ok(body) => {
            let length = body.len();
            response.set_sized_body(length, Cursor::new(body));
            response.set_max_chunk_size(length.min(CHUNK_BYTES));
        }
        // Announce a byte that is never sent, so that the connection breaks off.
        Err(_) => response.set_sized_body(1, Cursor::new([])),
    }
    response
}
