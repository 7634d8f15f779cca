//! Searches: lists with the posts that have some words.
//!
//! One statement finds the posts and reads a page of them.

use std::time::Duration;

use async_trait::async_trait;
use handbill::store::{
    List, MAX_HITS, MAX_LEASE, PageRequest, PageStart, PostId, PostList, Revision, Search,
    SearchIndex, StoreError, Tag, Term, Timestamp, Words,
};
use sqlx::AssertSqlSafe;

use super::PostgresStore;
use super::failure::Failure;
use super::lists::posts_of_page;
use super::reader::Reader;
use crate::list_name::list_name;
use crate::outbox::millis;
use crate::pages::position;
use crate::query::Query;
use crate::row::{self, Row as _};

/// Words in one text, with spaces between them, as PostgreSQL stores them.
pub(super) fn vector_of(text: &str) -> String {
    format!("ARRAY_TO_TSVECTOR(STRING_TO_ARRAY({text}, ' '))")
}

/// What [`vector_of`] makes a vector of.
pub(super) fn text_of(words: &Words) -> String {
    words.iter().collect::<Vec<_>>().join(" ")
}

/// In milliseconds, by the server's clock.
const LEASE: &str = "
INSERT INTO handbill_leases AS lease (task, holder, held_until)
SELECT 'indexing', $1, (EXTRACT(EPOCH FROM CLOCK_TIMESTAMP()) * 1000)::BIGINT + $2
ON CONFLICT (task) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
WHERE lease.holder = excluded.holder OR lease.held_until <= excluded.held_until - $2
  OR lease.held_until > excluded.held_until - $2 + $3
RETURNING task";

const UNINDEXED: &str = "
SELECT id FROM handbill_posts AS post
WHERE id > $1 AND NOT deleted AND NOT EXISTS (
  SELECT 1 FROM handbill_indexed AS indexed
  WHERE indexed.post = post.id AND indexed.revision = post.revision AND indexed.version = $2
)
ORDER BY id LIMIT $3";

/// The rows are locked in one order, so that a change of a post waits, and no two wait for each other.
fn index_posts() -> String {
    let vector = vector_of("new.words");
    format!(
        "WITH live AS MATERIALIZED (
           SELECT id, new.revision, new.version, new.words
           FROM UNNEST($1::TEXT[], $2::BIGINT[], $3::BIGINT[], $4::TEXT[]) AS new (post, revision, version, words)
           JOIN handbill_posts AS post ON post.id = new.post AND post.revision = new.revision AND NOT deleted
           ORDER BY id FOR UPDATE OF post
         )
         INSERT INTO handbill_indexed (post, revision, version, words)
         SELECT id, revision, version, {vector} FROM live AS new
         ON CONFLICT (post) DO UPDATE SET
           revision = excluded.revision, version = excluded.version, words = excluded.words"
    )
}

const SET_INDEXED: &str = "UPDATE handbill_meta SET value = $1 WHERE name = 'indexed'";

/// The words that a post must have, and the period. `time` is what the list is sorted by.
fn is_hit(time: &str) -> String {
    format!(
        "NOT post.deleted AND indexed.words @@ $5::TEXT::TSQUERY
    AND ($6::BIGINT IS NULL OR {time} >= $6) AND ($7::BIGINT IS NULL OR {time} < $7)"
    )
}

/// The hits of the public list `$1`. If many posts have the words, there are enough among the latest ones: it walks
/// along the list. Otherwise it looks up the words first. The server knows only roughly how many there are, and would
/// walk along a million posts for a rare word. So the first part counts them.
fn public() -> String {
    let (is_hit, few) = (is_hit("entry.listed_at"), 2 * MAX_HITS);
    format!(
        "many AS MATERIALIZED (
  SELECT COUNT(*) > {few} AS are_many
  FROM (SELECT FROM handbill_indexed WHERE words @@ $5::TEXT::TSQUERY LIMIT {few} + 1) AS indexed
),
hit AS (
  (
    SELECT entry.listed_at AS time, entry.post
    FROM handbill_list_entries AS entry
    JOIN handbill_posts AS post ON post.id = entry.post
    JOIN handbill_indexed AS indexed ON indexed.post = post.id AND indexed.revision = post.revision
    WHERE entry.list = $1 AND (SELECT are_many FROM many) AND {is_hit}
    ORDER BY entry.listed_at DESC, entry.post DESC LIMIT {MAX_HITS}
  )
  UNION ALL
  SELECT entry.listed_at, entry.post
  FROM handbill_indexed AS indexed
  JOIN handbill_posts AS post ON post.id = indexed.post AND post.revision = indexed.revision
  JOIN handbill_list_entries AS entry
    ON entry.list = $1 AND entry.listed_at = post.listed_at AND entry.post = post.id
  WHERE NOT (SELECT are_many FROM many) AND {is_hit}
)"
    )
}

/// The hits of the owner `$1` that have this time, and the tag `$9`.
fn of_owner(time: &str, tag: Option<&Tag>) -> String {
    let is_hit = is_hit("post.published_at");
    let has_tag = tag.map_or("", |_| "AND post.tags::JSONB ? $9");
    format!(
        "hit AS (
  SELECT post.{time} AS time, post.id AS post
  FROM handbill_posts AS post
  JOIN handbill_indexed AS indexed ON indexed.post = post.id AND indexed.revision = post.revision
  WHERE post.owner = $1 AND post.{time} IS NOT NULL {has_tag} AND {is_hit}
)"
    )
}

/// The statement for a page. `$1` is the list or its owner, `$2` and `$8` the position, `$5` the query, `$6` and `$7`
/// the period, and `$9` the tag of a list of an owner.
fn statement(request: &PageRequest) -> String {
    let hits = match request.list {
        List::Public => public(),
        List::PublicOf(_) => of_owner("listed_at", request.tag.as_ref()),
        List::AllOf(_) => of_owner("created_at", request.tag.as_ref()),
    };
    let page = match request.start {
        PageStart::Skip(_) => "ORDER BY time DESC, post DESC LIMIT $3::BIGINT OFFSET $2::BIGINT",
        PageStart::After(_) => {
            "WHERE (time, post) < ($2::BIGINT, $8) ORDER BY time DESC, post DESC LIMIT $3::BIGINT"
        }
        PageStart::Before(_) => {
            "WHERE (time, post) > ($2::BIGINT, $8) ORDER BY time, post LIMIT $3::BIGINT"
        }
    };
    let with = format!(
        "{hits},
found AS MATERIALIZED (
  SELECT time, post FROM hit ORDER BY time DESC, post DESC LIMIT {MAX_HITS}
),
counted AS MATERIALIZED (
  SELECT COUNT(*) AS total, (SELECT value FROM handbill_meta WHERE name = 'indexed') AS indexed FROM found
)"
    );
    posts_of_page(&with, &format!("SELECT post, time FROM found {page}"))
}

/// A term as PostgreSQL reads it, whatever its characters.
fn condition(term: &Term) -> String {
    let text = term.text.replace('\\', "\\\\").replace('\'', "''");
    match term.is_prefix {
        true => format!("'{text}':*"),
        false => format!("'{text}'"),
    }
}

/// One page of what is found.
pub(super) async fn page(
    reader: &Reader,
    search: &Search,
    request: &PageRequest,
) -> Result<PostList, Failure> {
    let Search {
        terms,
        from,
        before,
    } = search;
    let name = match &request.list {
        List::Public => list_name(request.tag.as_ref()),
        List::PublicOf(owner) | List::AllOf(owner) => owner.as_str().into(),
    };
    let conditions: Vec<_> = terms.iter().map(condition).collect();
    let (conditions, sql) = (conditions.join(" & "), statement(request));
    let (position, place) = position(request.start);
    let statement = || {
        let query = sqlx::query(AssertSqlSafe(sql.as_str()))
            .bind(&*name)
            .bind(position)
            .bind(i64::from(request.per_page.get()))
            .bind(request.bodies)
            .bind(&conditions)
            .bind(from.map(Timestamp::as_micros))
            .bind(before.map(Timestamp::as_micros))
            .bind(place.as_ref().map(PostId::as_str));
        match (&request.list, &request.tag) {
            (List::Public, _) | (_, None) => query,
            (_, Some(tag)) => query.bind(tag.as_str()),
        }
    };
    let rows = reader.rows(statement).await?;
    let indexed = rows.first().map(|row| row.integer("indexed")).transpose()?;
    let found = row::page(&rows)?;
    Ok(found.with_incomplete(indexed.flatten() != Some(i64::from(Words::VERSION))))
}

#[async_trait]
impl SearchIndex for PostgresStore {
    async fn lease_indexing(&self, instance: &str, time: Duration) -> Result<bool, StoreError> {
        let statement = || {
            sqlx::query(LEASE)
                .bind(instance)
                .bind(millis(time))
                .bind(millis(MAX_LEASE))
        };
        let leased = self.run("lease the indexing", statement).await?;
        Ok(!leased.is_empty())
    }

    async fn unindexed_posts(
        &self,
        version: u32,
        after: Option<PostId>,
        limit: u32,
    ) -> Result<Vec<PostId>, StoreError> {
        let query = Query::new(UNINDEXED)
            .bind(after.as_ref().map_or("", PostId::as_str))
            .bind(version)
            .bind(limit);
        let doing = "find posts without words";
        self.read(doing, query, row::id).await
    }

    async fn index_posts(&self, posts: Vec<(PostId, Revision, Words)>) -> Result<(), StoreError> {
        let ids: Vec<_> = posts.iter().map(|(id, ..)| id.as_str()).collect();
        let revisions = posts
            .iter()
            .map(|(_, revision, _)| revision.number().cast_signed());
        let revisions: Vec<_> = revisions.collect();
        let versions: Vec<_> = posts
            .iter()
            .map(|(.., words)| i64::from(words.version()))
            .collect();
        let words: Vec<_> = posts.iter().map(|(.., words)| text_of(words)).collect();
        let sql = index_posts();
        let statement = || {
            sqlx::query(AssertSqlSafe(sql.as_str()))
                .bind(&ids)
                .bind(&revisions)
                .bind(&versions)
                .bind(&words)
        };
        self.run("index posts", statement).await.map(drop)
    }

    async fn set_indexed(&self, version: u32) -> Result<(), StoreError> {
        let statement = || sqlx::query(SET_INDEXED).bind(i64::from(version));
        let noted = self.run("note that all posts are indexed", statement);
        noted.await.map(drop)
    }
}
