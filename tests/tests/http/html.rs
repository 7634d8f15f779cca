//! Parses HTML as a browser's tokeniser does. No tree is needed: the checks refuse every element
//! that changes how the following text is parsed.

use std::cell::RefCell;

use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

#[derive(Default)]
struct Sink(RefCell<Vec<Element>>);

/// An opening tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        match token {
            Token::TagToken(Tag {
                kind: TagKind::StartTag,
                name,
                attrs,
                ..
            }) => {
                let attributes = attrs
                    .iter()
                    .map(|attribute| {
                        (
                            attribute.name.local.to_string(),
                            attribute.value.to_string(),
                        )
                    })
                    .collect();
                let name = name.to_string();
                self.0.borrow_mut().push(Element { name, attributes });
            }
            Token::CommentToken(_) => self.0.borrow_mut().push(Element {
                name: "!--".to_owned(),
                attributes: Vec::new(),
            }),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

/// All opening tags, and a tag `!--` for each comment.
pub(crate) fn elements(html: &str) -> Vec<Element> {
    let input = BufferQueue::default();
    input.push_back(html.into());
    let tokenizer = Tokenizer::new(Sink::default(), TokenizerOpts::default());
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| &**value)
    }

    /// The tag and the names of its attributes, without their values.
    pub(crate) fn shape(&self) -> String {
        let names = self.attributes.iter().map(|(name, _)| &**name);
        [&*self.name]
            .into_iter()
            .chain(names)
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// The tags that a post's HTML may contain, with their attributes.
const ALLOWED: [(&str, &[&str]); 32] = [
    ("a", &["href", "id", "title", "rel"]),
    ("blockquote", &[]),
    ("br", &[]),
    ("code", &["class"]),
    ("del", &[]),
    ("div", &["class"]),
    ("em", &[]),
    ("figcaption", &[]),
    ("figure", &[]),
    ("h1", &["id"]),
    ("h2", &["id"]),
    ("h3", &["id"]),
    ("h4", &["id"]),
    ("h5", &["id"]),
    ("h6", &["id"]),
    ("hr", &[]),
    ("img", &["alt", "loading", "referrerpolicy", "src", "title"]),
    ("input", &["checked", "disabled", "type"]),
    ("li", &["id"]),
    ("ol", &["start"]),
    ("p", &["class", "lang"]),
    ("pre", &[]),
    ("section", &[]),
    ("strong", &[]),
    ("sup", &[]),
    ("table", &[]),
    ("tbody", &[]),
    ("td", &["align"]),
    ("th", &["align"]),
    ("thead", &[]),
    ("tr", &[]),
    ("ul", &[]),
];

/// Checks that a post's HTML contains only allowed tags, attributes and addresses.
#[track_caller]
pub(crate) fn assert_safe(html: &str) {
    for element in elements(html) {
        let allowed = ALLOWED.iter().find(|(name, _)| *name == element.name);
        let allowed = allowed
            .unwrap_or_else(|| panic!("a tag {element:?} in {html}"))
            .1;
        for (name, value) in &element.attributes {
            assert!(allowed.contains(&&**name), "{element:?} in {html}");
            let is_safe = match (&*element.name, &**name) {
                ("a", "href") => is_relative_or(value, &["http", "https", "mailto"]),
                ("img", "src") => is_relative_or(value, &["https"]),
                ("a", "rel") => value == "nofollow ugc noopener noreferrer",
                ("input", "type") => value == "checkbox",
                ("code", "class") => value.starts_with("language-"),
                ("div" | "p", "class") => value.starts_with("callout"),
                ("a", "id") => value.starts_with("fnref-"),
                ("li", "id") => value.starts_with("fn-"),
                (_, "id") => value.starts_with("h-"),
                _ => true,
            };
            assert!(is_safe, "{element:?} in {html}");
        }
        assert!(
            element.name != "a" || element.attribute("rel").is_some(),
            "{html}"
        );
    }
}

/// Whether a browser would treat the address as relative or as one with these schemes. A browser
/// removes surrounding space, and tabs and line ends, before it looks for a scheme.
fn is_relative_or(address: &str, schemes: &[&str]) -> bool {
    let seen: String = address
        .trim_matches(|c: char| c <= ' ')
        .chars()
        .filter(|c| !matches!(c, '\t' | '\n' | '\r'))
        .collect();
    let Some((scheme, _)) = seen.split_once(':') else {
        return true;
    };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    !is_scheme
        || schemes
            .iter()
            .any(|known| known.eq_ignore_ascii_case(scheme))
}

#[test]
fn the_check_finds_unsafe_html() {
    for unsafe_html in [
        "<script>",
        "<p onclick=x>",
        "<!-- x -->",
        "<a rel='nofollow ugc noopener noreferrer' href='java\tscript:x'>",
        "<a href='https://x.example'>",
        "<img src='http://x.example'>",
        "<img src=' data:x'>",
        "<svg><a>",
        "<h1 id=content>",
    ] {
        let found = std::panic::catch_unwind(|| assert_safe(unsafe_html));
        assert!(found.is_err(), "{unsafe_html}");
    }
    assert_safe("<p>x <a href=\"./a:b\" rel=\"nofollow ugc noopener noreferrer\">x</a></p>");
}
