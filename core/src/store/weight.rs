//! How much memory cached values take, roughly.

use std::sync::Arc;

use crate::owner::Owner;
use crate::post::{Entry, ListedPost, Post, PostList, PostSummary, TagCount, TextField};

/// The bytes that a value takes beyond its own size: those of its texts and lists.
pub(super) trait Weigh {
    fn weight(&self) -> usize;
}

impl Weigh for Entry {
    fn weight(&self) -> usize {
        match self {
            Self::Live(post) => size_of::<Post>() + post.body.len() + post.summary.weight(),
            Self::Gone(tombstone) => owner_len(tombstone.owner.as_ref()),
        }
    }
}

fn owner_len(owner: Option<&Owner>) -> usize {
    owner.map_or(0, |owner| owner.as_str().len())
}

impl Weigh for Arc<[TagCount]> {
    fn weight(&self) -> usize {
        let tags = self.iter().map(|counted| counted.tag.as_str().len());
        size_of_val::<[TagCount]>(self) + tags.sum::<usize>()
    }
}

impl Weigh for PostList {
    fn weight(&self) -> usize {
        let posts = self.posts.iter().map(|ListedPost { summary, body }| {
            let body = body.as_ref().map_or(0, String::len);
            size_of::<ListedPost>() + summary.weight() + body
        });
        posts.sum()
    }
}

impl Weigh for PostSummary {
    fn weight(&self) -> usize {
        let texts = TextField::ALL.iter().map(|field| self.text(*field));
        let texts = texts.chain([self.heading.as_deref(), Some(&self.excerpt)]);
        let texts: usize = texts.flatten().map(str::len).sum();
        let tags: usize = self
            .tags
            .iter()
            .map(|tag| size_of::<String>() + tag.as_str().len())
            .sum();
        texts + tags + owner_len(self.owner.as_ref())
    }
}
