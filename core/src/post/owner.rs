//! Owners of posts and keys.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::{KeyId, ParseError, stored::as_text};

const NOT_VALID: ParseError =
    ParseError::new("an owner is 1 to 100 visible ASCII characters, without spaces");

/// The owner of a post or a key: 1 to 100 visible ASCII characters, which mean something to the host
/// only, such as the identifier of one of its users. Readers never see it, so the JSON of a post does not have it.
///
/// ```
/// let owner: handbill::Owner = "user:42".parse()?;
/// assert_eq!(owner.as_str(), "user:42");
/// # Ok::<_, handbill::ParseError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Owner(Arc<str>);

impl Owner {
    const MAX: usize = 100;

    /// The owner of a key without a named one: `key:` and the key's identifier.
    pub fn of_key(key: KeyId) -> Self {
        Self(format!("key:{key}").into())
    }

    /// The owner's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Owner {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let is_valid = (1..=Self::MAX).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_valid.then(|| Self(text.into())).ok_or(NOT_VALID)
    }
}

as_text!(Owner);

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Owner({self})")
    }
}
