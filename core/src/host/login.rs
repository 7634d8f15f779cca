//! Where the host's own login is.

use std::str::FromStr;

use url::Url;

use crate::post::ParseError;

const NOT_VALID: ParseError = ParseError::new(
    "a login has a path that begins with one slash, or an http: or https: address without a password",
);

/// The address of the host's login: a path of the same site, or an `http:` or `https:` address. If it ends in `=`, the
/// address that visitors should return to is added.
///
/// ```
/// use handbill::host::LoginAddress;
///
/// let same_site: LoginAddress = "/login?next=".parse()?;
/// let other_site: LoginAddress = "https://id.example.org/?return_to=".parse()?;
/// assert!("javascript:alert(1)".parse::<LoginAddress>().is_err());
/// # Ok::<_, handbill::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginAddress(pub(crate) String);

impl FromStr for LoginAddress {
    type Err = ParseError;

    fn from_str(address: &str) -> Result<Self, ParseError> {
        // A browser takes `//host` and `/\host` for another site, and ignores tabs and line breaks.
        let is_one_line = !address.contains(|c: char| c.is_control() || c.is_whitespace());
        let is_path =
            address.starts_with('/') && !address.contains('\\') && !address.starts_with("//");
        let is_url = || {
            Url::parse(address).is_ok_and(|url| {
                matches!(url.scheme(), "http" | "https")
                    && url.username().is_empty()
                    && url.password().is_none()
            })
        };
        let is_valid = is_one_line && (is_path || is_url());
        is_valid.then(|| Self(address.to_owned())).ok_or(NOT_VALID)
    }
}
