//! A response to a request of a check, with the rules that every response must follow.

use handbill::Code;
use std::fmt;

use bytes::Bytes;
use http::{HeaderMap, Method, Response, StatusCode, header};
use serde_json::Value;

use super::Created;
use super::app::HTML;

/// A response that follows the rules for all responses.
///
/// Its `Display` form names the request, the status and the start of the body, for assertion
/// messages.
#[derive(Clone, Debug)]
pub struct TestResponse {
    /// The status.
    pub status: StatusCode,
    /// The headers, including those of the server.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
    request: String,
    base: String,
}

impl TestResponse {
    /// The response to `request`. `base` is the address of the mount point.
    pub(super) fn new(request: String, base: String, response: Response<Bytes>) -> Self {
        let (parts, body) = response.into_parts();
        Self {
            status: parts.status,
            headers: parts.headers,
            body,
            request,
            base,
        }
    }

    /// The header of this name, which may appear once.
    #[track_caller]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next().map(|value| {
            let text = value.to_str();
            text.unwrap_or_else(|_| panic!("{self}: {name} is not ASCII: {value:?}"))
        });
        assert!(values.next().is_none(), "{self}: {name} appears twice");
        value
    }

    /// Asserts that the header of this name has this value.
    #[track_caller]
    pub fn expect_header(&self, name: &str, value: &str) -> &Self {
        assert_eq!(self.header(name), Some(value), "{self}: {name}");
        self
    }

    /// Asserts that the response has no header of this name.
    #[track_caller]
    pub fn expect_no_header(&self, name: &str) -> &Self {
        assert_eq!(self.header(name), None, "{self}: {name}");
        self
    }

    /// Asserts that the response has this status.
    #[track_caller]
    pub fn expect_status(&self, status: u16) -> &Self {
        assert_eq!(self.status, status, "{self}");
        self
    }

    /// The headers whose names are also in `other`. If `other` comes directly from the service,
    /// these are the service's headers, without those that the host and the server add.
    pub(super) fn headers_named_as(&self, other: &Self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for name in other.headers.keys() {
            for line in self.headers.get_all(name) {
                headers.append(name, line.clone());
            }
        }
        headers
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        let parsed = serde_json::from_slice(&self.body);
        parsed.unwrap_or_else(|_| panic!("{self}: the body is not JSON"))
    }

    /// The body as text.
    #[track_caller]
    pub fn text(&self) -> &str {
        let text = str::from_utf8(&self.body);
        text.unwrap_or_else(|_| panic!("{self}: the body is not UTF-8"))
    }

    /// Asserts that the body contains a text.
    #[track_caller]
    pub fn expect_text(&self, text: &str) -> &Self {
        let whole = self.text();
        assert!(
            whole.contains(text),
            "{self}: the body does not contain `{text}`:\n{whole}"
        );
        self
    }

    /// Asserts that the body does not contain a text.
    #[track_caller]
    pub fn expect_no_text(&self, text: &str) -> &Self {
        let whole = self.text();
        assert!(
            !whole.contains(text),
            "{self}: the body contains `{text}`:\n{whole}"
        );
        self
    }

    /// The JSON of a 200.
    #[track_caller]
    pub fn ok(&self) -> Value {
        self.expect_status(200).json()
    }

    /// The entity tag. Panics if there is none.
    #[track_caller]
    pub fn etag(&self) -> String {
        let etag = self.header("etag");
        etag.unwrap_or_else(|| panic!("{self}: there is no ETag"))
            .to_owned()
    }

    /// The post that was created.
    #[track_caller]
    pub fn created(&self) -> Created {
        let body = self.expect_status(201).json();
        let text = |name: &str| {
            let text = body[name].as_str();
            text.unwrap_or_else(|| panic!("{self}: `{name}` is no text"))
                .to_owned()
        };
        Created {
            id: text("id"),
            token: text("edit_token"),
            etag: self.etag(),
        }
    }

    /// The problem. Panics if it is a different one.
    #[track_caller]
    pub fn problem(&self, code: &str) -> Value {
        assert!(
            self.is_problem(),
            "{self}: expected the problem `{code}`, got the media type {:?}",
            self.header("content-type")
        );
        let problem = self.json();
        assert_eq!(problem["code"], code, "{self}");
        problem
    }

    /// The invalid fields of a post with the error code of each, sorted.
    #[track_caller]
    pub fn faults(&self) -> Vec<(String, String)> {
        let problem = self.problem("invalid_post");
        let errors = problem["errors"].as_array().unwrap().iter();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let mut faults: Vec<_> = errors
            .map(|error| (text(&error["field"]), text(&error["code"])))
            .collect();
        faults.sort();
        faults
    }

    /// Asserts that these are the invalid fields with their error codes, sorted.
    #[track_caller]
    pub fn expect_faults(&self, faults: &[(&str, &str)]) {
        let found = self.faults();
        let found: Vec<_> = found
            .iter()
            .map(|(field, code)| (&**field, &**code))
            .collect();
        assert_eq!(found, faults, "{self}");
    }

    /// The names of the invalid fields.
    #[track_caller]
    pub fn faulty_fields(&self) -> Vec<String> {
        self.faults().into_iter().map(|(field, _)| field).collect()
    }

    /// Whether it is a problem.
    #[track_caller]
    pub fn is_problem(&self) -> bool {
        self.header("content-type") == Some("application/problem+json")
    }

    #[track_caller]
    pub(super) fn check(&self, method: &Method) {
        self.expect_header("x-content-type-options", "nosniff");
        self.check_length(method);
        self.check_companions();
        let is_error = self.status.is_client_error() || self.status.is_server_error();
        let media_type = self.header("content-type");
        assert_eq!(
            is_error && media_type != Some(HTML),
            self.is_problem(),
            "{self}: every error is application/problem+json, or a page of ours, and nothing else \
             is; this is of type {media_type:?}"
        );
        if self.is_problem() && method != Method::HEAD {
            self.check_problem();
        }
    }

    /// RFC 9110, sections 6.4.1 and 8.6.
    #[track_caller]
    fn check_length(&self, method: &Method) {
        let is_empty = self.body.is_empty();
        if matches!(
            self.status,
            StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED
        ) {
            assert!(is_empty, "{self}: this status has no body");
            self.expect_no_header("content-length");
            self.expect_no_header("transfer-encoding");
            self.expect_no_header("content-type");
        } else if method == Method::HEAD {
            assert!(is_empty, "{self}: a response to HEAD has no body");
            let has_length = self.headers.contains_key(header::CONTENT_LENGTH);
            assert!(has_length, "{self}: it lacks the Content-Length of GET");
        } else {
            let length = self.body.len().to_string();
            let said = self.header("content-length");
            assert_eq!(said, Some(&*length), "{self}: Content-Length");
        }
    }

    /// Headers that go with a status.
    #[track_caller]
    fn check_companions(&self) {
        let needed = match self.status.as_u16() {
            401 => "www-authenticate",
            405 => "allow",
            429 | 503 => "retry-after",
            _ => return,
        };
        let Some(value) = self.header(needed) else {
            panic!("{self}: {needed} goes with this status")
        };
        if needed == "retry-after" {
            let seconds = value.parse::<u64>();
            let is_wait = seconds.is_ok_and(|seconds| seconds > 0);
            assert!(is_wait, "{self}: Retry-After is {value}");
        }
    }

    #[track_caller]
    fn check_problem(&self) {
        self.expect_header("cache-control", "no-store");
        let problem = self.json();
        let code = problem["code"].as_str().unwrap_or_default();
        let known = Code::ALL.iter().find(|known| known.as_str() == code);
        let known = known.unwrap_or_else(|| panic!("{self}: the code is unknown"));
        assert_eq!(
            self.status,
            known.status(),
            "{self}: the status of the code"
        );
        assert_eq!(problem["status"], self.status.as_u16(), "{self}: `status`");
        assert_eq!(problem["title"], known.title(), "{self}: `title`");
        let kind = format!("{}/docs/errors#{}", self.base, code.replace('_', "-"));
        assert_eq!(problem["type"], kind, "{self}: `type`");
        let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
        assert!(is_text(&problem["detail"]), "{self}: `detail` is missing");
        let names = problem.as_object().unwrap().keys();
        let mut names: Vec<_> = names.map(String::as_str).collect();
        names.sort_unstable();
        if matches!(known, Code::InvalidPost | Code::Refused) {
            let errors = problem["errors"].as_array();
            let errors = errors.filter(|errors| !errors.is_empty());
            for error in errors.unwrap_or_else(|| panic!("{self}: `errors` is missing")) {
                // A client can send a field without a name, too.
                let is_whole = error["field"].is_string()
                    && is_text(&error["code"])
                    && is_text(&error["detail"]);
                assert!(is_whole, "{self}: {error} does not say what is wrong");
            }
            names.retain(|name| *name != "errors");
        }
        let expected = ["code", "detail", "status", "title", "type"];
        assert_eq!(names, expected, "{self}: the members of a problem");
    }
}

impl fmt::Display for TestResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = String::from_utf8_lossy(&self.body);
        let start: String = text.chars().take(300).collect();
        write!(f, "{} returned {}", self.request, self.status)?;
        match (&*start, self.header("content-type")) {
            ("", _) => Ok(()),
            (_, Some(HTML)) => write!(f, " with a page"),
            _ if start.len() < text.len() => write!(f, ", {start}…"),
            _ => write!(f, ", {start}"),
        }
    }
}
