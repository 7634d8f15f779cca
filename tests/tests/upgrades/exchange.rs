//! A request, and what has to be in the response.

use bytes::Bytes;
use handbill::Handbill;
use http::header::CONTENT_TYPE;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower::ServiceExt;

/// Names in responses whose values are not stored, or are changed by later requests.
const NOT_COMPARED: [&str; 5] = ["content_html", "favicon", "html", "icon", "last_used_at"];

#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Exchange {
    /// What the response shows.
    pub(crate) shows: String,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub(crate) body: Value,
    pub(crate) status: u16,
    /// JSON that the response has, or its text. `null` if only the status counts.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub(crate) response: Value,
}

impl Exchange {
    pub(crate) fn new(shows: &str, method: &str, path: impl Into<String>) -> Self {
        Self {
            shows: shows.to_owned(),
            method: method.to_owned(),
            path: path.into(),
            headers: Vec::new(),
            body: Value::Null,
            status: 0,
            response: Value::Null,
        }
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn with_body(mut self, body: Value) -> Self {
        self.body = body;
        self
    }

    /// Whether the response depends on the secret of the installation, which an archive does not have.
    pub(crate) fn repeats_a_creation(&self) -> bool {
        let mut names = self.headers.iter().map(|(name, _)| name);
        names.any(|name| name == "Idempotency-Key")
    }

    /// Sends the request. Returns the status and the body: JSON, Markdown as a string, or else `null`.
    pub(crate) async fn send(&self, service: &Handbill) -> (u16, Value) {
        let mut request = Request::builder()
            .method(self.method.as_str())
            .uri(&self.path);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let mut body = Bytes::new();
        if !self.body.is_null() {
            request = request.header(CONTENT_TYPE, "application/json");
            body = self.body.to_string().into();
        }
        let request = request.body(Full::new(body)).unwrap();
        let response = service.clone().oneshot(request).await.unwrap();
        (response.status().as_u16(), content(response).await)
    }

    /// Expects that the response has what it had when the exchange was recorded.
    pub(crate) async fn check(&self, service: &Handbill) {
        let (status, response) = self.send(service).await;
        let shows = &self.shows;
        assert_eq!(status, self.status, "{shows}: {response}");
        if let Some(fault) = missing(&self.response, &response) {
            panic!(
                "{shows}: {fault}\nexpected {}\nfound {response}",
                self.response
            );
        }
    }
}

async fn content(response: Response<Full<Bytes>>) -> Value {
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let media_type = parts.headers.get(CONTENT_TYPE);
    let media_type = media_type.map_or("", |value| value.to_str().unwrap());
    if media_type.contains("json") {
        serde_json::from_slice(&body).unwrap()
    } else if media_type.starts_with("text/markdown") {
        Value::String(String::from_utf8(body.to_vec()).unwrap())
    } else {
        Value::Null
    }
}

/// What is compared of a response: of an error, the code alone.
pub(crate) fn comparable(response: Value) -> Value {
    match response.get("code") {
        Some(code) => json!({ "code": code }),
        None => without_names(response),
    }
}

fn without_names(mut value: Value) -> Value {
    match &mut value {
        Value::Object(members) => {
            members.retain(|name, _| !NOT_COMPARED.contains(&name.as_str()));
            for member in members.values_mut() {
                *member = without_names(member.take());
            }
        }
        Value::Array(items) => {
            for item in items {
                *item = without_names(item.take());
            }
        }
        _ => {}
    }
    value
}

/// The first part of what is expected that is not there. Names that are there besides are ignored.
fn missing(expected: &Value, found: &Value) -> Option<String> {
    match (expected, found) {
        (Value::Null, _) => None,
        (Value::Object(expected), Value::Object(found)) => {
            let mut members = expected.iter();
            members.find_map(|(name, expected)| match found.get(name) {
                Some(found) if expected.is_null() == found.is_null() => {
                    missing(expected, found).map(|fault| format!("{name}: {fault}"))
                }
                Some(found) => Some(format!("{name}: {found}")),
                None => Some(format!("no {name}")),
            })
        }
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            let mut pairs = expected.iter().zip(found);
            pairs.find_map(|(expected, found)| missing(expected, found))
        }
        _ => (expected != found).then(|| found.to_string()),
    }
}
