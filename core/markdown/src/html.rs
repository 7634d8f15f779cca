//! The only code that adds to a post's HTML, and so the reason why that is safe.
//!
//! Markup is a literal (`&'static str`). What comes from a source is text, or the value of an
//! [`Attribute`], and is escaped.

use std::borrow::Cow;
use std::fmt;

use pulldown_cmark_escape::{StrWrite, escape_html, escape_html_body_text};

use super::TooComplex;
use super::address::Address;
use super::highlight::Token;

/// HTML that refuses to grow beyond its limit.
pub(super) struct Html {
    text: String,
    limit: usize,
    gaps: Vec<Gap>,
}

/// A place for an attribute that is known only after what follows it was written. Gaps are in the order of the text.
struct Gap {
    at: usize,
    attribute: String,
}

/// The attributes that have a value from outside.
pub(super) enum Attribute<'a> {
    Href(&'a Address),
    Src(&'a Address),
    Title(&'a str),
    Alt(&'a str),
    /// The language of code, for a class.
    CodeLanguage(&'a CodeLanguage<'a>),
    /// The first number of a list.
    Start(u64),
    Id(&'a Id),
    /// The address of the element with this identifier.
    Fragment(&'a Id),
    /// The name of what has no text, or no text that says enough.
    Label(&'a str),
}

/// The identifier of an element. Its prefix distinguishes it from the identifiers of the page around it, and
/// from the names of what scripts use (`document.forms`).
pub(super) struct Id(String);

impl Id {
    /// What the identifiers of headings begin with.
    pub(super) const HEADING: &str = "h-";

    /// Of a heading with this slug, which has no white space.
    pub(super) fn of_heading(slug: &str) -> Self {
        Self(format!("{}{slug}", Self::HEADING))
    }

    pub(super) fn of_footnote(number: usize) -> Self {
        Self(format!("fn-{number}"))
    }

    /// Of one of the references to a footnote.
    pub(super) fn of_reference(number: usize, reference: usize) -> Self {
        Self(match reference {
            1 => format!("fnref-{number}"),
            _ => format!("fnref-{number}-{reference}"),
        })
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// A name that is safe as a part of a class: it can't name another class of the page.
pub(super) struct CodeLanguage<'a>(&'a str);

impl<'a> CodeLanguage<'a> {
    /// What follows the fence up to a space or a comma, as in `rust,ignore`, if it is such a name.
    pub(super) fn of(info: &'a str) -> Option<Self> {
        let word = info.split([' ', ',']).next().unwrap_or_default();
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"+#._-".contains(&byte);
        (!word.is_empty() && word.bytes().all(is_allowed)).then_some(Self(word))
    }

    pub(super) const fn as_str(&self) -> &str {
        self.0
    }
}

impl Html {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            text: String::new(),
            limit,
            gaps: Vec::new(),
        }
    }

    pub(super) fn markup(&mut self, markup: &'static str) -> Result<(), TooComplex> {
        self.write_str(markup)
    }

    /// Markup that begins on a line of its own.
    pub(super) fn block(&mut self, markup: &'static str) -> Result<(), TooComplex> {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.markup("\n")?;
        }
        self.markup(markup)
    }

    /// What opens a part of code that has a colour. It ends with `</span>`.
    pub(super) fn open_code_token(&mut self, part: Token) {
        self.page_markup(match part {
            Token::Comment => "<span class=\"hl-comment\">",
            Token::Text => "<span class=\"hl-text\">",
            Token::Number => "<span class=\"hl-number\">",
            Token::Keyword => "<span class=\"hl-keyword\">",
            Token::Name => "<span class=\"hl-name\">",
            Token::Inserted => "<span class=\"hl-inserted\">",
            Token::Deleted => "<span class=\"hl-deleted\">",
        });
    }

    /// Markup that only a page has, and that the limit doesn't count.
    pub(super) fn page_markup(&mut self, markup: &'static str) {
        self.raise_limit(markup.len());
        self.text.push_str(markup);
    }

    pub(super) fn text(&mut self, text: &str) -> Result<(), TooComplex> {
        escape_html_body_text(self, text)
    }

    pub(super) fn attribute(&mut self, attribute: &Attribute<'_>) -> Result<(), TooComplex> {
        let (opening, value): (&'static str, Cow<'_, str>) = match attribute {
            Attribute::Href(address) => (" href=\"", address.as_str().into()),
            Attribute::Src(address) => (" src=\"", address.as_str().into()),
            Attribute::Title(title) => (" title=\"", (*title).into()),
            Attribute::Alt(alt) => (" alt=\"", (*alt).into()),
            Attribute::CodeLanguage(language) => (" class=\"language-", language.0.into()),
            Attribute::Start(number) => (" start=\"", number.to_string().into()),
            Attribute::Id(id) => (" id=\"", id.0.as_str().into()),
            Attribute::Fragment(id) => (" href=\"#", id.0.as_str().into()),
            Attribute::Label(label) => (" aria-label=\"", (*label).into()),
        };
        self.markup(opening)?;
        escape_html(&mut *self, &value)?;
        self.markup("\"")
    }

    /// An attribute that only a page has, and that the limit doesn't count.
    pub(super) fn page_attribute(&mut self, attribute: &Attribute<'_>) -> Result<(), TooComplex> {
        let (limit, before) = (self.limit, self.text.len());
        self.limit = usize::MAX;
        self.attribute(attribute)?;
        self.limit = limit + self.text.len() - before;
        Ok(())
    }

    /// Leaves a gap for an attribute, and returns its number.
    pub(super) fn leave_gap(&mut self) -> usize {
        let (at, attribute) = (self.text.len(), String::new());
        self.gaps.push(Gap { at, attribute });
        self.gaps.len() - 1
    }

    /// Fills a gap.
    pub(super) fn fill_gap(
        &mut self,
        gap: usize,
        attribute: &Attribute<'_>,
    ) -> Result<(), TooComplex> {
        let end = self.text.len();
        self.attribute(attribute)?;
        let attribute = self.text.split_off(end);
        self.limit -= attribute.len();
        self.gaps[gap].attribute = attribute;
        Ok(())
    }

    /// How long it is by now.
    pub(super) const fn len(&self) -> usize {
        self.text.len()
    }

    /// Takes back what was written after a time when it was this long. No gap is in it.
    pub(super) fn rewind(&mut self, len: usize) {
        self.text.truncate(len);
    }

    /// Takes this markup back if it was the last.
    pub(super) fn reopen(&mut self, closing: &'static str) -> bool {
        let was_last = self.text.ends_with(closing);
        if was_last {
            self.rewind(self.text.len() - closing.len());
        }
        was_last
    }

    /// Allows so many more bytes, for what the default style doesn't have. So each style shows
    /// what the default style shows.
    pub(super) const fn raise_limit(&mut self, bytes: usize) {
        self.limit += bytes;
    }

    pub(super) fn into_text(self) -> String {
        let filled = self.gaps.iter().map(|gap| gap.attribute.len());
        let mut text = String::with_capacity(self.text.len() + filled.sum::<usize>());
        let mut start = 0;
        for Gap { at, attribute } in &self.gaps {
            text.push_str(&self.text[start..*at]);
            text.push_str(attribute);
            start = *at;
        }
        text.push_str(&self.text[start..]);
        text
    }
}

/// For the escaping functions. All that is written passes here.
impl StrWrite for Html {
    type Error = TooComplex;

    fn write_str(&mut self, text: &str) -> Result<(), TooComplex> {
        if self.text.len() + text.len() > self.limit {
            return Err(TooComplex);
        }
        self.text.push_str(text);
        Ok(())
    }

    fn write_fmt(&mut self, arguments: fmt::Arguments<'_>) -> Result<(), TooComplex> {
        self.write_str(&arguments.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_attributes_can_not_become_markup() {
        let mut html = Html::new(1000);
        html.text("<b> & \"'").unwrap();
        html.attribute(&Attribute::Title("\"><script>'&")).unwrap();
        assert_eq!(
            html.into_text(),
            "&lt;b&gt; &amp; \"' title=\"&quot;&gt;&lt;script&gt;&#39;&amp;\""
        );
    }

    #[test]
    fn no_more_is_written_than_the_limit_allows() {
        let mut html = Html::new(4);
        assert!(html.markup("<p>").is_ok());
        assert!(html.text("&").is_err());
        html.page_markup("<wbr>");
        assert!(html.text("a").is_ok());
        assert!(html.text("a").is_err());
    }

    #[test]
    fn gaps_are_filled_in_any_order_and_count() {
        let mut html = Html::new(30);
        html.markup("<a").unwrap();
        let first = html.leave_gap();
        html.markup("><b").unwrap();
        let second = html.leave_gap();
        html.markup(">").unwrap();
        html.fill_gap(second, &Attribute::Start(2)).unwrap();
        html.fill_gap(first, &Attribute::Alt("1")).unwrap();
        assert!(html.text("1234567").is_err());
        assert_eq!(html.into_text(), "<a alt=\"1\"><b start=\"2\">");
    }

    #[test]
    fn code_languages_are_names_of_safe_characters() {
        for (info, language) in [
            ("rust", Some("rust")),
            ("c++ ignored", Some("c++")),
            ("a.b_c-d#1", Some("a.b_c-d#1")),
            ("", None),
            (" rust", None),
            ("x\tnotice", None),
            ("x,notice", Some("x")),
            ("x\nnotice", None),
            ("x\u{a0}y", None),
            ("x\"y", None),
            ("é", None),
        ] {
            let found = CodeLanguage::of(info).map(|language| language.0);
            assert_eq!(found, language, "{info:?}");
        }
    }
}
