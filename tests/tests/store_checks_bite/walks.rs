//! Faulty tags and walks.

use std::collections::BTreeMap;

use handbill::store::{Entry, KeyRecord, StoreError, TagCount};
use handbill::{KeyId, PostId, PostSummary, Store};

use crate::fault::Fault::*;
use crate::faulty::Faulty;

impl Faulty {
    pub(crate) async fn entries(&self) -> Result<Vec<Entry>, StoreError> {
        self.inner.walk_entries(None, u32::MAX).await
    }

    pub(crate) async fn keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        self.inner.walk_keys(None, u32::MAX).await
    }

    /// All live posts, hidden ones too.
    pub(crate) async fn live_posts(&self) -> Result<Vec<PostSummary>, StoreError> {
        let live = self
            .entries()
            .await?
            .into_iter()
            .filter_map(|entry| match entry {
                Entry::Live(post) => Some(post.summary.clone()),
                _ => None,
            });
        Ok(live.collect())
    }

    pub(crate) async fn faulty_tags(&self, limit: u32) -> Result<Vec<TagCount>, StoreError> {
        let mut tags = self.inner.list_tags(u32::MAX).await?;
        let mut limit = limit as usize;
        match self.fault {
            Some(CountsTagsOfDrafts) => {
                let mut posts = BTreeMap::new();
                for post in self.live_posts().await? {
                    for tag in post.tags {
                        *posts.entry(tag).or_default() += 1;
                    }
                }
                let counts = posts
                    .into_iter()
                    .map(|(tag, posts)| TagCount::new(tag, posts));
                tags = counts.collect();
            }
            Some(SortsTagsByName) => tags.sort_by(|a, b| a.tag.cmp(&b.tag)),
            Some(ReturnsOneTagTooMany) => limit = limit.saturating_add(1),
            Some(RemembersTags) => {
                for post in self.aside(|aside| aside.first.clone()) {
                    for tag in post.summary.tags {
                        if !tags.iter().any(|count| count.tag == tag) {
                            tags.push(TagCount::new(tag, 0));
                        }
                    }
                }
            }
            Some(LosesLongTags) => tags.retain(|count| count.tag.as_str().len() < 1000),
            _ => {}
        }
        tags.truncate(limit);
        Ok(tags)
    }

    pub(crate) async fn faulty_walk(
        &self,
        after: Option<PostId>,
        limit: u32,
    ) -> Result<Vec<Entry>, StoreError> {
        let mut entries = self.entries().await?;
        let mut start = entries.partition_point(|entry| Some(entry.id()) <= after);
        match self.fault {
            Some(SkipsTombstones) => {
                entries.retain(|entry| matches!(entry, Entry::Live(_)));
                start = entries.partition_point(|entry| Some(entry.id()) <= after);
            }
            Some(LosesItsPlaceOnWalks) => {
                let place = entries.iter().position(|entry| Some(entry.id()) == after);
                start = place.map_or(0, |place| place + 1);
            }
            Some(WalksByOffset) => {
                let noted =
                    self.aside(|aside| after.and_then(|id| aside.offsets.get(&id).copied()));
                start = noted.unwrap_or(start);
            }
            _ => {}
        }
        let piece: Vec<_> = entries
            .into_iter()
            .skip(start)
            .take(limit as usize)
            .collect();
        if let Some(last) = piece.last() {
            self.aside(|aside| aside.offsets.insert(last.id(), start + piece.len()));
        }
        Ok(piece)
    }

    pub(crate) async fn faulty_keys(
        &self,
        after: Option<KeyId>,
        limit: u32,
    ) -> Result<Vec<KeyRecord>, StoreError> {
        if !self.has(WalksKeysByTime) {
            return self.inner.walk_keys(after, limit).await;
        }
        let mut keys = self.keys().await?;
        keys.sort_by_key(|key| key.created_at);
        let place = keys.iter().position(|key| Some(key.id) == after);
        let keys = keys.into_iter().skip(place.map_or(0, |place| place + 1));
        Ok(keys.take(limit as usize).collect())
    }
}
