//! Searches: lists with the posts that have some words.
//!
//! If one of the words is rare, its posts are looked up. Otherwise there are enough hits among the latest posts of the
//! list, and it is walked along.

use std::time::Duration;

use async_trait::async_trait;
use handbill::store::{
    List, MAX_HITS, PageRequest, PageStart, PostId, PostList, Revision, Search, SearchIndex,
    StoreError, Term, Words,
};
use sqlx::mysql::MySqlRow;
use sqlx::{AssertSqlSafe, MySql, MySqlConnection, QueryBuilder, Row as _};

use super::MySqlStore;
use super::entries::list_of_word;
use super::failure::read_snapshot;
use super::lists::{in_order, json, page_of, time_of};
use super::reader::Reader;
use crate::list_name::list_name;
use crate::row::{self, Row as _};

/// A word that fewer posts have is rare: they are looked up within some 50 ms.
const MANY: i64 = 10_000;

const UNINDEXED: &str = "
SELECT id FROM handbill_posts
WHERE id > ? AND NOT deleted AND (words_version IS NULL OR words_version <> ?) ORDER BY id LIMIT ?";

/// The lists of the words that a term finds: from the first of these names on, and before the second one.
fn lists(term: &Term) -> (Vec<u8>, Vec<u8>) {
    let first = list_of_word(&term.text);
    // No text has the byte 255.
    let next = if term.is_prefix { 255 } else { 0 };
    let end = [first.as_slice(), &[next]].concat();
    (first, end)
}

/// A hit, by which its list is sorted.
type Hit = (i64, PostId);

/// One page of what is found.
pub(super) async fn page(
    reader: &Reader,
    search: &Search,
    request: &PageRequest,
) -> sqlx::Result<PostList> {
    let read = async |connection: &mut MySqlConnection| {
        let hits = hits(connection, search, request).await?;
        let page = page_of_hits(&hits, request);
        let page = page.iter().map(|(time, id)| format!("[{time},\"{id}\"]"));
        let page = format!("[{}]", page.collect::<Vec<_>>().join(","));
        let sql = page_of(
            "SELECT CAST(? AS SIGNED) AS total, value AS indexed FROM handbill_meta WHERE name = 'indexed'",
            "SELECT time, post FROM JSON_TABLE(?, '$[*]' COLUMNS (
               time BIGINT PATH '$[0]', post CHAR(10) CHARACTER SET ascii PATH '$[1]'
             )) AS hit",
        );
        let rows = sqlx::query(AssertSqlSafe(sql))
            .bind(request.bodies)
            .bind(hits.len() as u64)
            .bind(page);
        rows.fetch_all(connection).await
    };
    let rows = read_snapshot(&reader.connections, read).await?;
    let indexed = rows.first().map(|row| row.integer("indexed")).transpose()?;
    let found = row::page(&in_order(rows))?;
    Ok(found.with_incomplete(indexed.flatten() != Some(i64::from(Words::VERSION))))
}

/// The latest hits, in the order of the list.
async fn hits(
    connection: &mut MySqlConnection,
    search: &Search,
    request: &PageRequest,
) -> sqlx::Result<Vec<Hit>> {
    let Some((rarest, posts)) = rarest(connection, &search.terms).await? else {
        return Ok(Vec::new());
    };
    let (list, tag) = (&request.list, request.tag.as_ref());
    let (is_rare, time) = (posts < MANY, time_of(list));
    let mut sql: QueryBuilder<MySql> = QueryBuilder::new("SELECT ");
    let order = match list {
        List::Public if !is_rare => "entry.time DESC, entry.post DESC",
        List::Public | List::PublicOf(_) => "post.listed_at DESC, post.id DESC",
        List::AllOf(_) => "post.created_at DESC, post.id DESC",
    };
    sql.push(format_args!("post.{time} AS time, post.id FROM "));
    match list {
        _ if is_rare => {
            let (first, end) = lists(&search.terms[rarest]);
            sql.push("(SELECT DISTINCT post FROM handbill_list_entries WHERE list >= ")
                .push_bind(first)
                .push(" AND list < ")
                .push_bind(end)
                .push(") AS found STRAIGHT_JOIN handbill_posts AS post ON post.id = found.post WHERE TRUE");
        }
        List::Public => {
            sql.push(
                "handbill_list_entries AS entry STRAIGHT_JOIN handbill_posts AS post ON post.id = entry.post
                 WHERE entry.list = ",
            )
            .push_bind(list_name(tag).into_owned().into_bytes());
        }
        List::PublicOf(_) | List::AllOf(_) => drop(sql.push("handbill_posts AS post WHERE TRUE")),
    }
    sql.push(format_args!(
        " AND NOT post.deleted AND post.{time} IS NOT NULL"
    ));
    if let List::PublicOf(owner) | List::AllOf(owner) = list {
        sql.push(" AND post.owner = ").push_bind(owner.as_str());
    }
    if let Some(tag) = tag {
        sql.push(" AND JSON_CONTAINS(post.tags, ")
            .push_bind(json(tag))
            .push(")");
    }
    if let Some(from) = search.from {
        sql.push(" AND post.published_at >= ")
            .push_bind(from.as_micros());
    }
    if let Some(before) = search.before {
        sql.push(" AND post.published_at < ")
            .push_bind(before.as_micros());
    }
    for (place, term) in search.terms.iter().enumerate() {
        if !is_rare || place != rarest {
            sql.push(" AND LOCATE(")
                .push_bind(in_text(term))
                .push(", post.words) > 0");
        }
    }
    sql.push(format_args!(" ORDER BY {order} LIMIT {MAX_HITS}"));
    let rows = sql.build().fetch_all(connection).await?;
    let hit = |row: &MySqlRow| Ok((row.try_get("time")?, row::id(row)?));
    rows.iter().map(hit).collect()
}

/// A term as the column of words has it.
fn in_text(term: &Term) -> String {
    match term.is_prefix {
        true => format!(" {}", term.text),
        false => format!(" {} ", term.text),
    }
}

/// The place of the term that the fewest posts have, and how many these are, at most [`MANY`].
async fn rarest(
    connection: &mut MySqlConnection,
    terms: &[Term],
) -> sqlx::Result<Option<(usize, i64)>> {
    let mut rarest = None;
    for (place, term) in terms.iter().enumerate() {
        let count = format!(
            "SELECT COUNT(*) FROM (
               SELECT 1 FROM handbill_list_entries WHERE list >= ? AND list < ? LIMIT {MANY}
             ) AS entry"
        );
        let (first, end) = lists(term);
        let posts: i64 = sqlx::query_scalar(AssertSqlSafe(count))
            .bind(first)
            .bind(end)
            .fetch_one(&mut *connection)
            .await?;
        if rarest.is_none_or(|(_, fewest)| posts < fewest) {
            rarest = Some((place, posts));
        }
    }
    Ok(rarest)
}

/// The hits of a page, the latest first.
fn page_of_hits<'h>(hits: &'h [Hit], request: &PageRequest) -> &'h [Hit] {
    let most = request.per_page.get() as usize;
    let (start, end) = match request.start {
        PageStart::Skip(skipped) => {
            let start = usize::try_from(skipped)
                .unwrap_or(usize::MAX)
                .min(hits.len());
            (start, start.saturating_add(most))
        }
        PageStart::After(place) => {
            let place = (place.time.as_micros(), place.id);
            let start = hits.partition_point(|hit| *hit >= place);
            (start, start + most)
        }
        PageStart::Before(place) => {
            let place = (place.time.as_micros(), place.id);
            let end = hits.partition_point(|hit| *hit > place);
            (end.saturating_sub(most), end)
        }
    };
    &hits[start..end.min(hits.len())]
}

#[async_trait]
impl SearchIndex for MySqlStore {
    async fn lease_indexing(&self, instance: &str, time: Duration) -> Result<bool, StoreError> {
        self.writer.lease_indexing(instance, time).await
    }

    async fn unindexed_posts(
        &self,
        version: u32,
        after: Option<PostId>,
        limit: u32,
    ) -> Result<Vec<PostId>, StoreError> {
        let after = after.as_ref().map_or("", PostId::as_str);
        let query = || sqlx::query(UNINDEXED).bind(after).bind(version).bind(limit);
        let doing = "find posts without words";
        self.reader.rows(doing, query, row::id).await
    }

    async fn index_posts(&self, posts: Vec<(PostId, Revision, Words)>) -> Result<(), StoreError> {
        self.writer.index_posts(posts).await
    }

    async fn set_indexed(&self, version: u32) -> Result<(), StoreError> {
        self.writer.set_indexed(version).await
    }
}
