//! How long a source's HTML gets at most, told from its bytes alone.

/// Whether the bytes alone tell that the HTML of a source in order is within so many bytes, before the
/// sanitiser and after it.
///
/// Whatever is written is paid for by bytes that the source can't do without for it: a link by its
/// `[`, a level of quotation by its `>`, a paragraph by the end of a line. Two things have no such
/// price, and are out of order: a table, whose rows have as many cells as its head, and the definition
/// of an address that many links share.
pub(super) fn is_within(source: &str, bound: usize) -> bool {
    // Most sources are far below their bound, so that counting is enough.
    most_by_count(source) <= bound || most_by_byte(source) <= bound
}

/// At least as many bytes as HTML may have, by how much of the source is lowercase letters and spaces.
fn most_by_count(source: &str) -> usize {
    let chunks = source.as_bytes().chunks(COUNTED_AT_ONCE);
    let plain: usize = chunks.map(|chunk| usize::from(plain_among(chunk))).sum();
    usize::from(LINE)
        + usize::from(WORST_PLAIN) * plain
        + usize::from(WORST_MARK) * (source.len() - plain)
}

/// Bytes that one byte can count, so that the compiler makes vectors of them: whole ones, of 16.
const COUNTED_AT_ONCE: usize = 240;

fn plain_among(bytes: &[u8]) -> u8 {
    bytes.iter().map(|byte| u8::from(is_plain(*byte))).sum()
}

/// At least as many bytes as HTML may have, by what each byte may add.
fn most_by_byte(source: &str) -> usize {
    let worst = source
        .bytes()
        .map(|byte| usize::from(WORST[usize::from(byte)]));
    // The last line may have no end.
    usize::from(LINE) + worst.sum::<usize>()
}

const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte == b' '
}

/// What a plain byte, and any byte, may add at most.
const WORST_PLAIN: u8 = 6;
const WORST_MARK: u8 = 96;

/// A line begins one block at most, such as `<pre><code></code></pre>`, and may end in `<br />`.
const LINE: u8 = 40;

/// What each byte may add: as text, in an address, or as both, in `<https://example.org>`; and what
/// it may be the mark of.
const WORST: [u8; 256] = {
    // Letters and digits, as text and in an address; what is no ASCII, percent-encoded there, or half
    // of a `&nbsp;`.
    let mut worst = [2; 256];
    let mut byte = 0;
    while byte < 256 {
        if byte >= 0x80 || byte < 0x20 {
            worst[byte] = 9;
        }
        byte += 1;
    }
    let mut at = 0;
    while at < MARKS.len() {
        let (marks, len) = MARKS[at];
        let mut mark = 0;
        while mark < marks.len() {
            worst[marks[mark] as usize] = len;
            mark += 1;
        }
        at += 1;
    }
    worst
};

const MARKS: [(&[u8], u8); 11] = [
    (b"\n\r", LINE),
    // Percent-encoded in an address.
    (b" ^{}]\\", 6),
    // Entities.
    (b"&", 24),
    (b"\"'", 12),
    // `<del>` for two, `<code>` for two, a block of code with its language for three.
    (b"`~", 16),
    // A heading.
    (b"#=", 12),
    // A list and its item, and a paragraph in it; `<em>` and `<strong>` are less.
    (b"*+-_", 40),
    // The same with a `start`.
    (b".)", 56),
    // A quotation, and a paragraph in it.
    (b">", 48),
    // A link or an image, with all that the sanitiser adds; or a box of a task.
    (b"[", 96),
    // A link of an address that is its own text.
    (b"<", 72),
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{events, is_in_order, render_bounded, write_html};
    use super::*;

    /// Marks that add much, alone and in the least room.
    const PIECES: [&str; 56] = [
        ">",
        "> ",
        ">>>>",
        "- ",
        "-\n",
        "+ ",
        "+\n",
        "* ",
        "1. ",
        "0) ",
        "23. ",
        "2.\n",
        "-\t",
        "[]()",
        "[](a)",
        "![]()",
        "![](a \"\")",
        "[](<>\"'\")",
        "[x]",
        "- [x] a\n",
        "- [ ] ",
        "[",
        "](",
        ")",
        "*",
        "**",
        "***",
        "*a*",
        "__",
        "~",
        "~~",
        "~a~",
        "`",
        "`a`",
        "```\n",
        "```&\n",
        "~~~\n",
        "#\n",
        "# ",
        "=\n",
        "---\n",
        "\\\n",
        "  \n",
        "\n",
        "\n\n",
        "\r\n",
        "\t",
        "    a\n",
        "<a:>",
        "<ab:\"&'é>",
        "<p>\n",
        "<!-- -->",
        "&",
        "&nGt;",
        "\u{a0}",
        "a",
    ];

    fn holds(source: &str) -> Result<(), TestCaseError> {
        if !is_in_order(source) {
            return Ok(());
        }
        let worst = most_by_byte(source);
        prop_assert!(worst <= most_by_count(source), "{source:?}");
        let written = write_html(events(source), usize::MAX).unwrap();
        prop_assert!(
            written.len() <= worst,
            "{} > {worst}: {source:?}",
            written.len()
        );
        if let Ok(html) = render_bounded(source) {
            prop_assert!(html.len() <= worst, "{} > {worst}: {source:?}", html.len());
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn no_html_is_longer(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40)) {
            holds(&pieces.concat())?;
        }

        #[test]
        fn no_html_of_anything_repeated_is_longer(
            pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 1..5),
            times in 1_usize..60,
        ) {
            holds(&pieces.concat().repeat(times))?;
        }

        #[test]
        fn no_html_of_any_text_is_longer(source in "\\PC{0,40}") {
            holds(&source)?;
        }
    }

    #[test]
    fn what_bytes_do_not_tell_is_not_told() {
        assert!(!is_in_order("a|b\n-|-\n"));
        assert!(!is_in_order("[a]: b\n[a]"));
        assert!(!is_within(&"[".repeat(1000), 90_000));
    }

    #[test]
    fn no_byte_may_add_more_than_its_kind() {
        for (byte, worst) in (0..=u8::MAX).zip(WORST) {
            let most = if is_plain(byte) {
                WORST_PLAIN
            } else {
                WORST_MARK
            };
            assert!(worst <= most, "{byte}");
        }
    }
}
