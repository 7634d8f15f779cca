//! The address of a server: where Handbill is mounted.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use handbill::PostId;
use http::Uri;
use http::uri::Scheme;

/// The address of a server, in one spelling, so that two of them can be compared.
///
/// It identifies the server in front matter. A server could claim any address in its responses, so this is the one that
/// the user named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerUrl {
    pub(super) is_https: bool,
    /// In lowercase; an IPv6 address without its brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// Empty, or begins with a slash and ends with none.
    path: String,
}

impl ServerUrl {
    /// The path of something below the server's address.
    pub(super) fn path_of(&self, path: &str) -> String {
        format!("{}{path}", self.path)
    }

    /// The host, with the port if it is not that of the scheme.
    pub(super) fn authority(&self) -> String {
        let host = match self.host.contains(':') {
            true => format!("[{}]", self.host),
            false => self.host.clone(),
        };
        match (self.is_https, self.port) {
            (true, 443) | (false, 80) => host,
            (_, port) => format!("{host}:{port}"),
        }
    }

    /// Whether others could read what is sent: there is no TLS, and the server is on another machine.
    pub(crate) fn is_readable_by_others(&self) -> bool {
        let is_here = match self.host.parse::<IpAddr>() {
            Ok(address) => address.is_loopback(),
            Err(_) => self.host == "localhost" || self.host.ends_with(".localhost"),
        };
        !self.is_https && !is_here
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
        let uri: Uri = url.parse().map_err(|_| EXPECTED)?;
        let is_https = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            Some(scheme) if *scheme == Scheme::HTTP => false,
            _ => return Err(EXPECTED),
        };
        let authority = uri.authority().ok_or(EXPECTED)?;
        if authority.as_str().contains('@') {
            return Err("expected no user and no password in the address");
        }
        if uri.query().is_some() || url.contains('#') {
            return Err("expected no ? and no # in the address");
        }
        let host = authority
            .host()
            .trim_start_matches('[')
            .trim_end_matches(']');
        if host.is_empty() {
            return Err(EXPECTED);
        }
        let port = match (authority.port(), is_https) {
            (Some(port), _) => port.as_u16(),
            // There is something after the host that is no port.
            (None, _) if authority.as_str() != authority.host() => return Err(EXPECTED),
            (None, true) => 443,
            (None, false) => 80,
        };
        Ok(Self {
            is_https,
            host: host.to_ascii_lowercase(),
            port,
            path: uri.path().trim_end_matches('/').to_owned(),
        })
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_https { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority(), self.path)
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
