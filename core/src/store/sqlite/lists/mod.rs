//! Lists whose cost does not grow.
//!
//! A list is all live posts (named `''`) or those of a tag, in the order of their sort keys. It is
//! kept in blocks of some hundred places (`block.rs`). New posts mostly go to the end of the last one,
//! all that are committed together at once (`change.rs`). A page is found by adding up how many places
//! the blocks have, from the nearer end of the list (`page.rs`): for a million posts some hundreds of
//! small steps, whatever the page.

mod block;
mod change;
mod new_places;
mod page;
mod save;

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::ids;
use crate::post::PostSummary;

pub(super) use self::block::Block;
pub(super) use self::change::{add, change_tags, last_blocks, remove};
pub(super) use self::new_places::NewPlaces;
pub(super) use self::page::page;
pub(super) use self::save::{save, save_and_commit};

/// The list of all posts. No tag is empty.
pub(super) const ALL: &str = "";

/// What lists are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SortKey {
    created_at: i64,
    id: i64,
}

/// Where a post stands, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    key: SortKey,
    pub(super) post: i64,
}

impl Place {
    pub(super) fn of(post: &PostSummary, number: i64) -> Self {
        let key = SortKey {
            created_at: post.created_at.as_micros(),
            id: ids::of_post(post.id),
        };
        Self { key, post: number }
    }

    /// That of the post whose number, time and identifier a row has.
    pub(super) fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        let key = SortKey {
            created_at: row.try_get("created_at")?,
            id: row.try_get("id")?,
        };
        Ok(Self {
            key,
            post: row.try_get("number")?,
        })
    }
}
