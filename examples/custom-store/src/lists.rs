//! The lists of posts: one of all, and one for each tag. Any page is found by counting, without
//! walking over the pages before it.
//!
//! A list is cut into blocks, and for each block it is written down how many posts stand in it.
//! Blocks are cut again on the levels above:
//!
//! - level 0 has a row for each post: its place, and the count 1;
//! - levels 1 to 3 have a row for each block: the place that it begins at, and its count. One post
//!   in 64, decided by a hash of its place, begins a block of level 1, one in 64² also one of level
//!   2, and one in 64³ also one of level 3. What stands before the first of them is a block too,
//!   which begins at `Place::FIRST`;
//! - level 4 has a single block, whose count is the total.
//!
//! So a block has about 64 rows of the level below. To find a page, blocks of level 3 are passed
//! over as long as they end before it, then those of level 2 within the one that does not, and so
//! on down: one or two hundred rows, for the first page and the last one, of ten thousand posts and
//! of ten million. A write changes a row or two on each level.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::RangeInclusive;

use handbill::{PostSummary, Tag};
use redb::{ReadableTable, StorageError, Table};

use crate::place::{LENGTH, Place};
use crate::tables::ListKey;

/// The list of all posts. No tag has this name, since none is empty.
const ALL: &str = "";
const TOP: u8 = 4;
const BITS_OF_A_LEVEL: u32 = 6;

type Rows<'txn> = Table<'txn, ListKey, u64>;

/// The name of the list of all posts, or of those with a tag.
pub(crate) fn name(tag: Option<&Tag>) -> &str {
    tag.map_or(ALL, Tag::as_str)
}

/// Takes a post from the lists that it stood in, and puts it into those that it stands in now.
pub(crate) fn replace(
    rows: &mut Rows<'_>,
    old: Option<&PostSummary>,
    new: Option<&PostSummary>,
) -> Result<(), StorageError> {
    let old = old.map(standings).unwrap_or_default();
    let new = new.map(standings).unwrap_or_default();
    for (list, place) in old.difference(&new) {
        remove(rows, list, place)?;
    }
    for (list, place) in new.difference(&old) {
        insert(rows, list, place)?;
    }
    Ok(())
}

/// How many posts a list has.
pub(crate) fn total(
    rows: &impl ReadableTable<ListKey, u64>,
    list: &str,
) -> Result<u64, StorageError> {
    Ok(rows
        .get((list, TOP, Place::FIRST.as_bytes()))?
        .map_or(0, |count| count.value()))
}

/// The places from `offset` on, as many as `length`, and none beyond the end.
pub(crate) fn page(
    rows: &impl ReadableTable<ListKey, u64>,
    list: &str,
    offset: u64,
    length: u32,
) -> Result<Vec<Place>, StorageError> {
    if offset >= total(rows, list)? {
        return Ok(Vec::new());
    }
    let mut begin = Place::FIRST;
    let mut ahead = offset;
    for level in (0..TOP).rev() {
        for row in rows.range(span(list, level, &begin, &Place::LAST))? {
            let (key, count) = row?;
            begin = Place::from_stored(key.value().2);
            if ahead < count.value() {
                break;
            }
            ahead -= count.value();
        }
    }
    let places = rows
        .range(span(list, 0, &begin, &Place::LAST))?
        .take(length as usize);
    places
        .map(|row| Ok(Place::from_stored(row?.0.value().2)))
        .collect()
}

/// A set, which tells what an update changes, and what it leaves.
fn standings(post: &PostSummary) -> BTreeSet<(&str, Place)> {
    let place = Place::of(post);
    post.tags
        .iter()
        .map(|tag| (name(Some(tag)), place))
        .chain([(ALL, place)])
        .collect()
}

fn insert(rows: &mut Rows<'_>, list: &str, place: &Place) -> Result<(), StorageError> {
    set(rows, list, 0, place, 1)?;
    for level in 1..=TOP {
        let (begin, count) = block_with(rows, list, level, place)?;
        if begins_block(place, level) {
            let before = sum_between(rows, list, level - 1, &begin, place)?;
            set(rows, list, level, &begin, before)?;
            set(rows, list, level, place, count + 1 - before)?;
        } else {
            set(rows, list, level, &begin, count + 1)?;
        }
    }
    Ok(())
}

fn remove(rows: &mut Rows<'_>, list: &str, place: &Place) -> Result<(), StorageError> {
    set(rows, list, 0, place, 0)?;
    for level in 1..=TOP {
        // A block that began here goes to the one before it. Whether there was one is told by its
        // row and not by the hash, which another release of Rust may compute otherwise.
        let own = rows
            .remove((list, level, place.as_bytes()))?
            .map_or(0, |count| count.value());
        let (begin, count) = block_with(rows, list, level, place)?;
        set(rows, list, level, &begin, count + own - 1)?;
    }
    Ok(())
}

/// Times of creation have microseconds, which no client chooses, and so none chooses the blocks.
fn begins_block(place: &Place, level: u8) -> bool {
    let mut hasher = DefaultHasher::new();
    place.hash(&mut hasher);
    level < TOP && hasher.finish().trailing_zeros() >= BITS_OF_A_LEVEL * u32::from(level)
}

/// Where the block begins that a place stands in, and its count.
fn block_with(
    rows: &Rows<'_>,
    list: &str,
    level: u8,
    place: &Place,
) -> Result<(Place, u64), StorageError> {
    let last = rows
        .range(span(list, level, &Place::FIRST, place))?
        .next_back()
        .transpose()?;
    Ok(last.map_or((Place::FIRST, 0), |(key, count)| {
        (Place::from_stored(key.value().2), count.value())
    }))
}

/// The counts of a level's rows from one place on, to before another, added up.
fn sum_between(
    rows: &Rows<'_>,
    list: &str,
    level: u8,
    begin: &Place,
    end: &Place,
) -> Result<u64, StorageError> {
    let between = rows.range((list, level, begin.as_bytes())..(list, level, end.as_bytes()))?;
    between.map(|row| Ok(row?.1.value())).sum()
}

/// A count of 0 has no row, so that a tag that nobody uses any more leaves nothing.
fn set(
    rows: &mut Rows<'_>,
    list: &str,
    level: u8,
    begin: &Place,
    count: u64,
) -> Result<(), StorageError> {
    let key = (list, level, begin.as_bytes());
    if count == 0 {
        rows.remove(key)?;
    } else {
        rows.insert(key, count)?;
    }
    Ok(())
}

fn span<'a>(
    list: &'a str,
    level: u8,
    begin: &'a Place,
    last: &'a Place,
) -> RangeInclusive<(&'a str, u8, &'a [u8; LENGTH])> {
    (list, level, begin.as_bytes())..=(list, level, last.as_bytes())
}

#[cfg(test)]
mod tests {
    use handbill::{PostId, Revision, SecretHash, Timestamp};
    use redb::backends::InMemoryBackend;
    use redb::{Database, ReadableTableMetadata};

    use super::*;
    use crate::tables::LISTS;

    const POSTS: u32 = 10_000;

    /// In the order that they are written in, which is not that of the list.
    fn posts() -> Vec<PostSummary> {
        (0..POSTS)
            .map(|n| n.wrapping_mul(7_919) % POSTS)
            .map(post)
            .collect()
    }

    fn post(n: u32) -> PostSummary {
        let mut hash = [0; 32];
        hash[..4].copy_from_slice(&n.to_be_bytes());
        PostSummary {
            id: PostId::derive_from(&SecretHash::from_bytes(hash)),
            title: None,
            excerpt: String::new(),
            tags: vec![Tag::from_stored("a tag")],
            focus_keyword: None,
            created_at: Timestamp::from_micros(i64::from(n / 3)),
            updated_at: Timestamp::from_micros(i64::from(n)),
            revision: Revision::from_number(1),
        }
    }

    fn with_rows(check: impl FnOnce(&mut Rows<'_>)) {
        let database = Database::builder()
            .create_with_backend(InMemoryBackend::new())
            .unwrap();
        let transaction = database.begin_write().unwrap();
        check(&mut transaction.open_table(LISTS).unwrap());
    }

    #[test]
    fn each_page_is_found_whatever_was_written_and_removed() {
        with_rows(|rows| {
            let mut expected = BTreeSet::new();
            for post in posts() {
                replace(rows, None, Some(&post)).unwrap();
                expected.insert(Place::of(&post));
            }
            for post in posts().iter().step_by(3) {
                replace(rows, Some(post), None).unwrap();
                expected.remove(&Place::of(post));
            }

            let expected: Vec<_> = expected.into_iter().collect();
            for list in [ALL, "a tag"] {
                assert_eq!(total(rows, list).unwrap(), expected.len() as u64);
                for (n, places) in expected.chunks(50).enumerate() {
                    assert_eq!(page(rows, list, n as u64 * 50, 50).unwrap(), places);
                }
            }
        });
    }

    #[test]
    fn no_block_has_many_times_its_share() {
        with_rows(|rows| {
            for post in posts() {
                replace(rows, None, Some(&post)).unwrap();
            }
            let blocks = rows
                .range(span(ALL, 1, &Place::FIRST, &Place::LAST))
                .unwrap();
            let longest = blocks.map(|row| row.unwrap().1.value()).max();
            assert!(longest.is_some_and(|posts| posts < 64 * 12), "{longest:?}");
        });
    }

    #[test]
    fn empty_lists_leave_nothing() {
        with_rows(|rows| {
            for post in posts() {
                replace(rows, None, Some(&post)).unwrap();
            }
            for post in posts() {
                replace(rows, Some(&post), None).unwrap();
            }
            assert!(rows.is_empty().unwrap());
        });
    }
}
