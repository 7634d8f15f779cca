//! What generators replace in a text before it is Markdown: shortcodes, template tags, lists of attributes, comments.

/// A mark of a generator.
pub(super) struct Mark<'a> {
    pub(super) kind: Kind,
    /// What is between its braces.
    pub(super) inside: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `{{< name >}}` or `{{% name %}}`.
    Shortcode,
    /// `\[name\]`: a shortcode of WordPress, as its converter to Markdown writes it.
    Bracketed,
    /// `{% name %}`.
    Tag,
    /// `{{ value }}`.
    Output,
    /// `{: .name}`, or `{#name}` at the end of a heading.
    Attributes,
    /// `%% what only the author reads %%`, in Obsidian.
    Comment,
}

const KINDS: [(&str, &str, Kind); 9] = [
    ("{{<", ">}}", Kind::Shortcode),
    ("{{%", "%}}", Kind::Shortcode),
    ("{%", "%}", Kind::Tag),
    ("{{", "}}", Kind::Output),
    ("{:", "}", Kind::Attributes),
    ("{#", "}", Kind::Attributes),
    ("{.", "}", Kind::Attributes),
    ("%%", "%%", Kind::Comment),
    ("\\[", "\\]", Kind::Bracketed),
];

/// The shortcodes that WordPress itself has.
const BRACKETED: [&str; 6] = ["audio", "caption", "embed", "gallery", "playlist", "video"];

/// No mark has as many bytes.
const MAX_BYTES: usize = 2000;

impl<'a> Mark<'a> {
    /// The mark that begins here, if one does.
    pub(super) fn at(text: &'a str, start: usize) -> Option<Self> {
        let here = &text[start..];
        let (open, close, kind) = KINDS.iter().find(|(open, _, _)| here.starts_with(open))?;
        let inside = &here[open.len()..];
        let length = inside[..inside.floor_char_boundary(MAX_BYTES)].find(close)?;
        let mark = Self {
            kind: *kind,
            inside: inside[..length].trim_matches(['-', ' ', '\t', '\r', '\n']),
            start,
            end: start + open.len() + length + close.len(),
        };
        let is_meant = match kind {
            Kind::Attributes => mark.has_attributes(text),
            Kind::Comment => mark.stands_alone(text),
            Kind::Bracketed => mark.is_of_wordpress(),
            Kind::Shortcode | Kind::Tag | Kind::Output => true,
        };
        is_meant.then_some(mark)
    }

    /// Whether no word touches it, as in “100%% of it”.
    fn stands_alone(&self, text: &str) -> bool {
        let (before, after) = (&text[..self.start], &text[self.end..]);
        !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric)
    }

    /// Whether what is between brackets is more than a remark: plugins have shortcodes of their own.
    fn is_of_wordpress(&self) -> bool {
        let (name, rest) = self.words();
        BRACKETED.contains(&name.trim_start_matches('/')) || rest.contains("=\"")
    }

    /// Whether a value is an address that a filter of Jekyll or Eleventy completes.
    pub(super) fn is_address(&self) -> bool {
        let filter = self.inside.rsplit('|').next().unwrap_or_default().trim();
        self.inside.contains('|') && matches!(filter, "relative_url" | "absolute_url" | "url")
    }

    /// Braces are also written for other reasons.
    fn has_attributes(&self, text: &str) -> bool {
        let before = &text[..self.start];
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        let after = text[self.end..].lines().next().unwrap_or_default();
        if !text[self.start..].starts_with("{:") {
            return line.trim_start().starts_with('#') && after.trim().is_empty();
        }
        let inside = self.inside;
        inside == "toc" || inside.starts_with(['.', '#']) || inside.contains("=\"")
    }

    /// The name that attributes give to a heading, and that heading: in the same line, or in the one before.
    pub(super) fn named_heading(&self, text: &'a str) -> Option<(&'a str, &'a str)> {
        let mut words = self.inside.split_whitespace();
        let name = match text[self.start..].starts_with("{#") {
            true => words.next()?,
            false => words.find_map(|word| word.strip_prefix('#'))?,
        };
        let heading = text[..self.start].trim_end().lines().next_back()?;
        let heading = heading.trim_start().strip_prefix('#')?;
        Some((name, heading.trim_start_matches('#')))
    }

    /// The name of a shortcode or a tag, and what follows it.
    pub(super) fn words(&self) -> (&'a str, &'a str) {
        let words = self.inside.split_once(char::is_whitespace);
        let (name, rest) = words.unwrap_or((self.inside, ""));
        (name, rest.trim())
    }

    /// The text up to the mark that ends this one, and where that ends.
    pub(super) fn block(&self, text: &'a str, end: &str) -> Option<(&'a str, usize)> {
        let mut at = self.end;
        // Otherwise, many marks without an end would take quadratic time.
        if !text[at..].contains(end) {
            return None;
        }
        while let Some(next) = text[at..].find(['{', '\\']) {
            at += next;
            match Self::at(text, at) {
                Some(mark) if mark.inside == end => return Some((&text[self.end..at], mark.end)),
                _ => at += 1,
            }
        }
        None
    }
}

/// The first argument of a mark, without its quotes and its name.
pub(super) fn argument(text: &str) -> &str {
    match text.find(['"', '\'', '`']) {
        Some(start) => {
            let quote = &text[start..=start];
            let inside = &text[start + 1..];
            inside.split(quote).next().unwrap_or_default()
        }
        None => text.split_whitespace().next().unwrap_or_default(),
    }
}

/// A picture with these arguments, followed by what Hugo shows below it.
pub(super) fn figure(arguments: &str) -> Option<String> {
    let text = |name| named(arguments, name).filter(|text| !text.is_empty());
    let (title, caption) = (text("title"), text("caption"));
    let alternative = text("alt").or(caption).or(title).unwrap_or_default();
    let picture = format!("![{alternative}]({})", text("src")?);
    let mut figure = match text("link") {
        Some(link) => format!("[{picture}]({link})"),
        None => picture,
    };
    for below in [title, caption, text("attr")].into_iter().flatten() {
        if below != alternative {
            figure.extend(["\n\n", below]);
        }
    }
    Some(figure)
}

/// The value of a named argument.
fn named<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut values = text.match_indices(name).filter_map(|(at, _)| {
        let is_whole = text[..at].ends_with(char::is_whitespace) || at == 0;
        let value = text[at + name.len()..].trim_start().strip_prefix('=')?;
        is_whole.then(|| argument(value.trim_start()))
    });
    values.next()
}

/// Code as Markdown has it.
pub(super) fn fenced(language: &str, code: &str) -> String {
    let mut fence = "```".to_owned();
    while code.contains(&fence) {
        fence.push('`');
    }
    let code = code.trim_matches(['\r', '\n']);
    format!("{fence}{language}\n{code}\n{fence}")
}

/// Jekyll's `raw` keeps template tags as they are, in code too.
pub(super) fn without_raw(text: &str) -> String {
    let (mut written, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(start) = rest.find("{%") {
        let (before, here) = rest.split_at(start);
        let mark = Mark::at(here, 0).filter(|mark| matches!(mark.inside, "raw" | "endraw"));
        let shown = if mark.is_some() { "" } else { "{%" };
        written.extend([before, shown]);
        rest = &here[mark.map_or(2, |mark| mark.end)..];
    }
    written + rest
}

/// Hugo and Zola show `{{</* name */>}}` as `{{< name >}}`, in code too.
pub(super) fn without_escapes(mut text: String) -> String {
    for (open, close) in [("{{<", ">}}"), ("{{%", "%}}"), ("{%", "%}"), ("{{", "}}")] {
        let (start, end) = (format!("{open}/*"), format!("*/{close}"));
        let (mut written, mut rest) = (String::with_capacity(text.len()), text.as_str());
        while let Some((before, after)) = rest.split_once(&start)
            && let Some((inside, after)) = after.split_once(&end)
        {
            // In Go's templates, `{{/* remark */}}` is a remark, and not escaped.
            let is_escaped = open != "{{" || inside.trim_end().ends_with(')');
            let (start, end) = match is_escaped {
                true => (open, close),
                false => (start.as_str(), end.as_str()),
            };
            written.extend([before, start, inside, end]);
            rest = after;
        }
        text = written + rest;
    }
    text
}
