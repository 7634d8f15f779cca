//! What may stand in a post's HTML: an allow-list of tags, attributes and address schemes.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

pub(super) static SANITISER: LazyLock<ammonia::Builder<'static>> = LazyLock::new(|| {
    const TAGS: [&str; 27] = [
        "a",
        "blockquote",
        "br",
        "code",
        "del",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "img",
        "input",
        "li",
        "ol",
        "p",
        "pre",
        "strong",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    ];
    let attributes = [
        ("a", ["href", "title"].as_slice()),
        ("code", &["class"]),
        ("img", &["alt", "src", "title"]),
        ("input", &["checked", "disabled", "type"]),
        ("ol", &["start"]),
        ("td", &["align"]),
        ("th", &["align"]),
    ];
    let attributes: HashMap<_, HashSet<_>> = attributes
        .into_iter()
        .map(|(tag, names)| (tag, names.iter().copied().collect()))
        .collect();
    let mut builder = ammonia::Builder::empty();
    builder
        .tags(TAGS.into())
        .tag_attributes(attributes)
        .url_schemes(["http", "https", "mailto"].into())
        .url_relative(ammonia::UrlRelative::PassThrough)
        .link_rel(Some("nofollow ugc noopener noreferrer"))
        .set_tag_attribute_value("img", "loading", "lazy")
        .set_tag_attribute_value("img", "referrerpolicy", "no-referrer")
        .attribute_filter(|tag, attribute, value| {
            let allowed = match (tag, attribute) {
                ("img", "src") => is_https_or_relative(value),
                ("code", "class") => value.starts_with("language-") && !value.contains(' '),
                ("input", "type") => value == "checkbox",
                _ => true,
            };
            allowed.then(|| value.into())
        });
    builder
});

/// Images are fetched without being asked for, so not over a connection that anyone can read.
pub(super) fn is_https_or_relative(address: &str) -> bool {
    match url::Url::parse(address) {
        Ok(absolute) => absolute.scheme() == "https",
        Err(error) => error == url::ParseError::RelativeUrlWithoutBase,
    }
}
