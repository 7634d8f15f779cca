//! Callouts: quotations that begin with a line such as `[!NOTE]`.

use pulldown_cmark::BlockQuoteKind;

use super::Writer;
use crate::{Language, TooComplex};

impl Writer<'_, '_> {
    /// Its title says what it is, also without a style sheet. The limit does not count the title, which depends on the
    /// language.
    pub(super) fn open_callout(
        &mut self,
        kind: BlockQuoteKind,
    ) -> Result<&'static str, TooComplex> {
        let (opening, english, french) = match kind {
            BlockQuoteKind::Note => ("<div class=\"callout note\">\n", "Note", "Note"),
            BlockQuoteKind::Tip => ("<div class=\"callout tip\">\n", "Tip", "Conseil"),
            BlockQuoteKind::Important => (
                "<div class=\"callout important\">\n",
                "Important",
                "Important",
            ),
            BlockQuoteKind::Warning => (
                "<div class=\"callout warning\">\n",
                "Warning",
                "Avertissement",
            ),
            BlockQuoteKind::Caution => {
                ("<div class=\"callout caution\">\n", "Caution", "Attention")
            }
        };
        let (paragraph, title) = match self.style.language {
            Language::English => ("<p class=\"callout-title\" lang=\"en\"><strong>", english),
            Language::French => ("<p class=\"callout-title\" lang=\"fr\"><strong>", french),
        };
        self.html.block(opening)?;
        self.html.markup(paragraph)?;
        self.html.page_markup(title);
        self.html.markup("</strong></p>\n")?;
        Ok("</div>\n")
    }
}
