//! What a host puts around each page: its own frame, and the nonce of its policy.

use std::fmt;
use std::sync::Arc;

use http::request::Parts;

/// What a host puts around each page in the place of our frame: a whole HTML document.
pub(crate) type Frame = Arc<dyn Fn(&FramedPage<'_>) -> String + Send + Sync>;

/// A page without the frame around it: the parts that a host's own frame puts in their places (see
/// [`Handbill::with_frame`](crate::Handbill::with_frame)). All of them are HTML, safe as they are.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FramedPage<'a> {
    /// The language that the page speaks, a tag of RFC 5646: for `<html lang="…">`.
    pub language: &'a str,
    /// What the page is called: for `<title>`.
    pub title: &'a str,
    /// What stands in `<head>` for machines: metadata, feeds, and the script of pages that have one.
    pub head: &'a str,
    /// The link to the style sheet that `main` is made for, for `<head>`. It touches nothing outside
    /// `main`. A host may leave it out and style the page itself.
    pub style: &'a str,
    /// The page itself, its heading first: for `<main>`.
    pub main: &'a str,
    /// The request that is answered, with the extensions that the host's layers gave it. On
    /// `/e/{edit_token}` its path is a secret.
    pub request: &'a Parts,
}

/// A number used once, of a host whose own Content-Security-Policy lets only what carries it
/// through: an extension that the host's layer gives a request. Our policy then lets scripts and
/// styles with this nonce through too, and our own carry it.
///
/// ```
/// let nonce = handbill::CspNonce::new("8IBTHwOdqNKAWeKl7plt8g==");
/// assert!(nonce.is_some());
/// assert!(handbill::CspNonce::new("'; script-src *").is_none());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct CspNonce(Box<str>);

impl CspNonce {
    /// A nonce in Base64, of the plain or the URL alphabet, as Content Security Policy Level 3,
    /// section 2.3.1, has it; none if it is not.
    pub fn new(nonce: &str) -> Option<Self> {
        let digits = nonce.trim_end_matches('=');
        let is_base64 = !digits.is_empty()
            && nonce.len() - digits.len() <= 2
            && digits
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte));
        is_base64.then(|| Self(nonce.into()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for CspNonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CspNonce(…)")
    }
}
