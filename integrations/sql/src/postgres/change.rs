//! Updates and deletes a post, in one statement, and makes tombstones forget an owner.
//!
//! The statement locks the post's row if the post is live and in the expected revision. A concurrent
//! change waits for the lock and then finds another revision.

use std::sync::LazyLock;

use handbill::store::{Authority, NewChange, Outcome, Owner, Post, PostId, Revision, Words};

use super::NOTIFY_OF_POST;
use super::bars::{is_not_barred, outcome_by, parameters};
use super::connections::{Connections, Statement};
use super::failure::Failure;
use super::insert::type_of;
use super::lists::LIST_OF_TAG;
use super::outbox::{ForListeners, Forms, outcome};
use super::search::{text_of, vector_of};
use crate::columns::{self, Column, Life, Of};
use crate::query::Value;

/// The place of the first of the columns in the parameters.
const FIRST: usize = 4;

/// The parameter with the new value of a column. It is NULL if the post is deleted.
fn parameter(name: &str) -> String {
    let mut columns = columns::changing().enumerate();
    let column = columns.find(|(_, column)| column.name == name);
    column.map_or_else(String::new, |(place, column)| {
        format!("${}::{}", FIRST + place, type_of(column))
    })
}

/// `$1` and `$2` are the identifier and the expected revision, `$3` whether the post is deleted, and the others its
/// new columns, the authority and the words. Only entries of lists that differ from the old ones are written. The
/// deletion compares with `ANY` and subqueries instead of a join: a join that is planned while the table is empty would
/// scan its index.
fn change_post_and_select(result: &str) -> Forms {
    let (tags, listed_at) = (parameter("tags"), parameter("listed_at"));
    let set = columns::each(columns::changing(), |_, Column { name, life, .. }| {
        let in_tombstone = match life {
            Life::Emptied(sql) => sql,
            Life::Lasting | Life::Fixed => name,
        };
        let new = parameter(name);
        format!("{name} = CASE WHEN $3 THEN {in_tombstone} ELSE {new} END")
    });
    let by_owner = FIRST + columns::changing().count();
    let [by_at, words, version] = [1, 2, 3].map(|place| by_owner + place);
    let vector = vector_of(&format!("${words}::TEXT"));
    let is_not_barred = is_not_barred(&format!("${by_owner}::BYTEA"), &format!("${by_at}::BIGINT"));
    Forms::new(1 + version, |guard, parts, columns| {
        format!(
            "WITH old AS MATERIALIZED (
               SELECT listed_at, tags FROM handbill_posts
               WHERE id = $1 AND revision = $2 AND NOT deleted AND {guard} AND {is_not_barred} FOR UPDATE
             ),
             changed AS (
               UPDATE handbill_posts SET deleted = $3, {set}
               FROM old WHERE id = $1
               RETURNING id, revision
             ),
             unindexed AS (
               DELETE FROM handbill_indexed
               WHERE post = (SELECT id FROM changed) AND ${words}::TEXT IS NULL
             ),
             indexed AS (
               INSERT INTO handbill_indexed (post, revision, version, words)
               SELECT id, revision, ${version}::BIGINT, {vector} FROM changed WHERE ${words}::TEXT IS NOT NULL
               ON CONFLICT (post) DO UPDATE SET
                 revision = excluded.revision, version = excluded.version, words = excluded.words
             ),
             entry_before AS (
               SELECT 'all' AS list, listed_at FROM old WHERE listed_at IS NOT NULL
               UNION ALL
               SELECT {LIST_OF_TAG}, listed_at
               FROM old, JSONB_ARRAY_ELEMENTS_TEXT(tags::JSONB) AS tags (tag)
               WHERE listed_at IS NOT NULL
             ),
             entry_after AS (
               SELECT 'all' AS list, {listed_at} AS listed_at FROM old WHERE {listed_at} IS NOT NULL
               UNION ALL
               SELECT {LIST_OF_TAG}, {listed_at}
               FROM old, JSONB_ARRAY_ELEMENTS_TEXT({tags}::JSONB) AS tags (tag)
               WHERE {listed_at} IS NOT NULL
             ),
             lost AS (SELECT * FROM entry_before EXCEPT SELECT * FROM entry_after),
             gained AS (SELECT * FROM entry_after EXCEPT SELECT * FROM entry_before),
             removed AS (
               DELETE FROM handbill_list_entries
               WHERE list = ANY (ARRAY(SELECT list FROM lost))
                 AND listed_at = (SELECT listed_at FROM old) AND post = $1
               RETURNING list, listed_at
             ),
             added AS (
               INSERT INTO handbill_list_entries (list, listed_at, post)
               SELECT list, listed_at, $1 FROM gained
               RETURNING list, listed_at
             ),
             recorded AS (
               INSERT INTO handbill_list_changes (list, change, oldest, newest, entries)
               SELECT list, $1 || '/' || $2, MIN(listed_at), MAX(listed_at), SUM(entries)
               FROM (
                 SELECT list, listed_at, -1 AS entries FROM removed
                 UNION ALL
                 SELECT list, listed_at, 1 FROM added
               ) AS entry
               GROUP BY list
             ){parts}
             SELECT {result}{columns} FROM changed"
        )
    })
}

/// A caller that meets another one waits for its rows, finds that they do not name the owner any more, and takes
/// others: `LIMIT` counts the rows that are locked.
fn forget_owner_and_select(result: &str) -> String {
    format!(
        "WITH named AS MATERIALIZED (
           SELECT id FROM handbill_posts WHERE owner = $1 AND deleted LIMIT $2 FOR UPDATE
         ),
         forgotten AS (
           UPDATE handbill_posts SET owner = NULL, created_by = NULL
           WHERE id = ANY (ARRAY(SELECT id FROM named)) RETURNING id
         )
         SELECT {result} FROM forgotten"
    )
}

/// The statements without and with notifications.
static CHANGE_POST: LazyLock<[Forms; 2]> =
    LazyLock::new(|| ["id", NOTIFY_OF_POST].map(change_post_and_select));
static FORGET_OWNER: LazyLock<[String; 2]> =
    LazyLock::new(|| ["id", NOTIFY_OF_POST].map(forget_owner_and_select));

/// Replaces the post with `new` and its words, or with its tombstone if that is `None`.
pub(super) async fn change_post(
    connections: &Connections,
    notifies: bool,
    (id, expected): (PostId, Revision),
    new: Option<(&Post, Option<&Words>)>,
    by: Option<Authority>,
    change: Option<&NewChange>,
) -> Result<Outcome, Failure> {
    let (by_owner, by_at) = parameters(by.as_ref());
    let words = new.and_then(|(_, words)| words);
    let statement = |for_listeners: ForListeners<'_>| {
        let bind = |query| {
            bind(query, &id, expected, new.map(|(post, _)| post))
                .bind(by_owner)
                .bind(by_at)
                .bind(words.map(text_of))
                .bind(words.map(|words| i64::from(words.version())))
        };
        CHANGE_POST[usize::from(notifies)].query(for_listeners, bind)
    };
    let rows = connections.write(change.as_slice(), statement).await?;
    outcome_by(by, connections, &rows).await
}

/// Removes the owner from at most `limit` tombstones.
pub(super) async fn forget_owner(
    connections: &Connections,
    notifies: bool,
    owner: &Owner,
    limit: u32,
) -> Result<Outcome, Failure> {
    let statement = || {
        sqlx::query(FORGET_OWNER[usize::from(notifies)].as_str())
            .bind(owner.as_str())
            .bind(i64::from(limit))
    };
    let rows = connections.rows(statement).await?;
    Ok(outcome(&rows, Outcome::NotFound))
}

fn bind<'q>(
    query: Statement<'q>,
    id: &PostId,
    expected: Revision,
    new: Option<&Post>,
) -> Statement<'q> {
    let query = query
        .bind(id.as_str())
        .bind(expected.number().cast_signed())
        .bind(new.is_none());
    columns::changing().fold(query, |query, column| match (new, column.of) {
        (Some(post), _) => match column.value(post) {
            Value::Integer(number) => query.bind(number),
            Value::Text(text) => query.bind(text),
            Value::Bytes(bytes) => query.bind(bytes),
        },
        (None, Of::Integer(_)) => query.bind(None::<i64>),
        (None, Of::Text(_) | Of::Field(_)) => query.bind(None::<&str>),
        (None, Of::Bytes(_)) => query.bind(None::<&[u8]>),
    })
}
