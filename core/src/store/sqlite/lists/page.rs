//! Reading pages of lists.

use sqlx::{Row, SqliteConnection, SqlitePool};

use super::ALL;
use super::block::Block;
use crate::post::{PageRequest, PostPage, Tag};
use crate::store::sqlite::row;

const LIST: &str = "SELECT number, places FROM handbill_lists WHERE name = ?1";

/// The block of the list `?1` in which the place `?2` is, counted from 0 at the list's end or beginning,
/// and how many places are between.
macro_rules! block_at {
    ($created_at:literal, $id:literal) => {
        concat!(
            "SELECT handbill_blocks.*, before FROM (
               SELECT number, before FROM (
                 SELECT number, places, SUM(places) OVER (
                   ORDER BY ",
            $created_at,
            ", ",
            $id,
            " ROWS UNBOUNDED PRECEDING
                 ) - places AS before
                 FROM handbill_blocks WHERE list = ?1
               ) WHERE before + places > ?2 LIMIT 1
             ) AS found JOIN handbill_blocks USING (number)"
        )
    };
}

const FROM_NEWEST: &str = block_at!("created_at DESC", "id DESC");
const FROM_OLDEST: &str = block_at!("created_at", "id");

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
) -> sqlx::Result<PostPage> {
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
            posts.push((row::summary(row)?, row.try_get("body")?));
        }
    }
    reading.commit().await?;
    Ok(PostPage {
        posts: posts.into(),
        total: total.cast_unsigned(),
    })
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
    let (text, place) = if is_near {
        (FROM_NEWEST, offset)
    } else {
        (FROM_OLDEST, total - 1 - offset)
    };
    let query = sqlx::query(text).bind(list).bind(place);
    let row = query.fetch_one(&mut *reading).await?;
    let mut block = Block::from_row(&row)?;
    let before: i64 = row.try_get("before")?;
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
