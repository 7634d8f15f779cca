//! What identifies a request in logs.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use http::HeaderValue;
use http::header::HeaderName;

/// Identifies a request: the host's log, the response and a problem name it, so that a report of a user leads to the
/// line of the log.
///
/// Insert it into the extensions of a request. The response then has the header `X-Request-Id`, and if it tells of a
/// problem, `request_id` in its JSON or the identifier on its page. It has 1 to 128 characters: ASCII letters, digits, and
/// `-`, `.`, `_`, `:`, `/`, `+`, `=`. Take one from a client only if it is a proxy that you trust.
///
/// ```
/// use handbill::RequestId;
/// # let mut request = http::Request::new(());
///
/// let id: RequestId = "9f86d081884c7d65".parse()?;
/// request.extensions_mut().insert(id);
/// # Ok::<_, handbill::ParseRequestIdError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(HeaderValue);

/// The text is no [`RequestId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseRequestIdError;

impl RequestId {
    /// The header with the identifier: `X-Request-Id`.
    pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");

    const MAX_LEN: usize = 128;

    /// A new identifier: 16 hexadecimal digits.
    pub fn generate() -> Self {
        let digits = HeaderValue::try_from(format!("{:016x}", rand::random::<u64>()));
        Self(digits.unwrap_or_else(|_| unreachable!("digits are ASCII")))
    }

    /// The identifier.
    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    pub(crate) fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

impl FromStr for RequestId {
    type Err = ParseRequestIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:/+=".contains(&byte);
        let is_valid = (1..=Self::MAX_LEN).contains(&text.len()) && text.bytes().all(is_allowed);
        let header = is_valid.then(|| HeaderValue::from_str(text).ok()).flatten();
        header.map(Self).ok_or(ParseRequestIdError)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for ParseRequestIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a request's identifier has 1 to 128 ASCII letters, digits and -._:/+=")
    }
}

impl Error for ParseRequestIdError {}
