//! Adding places to lists, and removing them.

use std::borrow::Cow;

use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};

use super::block::{Block, MOST_PLACES};
use super::save::save;
use super::{NewPlaces, Place, SortKey};
use crate::post::Tag;
use crate::store::sqlite::row;

/// The first block of a list begins before all posts.
const BEGINNING: SortKey = SortKey {
    created_at: i64::MIN,
    id: 0,
};
/// Places at the end of a block that are looked at first for where a new one belongs.
const FEW_PLACES: usize = 64;

/// Counts new places and asks for the last block of each list, with the same JSON twice:
/// [`NewPlaces::counts`].
macro_rules! last_blocks {
    () => {
        "INSERT OR ROLLBACK INTO handbill_lists (name, places)
         SELECT key, value FROM json_each(?) WHERE true
         ON CONFLICT (name) DO UPDATE SET places = places + excluded.places;

         SELECT
           list.name, list.number AS of_list, last.*,
           (SELECT MAX(number) FROM handbill_blocks) AS newest_block,
           (SELECT MAX(number) FROM handbill_posts) AS newest_post
         FROM json_each(?) AS new CROSS JOIN handbill_lists AS list ON list.name = new.key
         LEFT JOIN handbill_blocks AS last ON last.number = (
           SELECT number FROM handbill_blocks WHERE list = list.number
           ORDER BY created_at DESC, id DESC LIMIT 1
         )"
    };
}
pub(in crate::store::sqlite) use last_blocks;

/// The block of a list that a place with this key belongs to.
const BLOCK: &str = "
SELECT * FROM handbill_blocks
WHERE list = (SELECT number FROM handbill_lists WHERE name = ?1)
AND (created_at, id) <= (?2, ?3)
ORDER BY created_at DESC, id DESC LIMIT 1";

const IN_ORDER: &str = "
SELECT number, created_at, id FROM handbill_posts
WHERE number IN (SELECT value FROM json_each(?1)) ORDER BY created_at, id";

const REMOVE_BLOCK: &str = "DELETE FROM handbill_blocks WHERE number = ?1";

const COUNT_ONE_LESS: &str = "
UPDATE handbill_lists SET places = places - 1 WHERE name = ?1;
DELETE FROM handbill_lists WHERE name = ?1 AND name <> '' AND places = 0";

/// Adds places to the lists that rows of [`last_blocks`] tell of, and returns the blocks to be saved.
pub(in crate::store::sqlite) async fn add(
    connection: &mut SqliteConnection,
    last_blocks: &[SqliteRow],
    mut new: NewPlaces<'_>,
) -> sqlx::Result<Vec<Block>> {
    let mut changed = Vec::new();
    let mut next_number = 1;
    for row in last_blocks {
        let (name, list): (&str, i64) = (row.try_get("name")?, row.try_get("of_list")?);
        let newest: Option<i64> = row.try_get("newest_block")?;
        next_number = next_number.max(newest.unwrap_or_default() + 1);

        let places = new.take(name);
        let last: Option<i64> = row.try_get("number")?;
        let mut block = last.map(|_| Block::from_row(row)).transpose()?;
        let mut rest = places.as_slice();
        loop {
            let start = block.as_ref().map_or(BEGINNING, |block| block.start);
            let (earlier, new) = rest.split_at(rest.partition_point(|place| place.key < start));
            changed.extend(fill(connection, list, block, new, &mut next_number).await?);
            let Some(latest) = earlier.last() else { break };
            block = block_of(connection, name, latest.key).await?;
            rest = earlier;
        }
    }
    Ok(changed)
}

/// A post stands in the lists of these tags from now on.
pub(in crate::store::sqlite) async fn change_tags(
    connection: &mut SqliteConnection,
    place: Place,
    old: &[Tag],
    new: &[Tag],
) -> sqlx::Result<()> {
    for tag in old.iter().filter(|tag| !new.contains(tag)) {
        remove(connection, tag.as_str(), place).await?;
    }
    let added = new.iter().filter(|tag| !old.contains(tag));
    let places = NewPlaces::of_one(place, added.map(Tag::as_str));
    let counts = places.counts();
    let last_blocks = sqlx::query(last_blocks!())
        .bind(&counts)
        .bind(&counts)
        .fetch_all(&mut *connection)
        .await?;
    let changed = add(connection, &last_blocks, places).await?;
    save(connection, &changed).await
}

/// Removes a place from a list.
pub(in crate::store::sqlite) async fn remove(
    connection: &mut SqliteConnection,
    list: &str,
    place: Place,
) -> sqlx::Result<()> {
    let Some(mut block) = block_of(connection, list, place.key).await? else {
        return Ok(());
    };
    if !block.posts.remove(place.post) {
        return Ok(());
    }
    if block.posts.len() == 0 {
        let query = sqlx::query(REMOVE_BLOCK).bind(block.number);
        query.execute(&mut *connection).await?;
    } else {
        save(connection, &[block]).await?;
    }
    let query = sqlx::query(COUNT_ONE_LESS).bind(list);
    query.execute(connection).await?;
    Ok(())
}

async fn block_of(
    connection: &mut SqliteConnection,
    list: &str,
    key: SortKey,
) -> sqlx::Result<Option<Block>> {
    let query = sqlx::query(BLOCK)
        .bind(list)
        .bind(key.created_at)
        .bind(key.id);
    let found = query.fetch_optional(connection).await?;
    found.as_ref().map(Block::from_row).transpose()
}

/// Puts new places into the block that they belong to, and returns what is to be saved: the block, and
/// more where it has no room.
async fn fill(
    connection: &mut SqliteConnection,
    list: i64,
    mut block: Option<Block>,
    new: &[Place],
    next_number: &mut i64,
) -> sqlx::Result<Vec<Block>> {
    let Some(earliest) = new.first() else {
        return Ok(Vec::new());
    };
    let mut end = Cow::Borrowed(new);
    let mut most = MOST_PLACES;
    if let Some(block) = &mut block
        && block.last >= earliest.key
    {
        end = end_with(connection, block, new).await?.into();
        let places = block.posts.len() + end.len();
        most = places.div_ceil(places.div_ceil(MOST_PLACES));
    }

    let mut start = Some(BEGINNING);
    let mut blocks = Vec::new();
    let mut rest = &*end;
    if let Some(mut block) = block {
        let fitting;
        (fitting, rest) = rest.split_at(rest.len().min(most - block.posts.len()));
        block.append(fitting);
        blocks.push(block);
        start = None;
    }
    for places in rest.chunks(most) {
        let start = start.take().unwrap_or(places[0].key);
        blocks.push(Block::new(*next_number, list, start, places));
        *next_number += 1;
    }
    Ok(blocks)
}

/// Takes off the block's end as much as new places belong into, all of it where they have no room, and
/// returns it with them, in order.
async fn end_with(
    connection: &mut SqliteConnection,
    block: &mut Block,
    new: &[Place],
) -> sqlx::Result<Vec<Place>> {
    let places = block.posts.len();
    let mut kept = match places + new.len() {
        ..=MOST_PLACES => places.saturating_sub(FEW_PLACES),
        _ => 0,
    };
    loop {
        let new_posts = new.iter().map(|place| place.post);
        let posts: Vec<i64> = block.posts.within(kept..places).chain(new_posts).collect();
        let query = sqlx::query(IN_ORDER).bind(row::json(&posts));
        let rows = query.fetch_all(&mut *connection).await?;
        let end = rows.iter().map(Place::from_row);
        let end: Vec<Place> = end.collect::<sqlx::Result<_>>()?;
        if kept == 0 || end.first() != new.first() {
            block.posts.truncate(kept);
            return Ok(end);
        }
        kept = 0;
    }
}
