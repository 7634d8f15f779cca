//! The changes of a transaction, one function each.

use std::collections::HashSet;

use serde::Serialize;
use sqlx::sqlite::SqliteQueryResult;
use sqlx::{Row, SqliteConnection};

use super::lists::Moves;
use super::row;
use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::post::{Post, Revision, Tag};
use crate::secret::SecretHash;
use crate::store::Write;
use crate::time::Timestamp;

const INSERT_POSTS: &str = "
INSERT INTO handbill_posts (
  id, gone, revision, created_at, updated_at, edit_token, created_by, creation_edit_token,
  creation_request, title, focus_keyword, tags, excerpt, body
)
SELECT
  value ->> 0, 0, value ->> 1, value ->> 2, value ->> 3, unhex(value ->> 4), value ->> 5,
  unhex(value ->> 6), unhex(value ->> 7), value ->> 8, value ->> 9, value ->> 10, value ->> 11,
  value ->> 12
FROM json_each(?1) WHERE true
ON CONFLICT (id) DO NOTHING RETURNING id";

const EXPECTED: &str = "
SELECT created_at, tags FROM handbill_posts WHERE id = ?1 AND revision = ?2 AND gone = 0";

const UPDATE_POST: &str = "
UPDATE handbill_posts SET
  revision = ?2, updated_at = ?3, edit_token = ?4, title = ?5, focus_keyword = ?6, tags = ?7,
  excerpt = ?8, body = ?9
WHERE id = ?1";

const BURY_POST: &str = "
UPDATE handbill_posts SET
  gone = 1, title = NULL, focus_keyword = NULL, tags = '[]', excerpt = '', body = ''
WHERE id = ?1";

/// Inserts posts in one statement. Of two with the same identifier the first is applied.
pub(super) async fn insert_posts(
    connection: &mut SqliteConnection,
    posts: &[&Post],
    moves: &mut Moves,
) -> sqlx::Result<Vec<Write>> {
    if posts.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<_> = posts.iter().map(|post| columns(post)).collect();
    let inserted = sqlx::query(INSERT_POSTS)
        .bind(row::json(&rows))
        .fetch_all(connection)
        .await?;
    let mut inserted: HashSet<String> = inserted
        .iter()
        .map(|row| row.try_get("id"))
        .collect::<sqlx::Result<_>>()?;
    let writes = posts.iter().map(|post| {
        if inserted.remove(post.summary.id.as_str()) {
            moves.add(&post.summary);
            Write::Applied
        } else {
            Write::Conflict
        }
    });
    Ok(writes.collect())
}

/// A post's columns, in the order that the statement takes them.
fn columns(post: &Post) -> impl Serialize + '_ {
    let summary = &post.summary;
    let creation = post.creation.as_ref();
    (
        summary.id.as_str(),
        summary.revision.number(),
        summary.created_at.as_micros(),
        summary.updated_at.as_micros(),
        hex(&post.edit_token),
        post.created_by.map(|key| key.to_string()),
        creation.map(|creation| hex(&creation.edit_token)),
        creation.map(|creation| hex(&creation.request)),
        summary.title.as_deref(),
        summary.focus_keyword.as_deref(),
        row::tags_json(&summary.tags),
        summary.excerpt.as_str(),
        post.body.as_str(),
    )
}

fn hex(hash: &SecretHash) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = hash
        .as_bytes()
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}

pub(super) async fn update_post(
    connection: &mut SqliteConnection,
    expected: Revision,
    post: &Post,
    moves: &mut Moves,
) -> sqlx::Result<Write> {
    let summary = &post.summary;
    let Some((_, tags)) = find(connection, summary.id, expected).await? else {
        return Ok(Write::Conflict);
    };
    sqlx::query(UPDATE_POST)
        .bind(summary.id.as_str())
        .bind(summary.revision.number().cast_signed())
        .bind(summary.updated_at.as_micros())
        .bind(post.edit_token.as_bytes().as_slice())
        .bind(summary.title.as_deref())
        .bind(summary.focus_keyword.as_deref())
        .bind(row::tags_json(&summary.tags))
        .bind(&summary.excerpt)
        .bind(&post.body)
        .execute(connection)
        .await?;
    moves.retag(
        summary.created_at,
        summary.id.as_str(),
        &tags,
        &summary.tags,
    );
    Ok(Write::Applied)
}

pub(super) async fn delete_post(
    connection: &mut SqliteConnection,
    id: PostId,
    expected: Revision,
    moves: &mut Moves,
) -> sqlx::Result<Write> {
    let Some((created_at, tags)) = find(connection, id, expected).await? else {
        return Ok(Write::Conflict);
    };
    sqlx::query(BURY_POST)
        .bind(id.as_str())
        .execute(connection)
        .await?;
    moves.remove(created_at, id.as_str(), &tags);
    Ok(Write::Applied)
}

/// Where the post stands, if it is live and in the revision expected.
async fn find(
    connection: &mut SqliteConnection,
    id: PostId,
    expected: Revision,
) -> sqlx::Result<Option<(Timestamp, Vec<Tag>)>> {
    let found: Option<(i64, String)> = sqlx::query_as(EXPECTED)
        .bind(id.as_str())
        .bind(expected.number().cast_signed())
        .fetch_optional(connection)
        .await?;
    found
        .map(|(at, tags)| Ok((Timestamp::from_micros(at), row::tags(&tags)?)))
        .transpose()
}

pub(super) async fn insert_key(
    connection: &mut SqliteConnection,
    key: &KeyRecord,
) -> sqlx::Result<Write> {
    sqlx::query(
        "INSERT INTO handbill_keys (id, secret, label, created_at, last_used_at)
         VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (id) DO NOTHING",
    )
    .bind(key.id.as_str())
    .bind(key.secret.as_bytes().as_slice())
    .bind(key.label.as_deref())
    .bind(key.created_at.as_micros())
    .bind(key.last_used_at.map(Timestamp::as_micros))
    .execute(connection)
    .await
    .map(applied)
}

pub(super) async fn note_key_use(
    connection: &mut SqliteConnection,
    id: KeyId,
    at: Timestamp,
) -> sqlx::Result<Write> {
    sqlx::query("UPDATE handbill_keys SET last_used_at = ?2 WHERE id = ?1")
        .bind(id.as_str())
        .bind(at.as_micros())
        .execute(connection)
        .await
        .map(applied)
}

pub(super) async fn revoke_key(
    connection: &mut SqliteConnection,
    id: KeyId,
) -> sqlx::Result<Write> {
    sqlx::query("DELETE FROM handbill_keys WHERE id = ?1")
        .bind(id.as_str())
        .execute(connection)
        .await
        .map(applied)
}

fn applied(result: SqliteQueryResult) -> Write {
    if result.rows_affected() == 0 {
        Write::Conflict
    } else {
        Write::Applied
    }
}
