//! What new posts add to lists.

use std::collections::BTreeMap;

use super::{ALL, Place};
use crate::post::{PostSummary, Tag};
use crate::store::sqlite::row;

/// New places of each list, by its name, in order.
#[derive(Debug, Default)]
pub(in crate::store::sqlite) struct NewPlaces<'a>(BTreeMap<&'a str, Vec<Place>>);

impl<'a> NewPlaces<'a> {
    /// Those of new posts, which are numbered from 0 on.
    pub(in crate::store::sqlite) fn of(posts: impl IntoIterator<Item = &'a PostSummary>) -> Self {
        let mut new = Self::default();
        for (number, post) in (0..).zip(posts) {
            let lists = std::iter::once(ALL).chain(post.tags.iter().map(Tag::as_str));
            new.put(Place::of(post, number), lists);
        }
        for places in new.0.values_mut() {
            places.sort_unstable();
        }
        new
    }

    /// Those of one post.
    pub(super) fn of_one(place: Place, lists: impl Iterator<Item = &'a str>) -> Self {
        let mut new = Self::default();
        new.put(place, lists);
        new
    }

    fn put(&mut self, place: Place, lists: impl Iterator<Item = &'a str>) {
        for list in lists {
            self.0.entry(list).or_default().push(place);
        }
    }

    /// Numbers the posts from this one on.
    pub(in crate::store::sqlite) fn number_from(&mut self, first: i64) {
        for place in self.0.values_mut().flatten() {
            place.post += first;
        }
    }

    /// How many there are, by the list's name, as JSON.
    pub(in crate::store::sqlite) fn counts(&self) -> String {
        let counts = self.0.iter().map(|(list, places)| (*list, places.len()));
        row::json(&counts.collect::<BTreeMap<_, _>>())
    }

    pub(super) fn take(&mut self, list: &str) -> Vec<Place> {
        self.0.remove(list).unwrap_or_default()
    }
}
