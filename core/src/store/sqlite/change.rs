//! The changes that a transaction may make beside inserting posts, one function each.

use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteQueryResult;

use super::lists::{self, Place};
use super::{ids, row};
use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::post::{Post, Revision, Tag};
use crate::store::Write;
use crate::time::Timestamp;

const STANDING: &str = concat!(
    "SELECT number, created_at, id, tags FROM handbill_posts WHERE number = ",
    ids::number_of_post!(),
    " AND revision = ?2 AND gone = 0"
);

const UPDATE_POST: &str = "
UPDATE handbill_posts SET
  revision = ?2, updated_at = ?3, edit_token = ?4, token_names_id = ?5, title = ?6,
  focus_keyword = ?7, tags = ?8, excerpt = ?9, body = ?10
WHERE number = ?1";

const DELETE_POST: &str = "
UPDATE handbill_posts SET
  gone = 1, title = NULL, focus_keyword = NULL, tags = '[]', excerpt = '', body = ''
WHERE number = ?1";

pub(super) async fn update_post(
    connection: &mut SqliteConnection,
    expected: Revision,
    post: &Post,
) -> sqlx::Result<Write> {
    let summary = &post.summary;
    let Some((place, tags)) = standing(connection, summary.id, expected).await? else {
        return Ok(Write::Conflict);
    };
    sqlx::query(UPDATE_POST)
        .bind(place.post)
        .bind(summary.revision.number().cast_signed())
        .bind(summary.updated_at.as_micros())
        .bind(post.edit_token.as_bytes().as_slice())
        .bind(row::token_names_id(post))
        .bind(summary.title.as_deref())
        .bind(summary.focus_keyword.as_deref())
        .bind(row::tags_json(&summary.tags))
        .bind(&summary.excerpt)
        .bind(&post.body)
        .execute(&mut *connection)
        .await?;
    lists::change_tags(connection, place, &tags, &summary.tags).await?;
    Ok(Write::Applied)
}

pub(super) async fn delete_post(
    connection: &mut SqliteConnection,
    id: PostId,
    expected: Revision,
) -> sqlx::Result<Write> {
    let Some((place, tags)) = standing(connection, id, expected).await? else {
        return Ok(Write::Conflict);
    };
    let query = sqlx::query(DELETE_POST).bind(place.post);
    query.execute(&mut *connection).await?;
    lists::change_tags(connection, place, &tags, &[]).await?;
    lists::remove(connection, lists::ALL, place).await?;
    Ok(Write::Applied)
}

/// Where a live post of this revision stands, and its tags.
async fn standing(
    connection: &mut SqliteConnection,
    id: PostId,
    revision: Revision,
) -> sqlx::Result<Option<(Place, Vec<Tag>)>> {
    let query = sqlx::query(STANDING).bind(ids::of_post(id));
    let query = query.bind(revision.number().cast_signed());
    let Some(row) = query.fetch_optional(connection).await? else {
        return Ok(None);
    };
    Ok(Some((Place::from_row(&row)?, row::tags(&row)?)))
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

pub(super) async fn touch_key(
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
        .map(|done| match done.rows_affected() {
            0 => Write::NotFound,
            _ => Write::Applied,
        })
}

fn applied(result: SqliteQueryResult) -> Write {
    if result.rows_affected() == 0 {
        Write::Conflict
    } else {
        Write::Applied
    }
}
