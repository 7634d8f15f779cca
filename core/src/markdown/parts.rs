//! Safe HTML in parts: its tags, and the texts between them.

use std::iter;

/// A piece of HTML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    /// A tag, from `<` to `>`.
    Tag(&'a str),
    Text(&'a str),
}

/// All parts, which together are the HTML. It is sanitised HTML as its serialiser writes it, so that
/// attributes stand in double quotes, and no text has a `<` of its own.
pub(crate) fn parts(html: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = html;
    iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (part, after) = if rest.starts_with('<') {
            let (tag, after) = rest.split_at(len_of(rest));
            (Part::Tag(tag), after)
        } else {
            let (text, after) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
            (Part::Text(text), after)
        };
        rest = after;
        Some(part)
    })
}

/// The length of the tag that a text begins with.
fn len_of(tag: &str) -> usize {
    let mut is_quoted = false;
    let end = tag.bytes().position(|byte| {
        is_quoted ^= byte == b'"';
        byte == b'>' && !is_quoted
    });
    end.map_or(tag.len(), |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_attribute_holds_is_no_tag() {
        let tag = "<a href=\"x\" title=\"<p> > <a href=\">";
        let html = format!("a&lt;{tag}ü</a>");
        let expected = [
            Part::Text("a&lt;"),
            Part::Tag(tag),
            Part::Text("ü"),
            Part::Tag("</a>"),
        ];
        assert_eq!(parts(&html).collect::<Vec<_>>(), expected);
        for odd in ["", "<", "<a href=\"", "a<"] {
            let whole = parts(odd).map(|part| match part {
                Part::Tag(part) | Part::Text(part) => part,
            });
            assert_eq!(whole.collect::<String>(), odd);
        }
    }
}
