//! How a host embeds the pages in its own layout: a frame, and the nonce of its Content Security Policy.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use http::request::Parts;

use crate::post::{ParseError, PostSummary};

const NOT_VALID: ParseError = ParseError::new("a nonce must be in Base64");

/// The host's frame: a function from a page to a whole HTML document.
pub(crate) type Frame = Arc<dyn Fn(&FramedPage<'_>) -> String + Send + Sync>;

/// The parts of a page, for the host's own frame (see
/// [`Handbill::with_frame`](crate::Handbill::with_frame)). Each part is safe HTML: insert it without
/// escaping.
///
#[cfg_attr(feature = "pages", doc = "```")]
#[cfg_attr(not(feature = "pages"), doc = "```ignore")]
/// use handbill::host::FramedPage;
/// use handbill::{Handbill, MemoryStore};
///
/// fn frame(page: &FramedPage<'_>) -> String {
///     let FramedPage { language, title, style, head, main, .. } = *page;
///     let edit = match page.post {
///         Some(post) if page.may_edit => format!("<a href=\"/blog/p/{}/edit\">Edit</a>", post.id),
///         _ => String::new(),
///     };
///     format!(
///         "<!doctype html><html lang=\"{language}\"><head><meta charset=\"utf-8\">\
///          <title>{title} - Our shop</title>{style}{head}</head>\
///          <body><header>Our shop {edit}</header><main>{main}</main></body></html>"
///     )
/// }
/// let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?.with_frame(frame);
/// # Ok::<_, handbill::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FramedPage<'a> {
    /// The language of the page, as a tag of RFC 5646, for `<html lang="…">`.
    pub language: &'a str,
    /// The title of the page, for `<title>`.
    pub title: &'a str,
    /// Metadata, links to feeds, and the script of a page that has one, for `<head>`.
    pub head: &'a str,
    /// The link to the style sheet of `main`, for `<head>`. Its rules affect nothing outside `main`, but for the space
    /// that scrolling leaves for the editor's buttons. A host may omit it and style the page itself.
    pub style: &'a str,
    /// The content of the page, which begins with its heading, for `<main>`.
    pub main: &'a str,
    /// The post that the page is about, on the pages that show or edit one.
    pub post: Option<&'a PostSummary>,
    /// Whether the visitor may edit this post without a token: the host has [signed in](crate::SignedIn) its owner.
    /// The address is that of the post with `/edit` behind it.
    pub may_edit: bool,
    /// The request, with the extensions that the host's layers inserted. On `/e/{edit_token}` its path
    /// contains a secret.
    pub request: &'a Parts,
}

/// The nonce of a host's own Content Security Policy.
///
/// A host whose policy requires a nonce inserts this type into the extensions of each request. The
/// scripts and styles of the pages then carry the nonce, and the policy of the pages allows it too.
///
/// Parsing accepts a nonce in Base64 with the standard or the URL-safe alphabet, as in Content Security
/// Policy Level 3, section 2.3.1:
///
#[cfg_attr(feature = "pages", doc = "```")]
#[cfg_attr(not(feature = "pages"), doc = "```ignore")]
/// use handbill::host::CspNonce;
///
/// let nonce: CspNonce = "8IBTHwOdqNKAWeKl7plt8g==".parse()?;
/// assert!("'; script-src *".parse::<CspNonce>().is_err());
/// # Ok::<_, handbill::ParseError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct CspNonce(Box<str>);

impl CspNonce {
    /// The nonce, for the scripts and styles of the host's own frame.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for CspNonce {
    type Err = ParseError;

    fn from_str(nonce: &str) -> Result<Self, ParseError> {
        let digits = nonce.trim_end_matches('=');
        let is_base64 = !digits.is_empty()
            && nonce.len() - digits.len() <= 2
            && digits
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte));
        is_base64.then(|| Self(nonce.into())).ok_or(NOT_VALID)
    }
}

impl fmt::Debug for CspNonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CspNonce(…)")
    }
}
