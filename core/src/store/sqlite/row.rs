//! Rows, and what they hold.

use serde::Serialize;
use sqlx::Row;
use sqlx::error::BoxDynError;
use sqlx::sqlite::SqliteRow;

use super::ids;
use crate::id::PostId;
use crate::key::KeyRecord;
use crate::post::{Creation, Entry, Post, PostSummary, Revision, Tag, Tombstone};
use crate::secret::SecretHash;
use crate::time::Timestamp;

pub(super) fn entry(row: &SqliteRow) -> sqlx::Result<Entry> {
    let edit_token = hash(row, "edit_token")?.ok_or_else(|| unreadable("edit_token"))?;
    let creation = match (
        hash(row, "creation_edit_token")?,
        hash(row, "creation_request")?,
    ) {
        (Some(edit_token), Some(request)) => Some(Creation {
            edit_token,
            request,
        }),
        _ => None,
    };
    if row.try_get("gone")? {
        return Ok(Entry::Gone(Tombstone {
            id: id(row)?,
            edit_token,
            creation,
        }));
    }
    let created_by: Option<i64> = row.try_get("created_by")?;
    let post = Post {
        summary: summary(row)?,
        body: row.try_get("body")?,
        edit_token,
        created_by: created_by
            .map(|number| ids::key(number).ok_or_else(|| unreadable("created_by")))
            .transpose()?,
        creation,
    };
    Ok(Entry::Live(post.into()))
}

pub(super) fn summary(row: &SqliteRow) -> sqlx::Result<PostSummary> {
    let revision: i64 = row.try_get("revision")?;
    Ok(PostSummary {
        id: id(row)?,
        title: row.try_get("title")?,
        excerpt: row.try_get("excerpt")?,
        tags: tags(row)?,
        focus_keyword: row.try_get("focus_keyword")?,
        created_at: time(row, "created_at")?,
        updated_at: time(row, "updated_at")?,
        revision: Revision::from_number(revision.cast_unsigned()),
    })
}

pub(super) fn key(row: &SqliteRow) -> sqlx::Result<KeyRecord> {
    let last_used_at: Option<i64> = row.try_get("last_used_at")?;
    Ok(KeyRecord {
        id: ids::key(row.try_get("id")?).ok_or_else(|| unreadable("id"))?,
        label: row.try_get("label")?,
        secret: hash(row, "secret")?.ok_or_else(|| unreadable("secret"))?,
        created_at: time(row, "created_at")?,
        last_used_at: last_used_at.map(Timestamp::from_micros),
    })
}

/// A post's tags, as the column `tags` holds them: a JSON array.
pub(super) fn tags(row: &SqliteRow) -> sqlx::Result<Vec<Tag>> {
    let json: &str = row.try_get("tags")?;
    let texts: Vec<String> = serde_json::from_str(json).map_err(|_| unreadable("tags"))?;
    Ok(texts.into_iter().map(Tag::from_stored).collect())
}

pub(super) fn tags_json(tags: &[Tag]) -> String {
    let texts: Vec<&str> = tags.iter().map(Tag::as_str).collect();
    json(&texts)
}

/// A value as SQLite's functions read it.
pub(super) fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| unreachable!("texts and numbers are JSON"))
}

/// Whether the post is found by the identifier that its edit token's hash names, so that no index
/// need hold the token.
pub(super) fn token_names_id(post: &Post) -> bool {
    PostId::from_bits(*post.edit_token.as_bytes()) == post.summary.id
}

fn id(row: &SqliteRow) -> sqlx::Result<PostId> {
    ids::post(row.try_get("id")?).ok_or_else(|| unreadable("id"))
}

fn time(row: &SqliteRow, column: &str) -> sqlx::Result<Timestamp> {
    row.try_get(column).map(Timestamp::from_micros)
}

fn hash(row: &SqliteRow, column: &str) -> sqlx::Result<Option<SecretHash>> {
    let bytes: Option<&[u8]> = row.try_get(column)?;
    let hash = bytes.map(|bytes| bytes.try_into().map(SecretHash::from_bytes));
    hash.transpose().map_err(|_| unreadable(column))
}

fn unreadable(column: &str) -> sqlx::Error {
    let source: BoxDynError = "this is nothing that Handbill wrote".into();
    sqlx::Error::ColumnDecode {
        index: column.to_owned(),
        source,
    }
}
