//! The public address of the mount point, and the absolute addresses that are built on it.

use std::error::Error;
use std::fmt;

use url::Url;

use crate::id::PostId;
use crate::secret::EditToken;

/// The public address of the mount point without a trailing slash, such as
/// `https://example.org/blog`. The host sets it; it is never derived from a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BaseUrl {
    text: String,
    host_start: usize,
    path_start: usize,
}

/// The text is not a valid base URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidBaseUrl {
    text: String,
    reason: String,
}

impl BaseUrl {
    /// Parses an absolute `http` or `https` address without user, query and fragment.
    ///
    /// # Errors
    /// If the text is anything else.
    pub(crate) fn parse(text: &str) -> Result<Self, InvalidBaseUrl> {
        let invalid = |reason: &str| InvalidBaseUrl {
            text: text.to_owned(),
            reason: reason.to_owned(),
        };
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
        let host_start = url.scheme().len() + "://".len();
        let path_start = url.origin().ascii_serialization().len();
        let text = url.as_str().trim_end_matches('/').to_owned();
        Ok(Self {
            text,
            host_start,
            path_start,
        })
    }

    /// The whole address.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Host, port and path: the name of the site on its pages.
    pub(crate) fn without_scheme(&self) -> &str {
        &self.text[self.host_start..]
    }

    /// Scheme, host and port, as a browser sends them in `Origin`.
    pub(crate) fn origin(&self) -> &str {
        &self.text[..self.path_start]
    }

    /// The path of the mount point without a trailing slash: empty, or `/blog`. Links within the pages
    /// begin with it, so they work under every name of the host.
    pub(crate) fn path(&self) -> &str {
        &self.text[self.path_start..]
    }

    pub(crate) fn post(&self, id: PostId) -> String {
        format!("{}/p/{id}", self.text)
    }

    pub(crate) fn edit(&self, token: &EditToken) -> String {
        format!("{}/e/{}", self.text, token.expose())
    }

    pub(crate) fn api_post(&self, id: PostId) -> String {
        format!("{}/api/posts/{id}", self.text)
    }
}

impl fmt::Display for InvalidBaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a valid base URL: {}",
            self.text, self.reason
        )
    }
}

impl Error for InvalidBaseUrl {}

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
            assert_eq!((url.origin(), url.path()), (origin, path));
            let (_, without_scheme) = url.as_str().split_once("://").unwrap();
            assert_eq!(url.without_scheme(), without_scheme);
        }
        for wrong in [
            "",
            "example.org",
            "/blog",
            "ftp://x.example",
            "http://u@x.example",
            "http://x.example?a",
        ] {
            assert!(BaseUrl::parse(wrong).is_err(), "{wrong}");
        }
    }
}
