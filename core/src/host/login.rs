//! Where the host's own login is.

use std::str::FromStr;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use url::Url;

use super::base_url::BaseUrl;
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
pub struct LoginAddress(String);

impl LoginAddress {
    /// The address for a visitor who should return to this path below the mount point: by its path if the login is on
    /// the same site.
    pub(crate) fn returning_to(&self, base_url: &BaseUrl, path: &str) -> String {
        let Self(login) = self;
        if !login.ends_with('=') {
            return login.clone();
        }
        let base = match login.starts_with('/') {
            true => base_url.path(),
            false => base_url.as_str(),
        };
        let back = format!("{base}{path}");
        format!("{login}{}", utf8_percent_encode(&back, NON_ALPHANUMERIC))
    }
}

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
