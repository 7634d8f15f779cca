//! The address of a server: where Handbill is mounted.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use handbill::PostId;
use url::Url;

/// The address of a server, in one spelling, so that two of them can be compared.
///
/// It identifies the server in front matter. A server could claim any address in its responses, so this is the one that
/// the user named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerUrl(Url);

impl ServerUrl {
    pub(super) fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// The host, an IPv6 address without its brackets.
    pub(super) fn host(&self) -> &str {
        let host = self.0.host_str().unwrap_or_default();
        host.trim_matches(['[', ']'])
    }

    pub(super) fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or_default()
    }

    /// The host, with the port if it is not that of the scheme.
    pub(super) fn authority(&self) -> &str {
        self.0.authority()
    }

    /// The path of something below the server's address.
    pub(super) fn path_of(&self, path: &str) -> String {
        format!("{}{path}", self.0.path().trim_end_matches('/'))
    }

    /// Whether others could read what is sent: there is no TLS, and the server is on another machine.
    pub(crate) fn is_readable_by_others(&self) -> bool {
        let host = self.host();
        let is_here = match host.parse::<IpAddr>() {
            Ok(address) => address.is_loopback(),
            Err(_) => host == "localhost" || host.ends_with(".localhost"),
        };
        !self.is_https() && !is_here
    }

    /// Separates the address of a post, its page or its Markdown, into the server and the id.
    pub(crate) fn of_post(url: &str) -> Option<(Self, PostId)> {
        let (server, name) = url.rsplit_once('/')?;
        let server = server
            .strip_suffix("/api/posts")
            .or_else(|| server.strip_suffix("/p"))?;
        let id = name.strip_suffix(".md").unwrap_or(name);
        Some((server.parse().ok()?, id.parse().ok()?))
    }
}

impl FromStr for ServerUrl {
    type Err = &'static str;

    fn from_str(url: &str) -> Result<Self, &'static str> {
        const EXPECTED: &str =
            "expected http:// or https:// and a host, such as https://example.org/blog";
        let begins_with = |scheme: &str| {
            let start = url.get(..scheme.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        };
        if !["http://", "https://"].into_iter().any(begins_with) {
            return Err(EXPECTED);
        }
        let mut url: Url = url.parse().map_err(|_| EXPECTED)?;
        if url.authority().contains('@') {
            return Err("expected no user and no password in the address");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("expected no ? and no # in the address");
        }
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        Ok(Self(url))
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str) -> String {
        url.parse::<ServerUrl>().unwrap().to_string()
    }

    #[test]
    fn a_server_has_one_spelling() {
        for same in [
            "https://example.org",
            "https://Example.ORG/",
            "HTTPS://example.org:443",
        ] {
            assert_eq!(parse(same), "https://example.org", "{same}");
        }
        assert_eq!(parse("http://[::1]:8080/"), "http://[::1]:8080");
        assert_eq!(parse("http://127.0.0.1:80/Blog/"), "http://127.0.0.1/Blog");
        let (http, https): (ServerUrl, ServerUrl) = (
            "http://example.org".parse().unwrap(),
            "https://example.org".parse().unwrap(),
        );
        assert_ne!(http, https);
    }

    #[test]
    fn what_is_no_server_is_refused() {
        for url in [
            "",
            "example.org",
            "ftp://example.org",
            "https://",
            "/blog",
            "https://ada:secret@example.org",
            "https://example.org/?a=b",
            "https://example.org/#top",
            "https://example.org:99999",
        ] {
            assert!(url.parse::<ServerUrl>().is_err(), "{url}");
        }
    }

    #[test]
    fn only_plain_text_to_another_machine_can_be_read() {
        let is_readable = |url: &str| url.parse::<ServerUrl>().unwrap().is_readable_by_others();
        assert!(is_readable("http://example.org"));
        assert!(is_readable("http://10.0.0.1"));
        for url in [
            "https://example.org",
            "http://localhost:8080",
            "http://127.0.0.1",
            "http://[::1]:8080",
        ] {
            assert!(!is_readable(url), "{url}");
        }
    }

    #[test]
    fn the_address_of_a_post_names_its_server() {
        for url in [
            "https://example.org/blog/p/bcdfghjklm",
            "https://example.org/blog/p/bcdfghjklm.md",
            "https://example.org/blog/api/posts/bcdfghjklm",
        ] {
            let (server, id) = ServerUrl::of_post(url).unwrap();
            assert_eq!(server.to_string(), "https://example.org/blog", "{url}");
            assert_eq!(id.as_str(), "bcdfghjklm");
        }
        for url in [
            "bcdfghjklm",
            "https://example.org/bcdfghjklm",
            "https://example.org/p/hello",
        ] {
            assert_eq!(ServerUrl::of_post(url), None, "{url}");
        }
    }
}
