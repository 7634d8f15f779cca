//! Edits of requests and responses.

use std::collections::BTreeMap;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use handbill::Code;
use handbill_testing::http::SentBody;
use http::Response;
use http::header::{HeaderMap, HeaderValue};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::adapter::PATH;

/// A response of the framework itself. It follows the rules for all responses, but it is not the
/// service's.
pub(crate) fn own(status: u16, body: &'static str) -> Response<Bytes> {
    let mut response = Response::default();
    *response.status_mut() = status.try_into().unwrap();
    set(&mut response, "x-content-type-options", "nosniff");
    if status != 204 {
        set(&mut response, "content-type", "text/plain");
        put(&mut response, body);
    }
    response
}

/// A problem that looks like the service's, in the wrong place.
pub(crate) fn refusal(code: Code) -> Response<Bytes> {
    let mut response = own(code.status().as_u16(), "");
    let anchor = code.as_str().replace('_', "-");
    let mut problem = json!({
        "type": format!("http://handbill.test{PATH}/docs/errors#{anchor}"),
        "title": code.title(),
        "status": code.status().as_u16(),
        "detail": "It is refused.",
        "code": code.as_str(),
    });
    if code == Code::InvalidPost {
        let error = json!({ "field": "body", "code": "required", "detail": "It is missing." });
        problem["errors"] = json!([error]);
    }
    put(&mut response, problem.to_string());
    set(&mut response, "content-type", "application/problem+json");
    set(&mut response, "cache-control", "no-store");
    if code == Code::StoreUnavailable {
        set(&mut response, "retry-after", "1");
    }
    response
}

pub(crate) fn not_found() -> Response<Bytes> {
    own(404, "Not found.")
}

pub(crate) fn redirection(location: &str) -> Response<Bytes> {
    let mut response = own(308, "");
    set(&mut response, "location", location);
    response
}

/// The response of a framework that times out waiting for the rest of a body. It comes at once,
/// since the tests withhold the rest.
pub(crate) fn given_up() -> Response<Bytes> {
    own(408, "The body did not come.")
}

/// The whole body, if it ends.
pub(crate) fn whole(body: &SentBody) -> Option<Bytes> {
    let mut collected = pin!(body.clone().collect());
    match collected
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(Ok(whole)) => Some(whole.to_bytes()),
        Poll::Pending => None,
    }
}

pub(crate) fn is_form(headers: &HeaderMap) -> bool {
    text(headers, "content-type") == "application/x-www-form-urlencoded"
}

/// A query or a form with only the last field of each name.
pub(crate) fn as_a_map(fields: &str) -> String {
    let fields = fields.split('&');
    let fields: BTreeMap<_, _> = fields
        .map(|field| (field.split('=').next().unwrap_or_default(), field))
        .collect();
    fields.into_values().collect::<Vec<_>>().join("&")
}

/// A path without unnecessary escapes.
pub(crate) fn decoded(path: &str) -> String {
    let mut decoded = String::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('%') {
        let byte = after
            .get(..2)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        decoded += before;
        rest = match byte.filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'/') {
            Some(byte) => {
                decoded.push(byte.into());
                &after[2..]
            }
            None => {
                decoded.push('%');
                after
            }
        };
    }
    decoded + rest
}

/// The first line of a header, or an empty string.
pub(crate) fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    let line = headers.get(name).map(HeaderValue::to_str);
    line.and_then(Result::ok).unwrap_or_default()
}

pub(crate) fn set(response: &mut Response<Bytes>, name: &'static str, value: &str) {
    let value = value.parse().unwrap();
    response.headers_mut().insert(name, value);
}

pub(crate) fn lose(response: &mut Response<Bytes>, names: &[&str]) {
    for name in names {
        response.headers_mut().remove(*name);
    }
}

/// Replaces the body of a response and sets `Content-Length`.
pub(crate) fn put(response: &mut Response<Bytes>, body: impl Into<Bytes>) {
    *response.body_mut() = body.into();
    let length = response.body().len().to_string();
    set(response, "content-length", &length);
}

/// The name of a field of a query.
pub(crate) fn name_of(field: &str) -> &str {
    field.split('=').next().unwrap_or_default()
}

/// Replaces a text in the body.
pub(crate) fn replace(response: &mut Response<Bytes>, from: &str, to: &str) {
    if let Ok(body) = str::from_utf8(response.body())
        && body.contains(from)
    {
        let body = body.replace(from, to);
        put(response, body);
    }
}

/// Edits the body of a success in JSON.
pub(crate) fn edit_json(response: &mut Response<Bytes>, edit: impl FnOnce(&mut Value)) {
    if text(response.headers(), "content-type").ends_with("json") && response.status().is_success()
    {
        edit_object(response, edit);
    }
}

/// Edits a problem.
pub(crate) fn edit_problem(response: &mut Response<Bytes>, edit: impl FnOnce(&mut Value)) {
    if text(response.headers(), "content-type") == "application/problem+json" {
        edit_object(response, edit);
    }
}

/// The array of this name in an object.
pub(crate) fn array<'a>(object: &'a mut Value, name: &str) -> Option<&'a mut Vec<Value>> {
    object.get_mut(name).and_then(Value::as_array_mut)
}

fn edit_object(response: &mut Response<Bytes>, edit: impl FnOnce(&mut Value)) {
    let parsed = serde_json::from_slice(response.body());
    if let Ok(mut value @ Value::Object(_)) = parsed {
        let before = value.clone();
        edit(&mut value);
        if value != before {
            put(response, value.to_string());
        }
    }
}
