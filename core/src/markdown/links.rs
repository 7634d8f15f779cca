//! Addresses in safe HTML, for where it is not read at the post's own address.

use std::borrow::Cow;

use url::{ParseError, Url};

use super::parts::{Part, parts};

/// The same HTML, in which links and images have absolute addresses: relative ones lead on from `base`.
/// What leads to a place within the post stays, as does what leads nowhere.
pub(crate) fn with_absolute_links(html: &str, base: &str) -> String {
    let Ok(base) = Url::parse(base) else {
        return html.to_owned();
    };
    let mut written = String::with_capacity(html.len());
    for part in parts(html) {
        match part {
            Part::Tag(tag) if tag.starts_with("<a ") => push(&mut written, tag, " href=", &base),
            Part::Tag(tag) if tag.starts_with("<img ") => push(&mut written, tag, " src=", &base),
            Part::Tag(part) | Part::Text(part) => written.push_str(part),
        }
    }
    written
}

/// Adds a tag, with the address that stands in the attribute of this name made absolute.
fn push(written: &mut String, tag: &str, name: &str, base: &Url) {
    let (mut before, mut is_value) = ("", false);
    for piece in tag.split('"') {
        if is_value {
            let is_address = before.ends_with(name);
            let absolute = is_address.then(|| absolute(piece, base)).flatten();
            written.push('"');
            written.push_str(absolute.as_deref().unwrap_or(piece));
            written.push('"');
        } else {
            written.push_str(piece);
        }
        (before, is_value) = (piece, !is_value);
    }
}

/// What a relative address is as an absolute one; both as they stand in an attribute.
fn absolute(address: &str, base: &Url) -> Option<String> {
    if address.starts_with('#') {
        return None;
    }
    let address = unescaped(address);
    if Url::parse(&address) != Err(ParseError::RelativeUrlWithoutBase) {
        return None;
    }
    let absolute = base.join(&address).ok()?;
    let absolute = absolute.as_str();
    Some(absolute.replace('&', "&amp;").replace('"', "&quot;"))
}

/// An attribute's value without the entities that the serialiser writes. `&amp;` comes last, so that what
/// it makes is not read once more.
fn unescaped(value: &str) -> Cow<'_, str> {
    if !value.contains('&') {
        return value.into();
    }
    let value = value.replace("&lt;", "<").replace("&gt;", ">");
    let value = value.replace("&quot;", "\"").replace("&nbsp;", "\u{a0}");
    value.replace("&amp;", "&").into()
}

#[cfg(test)]
mod tests {
    use super::super::render;
    use super::*;

    const BASE: &str = "https://example.org/blog/p/1";

    fn absolute_in(html: &str) -> String {
        with_absolute_links(html, BASE)
    }

    #[test]
    fn relative_addresses_lead_on_from_the_base() {
        for (relative, expected) in [
            ("x", "https://example.org/blog/p/x"),
            ("../", "https://example.org/blog/"),
            (
                "/x y?a=1&amp;b=2#c",
                "https://example.org/x%20y?a=1&amp;b=2#c",
            ),
            ("?a&quot;b", "https://example.org/blog/p/1?a%22b"),
            (
                "a&amp;lt;&nbsp;&lt;",
                "https://example.org/blog/p/a&amp;lt;%C2%A0%3C",
            ),
            ("ü", "https://example.org/blog/p/%C3%BC"),
            ("//example.com", "https://example.com/"),
            ("", BASE),
        ] {
            let html = |address| {
                format!(
                    "<p>href=\"x\" <a href=\"{address}\" rel=\"a\">b</a>\
                     <img alt=\"a\" src=\"{address}\"></p>"
                )
            };
            assert_eq!(absolute_in(&html(relative)), html(expected), "{relative}");
        }
    }

    #[test]
    fn what_is_no_relative_address_stays() {
        for html in [
            "",
            "<p>text, a=\"b\"",
            "<a href=\"#x\">a</a>",
            "<a href=\"https://example.com\">a</a>",
            "<a href=\"mailto:a@example.com?a=b&amp;c\">a</a>",
            "<a href=\"http://[\">a</a>",
            "<a href=\"//[\">a</a>",
            "<a title=\"href=\" rel=\" href=\">a</a>",
            "<img alt=\"<a href=\" title=\" src=\" src=\"https://example.com/a\">",
            "<code class=\"href\">&lt;a href=\"x\"&gt;</code>",
            "<li href=\"x\"><a data-href=\"x\"><abbr href=\"x\"><a src=\"x\"><img href=\"x\">",
        ] {
            assert_eq!(absolute_in(html), html);
        }
        assert_eq!(with_absolute_links("<a href=\"x\">", "x"), "<a href=\"x\">");
    }

    #[test]
    fn attributes_of_others_can_not_break_out() {
        let hostile =
            "[a](x \"<a href=\\\" src=\")![<img src=\\\"](y '<a href=\"x\">') `<a href=\"x\">`";
        let html = render(hostile);
        let expected = html
            .replace(
                "<a href=\"x\" title",
                "<a href=\"https://example.org/blog/p/x\" title",
            )
            .replace(" src=\"y\"", " src=\"https://example.org/blog/p/y\"");
        assert_ne!(html, expected);
        assert_eq!(absolute_in(&html), expected);
        assert_eq!(absolute_in(&expected), expected);
    }
}
