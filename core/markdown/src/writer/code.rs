//! Blocks of code.

use pulldown_cmark::CodeBlockKind;

use super::{CODE_END, Writer};
use crate::TooComplex;
use crate::highlight::{self, Language};
use crate::html::{Attribute, CodeLanguage};

/// Bytes of code that get colours in a post. Beyond that, code has none, so that no page grows much beyond
/// its source.
const COLOURED: usize = 32 * 1024;

/// The block of code that is open, on a page and in a language that has colours.
pub(super) struct Code {
    language: &'static Language,
    pub(super) text: String,
}

impl Writer<'_, '_> {
    pub(super) fn open_code(
        &mut self,
        kind: &CodeBlockKind<'_>,
    ) -> Result<&'static str, TooComplex> {
        self.html.block("<pre")?;
        if self.style.page.is_some() {
            self.html.page_markup(" tabindex=\"0\"");
        }
        self.html.markup("><code")?;
        if let CodeBlockKind::Fenced(info) = kind
            && let Some(language) = CodeLanguage::of(info)
        {
            self.html.attribute(&Attribute::CodeLanguage(&language))?;
            if self.style.page.is_some() {
                let text = String::new();
                let known = highlight::language(language.as_str());
                self.code = known.map(|language| Code { language, text });
            }
        }
        self.html.markup(">")?;
        Ok(CODE_END)
    }

    pub(super) fn end_code(&mut self) -> Result<(), TooComplex> {
        if let Some(Code { language, text }) = self.code.take() {
            if self.coloured + text.len() > COLOURED {
                self.text(&text)?;
            } else {
                self.coloured += text.len();
                for (part, text) in highlight::parts(&text, language) {
                    let part = part.filter(|part| !self.style.few_colours || part.is_main());
                    if let Some(part) = part {
                        self.html.open_code_token(part);
                    }
                    self.text(text)?;
                    if part.is_some() {
                        self.html.page_markup("</span>");
                    }
                }
            }
        }
        self.end()
    }
}
