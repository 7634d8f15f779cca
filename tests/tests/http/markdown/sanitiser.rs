//! The sanitiser (ammonia), with an allow-list that was written apart from the renderer. The fuzz
//! targets use this file, too.

use std::collections::{HashMap, HashSet};

use ammonia::{Builder, UrlRelative};
use url::{ParseError, Url};

pub(crate) const TAGS: &str = "a blockquote br code del div em figcaption figure h1 h2 h3 h4 h5 h6 hr img input li \
                    ol p pre section strong sup table tbody td th thead tr ul";

pub(crate) const ATTRIBUTES: [(&str, &[&str]); 16] = [
    ("a", &["href", "id", "title"]),
    ("code", &["class"]),
    ("div", &["class"]),
    ("h1", &["id"]),
    ("h2", &["id"]),
    ("h3", &["id"]),
    ("h4", &["id"]),
    ("h5", &["id"]),
    ("h6", &["id"]),
    ("img", &["alt", "loading", "referrerpolicy", "src", "title"]),
    ("input", &["checked", "disabled", "type"]),
    ("li", &["id"]),
    ("ol", &["start"]),
    ("p", &["class", "lang"]),
    ("td", &["align"]),
    ("th", &["align"]),
];

/// The classes of parts of code.
const CODE_PARTS: [&str; 7] = [
    "hl-comment",
    "hl-text",
    "hl-number",
    "hl-keyword",
    "hl-name",
    "hl-inserted",
    "hl-deleted",
];

/// Of HTML as the API returns it.
pub(crate) fn api_sanitiser() -> Builder<'static> {
    sanitiser(TAGS.split(' '), ATTRIBUTES.into_iter())
}

/// Of HTML with these tags and attributes alone.
pub(crate) fn sanitiser(
    tags: impl Iterator<Item = &'static str>,
    attributes: impl Iterator<Item = (&'static str, &'static [&'static str])>,
) -> Builder<'static> {
    let mut by_tag: HashMap<_, HashSet<_>> = HashMap::new();
    for (tag, names) in attributes {
        by_tag.entry(tag).or_default().extend(names);
    }
    let mut builder = Builder::empty();
    builder
        .tags(tags.collect())
        .tag_attributes(by_tag)
        .url_schemes(["http", "https", "mailto"].into())
        .url_relative(UrlRelative::PassThrough)
        .link_rel(Some("nofollow ugc noopener noreferrer"))
        .set_tag_attribute_value("img", "loading", "lazy")
        .set_tag_attribute_value("img", "referrerpolicy", "no-referrer")
        .attribute_filter(|tag, attribute, value| {
            let is_allowed = match (tag, attribute) {
                ("img", "src") => is_https_or_relative(value),
                ("code", "class") => value.strip_prefix("language-").is_some_and(is_plain_name),
                ("input", "type") => value == "checkbox",
                ("div", "class") => value == "scroll" || is_callout(value),
                ("div", "role") => value == "region",
                ("p", "class") => matches!(value, "picture" | "callout-title"),
                ("p", "lang") => matches!(value, "en" | "fr"),
                ("a", "class") => value == "anchor",
                ("span", "class") => CODE_PARTS.contains(&value),
                ("a", "id") => value.strip_prefix("fnref-").is_some_and(is_number),
                ("li", "id") => value.strip_prefix("fn-").is_some_and(is_number),
                (_, "id") => value.strip_prefix("h-").is_some_and(is_slug),
                (_, "align") => matches!(value, "left" | "center" | "right"),
                (_, "start") => value.bytes().all(|byte| byte.is_ascii_digit()),
                (_, "tabindex") => value == "0",
                _ => true,
            };
            is_allowed.then(|| value.into())
        });
    builder
}

fn is_callout(class: &str) -> bool {
    let kind = class.strip_prefix("callout ").unwrap_or_default();
    matches!(kind, "note" | "tip" | "important" | "warning" | "caution")
}

fn is_https_or_relative(address: &str) -> bool {
    match Url::parse(address) {
        Ok(url) => url.scheme() == "https",
        Err(error) => error == ParseError::RelativeUrlWithoutBase && !address.starts_with("//"),
    }
}

fn is_plain_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+#._-".contains(&byte);
    !name.is_empty() && name.bytes().all(is_plain)
}

/// A number, or two with a hyphen.
fn is_number(text: &str) -> bool {
    let mut numbers = text.split('-');
    text.matches('-').count() < 2
        && numbers.all(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Neither an upper case letter, nor white space, a control character, or ASCII's punctuation.
fn is_slug(text: &str) -> bool {
    let is_forbidden = |c: char| {
        c.is_ascii_uppercase() || c.is_whitespace() || c.is_control() || c.is_ascii_punctuation()
    };
    !text.contains(|character| character != '-' && is_forbidden(character))
}

/// The sanitiser's HTML, if it is not what our HTML means. Its serialiser writes some characters in
/// another way, and its parser reads line ends as line feeds.
pub(crate) fn removed(sanitiser: &Builder<'_>, html: &str) -> Option<String> {
    let cleaned = sanitiser.clean(html).to_string();
    let same = html.replace("&#39;", "'").replace('\u{a0}', "&nbsp;");
    let same = same.replace("\r\n", "\n").replace('\r', "\n");
    (cleaned != same).then_some(cleaned)
}
