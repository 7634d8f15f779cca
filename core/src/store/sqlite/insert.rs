//! Inserting posts, many at once: each way to the database and back costs more than a row, so that a
//! whole transaction goes in one.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use sqlx::SqliteConnection;

use super::{ids, lists, row};
use crate::id::PostId;
use crate::post::{Post, Tag};
use crate::store::Write;

/// Posts that are inserted at once at the most.
pub(super) const MOST_POSTS: usize = 64;

/// Inserts as many posts as there are rows of placeholders, and puts them into their lists. Rows
/// that nothing is bound to are null, and passed over. The posts have the last numbers, one after
/// the other.
///
/// The places of a list are counted together, in the block that the earliest and the latest of them
/// belong to, or each in its own where a block begins between these.
///
/// Whatever fails undoes the whole transaction, which spares SQLite the means to undo a statement.
/// It prepares these all the same where a statement calls a function, as `last_insert_rowid()` is.
macro_rules! insert_posts {
    ($rows:expr) => {
        concat!(
            "INSERT OR ROLLBACK INTO handbill_posts (
               id, revision, created_at, updated_at, edit_token, token_names_id, created_by,
               creation_edit_token, creation_request, title, focus_keyword, tags, excerpt, body
             ) ",
            $rows,
            ";

             INSERT OR ROLLBACK INTO handbill_lists (name, places)
             SELECT key, value ->> 0 FROM json_each(?) WHERE true
             ON CONFLICT (name) DO UPDATE SET places = places + excluded.places;

             INSERT OR ROLLBACK INTO handbill_places (list, created_at, id, post)
             SELECT list.number, post.created_at, post.id, post.number
             FROM json_each(?) AS new CROSS JOIN handbill_lists AS list ON list.name = new.key
             CROSS JOIN json_each(new.value) AS place
             CROSS JOIN handbill_posts AS post
             ON post.number = (SELECT MAX(number) FROM handbill_posts) - place.value
             UNION ALL
             SELECT 1, created_at, id, number FROM handbill_posts
             WHERE number > (SELECT MAX(number) FROM handbill_posts) - ?;

             WITH new AS MATERIALIZED (
               SELECT
                 list.number AS list,
                 value ->> 0 AS places, value ->> 1 AS earliest, value ->> 2 AS latest
               FROM json_each(?) CROSS JOIN handbill_lists AS list ON list.name = key
             ),
             located AS MATERIALIZED (
               SELECT *, EXISTS (
                 SELECT 1 FROM handbill_blocks AS block WHERE block.list = new.list
                 AND block.start > new.earliest AND block.start <= new.latest
               ) AS is_parted
               FROM new
             )
             INSERT OR ROLLBACK INTO handbill_blocks (list, start, places)
             SELECT
               list,
               COALESCE((
                 SELECT MAX(block.start) FROM handbill_blocks AS block
                 WHERE block.list = located.list AND block.start <= located.earliest
               ), 0),
               places
             FROM located WHERE NOT is_parted
             UNION ALL
             SELECT
               place.list,
               COALESCE((
                 SELECT MAX(block.start) FROM handbill_blocks AS block
                 WHERE block.list = place.list AND block.start <= place.created_at
               ), 0) AS start,
               COUNT(*)
             FROM located CROSS JOIN handbill_places AS place ON place.list = located.list
             AND place.created_at BETWEEN located.earliest AND located.latest
             WHERE is_parted AND place.post > (SELECT MAX(number) FROM handbill_posts) - ?
             GROUP BY place.list, start
             ON CONFLICT (list, start) DO UPDATE SET places = places + excluded.places"
        )
    };
}

macro_rules! row {
    () => {
        "SELECT ? AS id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE id IS NOT NULL"
    };
}

macro_rules! two {
    ($rows:expr) => {
        concat!($rows, " UNION ALL ", $rows)
    };
}

macro_rules! eight {
    ($rows:expr) => {
        two!(two!(two!($rows)))
    };
}

/// Placeholders of a row.
const COLUMNS: usize = 14;

/// One text for few posts and others for many: by itself, and as a whole transaction.
struct Insert {
    most: usize,
    alone: &'static str,
    transaction: &'static str,
}

macro_rules! insert {
    ($most:expr, $rows:expr) => {
        Insert {
            most: $most,
            alone: insert_posts!($rows),
            transaction: concat!("BEGIN IMMEDIATE; ", insert_posts!($rows), "; COMMIT"),
        }
    };
}

const INSERTS: [Insert; 4] = [
    insert!(1, row!()),
    insert!(8, eight!(row!())),
    insert!(32, two!(two!(eight!(row!())))),
    insert!(MOST_POSTS, eight!(eight!(row!()))),
];

const TAKEN: &str = "SELECT id FROM handbill_posts WHERE id IN (SELECT value FROM json_each(?1))";

/// Inserts up to [`MOST_POSTS`] posts. Of two with the same identifier one is applied.
pub(super) async fn insert_posts(
    connection: &mut SqliteConnection,
    posts: &[&Post],
) -> sqlx::Result<Vec<Write>> {
    let mut taken = taken(connection, posts).await?;
    let (mut free, mut writes) = (Vec::new(), Vec::new());
    for post in posts {
        writes.push(if taken.insert(post.summary.id) {
            free.push(*post);
            Write::Applied
        } else {
            Write::Conflict
        });
    }
    if !free.is_empty() {
        run(connection, &free, |insert| insert.alone).await?;
    }
    Ok(writes)
}

/// Inserts up to [`MOST_POSTS`] posts, one at least, in a transaction of their own. Nothing is done,
/// and it is false, where an identifier is taken: that is rare, and to look first would cost each time.
pub(super) async fn insert_and_commit(
    connection: &mut SqliteConnection,
    posts: &[&Post],
) -> sqlx::Result<bool> {
    match run(connection, posts, |insert| insert.transaction).await {
        Ok(()) => Ok(true),
        Err(sqlx::Error::Database(error)) if error.is_unique_violation() => Ok(false),
        Err(error) => Err(error),
    }
}

/// Those of the posts' identifiers that other posts have.
async fn taken(
    connection: &mut SqliteConnection,
    posts: &[&Post],
) -> sqlx::Result<HashSet<PostId>> {
    let ids = posts.iter().map(|post| ids::of_post(post.summary.id));
    let ids: Vec<i64> = ids.collect();
    let query = sqlx::query_scalar(TAKEN).bind(row::json(&ids));
    let taken: Vec<i64> = query.fetch_all(connection).await?;
    Ok(taken.into_iter().filter_map(ids::post).collect())
}

/// Inserts posts whose identifiers are free.
async fn run(
    connection: &mut SqliteConnection,
    posts: &[&Post],
    text: fn(&Insert) -> &'static str,
) -> sqlx::Result<()> {
    let [.., largest] = &INSERTS;
    let insert = INSERTS
        .iter()
        .find(|insert| posts.len() <= insert.most)
        .unwrap_or(largest);
    let mut query = sqlx::query(text(insert));
    for post in posts {
        let (summary, creation) = (&post.summary, post.creation.as_ref());
        query = query
            .bind(ids::of_post(summary.id))
            .bind(summary.revision.number().cast_signed())
            .bind(summary.created_at.as_micros())
            .bind(summary.updated_at.as_micros())
            .bind(post.edit_token.as_bytes().as_slice())
            .bind(row::token_names_id(post))
            .bind(post.created_by.map(ids::of_key))
            .bind(creation.map(|creation| creation.edit_token.as_bytes().as_slice()))
            .bind(creation.map(|creation| creation.request.as_bytes().as_slice()))
            .bind(summary.title.as_deref().map(owned))
            .bind(summary.focus_keyword.as_deref().map(owned))
            .bind(owned(&row::tags_json(&summary.tags)))
            .bind(owned(&summary.excerpt))
            .bind(owned(&post.body));
    }
    for _ in 0..COLUMNS * (insert.most - posts.len()) {
        query = query.bind(None::<i64>);
    }
    let (count, new) = (posts.len() as i64, new_places(posts));
    query = query.bind(Arc::clone(&new.counts)).bind(new.of_tags);
    query = query.bind(count).bind(new.counts).bind(count);
    query.execute(connection).await?;
    Ok(())
}

/// A text for a thread of its own: sqlx would make two allocations of a borrowed one, for the other
/// thread to free.
fn owned(text: &str) -> Arc<str> {
    text.into()
}

/// What the posts add to the lists that they stand in, as JSON.
struct NewPlaces {
    /// For each list how many places, and when the earliest and the latest of them were created.
    counts: Arc<str>,
    /// For each list of a tag which of the posts stand in it, counted back from the last one.
    of_tags: String,
}

fn new_places(posts: &[&Post]) -> NewPlaces {
    let (mut counts, mut of_tags) = (BTreeMap::new(), BTreeMap::new());
    for (back, post) in (0..posts.len()).rev().zip(posts) {
        let at = post.summary.created_at.as_micros();
        let tags = || post.summary.tags.iter().map(Tag::as_str);
        for list in std::iter::once(lists::ALL).chain(tags()) {
            let (places, earliest, latest) = counts.entry(list).or_insert((0_u64, at, at));
            *places += 1;
            *earliest = at.min(*earliest);
            *latest = at.max(*latest);
        }
        for tag in tags() {
            of_tags.entry(tag).or_insert_with(Vec::new).push(back);
        }
    }
    NewPlaces {
        counts: row::json(&counts).into(),
        of_tags: row::json(&of_tags),
    }
}
