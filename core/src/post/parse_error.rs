//! The error of parsing.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

/// A text or a number is not valid as what it is parsed as. The error says what is, and repeats no secret.
///
/// ```
/// let error = "user 42".parse::<handbill::Owner>().unwrap_err();
/// assert_eq!(error.to_string(), "an owner is 1 to 100 visible ASCII characters, without spaces");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError(Cow<'static, str>);

impl ParseError {
    pub(crate) const fn new(expected: &'static str) -> Self {
        Self(Cow::Borrowed(expected))
    }

    pub(crate) const fn because(reason: String) -> Self {
        Self(Cow::Owned(reason))
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for ParseError {}
