//! Inserting posts, many at once: each way to the database and back costs more than a row, so that a
//! whole transaction goes in one.

use std::collections::HashSet;

use sqlx::{Row, SqliteConnection};

use super::row;
use crate::id::KeyId;
use crate::post::Post;
use crate::store::Write;

/// Posts that are inserted at once at the most.
pub(super) const MOST_POSTS: usize = 64;

/// Inserts as many posts as there are rows of placeholders, and puts them into their lists. Rows
/// that nothing is bound to are null, and passed over.
macro_rules! insert_posts {
    ($rows:expr) => {
        concat!(
            "INSERT OR ROLLBACK INTO handbill_posts (
               id, revision, created_at, updated_at, edit_token, token_names_id, created_by,
               creation_edit_token, creation_request, title, focus_keyword, tags, excerpt, body
             )
             SELECT * FROM (VALUES ",
            $rows,
            ") WHERE column1 IS NOT NULL
             ON CONFLICT (id) DO NOTHING RETURNING id;

             INSERT INTO handbill_places SELECT list, created_at, post FROM handbill_new_places;

             INSERT INTO handbill_totals
             SELECT list, COUNT(*) FROM handbill_new_places WHERE true GROUP BY list
             ON CONFLICT (list) DO UPDATE SET places = places + excluded.places;

             INSERT INTO handbill_blocks
             SELECT
               list,
               COALESCE((
                 SELECT MAX(block.start) FROM handbill_blocks AS block
                 WHERE block.list = new.list AND block.start <= new.created_at
               ), 0) AS start,
               COUNT(*)
             FROM handbill_new_places AS new WHERE true GROUP BY list, start
             ON CONFLICT (list, start) DO UPDATE SET places = places + excluded.places;

             UPDATE handbill_meta SET listed = (SELECT MAX(number) FROM handbill_posts)"
        )
    };
}

macro_rules! row {
    () => {
        "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    };
}

macro_rules! eight {
    ($rows:expr) => {
        concat!(
            $rows, ",", $rows, ",", $rows, ",", $rows, ",", $rows, ",", $rows, ",", $rows, ",",
            $rows
        )
    };
}

/// One text for few posts and another one for many: by itself, and as a whole transaction.
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

const INSERTS: [Insert; 3] = [
    insert!(1, row!()),
    insert!(8, eight!(row!())),
    insert!(MOST_POSTS, eight!(eight!(row!()))),
];

/// Inserts up to [`MOST_POSTS`] posts. Of two with the same identifier one is applied.
pub(super) async fn insert_posts(
    connection: &mut SqliteConnection,
    posts: &[&Post],
) -> sqlx::Result<Vec<Write>> {
    if posts.is_empty() {
        Ok(Vec::new())
    } else {
        run(connection, posts, |insert| insert.alone).await
    }
}

/// Inserts up to [`MOST_POSTS`] posts, one at least, in a transaction of their own.
pub(super) async fn insert_and_commit(
    connection: &mut SqliteConnection,
    posts: &[&Post],
) -> sqlx::Result<Vec<Write>> {
    run(connection, posts, |insert| insert.transaction).await
}

async fn run(
    connection: &mut SqliteConnection,
    posts: &[&Post],
    text: fn(&Insert) -> &'static str,
) -> sqlx::Result<Vec<Write>> {
    let [.., largest] = &INSERTS;
    let insert = INSERTS
        .iter()
        .find(|insert| posts.len() <= insert.most)
        .unwrap_or(largest);
    let mut query = sqlx::query(text(insert));
    for post in posts {
        let (summary, creation) = (&post.summary, post.creation.as_ref());
        query = query
            .bind(summary.id.as_str())
            .bind(summary.revision.number().cast_signed())
            .bind(summary.created_at.as_micros())
            .bind(summary.updated_at.as_micros())
            .bind(post.edit_token.as_bytes().as_slice())
            .bind(row::token_names_id(post))
            .bind(post.created_by.as_ref().map(KeyId::as_str))
            .bind(creation.map(|creation| creation.edit_token.as_bytes().as_slice()))
            .bind(creation.map(|creation| creation.request.as_bytes().as_slice()))
            .bind(summary.title.as_deref())
            .bind(summary.focus_keyword.as_deref())
            .bind(row::tags_json(&summary.tags))
            .bind(summary.excerpt.as_str())
            .bind(post.body.as_str());
    }
    let rows = query.fetch_all(connection).await?;
    let inserted = rows.iter().map(|row| row.try_get("id"));
    let mut inserted = inserted.collect::<sqlx::Result<HashSet<&str>>>()?;
    let writes = posts
        .iter()
        .map(|post| match inserted.remove(post.summary.id.as_str()) {
            true => Write::Applied,
            false => Write::Conflict,
        });
    Ok(writes.collect())
}
