//! The optional texts of a post, in one table: what is true of each of them is here, and everything that reads,
//! writes, limits or shows them goes over [`TextField::ALL`].

use super::{FieldError, Limits, PostSummary, field, language_tag};

/// Makes the table. A row has the documentation of a field, its variant, its name, and what its text may be. The name
/// is also that of the member of [`PostSummary`].
macro_rules! text_fields {
    ($($(#[$doc:meta])* $field:ident, $name:ident, $rule:expr;)*) => {
        /// An optional text of a post: one line.
        ///
        /// It has one [`name`](Self::name) everywhere: in the JSON of the API, in forms, in archives and in the front
        /// matter of Markdown files. A store can use it as the name of a column.
        ///
        /// ```
        /// use handbill::store::{PostSummary, TextField};
        ///
        /// fn print(summary: &PostSummary) {
        ///     for field in TextField::ALL {
        ///         println!("{}: {:?}", field.name(), summary.text(*field));
        ///     }
        /// }
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum TextField {
            $($(#[$doc])* $field,)*
        }

        impl TextField {
            /// All of them, the title first.
            pub const ALL: &[Self] = &[$(Self::$field,)*];

            /// Its name, such as `focus_keyword`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$field => stringify!($name),)*
                }
            }

            pub(crate) fn rule(self, limits: &Limits) -> TextRule {
                let rule: fn(&Limits) -> TextRule = match self {
                    $(Self::$field => $rule,)*
                };
                rule(limits)
            }
        }

        impl PostSummary {
            /// One of the optional texts.
            pub fn text(&self, field: TextField) -> Option<&str> {
                match field {
                    $(TextField::$field => self.$name.as_deref(),)*
                }
            }

            pub(crate) fn text_mut(&mut self, field: TextField) -> &mut Option<String> {
                match field {
                    $(TextField::$field => &mut self.$name,)*
                }
            }
        }
    };
}

// Forms, documents and errors have the fields in this order. A new one comes last: forms have hashes of the fields in
// the order of their age.
text_fields! {
    /// What the post is called.
    Title, title, |limits| TextRule::Name(limits.title);
    /// The search term that the post is written for.
    FocusKeyword, focus_keyword, |limits| TextRule::Line(limits.focus_keyword);
    /// Who the post is by, as readers are shown it.
    Author, author, |limits| TextRule::Name(limits.author);
    /// The language of the post: a BCP 47 tag in its canonical case.
    Language, language, |_| TextRule::LanguageTag;
}

/// What a text may be, besides one line.
#[derive(Clone, Copy)]
pub(crate) enum TextRule {
    /// At most so many characters.
    Line(usize),
    /// The same, and nothing unless a reader can see one of them.
    Name(usize),
    /// A language tag (BCP 47).
    LanguageTag,
}

impl TextField {
    /// All but the title. They come after the tags wherever the title comes first.
    pub(crate) const ALL_BUT_TITLE: &'static [Self] = Self::ALL.split_at(1).1;

    pub(crate) fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|field| field.name() == name)
    }

    /// The most characters that it may have, if the host can set that.
    pub(crate) fn max(self, limits: &Limits) -> Option<usize> {
        match self.rule(limits) {
            TextRule::Line(max) | TextRule::Name(max) => Some(max),
            TextRule::LanguageTag => None,
        }
    }

    /// Parses a text. An empty one is `None`.
    pub(crate) fn parse(self, text: &str, limits: &Limits) -> Result<Option<String>, FieldError> {
        match self.rule(limits) {
            TextRule::Line(max) => field::one_line(self.name(), text, max),
            TextRule::Name(max) => field::name(self.name(), text, max),
            TextRule::LanguageTag => language_tag::parse(text),
        }
    }

    /// The most characters in the field of a post or a key with this name. `None` if it is no text, or if its format
    /// says it.
    pub(crate) fn max_characters(field: &str, limits: &Limits) -> Option<usize> {
        match field {
            "body" => Some(limits.body),
            "label" => Some(limits.label),
            name => Self::named(name)?.max(limits),
        }
    }
}

impl PostSummary {
    /// Sets or clears one of the optional texts.
    #[must_use]
    pub fn with_text(mut self, field: TextField, text: Option<String>) -> Self {
        *self.text_mut(field) = text;
        self
    }
}

/// A value for each text field, `field as usize` being its place.
pub(crate) type PerTextField<T> = [T; TextField::ALL.len()];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::post::{PostId, Timestamp};

    #[test]
    fn each_field_has_a_place_and_a_name_of_its_own() {
        let summary = PostSummary::new(PostId::generate(), Timestamp::from_micros(0));
        let named = |field: &TextField| Some(field.name().to_owned());
        let full = TextField::ALL.iter().fold(summary, |summary, field| {
            summary.with_text(*field, named(field))
        });
        for (place, field) in TextField::ALL.iter().enumerate() {
            assert_eq!(*field as usize, place, "{field:?}");
            assert_eq!(TextField::named(field.name()), Some(*field));
            assert_eq!(full.text(*field), Some(field.name()));
        }
    }

    #[test]
    fn limits_are_inclusive_and_count_characters() {
        let limits = Limits::default();
        for &field in TextField::ALL {
            let Some(max) = field.max(&limits) else {
                continue;
            };
            let longest = "é".repeat(max);
            let parsed = field.parse(&format!(" {longest} "), &limits);
            assert_eq!(parsed, Ok(Some(longest)), "{field:?}");
            assert!(field.parse(&"é".repeat(max + 1), &limits).is_err());
        }
    }
}
