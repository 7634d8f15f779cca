//! The changes that a transaction may make beside inserting posts, one function each.

use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteQueryResult;

use super::{ids, row};
use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::post::{Post, Revision};
use crate::store::Write;
use crate::time::Timestamp;

const UPDATE_POST: &str = "
UPDATE handbill_posts SET
  revision = ?3, updated_at = ?4, edit_token = ?5, token_names_id = ?6, title = ?7,
  focus_keyword = ?8, tags = ?9, excerpt = ?10, body = ?11
WHERE id = ?1 AND revision = ?2 AND gone = 0";

const DELETE_POST: &str = "
UPDATE handbill_posts SET
  gone = 1, title = NULL, focus_keyword = NULL, tags = '[]', excerpt = '', body = ''
WHERE id = ?1 AND revision = ?2 AND gone = 0";

pub(super) async fn update_post(
    connection: &mut SqliteConnection,
    expected: Revision,
    post: &Post,
) -> sqlx::Result<Write> {
    let summary = &post.summary;
    sqlx::query(UPDATE_POST)
        .bind(ids::of_post(summary.id))
        .bind(expected.number().cast_signed())
        .bind(summary.revision.number().cast_signed())
        .bind(summary.updated_at.as_micros())
        .bind(post.edit_token.as_bytes().as_slice())
        .bind(row::token_names_id(post))
        .bind(summary.title.as_deref())
        .bind(summary.focus_keyword.as_deref())
        .bind(row::tags_json(&summary.tags))
        .bind(&summary.excerpt)
        .bind(&post.body)
        .execute(connection)
        .await
        .map(applied)
}

pub(super) async fn delete_post(
    connection: &mut SqliteConnection,
    id: PostId,
    expected: Revision,
) -> sqlx::Result<Write> {
    sqlx::query(DELETE_POST)
        .bind(ids::of_post(id))
        .bind(expected.number().cast_signed())
        .execute(connection)
        .await
        .map(applied)
}

pub(super) async fn insert_key(
    connection: &mut SqliteConnection,
    key: &KeyRecord,
) -> sqlx::Result<Write> {
    sqlx::query(
        "INSERT INTO handbill_keys (id, secret, label, created_at, last_used_at)
         VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (id) DO NOTHING",
    )
    .bind(ids::of_key(key.id))
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
        .bind(ids::of_key(id))
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
        .bind(ids::of_key(id))
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
