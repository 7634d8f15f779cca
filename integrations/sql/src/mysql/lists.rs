//! Reads pages of lists. A page of a public list costs the same wherever it is and however long the list is. A page of
//! an owner's list is found in an index, and its cost grows with the posts of that owner.
//!
//! A page that begins after many entries is found from the nearest block after it, whose number of entries is known
//! (`counter.rs`). Changes that are not counted yet are included in each read. Where that takes more than one
//! statement, they read one snapshot.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use handbill::store::{List, Owner, PageRequest, PageStart, PostList, Tag, TagCount, Timestamp};
use sqlx::mysql::MySqlRow;
use sqlx::{MySqlConnection, Row as _};

use super::failure::read_snapshot;
use super::reader::Reader;
use super::search;
use super::statement::statement;
use crate::list_name::list_name;
use crate::query::{Query, Value};
use crate::row::{self, Row as _};
use crate::{columns, pages};

/// A page that begins after more entries is found by a block.
const MAX_SKIPPED: i64 = 1000;

/// The position of an entry in its list: a time and a post.
pub(super) type Position = (i64, String);
/// Earlier than each entry of a list.
pub(super) const FIRST: Position = (-1, String::new());
/// Later than each entry of a list.
pub(super) const LAST: Position = (i64::MAX, String::new());

// The first parameter is the list or its owner. In those that read a page, the others are whether to read bodies, the
// tag of an owner's list, the position, the number of posts, and how many are skipped before. In those that count, they
// are a time, and the tag of an owner's list.

/// The total of a list.
const TOTAL: &str = "
COALESCE((SELECT entries FROM handbill_list_totals WHERE list = $1), 0)
+ COALESCE((SELECT CAST(SUM(entries) AS SIGNED) FROM handbill_list_changes WHERE list = $1), 0)";
/// How many of the changes that are not counted yet removed an entry of a list.
const REMOVED: &str = "
(SELECT COUNT(*) FROM handbill_list_changes WHERE list = $1 AND entries < 0)";
/// The start of a block of a list, and how many entries are before it.
const BLOCK: &str = "
SELECT time, post, entries_before + COALESCE((
  SELECT CAST(SUM(entries) AS SIGNED) FROM handbill_list_changes AS change_
  WHERE change_.list = block.list
    AND (change_.time < block.time OR (change_.time = block.time AND change_.post < block.post))
), 0) AS before_
FROM handbill_list_blocks AS block WHERE list = $1";

/// Reads the total and the posts of a page: the identifiers and times that `page` has. They are in no order.
pub(super) fn page_of(total: &str, page: &str) -> String {
    let columns = columns::of_lists();
    let columns = columns.replace(", ", ", post.");
    format!(
        "SELECT counted.*, page.time AS place, post.{columns}, CASE WHEN $2 THEN post.body END AS body
         FROM ({total}) AS counted
         LEFT JOIN ({page}) AS page ON TRUE
         LEFT JOIN handbill_posts AS post ON post.id = page.post"
    )
}

/// The rows of a page in the order of its list. To sort them, the server would write all their texts to a temporary
/// table on its disk.
pub(super) fn in_order(mut rows: Vec<MySqlRow>) -> Vec<MySqlRow> {
    rows.sort_by_cached_key(|row| {
        let id = row.text("id").ok().flatten().map(ToOwned::to_owned);
        Reverse((row.integer("place").ok(), id))
    });
    rows
}

pub(super) fn position(row: &MySqlRow) -> sqlx::Result<Position> {
    Ok((row.try_get("time")?, row.try_get("post")?))
}

/// The start of a block, and how many entries are before it.
pub(super) fn block(row: &MySqlRow) -> sqlx::Result<(Position, i64)> {
    Ok((position(row)?, row.try_get("before_")?))
}

/// The entries of a page beside a position, which have this time and identifier.
fn beside(start: PageStart, time: &str, post: &str) -> String {
    let (compares, order) = match start {
        PageStart::Skip(_) | PageStart::After(_) => ("<", "DESC"),
        PageStart::Before(_) => (">", "ASC"),
    };
    format!(
        "({time} {compares} $4 OR ({time} = $4 AND {post} {compares} $5))
         ORDER BY {time} {order}, {post} {order} LIMIT $6 OFFSET $7"
    )
}

/// The position that a page begins beside, and how many posts it skips there.
fn start_of(request: &PageRequest) -> (Position, i64) {
    match pages::position(request.start) {
        (time, Some(post)) => ((time, post.to_string()), 0),
        (skipped, None) => (LAST, skipped),
    }
}

/// Reads a page.
fn query<'q>(
    sql: &str,
    list: impl Into<Value<'q>>,
    request: &PageRequest,
    ((time, post), skipped): (Position, i64),
) -> Query<'q> {
    Query::new(sql.to_owned())
        .bind(list)
        .bind(request.bodies)
        .bind(request.tag.as_ref().map(json))
        .bind(time)
        .bind(post)
        .bind(request.per_page.get())
        .bind(skipped)
}

/// The posts of an owner that have this time, and the tag `$3`.
fn of_owner(time: &str, tag: Option<&Tag>) -> String {
    let condition = tag.map_or("", |_| "AND JSON_CONTAINS(tags, $3)");
    format!(
        "FROM handbill_posts WHERE owner = $1 AND NOT deleted AND {time} IS NOT NULL {condition}"
    )
}

/// The column by which the list of an owner is sorted.
pub(super) fn time_of(list: &List) -> &'static str {
    match list {
        List::AllOf(_) => "created_at",
        List::Public | List::PublicOf(_) => "listed_at",
    }
}

/// A tag as it is in the column.
pub(super) fn json(tag: &Tag) -> String {
    serde_json::to_string(tag.as_str()).unwrap_or_else(|_| unreachable!("a text is JSON"))
}

/// One page of a list.
pub(super) async fn page(reader: &Reader, request: &PageRequest) -> sqlx::Result<PostList> {
    // By name, so that the compiler names a member that is new.
    let PageRequest {
        list,
        tag: _,
        search,
        start: _,
        per_page: _,
        bodies: _,
    } = request;
    let rows = match (search, list) {
        (Some(search), _) => return search::page(reader, search, request).await,
        (None, List::Public) => public_page(reader, request).await?,
        (None, List::PublicOf(owner) | List::AllOf(owner)) => {
            owned_page(reader, owner, request).await?
        }
    };
    row::page(&in_order(rows))
}

async fn public_page(reader: &Reader, request: &PageRequest) -> sqlx::Result<Vec<MySqlRow>> {
    let list = list_name(request.tag.as_ref());
    let list = list.as_bytes();
    let beside = beside(request.start, "time", "post");
    let sql = &page_of(
        &format!("SELECT {TOTAL} AS total"),
        &format!("SELECT time, post FROM handbill_list_entries WHERE list = $1 AND {beside}"),
    );
    let (start, skipped) = start_of(request);
    if skipped <= MAX_SKIPPED {
        let query = query(sql, list, request, (start, skipped));
        return reader.raw_rows(&query).await;
    }
    let read = async |connection: &mut MySqlConnection| {
        let (start, after) = block_of_page(connection, list, skipped).await?;
        let query = query(sql, list, request, (start, skipped - after));
        statement(&query).fetch_all(connection).await
    };
    read_snapshot(&reader.connections, read).await
}

/// The nearest start of a block after a page that begins after so many entries, and how many are there after it.
async fn block_of_page(
    connection: &mut MySqlConnection,
    list: &[u8],
    skipped: i64,
) -> sqlx::Result<(Position, i64)> {
    // Of the entries before a block, those that were removed may be counted still.
    let counted = Query::new(format!("SELECT {TOTAL} AS total, {REMOVED} AS removed")).bind(list);
    let row = statement(&counted).fetch_one(&mut *connection).await?;
    let (total, removed): (i64, i64) = (row.try_get("total")?, row.try_get("removed")?);
    let nearest = "AND entries_before >= $2 ORDER BY entries_before LIMIT 1";
    let nearest = Query::new(format!("{BLOCK} {nearest}"))
        .bind(list)
        .bind(total.saturating_sub(skipped).saturating_add(removed));
    match statement(&nearest).fetch_optional(connection).await? {
        Some(row) => block(&row).map(|(start, before)| (start, total - before)),
        None => Ok((LAST, 0)),
    }
}

async fn owned_page(
    reader: &Reader,
    owner: &Owner,
    request: &PageRequest,
) -> sqlx::Result<Vec<MySqlRow>> {
    let time = time_of(&request.list);
    let posts = of_owner(time, request.tag.as_ref());
    let beside = beside(request.start, time, "id");
    let sql = page_of(
        &format!("SELECT COUNT(*) AS total {posts}"),
        &format!("SELECT {time} AS time, id AS post {posts} AND {beside}"),
    );
    let query = query(&sql, owner.as_str(), request, start_of(request));
    reader.raw_rows(&query).await
}

/// How many posts of a list are since each of these times.
pub(super) async fn since(
    reader: &Reader,
    list: &List,
    tag: Option<&Tag>,
    times: &[Timestamp],
) -> sqlx::Result<Vec<u64>> {
    let count = async |connection: &mut MySqlConnection| {
        let mut counts = Vec::with_capacity(times.len());
        for time in times {
            let posts = match list {
                List::Public => public_since(connection, &list_name(tag), *time).await?,
                List::PublicOf(owner) | List::AllOf(owner) => {
                    let (column, posts) = (time_of(list), of_owner(time_of(list), tag));
                    let count = format!("SELECT COUNT(*) {posts} AND {column} >= $2");
                    let count = Query::new(count).bind(owner.as_str());
                    let count = count.bind(time.as_micros()).bind(tag.map(json));
                    let row = statement(&count).fetch_one(&mut *connection).await?;
                    row.try_get(0)?
                }
            };
            counts.push(i64::unsigned_abs(posts));
        }
        Ok(counts)
    };
    read_snapshot(&reader.connections, count).await
}

/// All but those before the last block that begins earlier, and those that follow up to the time.
async fn public_since(
    connection: &mut MySqlConnection,
    list: &str,
    time: Timestamp,
) -> sqlx::Result<i64> {
    let query = |sql: String| Query::new(sql).bind(list.as_bytes()).bind(time.as_micros());
    let latest = "AND time < $2 ORDER BY time DESC, post DESC LIMIT 1";
    let latest = query(format!("{BLOCK} {latest}"));
    let row = statement(&latest).fetch_optional(&mut *connection).await?;
    let ((start, post), before) = row.as_ref().map_or(Ok((FIRST, 0)), block)?;
    let later = query(format!(
        "SELECT {TOTAL} - (
           SELECT COUNT(*) FROM handbill_list_entries
           WHERE list = $1 AND (time > $3 OR (time = $3 AND post >= $4)) AND time < $2
         )"
    ));
    let later = later.bind(start).bind(post);
    let row = statement(&later).fetch_one(connection).await?;
    Ok(row.try_get::<i64, _>(0)? - before)
}

/// The lists of tags that changed, with all that was counted and not.
const CHANGED_TAGS: &str = "
SELECT list, CAST(SUM(entries) AS SIGNED) + COALESCE((
  SELECT entries FROM handbill_list_totals AS total WHERE total.list = change_.list
), 0) AS entries
FROM handbill_list_changes AS change_ WHERE list >= 'tag:' AND list < 'tag;' GROUP BY list";
/// `;` follows `:`. By itself, the server would read and sort the totals of all tags.
const COUNTED_TAGS: &str = "
SELECT list, entries FROM handbill_list_totals FORCE INDEX (handbill_list_totals_by_entries)
WHERE list >= 'tag:' AND list < 'tag;' ORDER BY entries DESC, list LIMIT $1";

/// The tags of the public lists. Those whose lists are named by a hash are left out.
pub(super) async fn tags(reader: &Reader, limit: u32) -> sqlx::Result<Vec<TagCount>> {
    let read = async |connection: &mut MySqlConnection| {
        let changed = sqlx::query(CHANGED_TAGS).fetch_all(&mut *connection);
        let changed = changed.await?;
        // Of the first lists, at most as many are missing among the first totals as lists have changed.
        let counted = Query::new(COUNTED_TAGS).bind(i64::from(limit) + changed.len() as i64);
        Ok((statement(&counted).fetch_all(connection).await?, changed))
    };
    let (counted, changed) = read_snapshot(&reader.connections, read).await?;
    let mut totals = BTreeMap::new();
    for row in counted.iter().chain(&changed) {
        let list: Vec<u8> = row.try_get("list")?;
        totals.insert(list, row.try_get::<i64, _>("entries")?);
    }
    let mut lists: Vec<_> = totals.into_iter().collect();
    lists.retain(|(_, entries)| *entries > 0);
    // Those with as many entries stay in the order of their names.
    lists.sort_by_key(|(_, entries)| Reverse(*entries));
    lists.truncate(limit as usize);
    let tags = lists.into_iter().map(|(list, entries)| {
        let tag = String::from_utf8_lossy(&list["tag:".len()..]);
        TagCount::new(Tag::from_stored(&*tag), entries.unsigned_abs())
    });
    Ok(tags.collect())
}
