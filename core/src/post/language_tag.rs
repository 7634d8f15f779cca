//! The language of a post: a BCP 47 tag (RFC 5646).

use std::collections::HashSet;

use oxilangtag::LanguageTag;

use super::{FieldError, FieldFault, field};

/// Parses a language tag (BCP 47, RFC 5646) and gives it its canonical case. An empty one is `None`.
pub(super) fn parse(text: &str) -> Result<Option<String>, FieldError> {
    const MAX: usize = 35;
    let Some(tag) = field::one_line("language", text, MAX)? else {
        return Ok(None);
    };
    let tag = LanguageTag::parse_and_normalize(&tag);
    match tag.ok().filter(has_each_extension_once) {
        Some(tag) => Ok(Some(tag.into_inner())),
        None => {
            let detail = "a language tag (BCP 47), such as en or zh-Hant";
            Err(FieldError::new(
                "language",
                FieldFault::NotALanguage,
                detail,
            ))
        }
    }
}

/// A tag whose extensions begin alike is not valid (RFC 5646, section 2.2.9).
fn has_each_extension_once(tag: &LanguageTag<String>) -> bool {
    let mut found = HashSet::new();
    tag.extension_subtags()
        .all(|(letter, _)| found.insert(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each kind of tag in the registry, with examples of RFC 5646, appendix A, in mixed case.
    #[test]
    fn language_tags_of_each_kind_get_their_canonical_case() {
        for (tag, canonical) in [
            ("DE", "de"),
            ("HAK", "hak"),
            ("QTZ", "qtz"),
            ("ZH-hANT", "zh-Hant"),
            ("sr-LATN-rs", "sr-Latn-RS"),
            ("es-419", "es-419"),
            ("ZH-CMN-hans-cn", "zh-cmn-Hans-CN"),
            ("zh-YUE-HK", "zh-yue-HK"),
            ("SL-nedis", "sl-nedis"),
            ("sl-ROZAJ-Biske", "sl-rozaj-biske"),
            ("de-ch-1901", "de-CH-1901"),
            ("hy-latn-IT-AREVELA", "hy-Latn-IT-arevela"),
            ("DE-de-U-CO-phonebk", "de-DE-u-co-phonebk"),
            ("en-T-jp", "en-t-jp"),
            ("de-X-Goethe", "de-x-goethe"),
            ("X-Whatever", "x-whatever"),
            ("qaa-QAAA-qm-x-SOUTHERN", "qaa-Qaaa-QM-x-southern"),
            ("art-LOJBAN", "art-lojban"),
            ("EN-gb-OED", "en-GB-oed"),
            ("I-Klingon", "i-klingon"),
            ("SGN-be-FR", "sgn-BE-FR"),
            ("ZH-min-NAN", "zh-min-nan"),
        ] {
            assert_eq!(parse(tag), Ok(Some(canonical.to_owned())), "{tag}");
            let again = parse(canonical);
            assert_eq!(again, Ok(Some(canonical.to_owned())), "{canonical} again");
        }
    }

    #[test]
    fn nonsense_is_no_language_tag() {
        for tag in [
            "e",
            "419-de",
            "de-",
            "-de",
            "de--at",
            "en_GB",
            "en GB",
            "a-de",
            "de-x",
            "x",
            "x-",
            "i-nothing",
            "ar-a-aaa-b",
            "en-a-bcd-a-efg",
            "english language",
            "de-überall",
            "de-abcdefghi",
            "*",
        ] {
            let error = parse(tag).map_err(|error| error.code);
            assert_eq!(error, Err(FieldFault::NotALanguage), "{tag}");
        }
        let long = format!("de-x-{}", "abcdefgh-".repeat(4));
        let error = parse(&long).map_err(|error| error.code);
        assert_eq!(error, Err(FieldFault::TooLong));
    }
}
