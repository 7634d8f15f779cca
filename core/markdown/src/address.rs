//! The addresses that links and images may have.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use url::{ParseError, Url};

/// What no address contains as it stands. A browser drops some of these before it looks for a
/// scheme (a tab in `java script:`), so they are encoded before the address is judged.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// An address that is safe to follow or to load: it is relative, or its scheme is allowed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Address {
    text: String,
    is_relative: bool,
}

impl Address {
    /// For a link: `http`, `https`, `mailto` or relative.
    pub(super) fn of_link(address: &str) -> Option<Self> {
        Self::parse(encoded(address), &["http", "https", "mailto"])
    }

    /// For a link to a mailbox.
    pub(super) fn of_mailbox(mailbox: &str) -> Option<Self> {
        Self::parse(format!("mailto:{}", encoded(mailbox)), &["mailto"])
    }

    /// For an image: `https` or relative. A browser loads it unasked, so an address without a
    /// scheme (`//host/`) gets `https`, whatever the page was loaded over. An empty address would be that of
    /// the page.
    pub(super) fn of_image(address: &str) -> Option<Self> {
        if address.is_empty() {
            return None;
        }
        let mut text = encoded(address);
        if text.starts_with("//") {
            text = format!("https:{text}");
        }
        Self::parse(text, &["https"])
    }

    /// The place in the same text that it means, if it means one.
    pub(super) fn fragment(&self) -> Option<Cow<'_, str>> {
        let fragment = self.text.strip_prefix('#')?;
        Some(percent_decode_str(fragment).decode_utf8_lossy())
    }

    /// Whether previews on other sites can show it, as far as it tells: it is absolute, and if it has an extension,
    /// that of a raster format.
    pub(super) fn suits_previews(&self) -> bool {
        const RASTER: [&str; 6] = ["avif", "gif", "jpeg", "jpg", "png", "webp"];
        let Ok(url) = Url::parse(&self.text) else {
            return false;
        };
        let file = url.path().rsplit('/').next().unwrap_or_default();
        file.rsplit_once('.').is_none_or(|(_, extension)| {
            RASTER
                .iter()
                .any(|known| known.eq_ignore_ascii_case(extension))
        })
    }

    fn parse(text: String, schemes: &[&str]) -> Option<Self> {
        let is_relative = match Url::parse(&text) {
            Ok(url) if schemes.contains(&url.scheme()) => false,
            Err(ParseError::RelativeUrlWithoutBase) => true,
            _ => return None,
        };
        Some(Self { text, is_relative })
    }

    /// The absolute address that a relative one means at `base`. Fragments stay: they lead to a
    /// place in the same text.
    pub(super) fn resolved(self, base: &Url) -> Self {
        if !self.is_relative || self.text.starts_with('#') {
            return self;
        }
        match base.join(&self.text) {
            Ok(url) => Self {
                text: url.into(),
                is_relative: false,
            },
            Err(_) => self,
        }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }
}

/// The most bytes of the address of a picture. Archives have those of earlier releases, so it may not shrink.
const PICTURE_LEN: usize = 500;

/// Whether this can be the [`picture`](crate::Checked::picture) of a source.
pub fn is_picture(address: &str) -> bool {
    let is_short = address.len() <= PICTURE_LEN;
    let image = Address::of_image(address).filter(Address::suits_previews);
    is_short && image.is_some_and(|image| image.text == address)
}

fn encoded(address: &str) -> String {
    utf8_percent_encode(address, ENCODED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(address: &str) -> Option<String> {
        Address::of_link(address).map(|address| address.text)
    }

    fn image(address: &str) -> Option<String> {
        Address::of_image(address).map(|address| address.text)
    }

    #[test]
    fn only_known_schemes_and_relative_addresses_are_allowed() {
        for address in [
            "",
            "x",
            "../x?y#z",
            "/x",
            "//x.example",
            "HTTP://x",
            "mailto:a@b",
        ] {
            assert_eq!(link(address).as_deref(), Some(address));
        }
        for address in [
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "blob:https://x.example/",
            "file:///etc/passwd",
            "http://",
            "http://[",
        ] {
            assert_eq!(link(address), None, "{address}");
            assert_eq!(image(address), None, "{address}");
        }
    }

    #[test]
    fn what_a_browser_drops_can_not_hide_a_scheme() {
        for (address, written) in [
            ("java\tscript:x", "java%09script:x"),
            ("java\nscript:x", "java%0Ascript:x"),
            ("\u{1}javascript:x", "%01javascript:x"),
            (" javascript:x", "%20javascript:x"),
            ("\u{a0}javascript:x", "%C2%A0javascript:x"),
            ("\\\\x.example", "%5C%5Cx.example"),
        ] {
            assert_eq!(link(address).as_deref(), Some(written));
        }
    }

    #[test]
    fn images_have_an_https_address_or_a_relative_one() {
        for address in ["http://x.example/", "mailto:a@b.example", ""] {
            assert_eq!(image(address), None);
        }
        let written = image("//x.example/i.png");
        assert_eq!(written.as_deref(), Some("https://x.example/i.png"));
    }

    #[test]
    fn relative_addresses_become_absolute() {
        let base = Url::parse("https://example.org/blog/p/1").unwrap();
        for (relative, expected) in [
            ("x", "https://example.org/blog/p/x"),
            ("../", "https://example.org/blog/"),
            ("/x y?a=1&b=2#c", "https://example.org/x%20y?a=1&b=2#c"),
            ("ü", "https://example.org/blog/p/%C3%BC"),
            ("//example.com", "https://example.com/"),
            ("", "https://example.org/blog/p/1"),
            ("#x", "#x"),
            ("//[", "//%5B"),
            ("http://example.com", "http://example.com"),
            ("mailto:a@example.com?a=b&c", "mailto:a@example.com?a=b&c"),
        ] {
            let address = Address::of_link(relative).unwrap().resolved(&base);
            assert_eq!(address.as_str(), expected);
        }
    }
}
