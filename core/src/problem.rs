//! Every error of the service. `http/problem.rs` makes responses of them.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::post::FieldError;
use crate::store::StoreError;

macro_rules! codes {
    ($($name:ident, $code:literal, $title:literal;)*) => {
        /// What went wrong, for programs: the `code` of a problem.
        ///
        /// ```
        /// use handbill::{Code, Handbill, MemoryStore, PostId};
        ///
        /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
        /// # let handbill = Handbill::new("https://example.org", MemoryStore::new())?;
        /// # let id = PostId::generate();
        /// let text = match handbill.posts().read(id).await {
        ///     Ok(post) => post.body,
        ///     Err(problem) if problem.code() == Code::Gone => "It was deleted.".to_owned(),
        ///     Err(problem) if problem.code() == Code::NotFound => "There is no such post.".to_owned(),
        ///     Err(problem) => return Err(problem.into()),
        /// };
        /// # assert_eq!(text, "There is no such post.");
        /// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
        /// ```
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

            /// What went wrong, for people: the same for every problem with this code.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }
        }
    };
}

codes! {
    InvalidJson, "invalid_json", "The body is not a JSON object";
    InvalidParameter, "invalid_parameter", "A query parameter is not valid";
    InvalidHeader, "invalid_header", "A header is not valid";
    ConflictingEditTokens, "conflicting_edit_tokens", "Two different edit tokens were sent";
    InvalidIdempotencyKey, "invalid_idempotency_key", "The idempotency key is not valid";
    SearchNotAvailable, "search_not_available", "This site has no search";
    MissingApiKey, "missing_api_key", "An API key is required";
    InvalidApiKey, "invalid_api_key", "The API key is not valid";
    MissingEditToken, "missing_edit_token", "The post's edit token is required";
    InvalidEditToken, "invalid_edit_token", "The edit token is not valid for this post";
    NotTheOwner, "not_the_owner", "The post belongs to another owner";
    KeyRequestsClosed, "key_requests_closed", "This service does not issue API keys on request";
    CrossSite, "cross_site", "The request was sent from another site";
    NotFound, "not_found", "There is nothing at this address";
    MethodNotAllowed, "method_not_allowed", "This address does not allow the method";
    EditTokenReplaced, "edit_token_replaced", "The edit token of the created post was replaced";
    Gone, "gone", "The post was deleted";
    PreconditionFailed, "precondition_failed", "The post has changed since you read it";
    BodyTooLarge, "body_too_large", "The request body is too large";
    UnsupportedMediaType, "unsupported_media_type", "The media type of the body is not supported";
    InvalidPost, "invalid_post", "The post is not valid";
    IdempotencyKeyReused, "idempotency_key_reused", "The idempotency key was used for another request";
    Refused, "refused", "The post does not follow the rules of this site";
    TooManyRequests, "too_many_requests", "Too many requests";
    StoreUnavailable, "store_unavailable", "The service is briefly unavailable";
}

/// The maximum number of field errors in one response, so that the response is smaller than the request.
const MAX_ERRORS: usize = 50;

impl Code {
    /// The anchor of the code on the page about errors.
    pub(crate) fn anchor(self) -> String {
        self.as_str().replace('_', "-")
    }
}

/// An error of the service: what the client receives and, for the log only, the cause.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let handbill = handbill::Handbill::new("https://example.org", handbill::MemoryStore::new())?;
/// use handbill::{Draft, PostId};
///
/// let problem = handbill.posts().update(PostId::generate(), Draft::new()).await.unwrap_err();
/// assert_eq!(problem.code().as_str(), "not_found");
/// println!("{}: {}", problem.code().title(), problem.detail());
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct Problem(Box<Details>);

#[derive(Debug)]
struct Details {
    code: Code,
    detail: String,
    errors: Vec<FieldError>,
    /// The methods of the address, if it does not allow that of the request.
    allowed_methods: Option<String>,
    retry_after: Option<Duration>,
    cause: Option<Cause>,
}

/// Why the store was unavailable, for the log: an extension of the response.
#[derive(Clone, Debug)]
pub(crate) struct Cause(pub(crate) Arc<StoreError>);

impl Problem {
    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        Self(Box::new(Details {
            code,
            detail: detail.into(),
            errors: Vec::new(),
            allowed_methods: None,
            retry_after: None,
            cause: None,
        }))
    }

    /// The problem for invalid fields. It lists all of them, up to a limit.
    pub(crate) fn invalid_fields(errors: Vec<FieldError>) -> Self {
        Self::of_fields(Code::InvalidPost, errors)
    }

    /// A problem of these fields.
    pub(crate) fn of_fields(code: Code, mut errors: Vec<FieldError>) -> Self {
        errors.truncate(MAX_ERRORS);
        let detail: Vec<_> = errors.iter().map(FieldError::sentence).collect();
        let mut problem = Self::new(code, detail.join("; "));
        problem.0.errors = errors;
        problem
    }

    pub(crate) fn method_not_allowed(allowed: String) -> Self {
        let detail = format!("This address allows {allowed}.");
        let mut problem = Self::new(Code::MethodNotAllowed, detail);
        problem.0.allowed_methods = Some(allowed);
        problem
    }

    pub(crate) fn not_found() -> Self {
        Self::new(
            Code::NotFound,
            "The address is mistyped, incomplete or was never used.",
        )
    }

    pub(crate) fn search_not_available() -> Self {
        let detail = "Send the request without q.";
        Self::new(Code::SearchNotAvailable, detail)
    }

    /// The problem of a service whose host's code has failed.
    pub(crate) fn host_failed(
        doing: &'static str,
        cause: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        StoreError::new(doing, cause).into()
    }

    /// The problem of a service that lacks something for a moment.
    pub(crate) fn unavailable(detail: &str) -> Self {
        Self::new(Code::StoreUnavailable, detail).with_retry_after(Duration::from_secs(1))
    }

    /// Says when to try again.
    pub(crate) fn with_retry_after(mut self, wait: Duration) -> Self {
        self.0.retry_after = Some(wait);
        self
    }

    /// What went wrong, for programs.
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
    pub(crate) fn cause(&self) -> Option<&Cause> {
        self.0.cause.as_ref()
    }

    pub(crate) fn allowed_methods(&self) -> Option<&str> {
        self.0.allowed_methods.as_deref()
    }

    pub(crate) fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }
}

impl From<StoreError> for Problem {
    fn from(cause: StoreError) -> Self {
        let mut problem = Self::unavailable("Try again in a moment.");
        problem.0.cause = Some(Cause(Arc::new(cause)));
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
        self.cause().map(|Cause(cause)| &**cause as _)
    }
}
