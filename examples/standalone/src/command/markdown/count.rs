//! What is left out of a folder, or changed, counted by reason. Nothing is left out in silence.

use std::collections::BTreeMap;
use std::fmt;

use super::described::DescribedPost;
use super::hidden::Hidden;

/// Why a file does not become a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Skipped {
    /// A list of other pages: `_index.md`, or mdBook's `SUMMARY.md`.
    SectionPage,
    NoText,
    Faulty,
    /// A folder of templates, packages or output, such as `_includes`.
    Part,
    OtherFile,
    Link,
}

/// What of a file is not in its post, or not as its author meant it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LeftOut {
    /// A link within the old site whose target was not found.
    DeadLink,
    /// Files stay where they are.
    Picture,
    Field,
    /// `{{< name >}}`, which Hugo and Zola replace, or `\[name\]` of WordPress.
    Shortcode,
    /// `{% name %}` or `{{ name }}`, which Jekyll, Eleventy and mdBook replace.
    Template,
    /// `{: .name}`, which kramdown applies to what is beside it.
    Attributes,
    /// `<Name />`, `import` and `export`.
    Component,
    /// `> [!abstract]`, one with a title, or `:::note`.
    Callout,
    Html,
}

/// How often each reason applies.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Count<R>(BTreeMap<R, usize>);

/// All counts of a folder.
#[derive(Default)]
pub(crate) struct Summary {
    pub(crate) hidden: Count<Hidden>,
    pub(crate) skipped: Count<Skipped>,
    pub(crate) left_out: Count<LeftOut>,
    /// Links that lead to other posts.
    pub(crate) links: usize,
}

impl<R> Default for Count<R> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<R: Copy + Ord> Count<R> {
    pub(crate) fn add(&mut self, reason: R) {
        *self.0.entry(reason).or_default() += 1;
    }

    pub(crate) fn add_all(&mut self, other: &Self) {
        for (reason, count) in &other.0 {
            *self.0.entry(*reason).or_default() += count;
        }
    }

    pub(crate) fn total(&self) -> usize {
        self.0.values().sum()
    }
}

impl<R: fmt::Display> fmt::Display for Count<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons = self
            .0
            .iter()
            .map(|(reason, count)| format!("{count} {reason}"));
        let reasons: Vec<_> = reasons.collect();
        f.write_str(&reasons.join(", "))
    }
}

impl Summary {
    pub(crate) fn add(&mut self, post: &DescribedPost) {
        post.hidden
            .into_iter()
            .for_each(|reason| self.hidden.add(reason));
        self.left_out.add_all(&post.left_out);
        self.links += post.links;
    }

    /// `; 3 became drafts: 1 draft, 2 expired; left out: 2 section pages`, or nothing.
    pub(crate) fn sentence(&self, became: &str) -> String {
        let drafts = self.hidden.total();
        let parts = [
            (drafts, format!("{drafts} {became} drafts: {}", self.hidden)),
            (self.skipped.total(), format!("left out: {}", self.skipped)),
            (
                self.left_out.total(),
                format!("in the posts: {}", self.left_out),
            ),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        parts.map(|(_, part)| format!("; {part}")).collect()
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SectionPage => "section pages",
            Self::NoText => "pages without text",
            Self::Faulty => "faulty files",
            Self::Part => "folders of templates or packages",
            Self::OtherFile => "files that are not Markdown",
            Self::Link => "symbolic links",
        })
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DeadLink => "links that lead nowhere",
            Self::Picture => "pictures that stay behind",
            Self::Field => "fields that could not be read",
            Self::Shortcode => "shortcodes as text",
            Self::Template => "template tags as text",
            Self::Attributes => "attribute lists without effect",
            Self::Component => "MDX components as text",
            Self::Callout => "callouts as text",
            Self::Html => "HTML tags as text",
        })
    }
}
