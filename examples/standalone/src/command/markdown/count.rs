//! What is left out of a folder, or changed, counted by reason. Nothing is left out in silence.

use std::collections::BTreeMap;
use std::fmt;

use super::described::DescribedPost;
use super::hidden::Hidden;
use crate::command::words::words;

words! {
    /// Why a file does not become a post.
    Skipped {
        /// A list of other pages: `_index.md`, or mdBook's `SUMMARY.md`.
        SectionPage "section pages",
        NoText "pages without text",
        Faulty "faulty files",
        /// A folder of templates, packages or output, such as `_includes`.
        Part "folders of templates or packages",
        OtherFile "files that are not Markdown",
        Link "symbolic links",
    }
}

words! {
    /// What of a file is not in its post, or not as its author meant it.
    LeftOut {
        /// A link within the old site whose target was not found.
        DeadLink "links that lead nowhere",
        /// Files stay where they are.
        Picture "pictures that stay behind",
        Field "fields that could not be read",
        /// `{{< name >}}`, which Hugo and Zola replace, or `\[name\]` of WordPress.
        Shortcode "shortcodes as text",
        /// `{% name %}` or `{{ name }}`, which Jekyll, Eleventy and mdBook replace.
        Template "template tags as text",
        /// `{: .name}`, which kramdown applies to what is beside it.
        Attributes "attribute lists without effect",
        /// `<Name />`, `import` and `export`.
        Component "MDX components as text",
        /// `> [!abstract]`, one with a title, or `:::note`.
        Callout "callouts as text",
        Html "HTML tags as text",
    }
}

/// How often each reason applies.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Count<R>(pub(crate) BTreeMap<R, usize>);

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
        self.add_times(reason, 1);
    }

    pub(crate) fn add_times(&mut self, reason: R, times: usize) {
        if times > 0 {
            *self.0.entry(reason).or_default() += times;
        }
    }

    pub(crate) fn add_all(&mut self, other: &Self) {
        for (reason, count) in &other.0 {
            self.add_times(*reason, *count);
        }
    }

    pub(crate) fn total(&self) -> usize {
        self.0.values().sum()
    }
}

impl<R: Copy + Ord + fmt::Display> Count<R> {
    /// `2 section pages, 1 faulty files`, if there are any.
    pub(crate) fn shown(&self) -> Option<String> {
        (self.total() > 0).then(|| self.to_string())
    }
}

impl<R: fmt::Display> fmt::Display for Count<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons = self.0.iter();
        let reasons = reasons.map(|(reason, count)| format!("{count} {reason}"));
        f.write_str(&reasons.collect::<Vec<_>>().join(", "))
    }
}

impl Summary {
    pub(crate) fn add(&mut self, post: &DescribedPost) {
        if let Some(reason) = post.hidden {
            self.hidden.add(reason);
        }
        self.left_out.add_all(&post.body.left_out);
        self.links += post.body.links;
    }

    /// `; 3 became drafts: 1 draft, 2 expired; left out: 2 section pages`, or nothing.
    pub(crate) fn sentence(&self, became: &str) -> String {
        let drafts = format!("{} {became} drafts", self.hidden.total());
        let parts = [
            (drafts.as_str(), self.hidden.shown()),
            ("left out", self.skipped.shown()),
            ("in the posts", self.left_out.shown()),
        ];
        let parts = parts.into_iter();
        parts
            .filter_map(|(name, shown)| Some(format!("; {name}: {}", shown?)))
            .collect()
    }
}
