//! Characters that readers do not see, marks on other characters, and what deceives readers.

use icu_properties::props::{
    BinaryProperty, DefaultIgnorableCodePoint, EnumeratedProperty, GeneralCategory,
    GeneralCategoryGroup,
};

/// Whether a character reorders the text around it, and so can disguise what the text says.
pub const fn is_bidi_override(character: char) -> bool {
    matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character is a mark on the one before it, such as an accent (Unicode's general category `M`).
pub fn is_combining_mark(character: char) -> bool {
    GeneralCategoryGroup::Mark.contains(GeneralCategory::for_char(character))
}

/// Whether a reader can see any of a text. White space, format characters (Unicode's general category
/// `Cf`) and what is displayed as nothing by default, such as fillers and variation selectors, is
/// invisible.
pub fn has_visible_character(text: &str) -> bool {
    let is_invisible = |character: char| {
        character.is_whitespace()
            || DefaultIgnorableCodePoint::for_char(character)
            || GeneralCategory::for_char(character) == GeneralCategory::Format
            // A braille pattern without dots is a symbol in Unicode, and as empty as a space.
            || character == '\u{2800}'
    };
    !text.chars().all(is_invisible)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Format characters, separators, fillers, variation selectors and other ignorable characters.
    const INVISIBLE: &str = "[\\p{Cf}\\p{Z}\\t\u{34F}\u{115F}\u{1160}\u{17B4}\u{17B5}\u{180B}-\u{180F}\u{2065}\
        \u{2800}\u{3164}\u{FE00}-\u{FE0F}\u{FFA0}\u{FFF0}-\u{FFF8}\u{E0000}-\u{E0FFF}]{0,20}";

    proptest! {
        #[test]
        fn a_name_needs_a_visible_character(
            before in INVISIBLE,
            visible in "[\\p{Lu}\\p{Ll}\\p{N}\\p{P}\\p{Sc}\\p{Sm}]",
            after in INVISIBLE,
        ) {
            prop_assert!(!has_visible_character(&before));
            let text = before + &visible + &after;
            prop_assert!(has_visible_character(&text));
        }
    }
}
