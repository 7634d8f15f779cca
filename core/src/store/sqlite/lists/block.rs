//! Blocks: neighbours in a list, kept in one row.

use std::ops::Range;

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::{Place, SortKey};

/// Places of a block at the most: its row fills a page of the database then.
pub(super) const MOST_PLACES: usize = 800;
/// Bytes of a post's number: enough for a trillion posts.
const NUMBER: usize = 5;

/// Neighbours in a list. A block reaches from its start up to the start of the next one.
#[derive(Clone, Debug)]
pub(in crate::store::sqlite) struct Block {
    pub(super) number: i64,
    pub(super) list: i64,
    pub(super) start: SortKey,
    /// Of the last place, or of a later one that is gone.
    pub(super) last: SortKey,
    pub(super) posts: Posts,
}

impl Block {
    pub(super) fn new(number: i64, list: i64, start: SortKey, places: &[Place]) -> Self {
        let mut block = Self {
            number,
            list,
            start,
            last: start,
            posts: Posts::default(),
        };
        block.append(places);
        block
    }

    pub(super) fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        let start = SortKey {
            created_at: row.try_get("created_at")?,
            id: row.try_get("id")?,
        };
        let last = SortKey {
            created_at: row.try_get("last_created_at")?,
            id: row.try_get("last_id")?,
        };
        Ok(Self {
            number: row.try_get("number")?,
            list: row.try_get("list")?,
            start,
            last,
            posts: Posts(row.try_get("posts")?),
        })
    }

    /// Adds places that come after all others.
    pub(super) fn append(&mut self, places: &[Place]) {
        for place in places {
            self.posts.push(place.post);
            self.last = place.key;
        }
    }
}

/// The posts of a block in order, by their numbers, each with the least significant byte first.
#[derive(Clone, Debug, Default)]
pub(in crate::store::sqlite) struct Posts(Vec<u8>);

impl Posts {
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn len(&self) -> usize {
        self.0.len() / NUMBER
    }

    pub(super) fn within(&self, places: Range<usize>) -> impl DoubleEndedIterator<Item = i64> {
        let bytes = &self.0[places.start * NUMBER..places.end * NUMBER];
        bytes.chunks_exact(NUMBER).map(|bytes| {
            let digits = bytes.iter().rev();
            digits.fold(0, |number, byte| number << 8 | i64::from(*byte))
        })
    }

    pub(super) fn truncate(&mut self, places: usize) {
        self.0.truncate(places * NUMBER);
    }

    /// Removes a post, and tells whether it was there.
    pub(super) fn remove(&mut self, post: i64) -> bool {
        let at = self.within(0..self.len()).position(|other| other == post);
        if let Some(at) = at {
            self.0.drain(at * NUMBER..(at + 1) * NUMBER);
        }
        at.is_some()
    }

    fn push(&mut self, post: i64) {
        self.0.extend_from_slice(&post.to_le_bytes()[..NUMBER]);
    }
}
