//! Converts messages between actix-web, which uses version 0.2 of the crate `http`, and the service,
//! which uses version 1.

use std::error::Error;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName as OldName, HeaderValue as OldValue};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use handbill::ClientAddr;
use http::header::CONTENT_LENGTH;
use http::uri::{PathAndQuery, Uri};
use http::{HeaderName, HeaderValue, Method, Version};

use crate::body;
use crate::extensions::{self, PassOn};

/// The request for the service: its path is relative to the mount point, and everything else is
/// unchanged.
pub(crate) fn request<B>(request: &HttpRequest, body: B, pass_on: &[PassOn]) -> http::Request<B> {
    let mut converted = http::Request::new(body);
    // What does not convert can't come from a client, since both versions allow the same bytes.
    if let Ok(method) = Method::from_bytes(request.method().as_str().as_bytes()) {
        *converted.method_mut() = method;
    }
    *converted.uri_mut() = uri_below_mount(request);
    *converted.version_mut() = version(request.version());
    let headers = converted.headers_mut();
    headers.reserve(request.headers().len());
    for (name, value) in request.headers() {
        let name = HeaderName::from_bytes(name.as_str().as_bytes());
        let value = HeaderValue::from_bytes(value.as_bytes());
        if let (Ok(name), Ok(value)) = (name, value) {
            headers.append(name, value);
        }
    }
    let extensions = converted.extensions_mut();
    if let Some(address) = request.peer_addr() {
        extensions.insert(ClientAddr(address.ip()));
    }
    // Later, because an address that the app inserted takes precedence.
    let given = actix_web::HttpMessage::extensions(request);
    for pass_on in pass_on {
        pass_on(&given, extensions);
    }
    converted
}

/// The `Content-Length` of a request.
pub(crate) fn promised_length(request: &HttpRequest) -> Option<u64> {
    let length = request.headers().get("content-length")?;
    length.to_str().ok()?.parse().ok()
}

fn version(version: actix_web::http::Version) -> Version {
    use actix_web::http::Version as Old;

    match version {
        Old::HTTP_09 => Version::HTTP_09,
        Old::HTTP_10 => Version::HTTP_10,
        Old::HTTP_2 => Version::HTTP_2,
        Old::HTTP_3 => Version::HTTP_3,
        _ => Version::HTTP_11,
    }
}

/// actix-web decodes paths before it matches them, so `/%62log` arrives here too. It is passed on
/// unchanged: for the service, a path that is written differently is a different path.
fn uri_below_mount(request: &HttpRequest) -> Uri {
    let decoded = request.match_info();
    let length = decoded.as_str().len() - decoded.unprocessed().len();
    let mount = decoded.as_str().get(..length).unwrap_or_default();
    let uri = request.uri();
    let whole = uri.path_and_query().map_or("/", |whole| whole.as_str());
    let below = whole.strip_prefix(mount).unwrap_or(whole);
    let below = match below.as_bytes().first() {
        Some(b'/') => below.to_owned(),
        _ => format!("/{below}"),
    };
    let path = PathAndQuery::try_from(below).unwrap_or_else(|_| PathAndQuery::from_static("*"));
    // Requests over HTTP/2 and requests to a proxy name a host in their address.
    if let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) {
        let uri = Uri::builder()
            .scheme(scheme)
            .authority(authority.as_str())
            .path_and_query(path.clone());
        return uri.build().unwrap_or_else(|_| path.into());
    }
    path.into()
}

/// The response for actix-web, and what its middleware may know about it.
pub(crate) fn response<B>(response: http::Response<B>, is_head: bool) -> HttpResponse
where
    B: http_body::Body<Data = Bytes> + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let (head, body) = response.into_parts();
    let length = head.headers.get(CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
    let body = body::of_response(body, length, is_head);
    let status = StatusCode::from_u16(head.status.as_u16());
    let status = status.unwrap_or_else(|_| unreachable!("both versions allow the same codes"));
    let mut converted = HttpResponse::with_body(status, body);
    let headers = converted.headers_mut();
    headers.reserve(head.headers.len());
    for (name, value) in &head.headers {
        let name = OldName::from_bytes(name.as_str().as_bytes());
        let value = OldValue::from_bytes(value.as_bytes());
        if let (Ok(name), Ok(value)) = (name, value) {
            headers.append(name, value);
        }
    }
    extensions::of_response(&head.extensions, &mut converted.extensions_mut());
    converted
}
