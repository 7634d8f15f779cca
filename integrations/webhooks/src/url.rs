//! The address of a receiver.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use http::Uri;
use http::header::HeaderValue;
use http::uri::Scheme;
use sha2::{Digest, Sha256};

use crate::address::is_public;

/// How many bytes of a host are in the name of a listener, which has 100 at most.
const MAX_HOST: usize = 70;

/// The address of a receiver: `http` or `https`, without user and fragment. Its path may be secret, so `Debug` shows
/// the host only.
///
/// ```
/// use handbill_webhooks::WebhookUrl;
///
/// let url: WebhookUrl = "https://receiver.example/hook/a-secret".parse()?;
/// assert_eq!(format!("{url:?}"), "WebhookUrl(receiver.example)");
/// assert!("ftp://receiver.example".parse::<WebhookUrl>().is_err());
/// # Ok::<_, handbill_webhooks::InvalidUrl>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookUrl {
    pub(crate) is_https: bool,
    /// In lowercase; an IPv6 address without its brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// The path and the query.
    pub(crate) target: Uri,
    /// The value of the header `Host`.
    pub(crate) authority: HeaderValue,
    /// As it was written.
    pub(crate) text: String,
}

/// A text is not the address of a receiver. It is not repeated, since it may have secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidUrl(&'static str);

impl WebhookUrl {
    /// Whether its host is an IP address that is not public. What a name stands for shows when it is connected to.
    #[must_use]
    pub fn is_private(&self) -> bool {
        let address = self.host.parse();
        address.is_ok_and(|address| !is_public(address))
    }

    /// The name of a listener for this address, which does not show its path: `webhook:HOST/` and 16 hexadecimal
    /// digits.
    pub(crate) fn listener(&self, kind: &str) -> String {
        let host = &self.host[..self.host.len().min(MAX_HOST)];
        let digest = Sha256::digest(&self.text);
        let hash = digest.iter().take(8).map(|byte| format!("{byte:02x}"));
        format!("{kind}:{host}/{}", hash.collect::<String>())
    }
}

impl FromStr for WebhookUrl {
    type Err = InvalidUrl;

    fn from_str(url: &str) -> Result<Self, InvalidUrl> {
        const EXPECTED: InvalidUrl =
            InvalidUrl("expected http:// or https:// and a host, such as https://example.org/hook");
        let uri: Uri = url.parse().map_err(|_| EXPECTED)?;
        let is_https = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            Some(scheme) if *scheme == Scheme::HTTP => false,
            _ => return Err(EXPECTED),
        };
        let authority = uri.authority().ok_or(EXPECTED)?;
        if authority.as_str().contains('@') {
            return Err(InvalidUrl(
                "expected no user and no password in the address",
            ));
        }
        if url.contains('#') {
            return Err(InvalidUrl("expected no # in the address"));
        }
        let host = authority.host();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let port = match (authority.port_u16(), is_https) {
            (Some(port), _) => port,
            // There is something after the host that is no port.
            (None, _) if authority.as_str() != authority.host() => return Err(EXPECTED),
            (None, true) => 443,
            (None, false) => 80,
        };
        if host.is_empty() {
            return Err(EXPECTED);
        }
        let target = uri.path_and_query().ok_or(EXPECTED)?;
        Ok(Self {
            is_https,
            host: host.to_ascii_lowercase(),
            port,
            target: target.clone().into(),
            authority: HeaderValue::from_str(authority.as_str()).map_err(|_| EXPECTED)?,
            text: url.to_owned(),
        })
    }
}

impl fmt::Debug for WebhookUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WebhookUrl({})", self.host)
    }
}

impl fmt::Display for InvalidUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Error for InvalidUrl {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_address_of_a_receiver_is_refused() {
        for url in [
            "",
            "example.org",
            "/hook",
            "ftp://example.org",
            "https://",
            "https://ada:secret@example.org/hook",
            "https://example.org/hook#part",
            "https://example.org:99999/",
            "https://exämple.org/",
        ] {
            assert!(url.parse::<WebhookUrl>().is_err(), "{url}");
        }
    }

    #[test]
    fn a_listener_is_named_after_the_host_and_never_after_the_path() {
        let name = |url: &str| url.parse::<WebhookUrl>().unwrap().listener("webhook");
        let named = name("https://Receiver.example:8443/secret?a=b");
        assert!(named.starts_with("webhook:receiver.example/"), "{named}");
        assert!(!named.contains("secret"), "{named}");
        assert_ne!(named, name("https://receiver.example:8443/secret?a=c"));
        assert!(name("http://[::1]/").starts_with("webhook:::1/"));
        assert!("http://[::1]/".parse::<WebhookUrl>().unwrap().is_private());
        let longest = format!("http://{}.example/", "x".repeat(200));
        assert!(name(&longest).len() <= 100);
    }
}
