//! Reading pages of lists.

use sqlx::{Row, SqliteConnection, SqlitePool};

use super::ALL;
use super::block::{Block, MOST_PLACES};
use crate::post::{ListedPost, PageRequest, PostList, Tag};
use crate::store::sqlite::row;

/// No limit.
const ALL_BLOCKS: i64 = -1;

const LIST: &str = "SELECT number, places FROM handbill_lists WHERE name = ?1";

/// How many places the blocks of the list `?1` have, `?2` of them at the most, as JSON. To have SQLite add
/// them up in a window took about twice the time. The limit is what makes SQLite keep to the order.
macro_rules! counts {
    ($created_at:literal, $id:literal) => {
        concat!(
            "SELECT json_group_array(places) FROM (
               SELECT places FROM handbill_blocks WHERE list = ?1
               ORDER BY ",
            $created_at,
            ", ",
            $id,
            " LIMIT ?2
             )"
        )
    };
}

/// The block after `?2` others of the list `?1`.
macro_rules! block_after {
    ($created_at:literal, $id:literal) => {
        concat!(
            "SELECT * FROM handbill_blocks WHERE list = ?1 ORDER BY ",
            $created_at,
            ", ",
            $id,
            " LIMIT 1 OFFSET ?2"
        )
    };
}

/// What is asked from one end of a list.
struct End {
    counts: &'static str,
    block_after: &'static str,
}

const NEWEST: End = End {
    counts: counts!("created_at DESC", "id DESC"),
    block_after: block_after!("created_at DESC", "id DESC"),
};
const OLDEST: End = End {
    counts: counts!("created_at", "id"),
    block_after: block_after!("created_at", "id"),
};

const BLOCK_BEFORE: &str = "
SELECT * FROM handbill_blocks WHERE list = ?1 AND (created_at, id) < (?2, ?3)
ORDER BY created_at DESC, id DESC LIMIT 1";

const POSTS: &str = "
SELECT
  post.id, revision, created_at, updated_at, title, focus_keyword, tags, excerpt,
  CASE WHEN ?2 THEN body END AS body
FROM json_each(?1) AS place CROSS JOIN handbill_posts AS post ON post.number = place.value
ORDER BY place.key";

/// One page of a list, all of it of one moment.
pub(in crate::store::sqlite) async fn page(
    pool: &SqlitePool,
    page: &PageRequest,
) -> sqlx::Result<PostList> {
    let name = page.tag().map_or(ALL, Tag::as_str);
    let mut reading = pool.begin().await?;
    let list = sqlx::query_as(LIST).bind(name);
    let list: Option<(i64, i64)> = list.fetch_optional(&mut *reading).await?;
    let (list, total) = list.unwrap_or_default();
    let mut posts = Vec::new();
    if let Ok(offset) = i64::try_from(page.offset())
        && offset < total
    {
        let numbers = numbers(&mut reading, list, total, offset, page.per_page()).await?;
        let query = sqlx::query(POSTS).bind(row::json(&numbers));
        let rows = query.bind(page.bodies()).fetch_all(&mut *reading).await?;
        for row in &rows {
            posts.push(ListedPost::new(row::summary(row)?).with_body(row.try_get("body")?));
        }
    }
    reading.commit().await?;
    Ok(PostList::new(posts, total.cast_unsigned()))
}

/// The numbers of so many posts at the most, from this place on, newest first.
async fn numbers(
    reading: &mut SqliteConnection,
    list: i64,
    total: i64,
    offset: i64,
    most: u32,
) -> sqlx::Result<Vec<i64>> {
    let is_near = offset < total / 2;
    let (end, place) = if is_near {
        (NEWEST, offset)
    } else {
        (OLDEST, total - 1 - offset)
    };
    let (blocks, before) = blocks_before(reading, &end, list, place).await?;
    let query = sqlx::query(end.block_after).bind(list).bind(blocks);
    let mut block = Block::from_row(&query.fetch_one(&mut *reading).await?)?;
    let passed = (place - before) as usize;
    let mut end = if is_near {
        block.posts.len() - passed
    } else {
        passed + 1
    };
    let mut numbers = Vec::new();
    loop {
        let wanted = most as usize - numbers.len();
        let places = end.saturating_sub(wanted)..end;
        numbers.extend(block.posts.within(places).rev());
        if numbers.len() == most as usize {
            return Ok(numbers);
        }
        let query = sqlx::query(BLOCK_BEFORE).bind(list);
        let query = query.bind(block.start.created_at).bind(block.start.id);
        let Some(row) = query.fetch_optional(&mut *reading).await? else {
            return Ok(numbers);
        };
        block = Block::from_row(&row)?;
        end = block.posts.len();
    }
}

/// How many blocks, and how many places in them, are before the block that this place is in.
async fn blocks_before(
    reading: &mut SqliteConnection,
    end: &End,
    list: i64,
    place: i64,
) -> sqlx::Result<(i64, i64)> {
    // Most blocks are almost full.
    let full = place / MOST_PLACES as i64;
    let likely = full + full / 8 + 2;
    for most in [likely, ALL_BLOCKS] {
        let query = sqlx::query_scalar(end.counts).bind(list).bind(most);
        let counts: String = query.fetch_one(&mut *reading).await?;
        let counts: Vec<i64> =
            serde_json::from_str(&counts).map_err(|error| sqlx::Error::Decode(error.into()))?;
        let mut before = 0;
        for (blocks, places) in (0..).zip(counts) {
            if before + places > place {
                return Ok((blocks, before));
            }
            before += places;
        }
    }
    Err(sqlx::Error::RowNotFound)
}
