//! Pages of lists.
//!
//! One statement reads a page, so that the posts and the total are of one moment. A page with a number starts from the
//! first mark (see `migrations/006.sql`) that is not older than it, and skips about 1,000 entries at most from there,
//! whatever the page. A page beside a place starts there.

use std::sync::LazyLock;

use handbill::store::{List, PageRequest, PostList, Tag, Timestamp};

use super::reader::Reader;
use super::search;
use crate::pages::{PageStatements, position};
use crate::{columns, row};

/// A statement that reads the posts of a `page`, with their bodies if `?4`. `page` and its `total` come first.
pub(super) fn posts_of_page(page: &str) -> String {
    let columns = columns::of_lists();
    format!(
        "{page}
SELECT total.posts AS total, {columns}, CASE WHEN ?4 THEN body END AS body
FROM total LEFT JOIN page ON TRUE LEFT JOIN handbill_posts AS post ON post.id = page.post
ORDER BY page.time DESC, page.post DESC"
    )
}

/// A list that is not there has no row, and a page beyond the end of its list has one row, with the total alone.
static PUBLIC: LazyLock<PageStatements> = LazyLock::new(|| {
    let total = "total (posts) AS (SELECT posts FROM handbill_lists WHERE name = ?1)";
    let entries = "SELECT listed_at, post FROM handbill_list_entries WHERE list = ?1";
    let numbered = format!(
        "WITH {total},
mark (listed_at, post, entries_before) AS (
  SELECT listed_at, post, entries_before FROM handbill_list_marks
  WHERE list = ?1 AND entries_before >= (SELECT posts FROM total) - ?2
  ORDER BY entries_before LIMIT 1
),
start (listed_at, post, skip) AS (
  SELECT listed_at, post, entries_before - ((SELECT posts FROM total) - ?2) FROM mark
  UNION ALL
  SELECT 9223372036854775807, '', ?2 WHERE NOT EXISTS (SELECT 1 FROM mark)
),
page (time, post) AS (
  {entries} AND (listed_at, post) < (SELECT listed_at, post FROM start)
  ORDER BY listed_at DESC, post DESC LIMIT ?3 OFFSET (SELECT skip FROM start)
)"
    );
    PageStatements::new(
        posts_of_page(&numbered),
        SINCE.to_owned(),
        |compares, order| {
            posts_of_page(&format!(
                "WITH {total},
page (time, post) AS (
  {entries} AND (listed_at, post) {compares} (?2, ?5)
  ORDER BY listed_at {order}, post {order} LIMIT ?3
)"
            ))
        },
    )
});

/// How many posts of a public list are since each of the times `?2`, a JSON array, by the last mark before it.
const SINCE: &str = "
SELECT COALESCE((SELECT posts FROM handbill_lists WHERE name = ?1), 0) - COALESCE((
  SELECT entries_before + (
    SELECT COUNT(*) FROM handbill_list_entries
    WHERE list = ?1 AND (listed_at, post) >= (mark.listed_at, mark.post) AND listed_at < time.value
  ) FROM (
    SELECT listed_at, post, entries_before FROM handbill_list_marks
    WHERE list = ?1 AND listed_at < time.value ORDER BY listed_at DESC, post DESC LIMIT 1
  ) AS mark
), 0) AS posts
FROM json_each(?2) AS time ORDER BY time.key";

/// The posts of an owner that have this time. `tag` is a comma and the tag as JSON: `tags` is a JSON array, and no tag
/// has a comma, so each tag follows a comma if the bracket is one. That takes a third of the time of `json_each`.
fn of_owner(time: &str, tag: Option<&str>) -> String {
    let condition = tag.map(|tag| format!("AND INSTR(',' || SUBSTR(tags, 2), {tag})"));
    let condition = condition.unwrap_or_default();
    format!(
        "FROM handbill_posts
WHERE owner = ?1 AND deleted = 0 AND {time} IS NOT NULL {condition}"
    )
}

/// The posts of an owner, sorted by this time: all of them, and those with the tag `?5`. They are counted for each
/// page: an owner has far fewer posts than there are, and a creation has fewer lists to maintain.
fn owned(time: &str) -> [PageStatements; 2] {
    [(None, "?5"), (Some("?5"), "?6")].map(|(tag, place)| {
        let posts = of_owner(time, tag);
        let counted = of_owner(time, tag.map(|_| "?3"));
        let since = format!(
            "SELECT (SELECT COUNT(*) {counted} AND {time} >= since.value) AS posts
FROM json_each(?2) AS since ORDER BY since.key"
        );
        let page = |rest: &str| {
            posts_of_page(&format!(
                "WITH
total (posts) AS (SELECT COUNT(*) {posts}),
page (time, post) AS (SELECT {time}, id {posts} {rest})"
            ))
        };
        let numbered = format!("ORDER BY {time} DESC, id DESC LIMIT ?3 OFFSET ?2");
        PageStatements::new(page(&numbered), since, |compares, order| {
            page(&format!(
                "AND ({time}, id) {compares} (?2, {place})
ORDER BY {time} {order}, id {order} LIMIT ?3"
            ))
        })
    })
}

static ALL_OF: LazyLock<[PageStatements; 2]> = LazyLock::new(|| owned("created_at"));
static PUBLIC_OF: LazyLock<[PageStatements; 2]> = LazyLock::new(|| owned("listed_at"));

/// The tags of the public lists, those with the most posts first. Their lists are named `tag:` and the tag. An index
/// has all lists in this order (`migrations/007.sql`). SQLite would prefer the primary key if the condition were a
/// range of names.
pub(super) const TAGS: &str = "
SELECT SUBSTR(name, 5) AS tag, posts FROM handbill_lists
WHERE SUBSTR(name, 1, 4) = 'tag:'
ORDER BY posts DESC, name LIMIT ?1";

pub(super) async fn read(reader: &Reader, request: PageRequest) -> sqlx::Result<PostList> {
    let mut connection = reader.connection().await?;
    if let Some(search) = &request.search {
        return search::read(&mut connection, search, &request).await;
    }
    let PageRequest {
        list,
        tag,
        search: _,
        start,
        per_page,
        bodies,
    } = request;
    let (statements, name) = statements(&list, tag.as_ref());
    let (position, place) = position(start);
    let mut query = sqlx::query(statements.of(start))
        .bind(name)
        .bind(position)
        .bind(per_page.get())
        .bind(bodies);
    if let (List::PublicOf(_) | List::AllOf(_), Some(tag)) = (list, tag) {
        query = query.bind(after_comma(&tag));
    }
    if let Some(id) = place {
        query = query.bind(id.to_string());
    }
    row::page(&query.fetch_all(&mut *connection).await?)
}

/// How many posts of a list are since each of these times.
pub(super) async fn since(
    reader: &Reader,
    list: &List,
    tag: Option<&Tag>,
    times: &[Timestamp],
) -> sqlx::Result<Vec<u64>> {
    let times: Vec<_> = times.iter().map(|time| time.as_micros()).collect();
    let (statements, name) = statements(list, tag);
    let query = sqlx::query_scalar(statements.since())
        .bind(name)
        .bind(serde_json::json!(times).to_string())
        .bind(tag.map(after_comma));
    query.fetch_all(&mut *reader.connection().await?).await
}

/// The statements for a list, and the name of the list or its owner.
fn statements(list: &List, tag: Option<&Tag>) -> (&'static PageStatements, String) {
    let has_tag = usize::from(tag.is_some());
    match (list, tag) {
        (List::Public, None) => (&PUBLIC, "all".to_owned()),
        (List::Public, Some(tag)) => (&PUBLIC, format!("tag:{tag}")),
        (List::PublicOf(owner), _) => (&PUBLIC_OF[has_tag], owner.to_string()),
        (List::AllOf(owner), _) => (&ALL_OF[has_tag], owner.to_string()),
    }
}

/// A comma and the tag as JSON.
fn after_comma(tag: &Tag) -> String {
    let text = serde_json::to_string(tag.as_str());
    format!(
        ",{}",
        text.unwrap_or_else(|_| unreachable!("a string is JSON"))
    )
}
