//! Lists whose cost does not grow: how many places stand before each block is known.
//!
//! A list is all live posts (named `''`) or those of a tag. What is counted of it are its total and
//! the places before each of its blocks (`counter.rs`); what is not counted yet stands in
//! `handbill_uncounted`, and is taken in by each read. One statement reads all, so that the page and
//! its total are of one moment.

use std::borrow::Cow;

use sqlx::Row;

use super::failure::Failure;
use super::reader::Reader;
use super::row;
use crate::post::{ListedPost, PageRequest, PostList};

/// The list of all posts. No tag is empty.
const ALL: &str = "";
/// Places that are passed over without a look for a block.
const NEAR: i64 = 1024;
/// More than any list has, with room to calculate.
const FAR: i64 = i64::MAX / 4;

/// The posts of a page: each is looked up by its identifier, whatever the planner thinks of how many
/// they are (`LIMIT 1` leaves it no other way).
macro_rules! posts {
    () => {
        "CROSS JOIN LATERAL (
           SELECT
             id, revision, created_at, updated_at, title, focus_keyword, tags, excerpt,
             CASE WHEN $4 THEN body END AS body
           FROM handbill_posts WHERE id = page.post LIMIT 1
         ) AS post"
    };
}

/// A page counted from the newest place: `$1` the list, `$2` the offset, `$3` the posts on a page,
/// `$4` whether bodies are wanted.
///
/// The number within is the greatest possible, [`NEAR`] and 1,000 posts; as in the other statement,
/// it tells the planner, who takes an unknown `LIMIT` for a tenth of the table, how little it is.
const PAGE_FROM_NEWEST: &str = concat!(
    "WITH counted AS MATERIALIZED (
       SELECT (
         COALESCE((SELECT places FROM handbill_totals WHERE list = $1), 0)
         + COALESCE((SELECT SUM(places) FROM handbill_uncounted WHERE list = $1), 0)
       )::BIGINT AS total
     )
     SELECT counted.total, post.*
     FROM counted LEFT JOIN (
       (
         SELECT post FROM (
           SELECT created_at, post FROM handbill_places WHERE list = $1
           ORDER BY created_at DESC, post DESC LIMIT 2024
         ) AS near
         ORDER BY created_at DESC, post DESC LIMIT $3::BIGINT OFFSET $2::BIGINT
       ) AS page ",
    posts!(),
    ") ON TRUE
     ORDER BY post.created_at DESC, post.id DESC"
);

/// The same page, counted forwards from the latest block that certainly begins before it: `first` is
/// the number of places before the page's oldest one, and `gained` what may stand before a block
/// beyond what is counted. Where changes are not counted yet, a block counts only if each of them
/// lies on one side of its start.
const PAGE_FROM_BLOCK: &str = concat!(
    "WITH uncounted AS MATERIALIZED (
       SELECT oldest, newest, places FROM handbill_uncounted WHERE list = $1
     ),
     counted AS MATERIALIZED (
       SELECT
         total,
         gained,
         GREATEST(total - $2::BIGINT - $3::BIGINT, 0) AS first,
         GREATEST(LEAST(total - $2::BIGINT, $3::BIGINT), 0) AS posts
       FROM (
         SELECT
           (
             COALESCE((SELECT places FROM handbill_totals WHERE list = $1), 0)
             + COALESCE(SUM(places), 0)
           )::BIGINT AS total,
           COALESCE(SUM(places) FILTER (WHERE places > 0), 0)::BIGINT AS gained
         FROM uncounted
       ) AS sums
     ),
     block AS MATERIALIZED (
       SELECT
         start,
         places_before + COALESCE(
           (SELECT SUM(places) FROM uncounted WHERE newest < block.start), 0
         )::BIGINT AS before
       FROM handbill_blocks AS block
       WHERE list = $1
         AND places_before <= (SELECT first - gained FROM counted)
         AND NOT EXISTS (
           SELECT 1 FROM uncounted WHERE oldest < block.start AND newest >= block.start
         )
       ORDER BY places_before DESC LIMIT 1
     )
     SELECT counted.total, post.*
     FROM counted LEFT JOIN (
       (
         SELECT post FROM (
           SELECT post FROM handbill_places
           WHERE list = $1 AND created_at >= COALESCE((SELECT start FROM block), 0)
           ORDER BY created_at, post
           LIMIT (SELECT posts FROM counted)
           OFFSET (SELECT first - COALESCE((SELECT before FROM block), 0) FROM counted)
         ) AS found LIMIT 1000
       ) AS page ",
    posts!(),
    ") ON TRUE
     ORDER BY post.created_at DESC, post.id DESC"
);

/// One page of a list.
pub(super) async fn page(reader: &Reader, page: &PageRequest) -> Result<PostList, Failure> {
    let list = page.tag().map_or(Cow::Borrowed(ALL), row::list);
    let offset = i64::try_from(page.offset()).map_or(FAR, |offset| offset.min(FAR));
    let text = if offset < NEAR {
        PAGE_FROM_NEWEST
    } else {
        PAGE_FROM_BLOCK
    };
    let statement = || {
        sqlx::query(text)
            .bind(&*list)
            .bind(offset)
            .bind(i64::from(page.per_page()))
            .bind(page.bodies())
    };
    let rows = reader.rows(statement).await?;
    let total: i64 = match rows.first() {
        Some(row) => row.try_get("total")?,
        None => 0,
    };
    let mut posts = Vec::with_capacity(rows.len());
    for row in &rows {
        // A page without posts is one row with nothing but the total.
        if row.try_get::<Option<&str>, _>("id")?.is_some() {
            posts.push(ListedPost::new(row::summary(row)?).with_body(row.try_get("body")?));
        }
    }
    Ok(PostList::new(posts, total.cast_unsigned()))
}
