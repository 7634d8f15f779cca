//! The public address of the mount point, and the absolute addresses that are built on it.

use form_urlencoded::Serializer;
use url::Url;

use crate::post::{EditToken, ParseError, PostId, Tag};

/// The public address of the mount point without a trailing slash, such as
/// `https://example.org/blog`. The host sets it; it is never derived from a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BaseUrl {
    text: String,
    path_start: usize,
}

impl BaseUrl {
    /// Parses an absolute `http` or `https` address without user, query, fragment and empty segments.
    ///
    /// # Errors
    /// If the text is anything else.
    pub(crate) fn parse(text: &str) -> Result<Self, ParseError> {
        // No reason repeats the text, which might contain a password.
        let invalid =
            |reason: &str| ParseError::because(format!("the base URL is not valid: {reason}"));
        // `Url` drops or replaces these without a word.
        if text.contains(|c: char| c.is_control() || c.is_whitespace() || c == '\\') {
            return Err(invalid(
                "it must not contain spaces, control characters or backslashes",
            ));
        }
        let url = Url::parse(text).map_err(|error| invalid(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(invalid("its scheme must be http or https"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(invalid("it must not contain a user name or password"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(invalid("it must not have a query or a fragment"));
        }
        // The path of links and redirects within the pages begins with this one. A browser takes
        // `//host` for another site.
        if url.path().contains("//") {
            return Err(invalid("its path must not contain two slashes in a row"));
        }
        let path_start = url.origin().ascii_serialization().len();
        let text = url.as_str().trim_end_matches('/').to_owned();
        Ok(Self { text, path_start })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Scheme, host and port, as a browser sends them in `Origin`.
    pub(crate) fn origin(&self) -> &str {
        &self.text[..self.path_start]
    }

    pub(crate) fn post(&self, id: PostId) -> String {
        format!("{}/p/{id}", self.text)
    }

    pub(crate) fn edit(&self, token: &EditToken) -> String {
        format!("{}/e/{}", self.text, token.expose())
    }

    pub(crate) fn tag(&self, tag: &Tag) -> String {
        format!("{}/?{}", self.text, query_of_tag(tag.as_str()))
    }

    pub(crate) fn api_post(&self, id: PostId) -> String {
        format!("{}/api/posts/{id}", self.text)
    }
}

/// The query that selects the posts with a tag.
pub(crate) fn query_of_tag(tag: &str) -> String {
    Serializer::new(String::new())
        .append_pair("tag", tag)
        .finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_base_url() {
        for (text, origin, path) in [
            ("https://example.org", "https://example.org", ""),
            ("https://example.org/", "https://example.org", ""),
            (
                "http://127.0.0.1:8080/a/b/",
                "http://127.0.0.1:8080",
                "/a/b",
            ),
            ("http://[::1]:80/x", "http://[::1]", "/x"),
        ] {
            let url = BaseUrl::parse(text).unwrap();
            assert_eq!(url.origin(), origin);
            assert_eq!(url.as_str(), origin.to_owned() + path);
        }
    }

    #[test]
    fn an_address_that_is_no_base_url_is_refused_with_the_reason() {
        let characters = "spaces, control characters or backslashes";
        for (wrong, reason) in [
            ("", "relative URL"),
            ("example.org", "relative URL"),
            ("/blog", "relative URL"),
            ("//x.example", "relative URL"),
            ("https://", "empty host"),
            ("ftp://x.example", "http or https"),
            ("javascript://x.example/%0Aalert(1)", "http or https"),
            ("http://u@x.example", "user name or password"),
            ("http://:secret@x.example", "user name or password"),
            ("http://x.example?a", "query or a fragment"),
            ("http://x.example/?", "query or a fragment"),
            ("http://x.example/blog#", "query or a fragment"),
            ("https://h//x.example", "two slashes"),
            ("https://h//", "two slashes"),
            ("https://h/blog//x", "two slashes"),
            ("https://h/.//x.example", "two slashes"),
            ("https://h/a/..//x.example", "two slashes"),
            ("https://h/\\x.example", characters),
            ("https://h\\x.example", characters),
            ("https://h/\t/x.example", characters),
            ("https://h/\n", characters),
            ("https://h/\u{85}", characters),
            (" https://h", characters),
            ("https://h/a b", characters),
        ] {
            let refused = BaseUrl::parse(wrong).expect_err(wrong).to_string();
            assert!(refused.contains(reason), "{wrong:?}: {refused}");
            assert!(!refused.contains("secret"), "{refused}");
        }
    }
}
