//! Pages of lists.
//!
//! One statement reads a page, so that the posts and the total are of one moment. It starts from the
//! first mark (see `schema.sql`) that is not older than the page, and skips about 1,000 entries at
//! most from there, whatever the page.

use sqlx::{Row, SqlitePool};

use super::row;
use crate::post::{ListedPost, PageRequest, PostList};

/// The list `?1`, without the newest `?2` entries, up to `?3` of them. A list that is not there has
/// no row, and a page beyond the end of its list has one row, with the total alone.
const PAGE: &str = "
WITH
total (posts) AS (
  SELECT posts FROM handbill_lists WHERE name = ?1
),
mark (created_at, post, entries_before) AS (
  SELECT created_at, post, entries_before FROM handbill_list_marks
  WHERE list = ?1 AND entries_before >= (SELECT posts FROM total) - ?2
  ORDER BY entries_before LIMIT 1
),
start (created_at, post, skip) AS (
  SELECT created_at, post, entries_before - ((SELECT posts FROM total) - ?2) FROM mark
  UNION ALL
  SELECT 9223372036854775807, '', ?2 WHERE NOT EXISTS (SELECT 1 FROM mark)
),
page (created_at, post) AS (
  SELECT created_at, post FROM handbill_list_entries
  WHERE list = ?1 AND (created_at, post) < (SELECT created_at, post FROM start)
  ORDER BY created_at DESC, post DESC LIMIT ?3 OFFSET (SELECT skip FROM start)
)
SELECT
  total.posts AS total, post.id, revision, post.created_at, updated_at, title, focus_keyword, tags,
  excerpt, CASE WHEN ?4 THEN body END AS body
FROM total LEFT JOIN page ON TRUE LEFT JOIN handbill_posts AS post ON post.id = page.post
ORDER BY page.created_at DESC, page.post DESC";

pub(super) async fn read(pool: &SqlitePool, request: &PageRequest) -> sqlx::Result<PostList> {
    let list = match request.tag() {
        None => "all".to_owned(),
        Some(tag) => format!("tag:{}", tag.as_str()),
    };
    let rows = sqlx::query(PAGE)
        .bind(list)
        .bind(i64::try_from(request.offset()).unwrap_or(i64::MAX))
        .bind(request.per_page())
        .bind(request.bodies())
        .fetch_all(pool)
        .await?;
    let total: i64 = match rows.first() {
        Some(row) => row.try_get("total")?,
        None => 0,
    };
    let mut posts = Vec::with_capacity(rows.len());
    for row in &rows {
        let id: Option<&str> = row.try_get("id")?;
        if id.is_some() {
            posts.push(ListedPost::new(row::summary(row)?).with_body(row.try_get("body")?));
        }
    }
    Ok(PostList::new(posts, total.cast_unsigned()))
}
