//! Searches: lists with the posts that have some words.

use handbill::store::{List, MAX_HITS, PageRequest, PageStart, PostList, Search, Tag, Term, Words};
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};

use super::index::{HIDDEN, MAX_DELAY, word_of_owner, word_of_tag};
use super::page::posts_of_page;
use crate::pages::position;
use crate::row;

/// FTS5 reads all posts of all words that begin alike before it returns the first one. So a few such words are searched
/// for one by one: then it reads only the latest posts. Each word takes 50 µs to be found.
const MAX_ENDINGS: usize = 64;

/// The first `?2` words of the index that begin with `?1`. No word has a character before a space.
const ENDINGS: &str = "
WITH RECURSIVE word (text, number) AS (
  SELECT (SELECT term FROM handbill_vocabulary WHERE term >= ?1 LIMIT 1), 1
  UNION ALL
  SELECT (SELECT term FROM handbill_vocabulary WHERE term >= text || CHAR(1) LIMIT 1), number + 1
  FROM word WHERE number < ?2 AND SUBSTR(text, 1, LENGTH(?1)) = ?1
)
SELECT text FROM word WHERE SUBSTR(text, 1, LENGTH(?1)) = ?1";

pub(crate) const UNINDEXED: &str = "
SELECT id FROM handbill_posts
WHERE id > $1 AND CASE
  WHEN EXISTS (SELECT 1 FROM handbill_indexed WHERE post = id AND version = $2) THEN FALSE
  ELSE NOT deleted
END
ORDER BY id LIMIT $3";

/// The latest hits of a public list, by `published_at`. `?1` is the query, `?5` and `?6` are the period. A place is
/// the date or a little later. So of the posts from the earliest date of the first hits on, all hits have to be found.
///
/// Whether a hit is public is looked up, so that nothing else is found. Most others are left out before: hidden posts
/// have a word. If all public posts had one, searches would take longer: FTS5 reads all posts of a word that stands
/// beside others.
fn public() -> String {
    let hits = |and: &str| {
        format!(
            "SELECT place, date, post
  FROM handbill_words AS words CROSS JOIN handbill_indexed AS indexed ON place = words.rowid
  WHERE handbill_words MATCH ?1 AND date >= IFNULL(?5, date) AND date < IFNULL(?6, date + 1)
  AND EXISTS (
    SELECT 1 FROM handbill_list_entries WHERE list = 'all' AND listed_at = indexed.date AND post = indexed.post
  ) AND {and}"
        )
    };
    let latest = hits(&format!(
        "words.rowid >= IFNULL(?5, -9223372036854775807)
  AND words.rowid <= IFNULL(?6 + {MAX_DELAY}, 9223372036854775807)
  ORDER BY words.rowid DESC LIMIT {MAX_HITS}"
    ));
    let others = hits(
        "words.rowid >= (SELECT MIN(date) FROM latest) AND words.rowid < (SELECT MIN(place) FROM latest)",
    );
    format!(
        "latest AS MATERIALIZED (
  {latest}
),
hit (time, post) AS (
  SELECT date, post FROM latest
  UNION ALL
  SELECT date, post FROM ({others})
)"
    )
}

/// All hits of the list of an owner, by `created_at`. Where there is a period, drafts are not in it.
const OF_OWNER: &str = "hit (time, post) AS (
  SELECT created_at, id
  FROM handbill_words CROSS JOIN handbill_indexed ON place = handbill_words.rowid
  CROSS JOIN handbill_posts ON id = post
  WHERE handbill_words MATCH ?1
  AND IFNULL(published_at >= ?5, ?5 IS NULL) AND IFNULL(published_at < ?6, ?6 IS NULL)
)";

/// The statement for a page that begins like this. `?2` and `?7` are the position.
fn statement(list: &List, start: PageStart) -> String {
    let hits = match list {
        List::Public | List::PublicOf(_) => &public(),
        List::AllOf(_) => OF_OWNER,
    };
    let page = match start {
        PageStart::Skip(_) => "ORDER BY time DESC, post DESC LIMIT ?3 OFFSET ?2",
        PageStart::After(_) => {
            "WHERE (time, post) < (?2, ?7) ORDER BY time DESC, post DESC LIMIT ?3"
        }
        PageStart::Before(_) => "WHERE (time, post) > (?2, ?7) ORDER BY time, post LIMIT ?3",
    };
    posts_of_page(&format!(
        "WITH {hits},
found (time, post) AS MATERIALIZED (
  SELECT time, post FROM hit ORDER BY time DESC, post DESC LIMIT {MAX_HITS}
),
total (posts) AS (SELECT COUNT(*) FROM found),
page (time, post) AS (SELECT time, post FROM found {page})"
    ))
}

/// Reads a page of what is found, in one transaction.
pub(super) async fn read(
    connection: &mut SqliteConnection,
    search: &Search,
    request: &PageRequest,
) -> sqlx::Result<PostList> {
    let mut transaction = connection.begin().await?;
    let indexed: u32 = sqlx::query_scalar("SELECT indexed FROM handbill_meta")
        .fetch_one(&mut *transaction)
        .await?;
    let found = match search.terms.is_empty() {
        true => PostList::new(Vec::new(), 0),
        false => find(&mut transaction, search, request).await?,
    };
    transaction.rollback().await?;
    Ok(found.with_incomplete(indexed != Words::VERSION))
}

async fn find(
    connection: &mut SqliteConnection,
    search: &Search,
    request: &PageRequest,
) -> sqlx::Result<PostList> {
    let Search {
        terms,
        from,
        before,
    } = search;
    // FTS5 compares the first ones first, so words, which fewer posts have, come before the list.
    let mut conditions = Vec::new();
    for term in terms {
        conditions.push(condition(connection, term).await?);
    }
    conditions.extend(list_conditions(&request.list, request.tag.as_ref()));
    let mut query = conditions.join(" AND ");
    if !matches!(request.list, List::AllOf(_)) {
        query = format!("({query}) NOT {}", quoted(HIDDEN));
    }
    let (position, place) = position(request.start);
    let query = sqlx::query(AssertSqlSafe(statement(&request.list, request.start)))
        .bind(query)
        .bind(position)
        .bind(request.per_page.get())
        .bind(request.bodies)
        .bind(from.map(|from| from.as_micros()))
        .bind(before.map(|before| before.as_micros()))
        .bind(place.map(|id| id.to_string()));
    row::page(&query.fetch_all(connection).await?)
}

/// The words of all posts of a list, as FTS5 reads them.
fn list_conditions(list: &List, tag: Option<&Tag>) -> Vec<String> {
    let owner = match list {
        List::Public => None,
        List::PublicOf(owner) | List::AllOf(owner) => Some(word_of_owner(owner.as_str())),
    };
    let words = owner.into_iter().chain(tag.map(word_of_tag));
    words.map(|word| quoted(&word)).collect()
}

/// The condition that a post has a term.
async fn condition(connection: &mut SqliteConnection, term: &Term) -> sqlx::Result<String> {
    let exact = quoted(&term.text);
    if !term.is_prefix {
        return Ok(exact);
    }
    let words: Vec<String> = sqlx::query_scalar(ENDINGS)
        .bind(&term.text)
        .bind(MAX_ENDINGS as i64 + 1)
        .fetch_all(connection)
        .await?;
    Ok(match words.len() {
        0 => exact,
        1..=MAX_ENDINGS => {
            let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
            format!("({})", words.join(" OR "))
        }
        _ => format!("{exact} *"),
    })
}

/// A word as FTS5 reads it, whatever its characters.
fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('"', "\"\""))
}
