//! What the site is called, on its pages and in its feeds.

use crate::host::base_url::BaseUrl;

/// The name of the site, and what it is about in one sentence, if the host says so.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SiteName {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
}

impl SiteName {
    /// The host and port of the base URL, without a description.
    pub(crate) fn of(base_url: &BaseUrl) -> Self {
        Self {
            name: base_url.host().to_owned(),
            description: None,
        }
    }
}

/// The text with a space in place of white space and control characters, which a feed could not contain.
/// `None` if nothing remains.
pub(crate) fn one_line(text: &str) -> Option<String> {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    (!words.is_empty()).then(|| words.join(" "))
}
