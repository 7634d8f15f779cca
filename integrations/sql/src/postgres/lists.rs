//! Reads pages of lists. A page of a public list costs the same wherever it is and however long the list
//! is. A page of an owner's list is found in an index, and its cost grows with the posts of that owner.
//!
//! A page with a number in the middle of a public list is found from the nearest block after it, whose number of
//! entries is known (`count.sql`). A page beside a place is found in the index of the list. Changes that are not
//! counted yet are included in each read. One statement reads the page and the total, so that they are of the same
//! moment.

use std::borrow::Cow;
use std::sync::LazyLock;

use handbill::store::{List, PageRequest, PostList, Tag, TagCount, Timestamp};
use sqlx::Row;

use super::failure::Failure;
use super::reader::Reader;
use super::search;
use crate::list_name::list_name;
use crate::pages::{PageStatements, position};
use crate::{columns, row};

/// The name of the list of `tag`, in SQL: the same as [`list_name`].
pub(super) const LIST_OF_TAG: &str = "CASE WHEN OCTET_LENGTH(tag) <= 2000 THEN 'tag:' || tag
         ELSE 'long-tag:' || ENCODE(SHA256(CONVERT_TO(tag, 'UTF8')), 'hex') END";

/// Reads the posts of a `page`: of the identifiers and times that it has. `$4` says whether to read bodies. `with` has
/// `counted`, with the total. `LIMIT 1000`, the longest page, and `LIMIT 1` tell the planner how few rows there are.
pub(super) fn posts_of_page(with: &str, page: &str) -> String {
    let columns = columns::of_lists();
    format!(
        "
WITH {with}
SELECT counted.*, post.*
FROM counted LEFT JOIN (
  (SELECT post, time FROM ({page}) AS entry LIMIT 1000) AS page
  CROSS JOIN LATERAL (
    SELECT {columns}, CASE WHEN $4 THEN body END AS body
    FROM handbill_posts WHERE id = page.post LIMIT 1
  ) AS post
) ON TRUE
ORDER BY page.time DESC, post.id DESC"
    )
}

/// `block` is the earliest block that certainly has no more than `$2` entries from its start on; a numbered
/// page is found by walking from its start towards older entries, or from the newest entry if there is
/// no such block. A block does not qualify while a change that is not counted yet reaches across its
/// start.
static PUBLIC: LazyLock<PageStatements> = LazyLock::new(|| {
    let page = |block: &str, rest: &str| {
        let with = format!(
            "change AS MATERIALIZED (
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
){block}"
        );
        let entries = "SELECT post, listed_at AS time FROM handbill_list_entries WHERE list = $1";
        posts_of_page(&with, &format!("{entries} AND {rest}"))
    };
    let numbered = page(
        ",
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
)",
        "listed_at < COALESCE((SELECT start FROM block), 9223372036854775807)
      ORDER BY listed_at DESC, post DESC
      LIMIT $3::BIGINT
      OFFSET $2::BIGINT - COALESCE((SELECT total - before FROM counted, block), 0)",
    );
    PageStatements::new(numbered, SINCE.to_owned(), |compares, order| {
        page(
            "",
            &format!(
                "(listed_at, post) {compares} ($2, $5)
      ORDER BY listed_at {order}, post {order} LIMIT $3::BIGINT"
            ),
        )
    })
});

/// How many posts of a public list are since each of the times `$2`, by the last block that begins before it, as above.
const SINCE: &str = "
WITH change AS MATERIALIZED (
  SELECT oldest, newest, entries FROM handbill_list_changes WHERE list = $1
)
SELECT (
  COALESCE((SELECT entries FROM handbill_list_totals WHERE list = $1), 0)
  + COALESCE((SELECT SUM(entries) FROM change), 0)
  - COALESCE(block.before, 0)
  - (
    SELECT COUNT(*) FROM handbill_list_entries
    WHERE list = $1 AND listed_at >= COALESCE(block.start, 0) AND listed_at < time.value
  )
)::BIGINT AS posts
FROM UNNEST($2::BIGINT[]) WITH ORDINALITY AS time (value, number)
LEFT JOIN LATERAL (
  SELECT
    start,
    entries_before + COALESCE((SELECT SUM(entries) FROM change WHERE newest < block.start), 0) AS before
  FROM handbill_list_blocks AS block
  WHERE list = $1 AND start <= time.value
    AND NOT EXISTS (SELECT 1 FROM change WHERE oldest < block.start AND newest >= block.start)
  ORDER BY start DESC LIMIT 1
) AS block ON TRUE
ORDER BY time.number";

/// The posts of an owner that have this time.
fn of_owner(time: &str, tag: Option<&str>) -> String {
    let condition = tag.map(|tag| format!("AND tags::JSONB ? {tag}"));
    let condition = condition.unwrap_or_default();
    format!(
        "FROM handbill_posts
      WHERE owner = $1 AND NOT deleted AND {time} IS NOT NULL {condition}"
    )
}

/// The posts of an owner, sorted by this time: all of them, and those with the tag `$5`.
fn owned(time: &str) -> [PageStatements; 2] {
    [(None, "$5"), (Some("$5"), "$6")].map(|(tag, place)| {
        let posts = of_owner(time, tag);
        let counted = of_owner(time, tag.map(|_| "$3"));
        let since = format!(
            "
SELECT (SELECT COUNT(*) {counted} AND {time} >= since.value) AS posts
FROM UNNEST($2::BIGINT[]) WITH ORDINALITY AS since (value, number) ORDER BY since.number"
        );
        let with = format!("counted AS MATERIALIZED (SELECT COUNT(*) AS total {posts})");
        let page = |rest: &str| {
            posts_of_page(
                &with,
                &format!("SELECT id AS post, {time} AS time {posts} {rest}"),
            )
        };
        let numbered = format!("ORDER BY {time} DESC, id DESC LIMIT $3::BIGINT OFFSET $2::BIGINT");
        PageStatements::new(page(&numbered), since, |compares, order| {
            page(&format!(
                "AND ({time}, id) {compares} ($2, {place})
      ORDER BY {time} {order}, id {order} LIMIT $3::BIGINT"
            ))
        })
    })
}

static ALL_OF: LazyLock<[PageStatements; 2]> = LazyLock::new(|| owned("created_at"));
static PUBLIC_OF: LazyLock<[PageStatements; 2]> = LazyLock::new(|| owned("listed_at"));

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

/// The statements for a list, and the name of the list or its owner.
fn statements<'l>(list: &'l List, tag: Option<&'l Tag>) -> (&'static PageStatements, Cow<'l, str>) {
    let has_tag = usize::from(tag.is_some());
    match list {
        List::Public => (&PUBLIC, list_name(tag)),
        List::PublicOf(owner) => (&PUBLIC_OF[has_tag], owner.as_str().into()),
        List::AllOf(owner) => (&ALL_OF[has_tag], owner.as_str().into()),
    }
}

/// One page of a list.
pub(super) async fn page(reader: &Reader, request: &PageRequest) -> Result<PostList, Failure> {
    let PageRequest {
        list,
        tag,
        search,
        start,
        per_page,
        bodies,
    } = request;
    if let Some(search) = search {
        return search::page(reader, search, request).await;
    }
    let (statements, name) = statements(list, tag.as_ref());
    let (position, place) = position(*start);
    let statement = || {
        let mut query = sqlx::query(statements.of(*start))
            .bind(&*name)
            .bind(position)
            .bind(i64::from(per_page.get()))
            .bind(*bodies);
        if let (List::PublicOf(_) | List::AllOf(_), Some(tag)) = (list, tag) {
            query = query.bind(tag.as_str());
        }
        match &place {
            Some(id) => query.bind(id.as_str()),
            None => query,
        }
    };
    Ok(row::page(&reader.rows(statement).await?)?)
}

/// How many posts of a list are since each of these times.
pub(super) async fn since(
    reader: &Reader,
    list: &List,
    tag: Option<&Tag>,
    times: &[Timestamp],
) -> Result<Vec<u64>, Failure> {
    let times: Vec<_> = times.iter().map(|time| time.as_micros()).collect();
    let (statements, name) = statements(list, tag);
    let statement = || {
        let query = sqlx::query(statements.since()).bind(&*name).bind(&*times);
        match (list, tag) {
            (List::Public, _) | (_, None) => query,
            (_, Some(tag)) => query.bind(tag.as_str()),
        }
    };
    let rows = reader.rows(statement).await?;
    let counts = rows
        .iter()
        .map(|row| Ok(row.try_get::<i64, _>("posts")?.unsigned_abs()));
    Ok(counts.collect::<sqlx::Result<_>>()?)
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
