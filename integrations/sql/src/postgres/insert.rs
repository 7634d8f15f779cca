//! Inserts a batch of posts in one statement, which is one commit, and single tombstones.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use handbill::store::{Authority, NewChange, Outcome, Owner, Post, Tombstone, Words};
use sqlx::Row;

use super::NOTIFY_OF_POST;
use super::bars::{are_barred, is_not_barred, parameters};
use super::connections::{Connections, Statement};
use super::failure::Failure;
use super::lists::LIST_OF_TAG;
use super::outbox::{ForListeners, Forms, outcome};
use super::search::{text_of, vector_of};
use crate::columns::{self, Column, OF_POSTS, Of};

/// Each parameter is an array with one value per post. The statement returns the posts whose
/// identifiers were free, after adding them to the index and their public lists, and recording what each list gained.
/// The second form notifies other instances of each post that has a time: they may have to publish or delete it.
static INSERT_POSTS: LazyLock<[Forms; 2]> = LazyLock::new(|| {
    let notify = format!(", CASE WHEN due_at IS NOT NULL THEN {NOTIFY_OF_POST} END");
    ["", notify.as_str()].map(insert_and_select)
});

fn insert_and_select(result: &str) -> Forms {
    let names = columns::each(&*OF_POSTS, |_, column| column.name.to_owned());
    let arrays = columns::each(&*OF_POSTS, |place, column| {
        format!("${}::{}[]", 1 + place, type_of(column))
    });
    let [by_owner, by_at, words, version] = [1, 2, 3, 4].map(|place| place + OF_POSTS.len());
    let vector = vector_of("new.words");
    let is_not_barred = is_not_barred("by_owner", "by_at");
    Forms::new(1 + version, |guard, parts, columns| {
        format!(
            "WITH changed AS (
               INSERT INTO handbill_posts ({names}, deleted)
               SELECT {names}, FALSE
               FROM UNNEST({arrays}, ${by_owner}::BYTEA[], ${by_at}::BIGINT[]) AS post ({names}, by_owner, by_at)
               WHERE {guard} AND {is_not_barred}
               ON CONFLICT (id) DO NOTHING
               RETURNING id, revision, listed_at, tags, due_at
             ),
             indexed AS (
               INSERT INTO handbill_indexed (post, revision, version, words)
               SELECT id, revision, new.version, {vector}
               FROM UNNEST($1::TEXT[], ${words}::TEXT[], ${version}::BIGINT[]) AS new (post, words, version)
               JOIN changed ON changed.id = new.post WHERE new.words IS NOT NULL
             ),
             entry AS (
               SELECT 'all' AS list, listed_at, id FROM changed WHERE listed_at IS NOT NULL
               UNION ALL
               SELECT {LIST_OF_TAG} AS list, listed_at, id
               FROM changed, JSONB_ARRAY_ELEMENTS_TEXT(tags::JSONB) AS tags (tag)
               WHERE listed_at IS NOT NULL
             ),
             added AS (
               INSERT INTO handbill_list_entries (list, listed_at, post)
               SELECT list, listed_at, id FROM entry
             ),
             recorded AS (
               INSERT INTO handbill_list_changes (list, change, oldest, newest, entries)
               SELECT list, (SELECT MIN(id) FROM changed), MIN(listed_at), MAX(listed_at), COUNT(*)
               FROM entry GROUP BY list
             ){parts}
             SELECT id{result}{columns} FROM changed"
        )
    })
}

/// The type of a column.
pub(super) const fn type_of(column: &Column) -> &'static str {
    match column.of {
        Of::Integer(_) => "BIGINT",
        Of::Text(_) | Of::Field(_) => "TEXT",
        Of::Bytes(_) => "BYTEA",
    }
}

/// What a tombstone does not tell is empty or 0.
const INSERT_TOMBSTONE: &str = "
INSERT INTO handbill_posts (
  id, deleted, revision, created_at, updated_at, edit_token, creation_edit_token, creation_request,
  tags, excerpt, visibility, owner, body
)
VALUES ($1, TRUE, 1, 0, 0, $2, $3, $4, '[]', '', $5, $6, '')
ON CONFLICT (id) DO NOTHING RETURNING id";

/// A post, its words, in whose name it is inserted, and its change.
pub(super) struct NewPost {
    pub(super) post: Arc<Post>,
    pub(super) words: Option<Words>,
    pub(super) by: Option<Authority>,
    pub(super) change: Option<NewChange>,
}

/// Inserts posts. If two have the same identifier, the first is inserted.
pub(super) async fn insert_posts(
    connections: &Connections,
    notifies: bool,
    posts: &[NewPost],
) -> Result<Vec<Outcome>, Failure> {
    // Ordered by identifier, so that two batches which share some never wait for each other.
    let mut distinct: Vec<&NewPost> = posts.iter().collect();
    distinct.sort_by_key(|new| new.post.summary.id);
    distinct.dedup_by_key(|new| new.post.summary.id);
    let changes = distinct.iter().filter_map(|new| new.change.as_ref());
    let changes: Vec<_> = changes.collect();

    let statement = |for_listeners: ForListeners<'_>| {
        INSERT_POSTS[usize::from(notifies)].query(for_listeners, |query| bind(query, &distinct))
    };
    let rows = connections.write(&changes, statement).await?;
    let inserted = rows.iter().map(|row| row.try_get("id"));
    let mut inserted = inserted.collect::<sqlx::Result<HashSet<&str>>>()?;
    let mut outcomes = Vec::with_capacity(posts.len());
    let (mut by, mut places) = (Vec::new(), Vec::new());
    for (place, new) in posts.iter().enumerate() {
        if inserted.remove(new.post.summary.id.as_str()) {
            outcomes.push(Outcome::Applied);
            continue;
        }
        outcomes.push(Outcome::Conflict);
        places.extend(new.by.map(|_| place));
        by.extend(new.by);
    }
    if !by.is_empty() {
        let barred = are_barred(connections, &by).await?;
        for (place, _) in places.into_iter().zip(barred).filter(|(_, barred)| *barred) {
            outcomes[place] = Outcome::Barred;
        }
    }
    Ok(outcomes)
}

pub(super) async fn insert_tombstone(
    connections: &Connections,
    tombstone: &Tombstone,
) -> Result<Outcome, Failure> {
    let creation = tombstone.creation.as_ref();
    let statement = || {
        sqlx::query(INSERT_TOMBSTONE)
            .bind(tombstone.id.as_str())
            .bind(tombstone.edit_token.as_bytes().as_slice())
            .bind(creation.map(|creation| creation.edit_token.as_bytes().as_slice()))
            .bind(creation.map(|creation| creation.request.as_bytes().as_slice()))
            .bind(tombstone.visibility.as_str())
            .bind(tombstone.owner.as_ref().map(Owner::as_str))
    };
    let inserted = connections.rows(statement).await?;
    Ok(outcome(&inserted, Outcome::Conflict))
}

fn bind<'q>(query: Statement<'q>, posts: &[&NewPost]) -> Statement<'q> {
    fn each<'p, T>(posts: &[&'p NewPost], value: impl Fn(&'p Post) -> T) -> Vec<T> {
        posts.iter().map(|new| value(&new.post)).collect()
    }
    let by = posts.iter().map(|new| parameters(new.by.as_ref()));
    let (owners, times): (Vec<_>, Vec<_>) = by.unzip();
    let query = OF_POSTS
        .iter()
        .fold(query, |query, column| match column.of {
            Of::Integer(of) => query.bind(each(posts, of)),
            Of::Text(of) => query.bind(each(posts, of)),
            Of::Bytes(of) => query.bind(each(posts, of)),
            Of::Field(field) => query.bind(each(posts, |post| post.summary.text(field))),
        });
    let words = posts.iter().map(|new| new.words.as_ref());
    let texts: Vec<_> = words.clone().map(|words| words.map(text_of)).collect();
    let versions = words.map(|words| words.map(|words| i64::from(words.version())));
    let versions: Vec<_> = versions.collect();
    query.bind(owners).bind(times).bind(texts).bind(versions)
}
