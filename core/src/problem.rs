//! Every error that the service returns, as problem details (RFC 9457).

use std::error::Error;
use std::fmt;

use http::StatusCode;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use serde::{Serialize, Serializer};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::base_url::BaseUrl;
use crate::field::FieldError;
use crate::http::response::{self, Response};
use crate::store::StoreError;

macro_rules! codes {
    ($($name:ident, $code:literal, $status:ident, $title:literal;)*) => {
        /// What went wrong, for programs: the `code` of a problem.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = concat!("`", $code, "`: ", $title, ".")] $name,)*
        }

        impl Code {
            /// All codes, in the order of their statuses.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The code as problems show it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// The status of the response.
            pub const fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status,)* }
            }

            /// What went wrong, for people: the same for every problem with this code.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }
        }
    };
}

codes! {
    InvalidJson, "invalid_json", BAD_REQUEST, "The body is not a JSON object";
    InvalidParameter, "invalid_parameter", BAD_REQUEST, "A query parameter is not valid";
    InvalidHeader, "invalid_header", BAD_REQUEST, "A header is not valid";
    ConflictingEditTokens, "conflicting_edit_tokens", BAD_REQUEST, "Two different edit tokens were sent";
    InvalidIdempotencyKey, "invalid_idempotency_key", BAD_REQUEST, "The idempotency key is not valid";
    MissingApiKey, "missing_api_key", UNAUTHORIZED, "An API key is required";
    InvalidApiKey, "invalid_api_key", UNAUTHORIZED, "The API key is not valid";
    MissingEditToken, "missing_edit_token", UNAUTHORIZED, "The post's edit token is required";
    InvalidEditToken, "invalid_edit_token", FORBIDDEN, "The edit token is not valid for this post";
    NotTheOwner, "not_the_owner", FORBIDDEN, "The post belongs to another owner";
    KeyRequestsClosed, "key_requests_closed", FORBIDDEN, "This service does not issue API keys on request";
    CrossSite, "cross_site", FORBIDDEN, "The request was sent from another site";
    NotFound, "not_found", NOT_FOUND, "There is nothing at this address";
    MethodNotAllowed, "method_not_allowed", METHOD_NOT_ALLOWED, "This address does not allow the method";
    EditTokenReplaced, "edit_token_replaced", CONFLICT, "The edit token of the created post was replaced";
    Gone, "gone", GONE, "The post was deleted";
    PreconditionFailed, "precondition_failed", PRECONDITION_FAILED, "The post has changed since you read it";
    BodyTooLarge, "body_too_large", PAYLOAD_TOO_LARGE, "The request body is too large";
    UnsupportedMediaType, "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE, "The media type of the body is not supported";
    InvalidPost, "invalid_post", UNPROCESSABLE_ENTITY, "The post is not valid";
    IdempotencyKeyReused, "idempotency_key_reused", UNPROCESSABLE_ENTITY, "The idempotency key was used for another request";
    TooManyRequests, "too_many_requests", TOO_MANY_REQUESTS, "Too many requests";
    StoreUnavailable, "store_unavailable", SERVICE_UNAVAILABLE, "The service is briefly unavailable";
}

/// The maximum number of field errors in one response, so that the response is smaller than the request.
const MAX_ERRORS: usize = 50;

impl Code {
    /// The name of the message with the same text as [`Code::title`].
    pub(crate) fn title_message(self) -> String {
        format!("problem-{}", self.as_str())
    }

    /// The name of the message that says what to do about it.
    pub(crate) fn help_message(self) -> String {
        format!("help-{}", self.as_str())
    }

    /// The anchor of the code on the page about errors.
    pub(crate) fn anchor(self) -> String {
        self.as_str().replace('_', "-")
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl ToSchema for Code {}

impl PartialSchema for Code {
    fn schema() -> RefOr<Schema> {
        let codes = Self::ALL.iter().map(|code| code.as_str());
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(codes))
            .into()
    }
}

/// An error of the service: what the client receives and, for the log only, the cause.
#[derive(Debug)]
pub struct Problem(Box<Details>);

#[derive(Debug)]
struct Details {
    code: Code,
    detail: String,
    errors: Vec<FieldError>,
    headers: HeaderMap,
    cause: Option<StoreError>,
}

impl Problem {
    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        Self(Box::new(Details {
            code,
            detail: detail.into(),
            errors: Vec::new(),
            headers: HeaderMap::new(),
            cause: None,
        }))
    }

    /// The problem for invalid fields. It lists all of them, up to a limit.
    pub(crate) fn invalid_fields(mut errors: Vec<FieldError>) -> Self {
        errors.truncate(MAX_ERRORS);
        let detail: Vec<_> = errors.iter().map(FieldError::sentence).collect();
        let mut problem = Self::new(Code::InvalidPost, detail.join("; "));
        problem.0.errors = errors;
        problem
    }

    pub(crate) fn method_not_allowed(allowed: &str) -> Self {
        Self::new(
            Code::MethodNotAllowed,
            format!("This address allows {allowed}."),
        )
        .with(header::ALLOW, response::ascii(allowed))
    }

    pub(crate) fn not_found() -> Self {
        Self::new(
            Code::NotFound,
            "The address is mistyped, incomplete or was never used.",
        )
    }

    pub(crate) fn gone() -> Self {
        Self::new(Code::Gone, "A deleted post can't be restored.")
    }

    /// Adds a challenge (RFC 9110, section 11.6.1) for the missing credential.
    pub(crate) fn challenge(self, scheme: &'static str) -> Self {
        self.with(header::WWW_AUTHENTICATE, HeaderValue::from_static(scheme))
    }

    pub(crate) fn retry_after(self, seconds: u64) -> Self {
        self.with(header::RETRY_AFTER, HeaderValue::from(seconds))
    }

    fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.insert(name, value);
        self
    }

    /// What went wrong, for programs.
    ///
    /// ```
    /// use handbill::{Code, Handbill, MemoryStore, PostId};
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
    /// match handbill.posts().read(PostId::generate()).await {
    ///     Ok(post) => println!("{}", post.html),
    ///     Err(problem) if problem.code() == Code::NotFound => println!("{problem}"),
    ///     Err(problem) => return Err(problem.into()),
    /// }
    /// # Ok(())
    /// # }
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(example()).unwrap();
    /// ```
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// What went wrong this time, for people.
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// The invalid fields, if the problem is about fields.
    pub fn errors(&self) -> &[FieldError] {
        &self.0.errors
    }

    /// Why the store was unavailable: for the log, never for a client.
    pub(crate) fn cause(&self) -> Option<&StoreError> {
        self.0.cause.as_ref()
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    /// The problem as the service at this address sends it.
    pub(crate) fn view(&self, base_url: &BaseUrl) -> ProblemView<'_> {
        ProblemView {
            kind: format!("{}/docs/errors#{}", base_url.as_str(), self.0.code.anchor()),
            title: self.0.code.title(),
            status: self.0.code.status().as_u16(),
            detail: &self.0.detail,
            code: self.0.code,
            errors: &self.0.errors,
        }
    }

    pub(crate) fn to_response(&self, base_url: &BaseUrl) -> Response {
        let mut response = response::json(self.0.code.status(), &self.view(base_url));
        let headers = response.headers_mut();
        headers.extend(self.0.headers.clone());
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

impl From<StoreError> for Problem {
    fn from(cause: StoreError) -> Self {
        let mut problem =
            Self::new(Code::StoreUnavailable, "Try again in a moment.").retry_after(1);
        problem.0.cause = Some(cause);
        problem
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code.title(), self.0.detail)
    }
}

impl Error for Problem {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause().map(|cause| cause as _)
    }
}

/// A problem as clients receive it.
#[derive(Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemView<'a> {
    /// The address of the page that explains this kind of problem.
    #[serde(rename = "type")]
    kind: String,
    /// What went wrong, for people: the same for every problem with this code.
    title: &'static str,
    /// The status of the response.
    status: u16,
    /// What went wrong this time, for people.
    detail: &'a str,
    /// What went wrong, for programs.
    code: Code,
    /// All invalid fields, if the problem is about fields.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'a [FieldError],
}
