//! What a client's field may hold, and the error that says why it may not.

use serde::Serialize;
use utoipa::ToSchema;

/// Characters of a client's own name for a field that are shown back.
const MAX_SHOWN: usize = 100;

/// One faulty field of what a client sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[non_exhaustive]
pub struct FieldError {
    /// The field's name as the client wrote it.
    pub field: String,
    /// What is wrong, for programs.
    pub code: FieldFault,
    /// What is wrong, for people: with the bound, and what was sent instead.
    pub detail: String,
}

/// What can be wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FieldFault {
    /// The field must be there.
    Required,
    /// The field is there and has nothing but white space in it.
    Blank,
    /// The JSON value has another type than the field.
    WrongType,
    /// There is no field of this name.
    UnknownField,
    /// More characters than the field may have.
    TooLong,
    /// More items than the field may have.
    TooMany,
    /// A control character, where one line of text is expected.
    ControlCharacter,
    /// A character that overrides the direction of text (U+202A to U+202E, U+2066 to U+2069).
    BidiOverride,
    /// The character U+0000.
    Nul,
    /// A comma inside one item of an array of tags.
    Comma,
    /// HTML larger than 8 times the source and 64 KiB.
    TooComplex,
}

impl FieldFault {
    /// The fault as it stands in an error.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Blank => "blank",
            Self::WrongType => "wrong_type",
            Self::UnknownField => "unknown_field",
            Self::TooLong => "too_long",
            Self::TooMany => "too_many",
            Self::ControlCharacter => "control_character",
            Self::BidiOverride => "bidi_override",
            Self::Nul => "nul",
            Self::Comma => "comma",
            Self::TooComplex => "too_complex",
        }
    }
}

impl FieldError {
    pub(crate) fn new(field: &str, code: FieldFault, detail: impl Into<String>) -> Self {
        Self {
            field: field.chars().take(MAX_SHOWN).collect(),
            code,
            detail: detail.into(),
        }
    }

    /// The field and its fault in one sentence.
    pub(crate) fn sentence(&self) -> String {
        format!("{}: {}", self.field, self.detail)
    }
}

/// Characters that reorder the text around them, and so can make it read as what it is not.
pub(crate) const fn is_bidi_override(character: char) -> bool {
    matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// One line of text: trimmed, at most `max` characters, nothing in it that does not show. Empty
/// means none.
pub(crate) fn one_line(field: &str, text: &str, max: usize) -> Result<Option<String>, FieldError> {
    let text = text.trim();
    visible(field, text)?;
    at_most(field, text, max)?;
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

pub(crate) fn visible(field: &str, text: &str) -> Result<(), FieldError> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Ok(());
    }
    if let Some(character) = text.chars().find(|c| c.is_control()) {
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
    // Bytes are counted in no time, and a text has no more characters than bytes.
    if text.len() <= max {
        return Ok(());
    }
    let characters = text.chars().count();
    if characters <= max {
        return Ok(());
    }
    let detail = format!("at most {max} characters; this has {characters}");
    Err(FieldError::new(field, FieldFault::TooLong, detail))
}
