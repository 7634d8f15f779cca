//! Lists whose cost does not grow: where each place stands is counted in blocks.
//!
//! A list is all live posts (named `''`) or those of a tag. Its blocks follow one another in the
//! order of creation; each reaches up to the start of the next one and knows how many places it
//! has (`schema.sql` keeps count). To find a page, the counts are added up from the nearer end of the list, then the places of
//! one block are passed over: for a million posts some hundreds of small steps, whatever the page.

use sqlx::{Row, SqlitePool};

use super::row;
use crate::post::{PageRequest, PostPage, Tag};

/// The list of all posts. No tag is empty.
pub(super) const ALL: &str = "";
const TOTAL: &str = "SELECT places FROM handbill_lists WHERE name = ?1";

/// A page counted from the newest place: `?2` the offset, `?3` the posts on a page, `?4` whether
/// bodies are wanted.
const PAGE_FROM_NEWEST: &str = "
WITH list AS MATERIALIZED (
  SELECT number, places FROM handbill_lists WHERE name = ?1
),
block AS MATERIALIZED (
  SELECT upper, before FROM (
    SELECT
      COALESCE(LAG(start) OVER newest_first, 9223372036854775807) AS upper,
      SUM(places) OVER newest_first - places AS before,
      places
    FROM handbill_blocks WHERE list = (SELECT number FROM list)
    WINDOW newest_first AS (ORDER BY start DESC ROWS UNBOUNDED PRECEDING)
  ) WHERE before + places > ?2 LIMIT 1
)
SELECT
  id, revision, created_at, updated_at, title, focus_keyword, tags, excerpt,
  CASE WHEN ?4 THEN body END AS body,
  (SELECT places FROM list) AS total
FROM (
  SELECT post FROM handbill_places
  WHERE list = (SELECT number FROM list) AND created_at < (SELECT upper FROM block)
  ORDER BY created_at DESC, id DESC
  LIMIT ?3 OFFSET ?2 - (SELECT before FROM block)
) AS page JOIN handbill_posts ON number = page.post
ORDER BY created_at DESC, id DESC";

/// The same page counted from the oldest place.
const PAGE_FROM_OLDEST: &str = "
WITH list AS MATERIALIZED (
  SELECT number, places, MAX(0, places - ?2 - ?3) AS before
  FROM handbill_lists WHERE name = ?1
),
block AS MATERIALIZED (
  SELECT start, before FROM (
    SELECT start, SUM(places) OVER oldest_first - places AS before, places
    FROM handbill_blocks WHERE list = (SELECT number FROM list)
    WINDOW oldest_first AS (ORDER BY start ROWS UNBOUNDED PRECEDING)
  ) WHERE before + places > (SELECT before FROM list) LIMIT 1
)
SELECT
  id, revision, created_at, updated_at, title, focus_keyword, tags, excerpt,
  CASE WHEN ?4 THEN body END AS body,
  (SELECT places FROM list) AS total
FROM (
  SELECT post FROM handbill_places
  WHERE list = (SELECT number FROM list) AND created_at >= (SELECT start FROM block)
  ORDER BY created_at, id
  LIMIT (SELECT MAX(0, places - ?2 - before) FROM list)
  OFFSET (SELECT list.before - block.before FROM list, block)
) AS page JOIN handbill_posts ON number = page.post
ORDER BY created_at DESC, id DESC";

/// One page of a list.
pub(super) async fn page(pool: &SqlitePool, page: &PageRequest) -> sqlx::Result<PostPage> {
    let list = page.tag().map_or(ALL, Tag::as_str);
    loop {
        let total: Option<i64> = sqlx::query_scalar(TOTAL)
            .bind(list)
            .fetch_optional(pool)
            .await?;
        let total = total.unwrap_or_default();
        let offset = match i64::try_from(page.offset()) {
            Ok(offset) if offset < total => offset,
            _ => {
                return Ok(PostPage {
                    posts: [].into(),
                    total: total.cast_unsigned(),
                });
            }
        };
        let query = if offset < total / 2 {
            PAGE_FROM_NEWEST
        } else {
            PAGE_FROM_OLDEST
        };
        let query = sqlx::query(query)
            .bind(list)
            .bind(offset)
            .bind(page.per_page());
        let rows = query.bind(page.bodies()).fetch_all(pool).await?;
        // The page and its total are of one moment, since one statement reads both. Where nothing
        // is there any more, posts were deleted since the total was read.
        let Some(first) = rows.first() else { continue };
        let total: i64 = first.try_get("total")?;
        let posts = rows
            .iter()
            .map(|row| Ok((row::summary(row)?, row.try_get("body")?)));
        let posts = posts.collect::<sqlx::Result<_>>()?;
        return Ok(PostPage {
            posts,
            total: total.cast_unsigned(),
        });
    }
}
