//! What identifies a request in logs.

use std::array;
use std::fmt;
use std::str::FromStr;

use crate::post::ParseError;
use http::HeaderValue;
use http::header::HeaderName;

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
pub struct RequestId(IdText);

/// Most have the length of those that [`RequestId::generate`] makes, and need no memory of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
enum IdText {
    Short([u8; RequestId::GENERATED_LEN]),
    Other(HeaderValue),
}

impl RequestId {
    /// The header with the identifier: `X-Request-Id`.
    pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");

    const MAX_LEN: usize = 128;
    const GENERATED_LEN: usize = 16;

    /// A new identifier: 16 hexadecimal digits.
    pub fn generate() -> Self {
        let number: u64 = rand::random();
        let digit = |at: usize| b"0123456789abcdef"[(number >> (4 * at)) as usize % 16];
        Self(IdText::Short(array::from_fn(digit)))
    }

    /// The identifier.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            IdText::Short(text) => str::from_utf8(text).unwrap_or_default(),
            IdText::Other(text) => text.to_str().unwrap_or_default(),
        }
    }

    pub(crate) fn header(&self) -> HeaderValue {
        match &self.0 {
            IdText::Short(text) => HeaderValue::from_bytes(text)
                .unwrap_or_else(|_| unreachable!("an identifier is ASCII")),
            IdText::Other(text) => text.clone(),
        }
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
        let text = match text.as_bytes().try_into() {
            Ok(short) => IdText::Short(short),
            Err(_) => IdText::Other(text.parse().map_err(|_| NOT_VALID)?),
        };
        Ok(Self(text))
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
