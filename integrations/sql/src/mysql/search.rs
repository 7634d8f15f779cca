//! Searches: lists with the posts that have some words.
//!
//! If one of the words is rare, its posts are looked up. Otherwise there are enough hits among the latest posts of the
//! list, and it is walked along.

use handbill::store::{
    List, MAX_HITS, PageRequest, PageStart, Place, PostId, PostList, Search, Term, Timestamp, Words,
};
use sqlx::mysql::MySqlRow;
use sqlx::{MySqlConnection, Row as _};

use super::entries::list_of_word;
use super::failure::read_snapshot;
use super::lists::{in_order, json, page_of, time_of};
use super::reader::Reader;
use super::statement::statement;
use crate::list_name::list_name;
use crate::query::Query;
use crate::row::{self, Row as _};

/// A word that fewer posts have is rare: they are looked up within some 50 ms.
const MANY: i64 = 10_000;

pub(crate) const UNINDEXED: &str = "
SELECT id FROM handbill_posts
WHERE id > $1 AND NOT deleted AND (words_version IS NULL OR words_version <> $2) ORDER BY id LIMIT $3";

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
        let page = page_of_hits(&hits, request).iter();
        let page: Vec<_> = page.map(|(time, id)| (time, id.as_str())).collect();
        let sql = page_of(
            "SELECT CAST($3 AS SIGNED) AS total, value AS indexed FROM handbill_meta WHERE name = 'indexed'",
            "SELECT time, post FROM JSON_TABLE($1, '$[*]' COLUMNS (
               time BIGINT PATH '$[0]', post CHAR(10) CHARACTER SET ascii PATH '$[1]'
             )) AS hit",
        );
        let query = Query::new(sql)
            .bind(serde_json::json!(page).to_string())
            .bind(request.bodies)
            .bind(hits.len() as i64);
        statement(&query).fetch_all(connection).await
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
    let owner = match list {
        List::Public => None,
        List::PublicOf(owner) | List::AllOf(owner) => Some(owner.as_str()),
    };
    let mut order = format!("post.{time} DESC, post.id DESC");
    let among = match list {
        _ if is_rare => {
            "(SELECT DISTINCT post FROM handbill_list_entries WHERE list >= $1 AND list < $2) AS found
             STRAIGHT_JOIN handbill_posts AS post ON post.id = found.post WHERE TRUE"
        }
        List::Public => {
            order = "entry.time DESC, entry.post DESC".to_owned();
            "handbill_list_entries AS entry STRAIGHT_JOIN handbill_posts AS post ON post.id = entry.post
             WHERE entry.list = $3"
        }
        List::PublicOf(_) | List::AllOf(_) => "handbill_posts AS post WHERE TRUE",
    };
    let mut conditions = vec![format!("NOT post.deleted AND post.{time} IS NOT NULL")];
    conditions.extend(owner.map(|_| "post.owner = $4".to_owned()));
    conditions.extend(tag.map(|_| "JSON_CONTAINS(post.tags, $5)".to_owned()));
    conditions.extend(search.from.map(|_| "post.published_at >= $6".to_owned()));
    conditions.extend(search.before.map(|_| "post.published_at < $7".to_owned()));
    for place in 0..search.terms.len() {
        if !is_rare || place != rarest {
            conditions.push(format!("LOCATE(${}, post.words) > 0", 8 + place));
        }
    }
    let conditions = conditions.join(" AND ");
    let sql = format!(
        "SELECT post.{time} AS time, post.id FROM {among} AND {conditions} ORDER BY {order} LIMIT {MAX_HITS}"
    );
    let (first, end) = lists(&search.terms[rarest]);
    let name = list_name(tag);
    let query = Query::new(sql)
        .bind(&*first)
        .bind(&*end)
        .bind(name.as_bytes())
        .bind(owner)
        .bind(tag.map(json))
        .bind(search.from.map(Timestamp::as_micros))
        .bind(search.before.map(Timestamp::as_micros));
    let terms = search.terms.iter().map(in_text);
    let query = terms.fold(query, Query::bind);
    let rows = statement(&query).fetch_all(connection).await?;
    let hit = |row: &MySqlRow| Ok((row.try_get("time")?, row::id(row)?));
    rows.iter().map(hit).collect()
}

/// A term as the column of words has it.
fn in_text(term: &Term) -> String {
    let end = if term.is_prefix { "" } else { " " };
    format!(" {}{end}", term.text)
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
               SELECT 1 FROM handbill_list_entries WHERE list >= $1 AND list < $2 LIMIT {MANY}
             ) AS entry"
        );
        let (first, end) = lists(term);
        let count = Query::new(count).bind(&*first).bind(&*end);
        let row = statement(&count).fetch_one(&mut *connection).await?;
        let posts: i64 = row.try_get(0)?;
        if rarest.is_none_or(|(_, fewest)| posts < fewest) {
            rarest = Some((place, posts));
        }
    }
    Ok(rarest)
}

fn hit_at(place: Place) -> Hit {
    (place.time.as_micros(), place.id)
}

/// The hits of a page, the latest first.
fn page_of_hits<'h>(hits: &'h [Hit], request: &PageRequest) -> &'h [Hit] {
    let most = request.per_page.get() as usize;
    let (start, end) = match request.start {
        PageStart::Skip(skipped) => {
            let start = usize::try_from(skipped).unwrap_or(usize::MAX);
            (start.min(hits.len()), start.saturating_add(most))
        }
        PageStart::After(place) => {
            let start = hits.partition_point(|hit| *hit >= hit_at(place));
            (start, start + most)
        }
        PageStart::Before(place) => {
            let end = hits.partition_point(|hit| *hit > hit_at(place));
            (end.saturating_sub(most), end)
        }
    };
    &hits[start..end.min(hits.len())]
}
