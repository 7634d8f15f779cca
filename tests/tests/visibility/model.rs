//! What posts should look like from outside.

use std::cmp::Reverse;
use std::collections::HashMap;

use handbill_testing::http::Created;

pub(crate) const TAGS: [&str; 3] = ["a", "b", "c"];
pub(crate) const VISIBILITIES: [&str; 4] = ["public", "public", "unlisted", "draft"];

/// A post, and what its clients know of it.
pub(crate) struct ModelPost {
    pub(crate) created: Created,
    pub(crate) title: String,
    pub(crate) tags: Vec<&'static str>,
    pub(crate) visibility: &'static str,
    pub(crate) is_deleted: bool,
    /// When it first became public.
    published: Option<u64>,
    changes: u64,
}

/// The posts of a life, in the order of their creation.
#[derive(Default)]
pub(crate) struct Life {
    pub(crate) posts: Vec<ModelPost>,
    /// What each list showed last, and its entity tag then.
    pub(crate) lists: HashMap<String, (Vec<(usize, u64)>, String)>,
    time: u64,
}

impl Life {
    pub(crate) fn create(
        &mut self,
        created: Created,
        title: String,
        tags: &[&'static str],
        visibility: &'static str,
    ) {
        self.posts.push(ModelPost {
            created,
            title,
            tags: tags.to_vec(),
            visibility: "draft",
            is_deleted: false,
            published: None,
            changes: 0,
        });
        self.show(self.posts.len() - 1, visibility);
    }

    pub(crate) fn show(&mut self, at: usize, visibility: &'static str) {
        self.time += 1;
        let post = &mut self.posts[at];
        if visibility == "public" {
            post.published.get_or_insert(self.time);
        }
        post.changes += u64::from(post.visibility != visibility);
        post.visibility = visibility;
    }

    pub(crate) fn retag(&mut self, at: usize, tags: &[&'static str]) {
        let post = &mut self.posts[at];
        post.changes += u64::from(post.tags != tags);
        post.tags = tags.to_vec();
    }

    pub(crate) fn rename(&mut self, at: usize, title: String) {
        let post = &mut self.posts[at];
        post.changes += 1;
        post.title = title;
    }

    /// The posts that are not deleted.
    pub(crate) fn live(&self) -> impl Iterator<Item = usize> {
        (0..self.posts.len()).filter(|at| !self.posts[*at].is_deleted)
    }

    /// The posts of a public list in order, each with how often it was changed.
    pub(crate) fn public(&self, tag: Option<&str>) -> Vec<(usize, u64)> {
        let mut list: Vec<_> = self
            .live()
            .filter(|at| self.posts[*at].visibility == "public")
            .filter(|at| tag.is_none_or(|tag| self.posts[*at].tags.contains(&tag)))
            .collect();
        list.sort_by_key(|at| Reverse(self.posts[*at].published));
        let changes = list.iter().map(|at| (*at, self.posts[*at].changes));
        changes.collect()
    }

    pub(crate) fn id(&self, at: usize) -> &str {
        &self.posts[at].created.id
    }
}
