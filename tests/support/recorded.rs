//! A recorded response of the service, for servers that send the same bytes without it.

use std::path::Path;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use serde_json::{Value, json};

use crate::wire::TestResponse;

/// Records the response, without its date: each server sends its own.
pub fn write(response: &TestResponse, file: &Path) {
    let named = |(name, value): (&HeaderName, &HeaderValue)| {
        let value = value.to_str().expect("visible ASCII");
        (*name != http::header::DATE).then(|| (name.to_string(), value.to_owned()))
    };
    let headers: Vec<_> = response.headers.iter().filter_map(named).collect();
    let body = str::from_utf8(&response.body).expect("text");
    let recorded = json!({ "status": response.status.as_u16(), "headers": headers, "body": body });
    std::fs::write(file, recorded.to_string()).expect("a file");
}

/// The recorded response.
pub fn read(file: &Path) -> Response<Bytes> {
    let recorded = std::fs::read(file).expect("a file");
    let recorded: Value = serde_json::from_slice(&recorded).expect("JSON");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let mut headers = HeaderMap::new();
    for header in recorded["headers"].as_array().expect("headers") {
        let name: HeaderName = text(&header[0]).parse().expect("a name");
        headers.append(name, text(&header[1]).parse().expect("a value"));
    }
    let mut response = Response::new(Bytes::from(text(&recorded["body"])));
    let status = recorded["status"]
        .as_u64()
        .and_then(|status| u16::try_from(status).ok());
    let status = StatusCode::from_u16(status.expect("a number"));
    *response.status_mut() = status.expect("a status");
    *response.headers_mut() = headers;
    response
}
