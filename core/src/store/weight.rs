//! How much memory what is kept takes, about.

use crate::post::{Entry, Post, PostSummary};

/// What a value takes beyond its own size: what its texts and lists hold, in bytes.
pub(super) trait Weigh {
    fn weight(&self) -> usize;
}

impl<T: Weigh> Weigh for Option<T> {
    fn weight(&self) -> usize {
        self.as_ref().map_or(0, T::weight)
    }
}

impl Weigh for Entry {
    fn weight(&self) -> usize {
        match self {
            Self::Live(post) => size_of::<Post>() + post.body.len() + post.summary.weight(),
            Self::Gone(_) => 0,
        }
    }
}

impl Weigh for PostSummary {
    fn weight(&self) -> usize {
        let texts = [
            self.title.as_ref(),
            self.focus_keyword.as_ref(),
            Some(&self.excerpt),
        ];
        let texts: usize = texts.into_iter().flatten().map(String::len).sum();
        let tags: usize = self
            .tags
            .iter()
            .map(|tag| size_of::<String>() + tag.as_str().len())
            .sum();
        texts + tags
    }
}
