//! Rows, and what they hold.

use std::borrow::Cow;

use serde::Serialize;
use sqlx::Row;
use sqlx::error::BoxDynError;
use sqlx::postgres::PgRow;

use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::post::{Creation, Entry, Post, PostSummary, Revision, Tag, Tombstone};
use crate::secret::SecretHash;
use crate::time::Timestamp;

/// Bytes of a tag that its list is named after.
const LONGEST_LIST: usize = 200;

pub(super) fn entry(row: &PgRow) -> sqlx::Result<Entry> {
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
    let created_by: Option<&str> = row.try_get("created_by")?;
    let post = Post {
        summary: summary(row)?,
        body: row.try_get("body")?,
        edit_token,
        created_by: created_by
            .map(|text| {
                text.parse::<KeyId>()
                    .ok()
                    .ok_or_else(|| unreadable("created_by"))
            })
            .transpose()?,
        creation,
    };
    Ok(Entry::Live(post.into()))
}

pub(super) fn summary(row: &PgRow) -> sqlx::Result<PostSummary> {
    let revision: i64 = row.try_get("revision")?;
    Ok(PostSummary {
        id: id(row)?,
        title: row.try_get("title")?,
        excerpt: row.try_get("excerpt")?,
        tags: tags(row.try_get("tags")?)?,
        focus_keyword: row.try_get("focus_keyword")?,
        created_at: time(row, "created_at")?,
        updated_at: time(row, "updated_at")?,
        revision: Revision::from_number(revision.cast_unsigned()),
    })
}

pub(super) fn key(row: &PgRow) -> sqlx::Result<KeyRecord> {
    let last_used_at: Option<i64> = row.try_get("last_used_at")?;
    Ok(KeyRecord {
        id: row
            .try_get::<&str, _>("id")?
            .parse::<KeyId>()
            .ok()
            .ok_or_else(|| unreadable("id"))?,
        label: row.try_get("label")?,
        secret: hash(row, "secret")?.ok_or_else(|| unreadable("secret"))?,
        created_at: time(row, "created_at")?,
        last_used_at: last_used_at.map(Timestamp::from_micros),
    })
}

/// A post's tags, as the column `tags` holds them: a JSON array.
fn tags(json: &str) -> sqlx::Result<Vec<Tag>> {
    let texts: Vec<String> = serde_json::from_str(json).map_err(|_| unreadable("tags"))?;
    Ok(texts.into_iter().map(Tag::from_stored).collect())
}

pub(super) fn tags_json(tags: &[Tag]) -> String {
    json(&tags.iter().map(Tag::as_str).collect::<Vec<_>>())
}

/// What the column `lists` holds.
pub(super) fn lists_json(tags: &[Tag]) -> Option<String> {
    let lists: Vec<_> = tags.iter().map(list).collect();
    let is_named_otherwise = |list: &Cow<'_, str>| matches!(list, Cow::Owned(_));
    lists.iter().any(is_named_otherwise).then(|| json(&lists))
}

fn json<T: Serialize>(texts: &[T]) -> String {
    serde_json::to_string(texts).unwrap_or_else(|_| unreachable!("an array of texts is JSON"))
}

/// The name of a tag's list. Indexes take no more than a third of a page, which hosts may let a tag
/// exceed: a long one gives its beginning and its hash, and so a name that is longer than those of
/// all tags that are not.
pub(super) fn list(tag: &Tag) -> Cow<'_, str> {
    let tag = tag.as_str();
    if tag.len() <= LONGEST_LIST {
        return Cow::Borrowed(tag);
    }
    let mut name = tag[..tag.floor_char_boundary(LONGEST_LIST)].to_owned();
    for byte in SecretHash::of(tag).as_bytes() {
        name.push_str(&format!("{byte:02x}"));
    }
    Cow::Owned(name)
}

/// Whether the post is found by the identifier that its edit token's hash names, so that no index
/// need hold the token.
pub(super) fn token_names_id(post: &Post) -> bool {
    PostId::from_bits(*post.edit_token.as_bytes()) == post.summary.id
}

fn id(row: &PgRow) -> sqlx::Result<PostId> {
    row.try_get::<&str, _>("id")?
        .parse::<PostId>()
        .ok()
        .ok_or_else(|| unreadable("id"))
}

fn time(row: &PgRow, column: &str) -> sqlx::Result<Timestamp> {
    row.try_get(column).map(Timestamp::from_micros)
}

fn hash(row: &PgRow, column: &str) -> sqlx::Result<Option<SecretHash>> {
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
