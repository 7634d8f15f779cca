//! What a host adds to the frame of the pages: a style sheet, and a contact for readers.

use std::fmt;
use std::str::FromStr;

use bytes::Bytes;
use sha2::{Digest, Sha256};
use url::Url;

use crate::post::{ParseError, hex};

const NOT_VALID: ParseError =
    ParseError::new("a contact must be an https: address, or mailto: and a mailbox");

#[derive(Clone)]
pub(crate) struct OwnStyle {
    /// The name of the file in its address. It contains a hash of the content, so that browsers can cache it forever.
    pub(crate) name: String,
    pub(crate) css: Bytes,
}

impl OwnStyle {
    /// `None` if it has no rules.
    pub(crate) fn new(css: &str) -> Option<Self> {
        if css.trim().is_empty() {
            return None;
        }
        let hash = hex::encode(&Sha256::digest(css)[..8]);
        Some(Self {
            name: format!("style-{hash}.css"),
            css: Bytes::copy_from_slice(css.as_bytes()),
        })
    }
}

impl fmt::Debug for OwnStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnStyle").field(&self.name).finish()
    }
}

/// The contact for readers: a web page or a mailbox (see [`Handbill::with_contact`](crate::Handbill::with_contact)).
///
#[cfg_attr(feature = "pages", doc = "```")]
#[cfg_attr(not(feature = "pages"), doc = "```ignore")]
/// use handbill::host::Contact;
///
/// let mailbox: Contact = "mailto:editor@example.org".parse()?;
/// let page: Contact = "https://example.org/contact".parse()?;
/// assert!("javascript:alert(1)".parse::<Contact>().is_err());
/// # Ok::<_, handbill::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact(Url);

impl Contact {
    pub(crate) fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Where to report something: a mailbox gets a subject and the address that it is about.
    pub(crate) fn about(&self, subject: &str, address: &str) -> String {
        let mut url = self.0.clone();
        if url.scheme() == "mailto" && url.query().is_none() {
            let subject = percent(subject);
            url.set_query(Some(&format!(
                "subject={subject}&body={}",
                percent(address)
            )));
        }
        url.into()
    }
}

/// A text in the query of a `mailto:` address, where `+` is no space (RFC 6068, section 5).
fn percent(text: &str) -> percent_encoding::PercentEncode<'_> {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC)
}

impl FromStr for Contact {
    type Err = ParseError;

    fn from_str(address: &str) -> Result<Self, ParseError> {
        let url = Url::parse(address.trim()).map_err(|_| NOT_VALID)?;
        let is_known = match url.scheme() {
            "https" => true,
            "mailto" => url.path().contains('@'),
            _ => false,
        };
        is_known.then_some(Self(url)).ok_or(NOT_VALID)
    }
}
