//! Lists whose cost does not grow: where each place stands is counted in blocks.
//!
//! A list is all live posts (named `''`) or those of a tag. Its blocks follow one another in the
//! order of creation; each reaches up to the start of the next one and knows how many places it
//! has. To find a page, the counts are added up from the nearer end of the list, then the places of
//! one block are passed over: for a million posts some hundreds of small steps, whatever the page.

use std::collections::HashMap;

use sqlx::{Row, SqliteConnection, SqlitePool};

use super::row;
use crate::post::{PageRequest, PostPage, PostSummary, Tag};
use crate::time::Timestamp;

/// The list of all posts. No tag is empty.
const ALL: &str = "";
/// A block that grows to this many places is cut in two.
const FULL_BLOCK: i64 = 2048;

const TOTAL: &str = "SELECT places FROM handbill_totals WHERE list = ?1";

/// A page counted from the newest place: `?2` the offset, `?3` the posts on a page, `?4` whether
/// bodies are wanted.
const PAGE_FROM_NEWEST: &str = "
WITH block AS MATERIALIZED (
  SELECT upper, before FROM (
    SELECT
      COALESCE(LAG(start) OVER newest_first, 9223372036854775807) AS upper,
      SUM(places) OVER newest_first - places AS before,
      places
    FROM handbill_blocks WHERE list = ?1
    WINDOW newest_first AS (ORDER BY start DESC ROWS UNBOUNDED PRECEDING)
  ) WHERE before + places > ?2 LIMIT 1
)
SELECT
  id, revision, created_at, updated_at, title, focus_keyword, tags, excerpt,
  CASE WHEN ?4 THEN body END AS body,
  (SELECT places FROM handbill_totals WHERE list = ?1) AS total
FROM (
  SELECT post FROM handbill_places
  WHERE list = ?1 AND created_at < (SELECT upper FROM block)
  ORDER BY created_at DESC, post DESC
  LIMIT ?3 OFFSET ?2 - (SELECT before FROM block)
) AS page JOIN handbill_posts ON id = page.post
ORDER BY created_at DESC, id DESC";

/// The same page counted from the oldest place.
const PAGE_FROM_OLDEST: &str = "
WITH total AS MATERIALIZED (
  SELECT places, MAX(0, places - ?2 - ?3) AS before FROM handbill_totals WHERE list = ?1
),
block AS MATERIALIZED (
  SELECT start, before FROM (
    SELECT start, SUM(places) OVER oldest_first - places AS before, places
    FROM handbill_blocks WHERE list = ?1
    WINDOW oldest_first AS (ORDER BY start ROWS UNBOUNDED PRECEDING)
  ) WHERE before + places > (SELECT before FROM total) LIMIT 1
)
SELECT
  id, revision, created_at, updated_at, title, focus_keyword, tags, excerpt,
  CASE WHEN ?4 THEN body END AS body,
  (SELECT places FROM total) AS total
FROM (
  SELECT post FROM handbill_places
  WHERE list = ?1 AND created_at >= (SELECT start FROM block)
  ORDER BY created_at, post
  LIMIT (SELECT MAX(0, places - ?2 - before) FROM total)
  OFFSET (SELECT total.before - block.before FROM total, block)
) AS page JOIN handbill_posts ON id = page.post
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
                    posts: Vec::new(),
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

/// What a transaction changes in the lists: gathered, then applied at once.
#[derive(Default)]
pub(super) struct Moves {
    added: Vec<(String, i64, String)>,
    removed: Vec<(String, i64, String)>,
}

impl Moves {
    /// The post stands in the list of all posts and in those of its tags.
    pub(super) fn add(&mut self, post: &PostSummary) {
        self.added
            .push(place(ALL, post.created_at, post.id.as_str()));
        self.retag(post.created_at, post.id.as_str(), &[], &post.tags);
    }

    /// The post stands in no list any more.
    pub(super) fn remove(&mut self, created_at: Timestamp, id: &str, tags: &[Tag]) {
        self.removed.push(place(ALL, created_at, id));
        self.retag(created_at, id, tags, &[]);
    }

    /// The post has other tags.
    pub(super) fn retag(&mut self, created_at: Timestamp, id: &str, old: &[Tag], new: &[Tag]) {
        let places = |tags: &[Tag], others: &[Tag]| {
            let only_here = tags.iter().filter(|tag| !others.contains(tag));
            only_here
                .map(|tag| place(tag.as_str(), created_at, id))
                .collect::<Vec<_>>()
        };
        self.added.extend(places(new, old));
        self.removed.extend(places(old, new));
    }

    /// Writes all places and counts.
    pub(super) async fn apply(self, connection: &mut SqliteConnection) -> sqlx::Result<()> {
        if !self.added.is_empty() {
            let added = row::json(&self.added);
            sqlx::query(
                "INSERT INTO handbill_places (list, created_at, post)
                 SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1)",
            )
            .bind(added)
            .execute(&mut *connection)
            .await?;
        }
        for (list, created_at, post) in &self.removed {
            sqlx::query(
                "DELETE FROM handbill_places WHERE list = ?1 AND created_at = ?2 AND post = ?3",
            )
            .bind(list)
            .bind(created_at)
            .bind(post)
            .execute(&mut *connection)
            .await?;
        }
        self.count(connection).await
    }

    async fn count(self, connection: &mut SqliteConnection) -> sqlx::Result<()> {
        let mut counts: HashMap<(String, i64), i64> = HashMap::new();
        for (list, created_at, _) in self.added {
            *counts.entry((list, created_at)).or_default() += 1;
        }
        for (list, created_at, _) in self.removed {
            *counts.entry((list, created_at)).or_default() -= 1;
        }
        if counts.is_empty() {
            return Ok(());
        }
        let counts: Vec<_> = counts
            .into_iter()
            .map(|((list, created_at), count)| (list, created_at, count))
            .collect();
        let counts = row::json(&counts);
        let totals: Vec<(String, i64)> = sqlx::query_as(
            "INSERT INTO handbill_totals (list, places)
             SELECT value ->> 0 AS list, SUM(value ->> 2) FROM json_each(?1) WHERE true GROUP BY list
             ON CONFLICT (list) DO UPDATE SET places = places + excluded.places
             RETURNING list, places",
        )
        .bind(&counts)
        .fetch_all(&mut *connection)
        .await?;
        let blocks: Vec<(String, i64, i64)> = sqlx::query_as(
            "INSERT INTO handbill_blocks (list, start, places)
             SELECT list, start, SUM(places) FROM (
               SELECT
                 value ->> 0 AS list,
                 COALESCE((
                   SELECT MAX(start) FROM handbill_blocks AS block
                   WHERE block.list = value ->> 0 AND block.start <= value ->> 1
                 ), 0) AS start,
                 value ->> 2 AS places
               FROM json_each(?1)
             ) WHERE true GROUP BY list, start
             ON CONFLICT (list, start) DO UPDATE SET places = places + excluded.places
             RETURNING list, start, places",
        )
        .bind(&counts)
        .fetch_all(&mut *connection)
        .await?;
        for (list, _) in totals.iter().filter(|(_, places)| *places == 0) {
            sqlx::query("DELETE FROM handbill_totals WHERE list = ?1")
                .bind(list)
                .execute(&mut *connection)
                .await?;
        }
        for (list, start, places) in blocks {
            if places == 0 {
                sqlx::query("DELETE FROM handbill_blocks WHERE list = ?1 AND start = ?2")
                    .bind(list)
                    .bind(start)
                    .execute(&mut *connection)
                    .await?;
            } else if places >= FULL_BLOCK {
                cut(connection, &list, start, places).await?;
            }
        }
        Ok(())
    }
}

fn place(list: &str, created_at: Timestamp, post: &str) -> (String, i64, String) {
    (list.to_owned(), created_at.as_micros(), post.to_owned())
}

/// Cuts a block in its middle. One whose places are all of one instant stays whole.
async fn cut(
    connection: &mut SqliteConnection,
    list: &str,
    start: i64,
    places: i64,
) -> sqlx::Result<()> {
    let middle: i64 = sqlx::query_scalar(
        "SELECT created_at FROM handbill_places WHERE list = ?1 AND created_at >= ?2
         ORDER BY created_at LIMIT 1 OFFSET ?3",
    )
    .bind(list)
    .bind(start)
    .bind(places / 2)
    .fetch_one(&mut *connection)
    .await?;
    let before: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM handbill_places
         WHERE list = ?1 AND created_at >= ?2 AND created_at < ?3",
    )
    .bind(list)
    .bind(start)
    .bind(middle)
    .fetch_one(&mut *connection)
    .await?;
    if before == 0 {
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO handbill_blocks (list, start, places) VALUES (?1, ?2, ?3), (?1, ?4, ?5)
         ON CONFLICT (list, start) DO UPDATE SET places = excluded.places",
    )
    .bind(list)
    .bind(start)
    .bind(before)
    .bind(middle)
    .bind(places - before)
    .execute(connection)
    .await?;
    Ok(())
}
