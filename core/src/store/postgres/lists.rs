//! Reads pages of lists, at a cost that depends neither on the page nor on the length of the list.
//!
//! A page in the middle is found from the nearest block after it, whose number of entries is known
//! (`count.sql`). Changes that are not counted yet are included in each read. One statement reads the
//! page and the total, so that they are of the same moment.

use std::borrow::Cow;

use sqlx::Row;

use super::failure::Failure;
use super::reader::Reader;
use super::row;
use crate::hex;
use crate::post::{ListedPost, PageRequest, PostList, Tag};
use crate::secret::SecretHash;

/// Longer tags do not fit into an index. Hosts may allow them.
const MAX_TAG_BYTES: usize = 2000;
/// Later than every entry of a list, with room for additions.
const MAX_OFFSET: i64 = i64::MAX / 4;

/// The name of the list of `tag`, in SQL: the same as [`list_name`].
macro_rules! list_of_tag {
    () => {
        "CASE WHEN OCTET_LENGTH(tag) <= 2000 THEN 'tag:' || tag
         ELSE 'long-tag:' || ENCODE(SHA256(CONVERT_TO(tag, 'UTF8')), 'hex') END"
    };
}
pub(super) use list_of_tag;

fn list_name(tag: Option<&Tag>) -> Cow<'static, str> {
    let Some(tag) = tag.map(Tag::as_str) else {
        return "all".into();
    };
    if tag.len() <= MAX_TAG_BYTES {
        return format!("tag:{tag}").into();
    }
    let hash = hex::encode(SecretHash::of(tag).as_bytes());
    format!("long-tag:{hash}").into()
}

/// `$1` is the list, `$2` the offset, `$3` the number of posts per page, `$4` whether to read bodies.
///
/// `block` is the earliest block that certainly has no more than `$2` entries from its start on; the
/// page is found by walking from its start towards older entries, or from the newest entry if there is
/// no such block. A block does not qualify while a change that is not counted yet reaches across its
/// start. `LIMIT 1000`, the longest page, and `LIMIT 1` tell the planner how few rows there are.
const PAGE: &str = "
WITH change AS MATERIALIZED (
  SELECT oldest, newest, entries FROM handbill_list_changes WHERE list = $1
),
counted AS MATERIALIZED (
  SELECT
    (
      COALESCE((SELECT entries FROM handbill_list_totals WHERE list = $1), 0)
      + COALESCE(SUM(entries), 0)
    )::BIGINT AS total,
    COALESCE(SUM(-entries) FILTER (WHERE entries < 0), 0)::BIGINT AS removed
  FROM change
),
block AS MATERIALIZED (
  SELECT
    start,
    entries_before + COALESCE(
      (SELECT SUM(entries) FROM change WHERE newest < block.start), 0
    )::BIGINT AS before
  FROM handbill_list_blocks AS block
  WHERE list = $1
    AND entries_before >= (SELECT total - $2::BIGINT + removed FROM counted)
    AND NOT EXISTS (
      SELECT 1 FROM change WHERE oldest < block.start AND newest >= block.start
    )
  ORDER BY entries_before LIMIT 1
)
SELECT counted.total, post.*
FROM counted LEFT JOIN (
  (
    SELECT post FROM (
      SELECT post, created_at FROM handbill_list_entries
      WHERE list = $1
        AND created_at < COALESCE((SELECT start FROM block), 9223372036854775807)
      ORDER BY created_at DESC, post DESC
      LIMIT $3::BIGINT
      OFFSET $2::BIGINT - COALESCE((SELECT total - before FROM counted, block), 0)
    ) AS entry LIMIT 1000
  ) AS page
  CROSS JOIN LATERAL (
    SELECT
      id, revision, created_at, updated_at, title, focus_keyword, tags, excerpt,
      CASE WHEN $4 THEN body END AS body
    FROM handbill_posts WHERE id = page.post LIMIT 1
  ) AS post
) ON TRUE
ORDER BY post.created_at DESC, post.id DESC";

/// One page of a list.
pub(super) async fn page(reader: &Reader, page: &PageRequest) -> Result<PostList, Failure> {
    let list = list_name(page.tag());
    let offset = i64::try_from(page.offset()).map_or(MAX_OFFSET, |offset| offset.min(MAX_OFFSET));
    let statement = || {
        sqlx::query(PAGE)
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
        // A page without posts is one row that has only the total.
        if row.try_get::<Option<&str>, _>("id")?.is_some() {
            posts.push(ListedPost::new(row::summary(row)?).with_body(row.try_get("body")?));
        }
    }
    Ok(PostList::new(posts, total.cast_unsigned()))
}
