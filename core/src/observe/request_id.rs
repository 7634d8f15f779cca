//! What identifies a request in logs.

use std::fmt;
use std::str::FromStr;

use http::HeaderValue;
use http::header::HeaderName;

use crate::post::{ParseError, random};

const NOT_VALID: ParseError =
    ParseError::new("a request's identifier has 1 to 128 ASCII letters, digits and -._:/+=");

/// Identifies a request: the host's log, the response and a problem name it, so that a report of a user leads to the
/// line of the log.
///
/// Insert it into the extensions of a request. The response then has the header `X-Request-Id`, and if it tells of a
/// problem, `request_id` in its JSON or the identifier on its page. It has 1 to 128 characters: ASCII letters, digits,
/// and `-`, `.`, `_`, `:`, `/`, `+`, `=`. Take one from a client only if it is a proxy that you trust.
///
/// ```
/// use handbill::RequestId;
/// # let mut request = http::Request::new(());
///
/// let id: RequestId = "9f86d081884c7d65".parse()?;
/// request.extensions_mut().insert(id);
/// # Ok::<_, handbill::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(HeaderValue);

impl RequestId {
    /// The header with the identifier: `X-Request-Id`.
    pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");

    const MAX_LEN: usize = 128;

    /// A new identifier: 16 hexadecimal digits.
    pub fn generate() -> Self {
        let text = format!("{:016x}", u64::from_ne_bytes(random::bytes()));
        Self(HeaderValue::try_from(text).unwrap_or_else(|_| unreachable!("digits are ASCII")))
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
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:/+=".contains(&byte);
        let is_valid = (1..=Self::MAX_LEN).contains(&text.len()) && text.bytes().all(is_allowed);
        if !is_valid {
            return Err(NOT_VALID);
        }
        text.parse().map(Self).map_err(|_| NOT_VALID)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_is_its_text() {
        let generated = RequestId::generate();
        assert_ne!(generated, RequestId::generate());
        for text in [generated.as_str(), "a", "0123456789abcde", &"/".repeat(128)] {
            let id: RequestId = text.parse().unwrap();
            assert_eq!(
                (id.as_str(), &id.header()),
                (text, &HeaderValue::from_str(text).unwrap())
            );
        }
        assert_eq!(generated.as_str().parse(), Ok(generated));
        for text in [
            "",
            "0123456789abcde\n",
            "0123456789abcde\u{e9}",
            &"a".repeat(129),
        ] {
            assert_eq!(text.parse::<RequestId>(), Err(NOT_VALID));
        }
    }
}
