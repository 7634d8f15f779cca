//! The languages of what the HTML says itself.

/// A language of the few words that are not the source's, such as the titles of callouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// For all texts that are in none of the others.
    #[default]
    English,
    /// For texts in French.
    French,
}

impl Language {
    /// The language for a text with this language tag (BCP 47).
    pub fn of(tag: Option<&str>) -> Self {
        let primary = tag.and_then(|tag| tag.split('-').next());
        match primary {
            Some(primary) if primary.eq_ignore_ascii_case("fr") => Self::French,
            _ => Self::English,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Style, check, render};

    #[test]
    fn a_callout_has_a_title_in_the_text_s_language() {
        let source = "> [!warning]\n> *Hot*\n\n> [!NOTE]\n\n> [!OTHER]\n> a";
        let html = |tag| {
            let language = Language::of(Some(tag));
            let style = Style {
                language,
                ..Style::default()
            };
            render(source, &style).html
        };
        assert_eq!(
            html("de"),
            "<div class=\"callout warning\">\n<p class=\"callout-title\" lang=\"en\"><strong>Warning</strong></p>\n\
             <p><em>Hot</em></p>\n</div>\n\
             <div class=\"callout note\">\n<p class=\"callout-title\" lang=\"en\"><strong>Note</strong></p>\n</div>\n\
             <blockquote>\n<p>[!OTHER]\na</p>\n</blockquote>\n"
        );
        assert!(html("fr-CA").contains(" lang=\"fr\"><strong>Avertissement</strong>"));
        assert_eq!(check(source).unwrap().excerpt, "Hot [!OTHER] a");
    }
}
