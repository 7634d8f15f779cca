//! Where the blocks of a source begin, so that a preview can follow the caret.

use pulldown_cmark::{Event, Tag};

use crate::comments;

/// The line of each block that is not inside another one, in the order of the HTML. The first line is 0. Footnotes are
/// left out, since the HTML has them at its end.
pub fn lines(source: &str) -> Vec<usize> {
    let source = super::without_byte_order_mark(source);
    let mut found = Vec::new();
    let (mut depth, mut line, mut counted) = (0_usize, 0, 0);
    for (event, range) in super::parser(source).into_offset_iter() {
        let is_block = match &event {
            Event::Start(Tag::FootnoteDefinition(_)) => false,
            Event::Start(Tag::HtmlBlock) => comments::shown(&source[range.clone()]).is_some(),
            Event::Start(_) => true,
            other => matches!(other, Event::Rule),
        };
        if depth == 0 && is_block {
            let skipped = source.get(counted..range.start).unwrap_or_default();
            line += skipped.bytes().filter(|byte| *byte == b'\n').count();
            counted = counted.max(range.start);
            found.push(line);
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_outer_block_has_its_line() {
        let source = "# a\n\nb\nc\n\n- d\n- e\n\n  f\n\n---\n\n[^g]: h\n\n```\ni\n```\n\n<p>\n\n|j|\n|-|\n|k|\n";
        assert_eq!(lines(source), [0, 2, 5, 10, 14, 18, 20]);
        assert_eq!(lines(""), [0_usize; 0]);
    }
}
