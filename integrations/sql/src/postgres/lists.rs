//! Reads pages of lists. A page of a public list costs the same wherever it is and however long the list
//! is. A page of an owner's list is found in an index, and its cost grows with the posts of that owner.
//!
//! A page in the middle of a public list is found from the nearest block after it, whose number of
//! entries is known (`count.sql`). Changes that are not counted yet are included in each read. One statement reads the
//! page and the total, so that they are of the same moment.

use std::borrow::Cow;
use std::sync::LazyLock;

use handbill::store::{ListedPost, PageRequest, PostList, Tag, TagCount};
use sha2::{Digest, Sha256};
use sqlx::Row;

use super::failure::Failure;
use super::reader::Reader;
use super::row;
use crate::columns;

/// Longer tags do not fit into an index. Hosts may allow them.
const MAX_TAG_BYTES: usize = 2000;
/// Later than every entry of a list, with room for additions.
const MAX_OFFSET: i64 = i64::MAX / 4;

/// The name of the list of `tag`, in SQL: the same as [`list_name`].
pub(super) const LIST_OF_TAG: &str = "CASE WHEN OCTET_LENGTH(tag) <= 2000 THEN 'tag:' || tag
         ELSE 'long-tag:' || ENCODE(SHA256(CONVERT_TO(tag, 'UTF8')), 'hex') END";

/// Reads a post of a page. `$4` says whether to read bodies.
fn post_of_page() -> String {
    let texts = columns::texts();
    format!(
        "
    SELECT
      id, revision, created_at, updated_at, {texts}, tags, excerpt, heading, visibility, owner,
      published_at, CASE WHEN $4 THEN body END AS body
    FROM handbill_posts WHERE id = page.post LIMIT 1
  "
    )
}

fn list_name(tag: Option<&Tag>) -> Cow<'static, str> {
    let Some(tag) = tag.map(Tag::as_str) else {
        return "all".into();
    };
    if tag.len() <= MAX_TAG_BYTES {
        return format!("tag:{tag}").into();
    }
    let hash = hex::encode(Sha256::digest(tag));
    format!("long-tag:{hash}").into()
}

/// `$1` is the list, `$2` the offset, `$3` the number of posts per page, `$4` whether to read bodies.
///
/// `block` is the earliest block that certainly has no more than `$2` entries from its start on; the
/// page is found by walking from its start towards older entries, or from the newest entry if there is
/// no such block. A block does not qualify while a change that is not counted yet reaches across its
/// start. `LIMIT 1000`, the longest page, and `LIMIT 1` tell the planner how few rows there are.
static PUBLIC_PAGE: LazyLock<String> = LazyLock::new(|| {
    let post = post_of_page();
    format!(
        "
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
    SELECT post, listed_at FROM (
      SELECT post, listed_at FROM handbill_list_entries
      WHERE list = $1
        AND listed_at < COALESCE((SELECT start FROM block), 9223372036854775807)
      ORDER BY listed_at DESC, post DESC
      LIMIT $3::BIGINT
      OFFSET $2::BIGINT - COALESCE((SELECT total - before FROM counted, block), 0)
    ) AS entry LIMIT 1000
  ) AS page
  CROSS JOIN LATERAL ({post}) AS post
) ON TRUE
ORDER BY page.listed_at DESC, post.id DESC"
    )
});

/// The same for the posts of the owner `$1` that pass a filter.
fn owned_page(filter: &str) -> String {
    let post = post_of_page();
    format!(
        "
WITH counted AS MATERIALIZED (
  SELECT COUNT(*) AS total FROM handbill_posts WHERE owner = $1 AND NOT deleted {filter}
)
SELECT counted.total, post.*
FROM counted LEFT JOIN (
  (
    SELECT post FROM (
      SELECT id AS post FROM handbill_posts WHERE owner = $1 AND NOT deleted {filter}
      ORDER BY created_at DESC, id DESC
      LIMIT $3::BIGINT
      OFFSET $2::BIGINT
    ) AS entry LIMIT 1000
  ) AS page
  CROSS JOIN LATERAL ({post}) AS post
) ON TRUE
ORDER BY post.created_at DESC, post.id DESC"
    )
}

static OWNED_PAGE: LazyLock<String> = LazyLock::new(|| owned_page(""));
/// `$5` is the tag.
static OWNED_PAGE_OF_TAG: LazyLock<String> = LazyLock::new(|| owned_page("AND tags::JSONB ? $5"));

/// Lists of tags by their totals, with the changes that are not counted yet. Names are compared by bytes,
/// and `;` follows `:`.
///
/// An index has the counted totals in order (`migrations/005.sql`). Of the first `$1` lists, at most as many are
/// missing among the first `$1` totals as lists have changed.
const TAGS: &str = "
WITH change AS MATERIALIZED (
  SELECT list, SUM(entries) AS entries FROM handbill_list_changes
  WHERE list >= 'tag:' AND list < 'tag;' GROUP BY list
),
counted AS MATERIALIZED (
  SELECT list, entries FROM handbill_list_totals
  WHERE list >= 'tag:' AND list < 'tag;'
  ORDER BY entries DESC, list LIMIT $1 + (SELECT COUNT(*) FROM change)
)
SELECT SUBSTR(list, 5) AS tag, entries::BIGINT AS posts
FROM (
  SELECT list, entries FROM counted WHERE list NOT IN (SELECT list FROM change)
  UNION ALL
  SELECT list, change.entries + COALESCE(
    (SELECT entries FROM handbill_list_totals AS total WHERE total.list = change.list), 0
  ) FROM change
) AS list
WHERE entries > 0
ORDER BY entries DESC, list LIMIT $1";

/// One page of a list.
pub(super) async fn page(reader: &Reader, page: &PageRequest) -> Result<PostList, Failure> {
    let public = list_name(page.tag());
    let offset = i64::try_from(page.offset()).map_or(MAX_OFFSET, |offset| offset.min(MAX_OFFSET));
    let statement = || {
        let paged = |sql: &'static LazyLock<String>, list| {
            sqlx::query(sql.as_str())
                .bind(list)
                .bind(offset)
                .bind(i64::from(page.per_page()))
                .bind(page.bodies())
        };
        match (page.owner(), page.tag()) {
            (None, _) => paged(&PUBLIC_PAGE, &*public),
            (Some(owner), None) => paged(&OWNED_PAGE, owner.as_str()),
            (Some(owner), Some(tag)) => {
                paged(&OWNED_PAGE_OF_TAG, owner.as_str()).bind(tag.as_str())
            }
        }
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

/// The tags of the public lists. Those whose lists are named by a hash are left out.
pub(super) async fn tags(reader: &Reader, limit: u32) -> Result<Vec<TagCount>, Failure> {
    let rows = reader.rows(|| sqlx::query(TAGS).bind(i64::from(limit)));
    let rows = rows.await?;
    Ok(rows
        .iter()
        .map(row::tag_count)
        .collect::<sqlx::Result<_>>()?)
}
