//! The media types that a client accepts and prefers (RFC 9110, section 12.5.1).

use http::header::{self, HeaderMap};

use crate::http::accept::weighted;

/// The quality value, from 0 (not accepted) to 1. For a type that the client names itself, also its place, counted
/// backwards; otherwise 0.
type Preference = (f32, usize);

/// Whether a client prefers this media type over the other: by quality value, and with equal values by
/// which of them the client names, or names first. Without a preference it gets the other.
pub(super) fn prefers(headers: &HeaderMap, media_type: &str, other: &str) -> bool {
    let preferred = preference(headers, media_type);
    preferred.0 > 0.0 && preferred > preference(headers, other)
}

/// Whether a client names this media type among those that it accepts.
pub(super) fn names(headers: &HeaderMap, media_type: &str) -> bool {
    let (quality, place) = preference(headers, media_type);
    place > 0 && quality > 0.0
}

/// The most specific range that covers a media type decides.
fn preference(headers: &HeaderMap, media_type: &str) -> Preference {
    let essence = media_type.split(';').next().unwrap_or_default();
    let main = essence.split('/').next().unwrap_or_default();
    let (mut best, mut most_specific) = ((0.0, 0), 0);
    for (number, (range, quality)) in weighted(headers, header::ACCEPT).enumerate() {
        let specificity = match range.split_once('/') {
            Some(_) if range.eq_ignore_ascii_case(essence) => 3,
            Some((named, "*")) if named.eq_ignore_ascii_case(main) => 2,
            Some(("*", "*")) => 1,
            _ => continue,
        };
        if specificity > most_specific {
            let place = if specificity == 3 {
                usize::MAX - number
            } else {
                0
            };
            (best, most_specific) = ((quality, place), specificity);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_prefers_what_has_the_higher_quality_or_is_named_first() {
        for (accept, prefers_markdown) in [
            ("text/markdown", true),
            ("TEXT/Markdown ; charset=utf-8", true),
            ("text/markdown, text/html;q=0.9", true),
            ("text/markdown, text/html, */*", true),
            ("text/markdown, */*", true),
            ("text/markdown;q=0.5, */*;q=0.1", true),
            ("text/*;q=0.5, text/markdown", true),
            ("text/html;q=0, */*", true),
            ("text/markdown;q=0.2, text/html;q=0.1, text/*", true),
            ("", false),
            ("*/*", false),
            ("text/*", false),
            ("text/html, text/markdown", false),
            ("text/markdown;q=0.9, text/html", false),
            ("text/markdown;q=0.9, */*", false),
            ("text/markdown;q=0", false),
            ("text/markdown;q=0, text/html;q=0", false),
            ("text/markdown;q=2", false),
            ("text/markdown;q=x", false),
            ("text/markdownish", false),
            ("text/html,application/xhtml+xml,*/*;q=0.8", false),
            ("application/json", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            let found = prefers(&headers, "text/markdown; charset=utf-8", "text/html");
            assert_eq!(found, prefers_markdown, "{accept}");
        }
        let mut lines = HeaderMap::new();
        lines.append(header::ACCEPT, "text/html;q=0.5".parse().unwrap());
        lines.append(header::ACCEPT, "text/markdown".parse().unwrap());
        assert!(prefers(&lines, "text/markdown", "text/html"));
        assert!(!prefers(&HeaderMap::new(), "text/markdown", "text/html"));
    }

    #[test]
    fn a_browser_names_html() {
        for (accept, is_browser) in [
            ("text/html,application/xhtml+xml,*/*;q=0.8", true),
            ("application/json, Text/HTML;q=0.1", true),
            ("text/html;q=0, */*", false),
            ("text/*", false),
            ("*/*", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, accept.parse().unwrap());
            assert_eq!(names(&headers, "text/html"), is_browser, "{accept}");
        }
    }
}
