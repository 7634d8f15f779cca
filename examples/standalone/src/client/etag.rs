//! Entity tags.

use http::header::HeaderValue;

/// A strong entity tag (RFC 9110, section 8.8.3), without its quotes, so that it is easy to write into front matter.
///
/// In particular it is never `*`, which would match every version of a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ETag(String);

impl ETag {
    /// The tag of a header.
    pub(crate) fn from_header(header: &str) -> Option<Self> {
        Self::parse(header.trim().strip_prefix('"')?.strip_suffix('"')?)
    }

    /// A tag without its quotes.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        const MAX_LEN: usize = 200;
        let is_in_tag = |byte: u8| byte.is_ascii_graphic() && byte != b'"';
        let is_tag = !text.is_empty() && text.len() <= MAX_LEN && text.bytes().all(is_in_tag);
        is_tag.then(|| Self(text.to_owned()))
    }

    /// The tag without its quotes.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn header(&self) -> HeaderValue {
        let quoted = HeaderValue::from_str(&format!("\"{}\"", self.0));
        quoted.unwrap_or_else(|_| unreachable!("it is visible ASCII"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_names_one_version_and_never_all() {
        let tag = ETag::from_header("\"2-abc\"").unwrap();
        assert_eq!(tag.as_str(), "2-abc");
        assert_eq!(tag.header(), "\"2-abc\"");
        assert_eq!(ETag::parse("*").unwrap().header(), "\"*\"");
        for header in [
            "*",
            "2-abc",
            "W/\"2-abc\"",
            "\"\"",
            "\"a\", \"b\"",
            "\"a b\"",
            "\"ä\"",
        ] {
            assert_eq!(ETag::from_header(header), None, "{header}");
        }
        assert_eq!(ETag::parse("a\", \"b"), None);
        assert_eq!(ETag::parse("a\r\nX-Other: b"), None);
    }
}
