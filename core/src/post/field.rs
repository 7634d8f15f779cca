//! Rules that several fields share, and the error for a field that breaks one.

use handbill_markdown::{has_visible_character, is_bidi_override};

/// How many characters of an unknown field's name an error repeats.
const MAX_SHOWN: usize = 100;

/// An invalid field in a request.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let handbill = handbill::Handbill::new("https://example.org", handbill::MemoryStore::new())?;
/// let refused = handbill.posts().create(handbill::Draft::new()).await;
/// for error in refused.unwrap_err().errors() {
///     println!("{}: {}", error.field, error.detail);
/// }
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldError {
    /// The field's name as the client sent it, cut after 100 characters.
    pub field: String,
    /// What is wrong, for programs.
    pub code: FieldFault,
    /// The rule that the field breaks, for people, and where it helps what was sent instead.
    pub detail: String,
    /// The limit that the field exceeds, and how many characters it has: 0 where that is not what is wrong.
    pub(crate) max: usize,
    pub(crate) count: usize,
}

macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $sentence:literal;)*) => {
        /// What can be wrong with a field.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum FieldFault {
            $($(#[$doc])* $name,)*
        }

        impl FieldFault {
            /// All faults.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The code as errors show it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// The end of a sentence about the field, with a place for its limit.
            const fn sentence(self) -> &'static str {
                match self { $(Self::$name => $sentence,)* }
            }
        }
    };
}

faults! {
    /// The field is required and missing.
    Required = "required", "is required";
    /// The field contains only white space.
    Blank = "blank", "is blank";
    /// The JSON value has the wrong type.
    WrongType = "wrong_type", "has the wrong type";
    /// No field has this name.
    UnknownField = "unknown_field", "is not a known field";
    /// The field has too many characters.
    TooLong = "too_long", "is longer than {max} characters";
    /// The field has too many items.
    TooMany = "too_many", "has more than {max} items";
    /// The field contains a control character or a line separator (U+2028, U+2029), although it is one
    /// line of text.
    ControlCharacter = "control_character", "contains a control character";
    /// The field contains a character that overrides the direction of text (U+202A to U+202E,
    /// U+2066 to U+2069).
    BidiOverride = "bidi_override", "contains a character that overrides the direction of text";
    /// The field contains the character U+0000.
    Nul = "nul", "contains U+0000";
    /// An item in an array of tags contains a comma.
    Comma = "comma", "contains a tag with a comma";
    /// The field has none of the values that are allowed.
    UnknownValue = "unknown_value", "has an unknown value";
    /// The field excludes another one, or the state that the post is in.
    Conflicts = "conflicts", "conflicts with the visibility";
    /// The field is not a language tag (BCP 47, RFC 5646).
    NotALanguage = "not_a_language", "is not a language tag";
    /// The HTML of the field would be larger than 8 times its source plus 64 KiB, or than 1 MiB.
    TooComplex = "too_complex", "would become too large as HTML";
    /// The host refuses the field.
    Refused = "refused", "is refused by the host";
}

impl FieldError {
    /// An error of the host's [review](crate::Handbill::with_review), in its own words: a sentence that readers of the
    /// page understand, too.
    pub fn refused(field: &str, words: impl Into<String>) -> Self {
        Self::new(field, FieldFault::Refused, words)
    }

    pub(crate) fn new(field: &str, code: FieldFault, detail: impl Into<String>) -> Self {
        Self {
            field: field.chars().take(MAX_SHOWN).collect(),
            code,
            detail: detail.into(),
            max: 0,
            count: 0,
        }
    }

    /// The error as a sentence about the field, without a full stop.
    pub(crate) fn sentence(&self) -> String {
        match self.code {
            FieldFault::Refused => format!("{}: {}", self.field, self.detail),
            fault => {
                let fault = fault.sentence().replace("{max}", &self.max.to_string());
                format!("{} {fault}", self.field)
            }
        }
    }
}

/// Parses one line of text: trimmed, at most `max` characters, no control characters and no bidi
/// overrides. An empty line is `None`.
pub(crate) fn one_line(field: &str, text: &str, max: usize) -> Result<Option<String>, FieldError> {
    let text = text.trim();
    expect_one_line(field, text)?;
    at_most(field, text, max)?;
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

/// Parses one line of text that readers know something by, such as the text of a link. It is `None` if
/// none of its characters is visible.
pub(crate) fn name(field: &str, text: &str, max: usize) -> Result<Option<String>, FieldError> {
    expect_one_line(field, text.trim())?;
    if !has_visible_character(text) {
        return Ok(None);
    }
    one_line(field, text, max)
}

/// Refuses control characters, line separators and bidi overrides.
pub(crate) fn expect_one_line(field: &str, text: &str) -> Result<(), FieldError> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Ok(());
    }
    let is_control = |c: &char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if let Some(character) = text.chars().find(is_control) {
        let detail = format!(
            "no control characters; this has U+{:04X}",
            u32::from(character)
        );
        return Err(FieldError::new(field, FieldFault::ControlCharacter, detail));
    }
    if let Some(character) = text.chars().find(|c| is_bidi_override(*c)) {
        let detail = format!(
            "no overrides of text direction; this has U+{:04X}",
            u32::from(character)
        );
        return Err(FieldError::new(field, FieldFault::BidiOverride, detail));
    }
    Ok(())
}

pub(crate) fn at_most(field: &str, text: &str, max: usize) -> Result<(), FieldError> {
    let characters = text.chars().count();
    if characters <= max {
        return Ok(());
    }
    let detail = format!("at most {max} characters; this has {characters}");
    Err(FieldError {
        max,
        count: characters,
        ..FieldError::new(field, FieldFault::TooLong, detail)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_its_field_and_its_limit() {
        let error = one_line("title", &"x".repeat(243), 200).unwrap_err();
        assert_eq!(error.detail, "at most 200 characters; this has 243");
        assert_eq!(error.sentence(), "title is longer than 200 characters");
    }
}
