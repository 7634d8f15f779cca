//! Problems as responses: problem details (RFC 9457).

use std::time::Duration;

use http::StatusCode;
use http::header::{self, HeaderValue};
use serde::Serialize;

use super::response::{self, Response};
use crate::host::base_url::BaseUrl;
use crate::observe::request_id::RequestId;
use crate::problem::{Code, Problem};

/// Challenges for a missing credential (RFC 9110, section 11.6.1).
const API_KEY_CHALLENGE: &str = "ApiKey realm=\"handbill\", header=\"X-Api-Key\"";
const EDIT_TOKEN_CHALLENGE: &str = "EditToken realm=\"handbill\", header=\"X-Edit-Token\"";

impl Code {
    /// The status of the response.
    pub const fn status(self) -> StatusCode {
        match self {
            Self::InvalidJson
            | Self::InvalidParameter
            | Self::InvalidHeader
            | Self::ConflictingEditTokens
            | Self::InvalidIdempotencyKey
            | Self::SearchNotAvailable => StatusCode::BAD_REQUEST,
            Self::MissingApiKey | Self::InvalidApiKey | Self::MissingEditToken => {
                StatusCode::UNAUTHORIZED
            }
            Self::InvalidEditToken
            | Self::NotTheOwner
            | Self::KeyRequestsClosed
            | Self::CrossSite => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::EditTokenReplaced => StatusCode::CONFLICT,
            Self::Gone => StatusCode::GONE,
            Self::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::InvalidPost | Self::IdempotencyKeyReused | Self::Refused => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            Self::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
            Self::StoreUnavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    const fn challenge(self) -> Option<&'static str> {
        match self {
            Self::MissingApiKey | Self::InvalidApiKey => Some(API_KEY_CHALLENGE),
            Self::MissingEditToken => Some(EDIT_TOKEN_CHALLENGE),
            _ => None,
        }
    }
}

/// The response to a request that failed, of the service at this address.
pub(crate) fn respond(
    problem: &Problem,
    base_url: &BaseUrl,
    request_id: Option<&RequestId>,
) -> Response {
    let view = ProblemView {
        request_id: request_id.map(RequestId::as_str),
        ..ProblemView::new(problem, base_url)
    };
    let mut response = response::json(problem.code().status(), &view);
    add_headers(problem, &mut response);
    let headers = response.headers_mut();
    let content_type = HeaderValue::from_static("application/problem+json");
    headers.insert(header::CONTENT_TYPE, content_type);
    response
}

/// Adds the headers that tell a client what it can do (`WWW-Authenticate`, `Allow` and `Retry-After`), and as
/// extensions the code, for the host's metrics, and the cause.
pub(crate) fn add_headers(problem: &Problem, response: &mut Response) {
    let extensions = response.extensions_mut();
    extensions.insert(problem.code());
    if let Some(cause) = problem.cause() {
        extensions.insert(cause.clone());
    }
    let headers = response.headers_mut();
    if let Some(challenge) = problem.code().challenge() {
        let challenge = HeaderValue::from_static(challenge);
        headers.insert(header::WWW_AUTHENTICATE, challenge);
    }
    if let Some(methods) = problem.allowed_methods() {
        headers.insert(header::ALLOW, response::ascii(methods));
    }
    if let Some(wait) = problem.retry_after() {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(whole_seconds(wait)));
    }
}

/// A wait in seconds, rounded up.
pub(crate) fn whole_seconds(wait: Duration) -> u64 {
    wait.as_nanos().div_ceil(1_000_000_000) as u64
}

#[derive(Serialize)]
pub(crate) struct ProblemView<'a> {
    #[serde(rename = "type")]
    kind: String,
    title: &'static str,
    status: u16,
    detail: &'a str,
    code: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<FieldErrorView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'a str>,
}

#[derive(Serialize)]
struct FieldErrorView<'a> {
    field: &'a str,
    code: &'static str,
    detail: &'a str,
}

impl<'a> ProblemView<'a> {
    pub(crate) fn new(problem: &'a Problem, base_url: &BaseUrl) -> Self {
        let code = problem.code();
        let errors = problem.errors().iter().map(|error| FieldErrorView {
            field: &error.field,
            code: error.code.as_str(),
            detail: &error.detail,
        });
        Self {
            kind: format!("{}/docs/errors#{}", base_url.as_str(), code.anchor()),
            title: code.title(),
            status: code.status().as_u16(),
            detail: problem.detail(),
            code: code.as_str(),
            errors: errors.collect(),
            request_id: None,
        }
    }
}
