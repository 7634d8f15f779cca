//! Rows, and the values that they hold.

use handbill::store::{
    Creation, Entry, InstallationSecret, KeyRecord, Owner, Post, PostId, PostSummary, Revision,
    SecretHash, Tag, TagCount, TextField, Timestamp, Tombstone,
};
use serde::Serialize;
use sqlx::Row;
use sqlx::error::BoxDynError;
use sqlx::sqlite::SqliteRow;

/// A row of `handbill_posts`.
pub(super) fn entry(row: &SqliteRow) -> sqlx::Result<Entry> {
    let edit_token = required(hash(row, "edit_token")?, "edit_token")?;
    let creation = match (
        hash(row, "creation_edit_token")?,
        hash(row, "creation_request")?,
    ) {
        (Some(edit_token), Some(request)) => Some(Creation::new(edit_token, request)),
        _ => None,
    };
    if row.try_get("deleted")? {
        let tombstone = Tombstone::new(id(row, "id")?, edit_token)
            .with_owner(owner(row)?)
            .with_visibility(parse(row.try_get("visibility")?, "visibility")?)
            .with_creation(creation);
        return Ok(Entry::Gone(tombstone));
    }
    let created_by: Option<&str> = row.try_get("created_by")?;
    let created_by = created_by.map(|id| parse(id, "created_by")).transpose()?;
    let post = Post::new(summary(row)?, row.try_get("body")?, edit_token)
        .with_created_by(created_by)
        .with_creation(creation);
    Ok(Entry::Live(post.into()))
}

/// A row of `handbill_posts`, all but the body.
pub(super) fn summary(row: &SqliteRow) -> sqlx::Result<PostSummary> {
    let revision: i64 = row.try_get("revision")?;
    let published_at: Option<i64> = row.try_get("published_at")?;
    let mut summary = PostSummary::new(id(row, "id")?, time(row, "created_at")?)
        .with_excerpt(row.try_get("excerpt")?)
        .with_tags(tags(row)?)
        .with_visibility(parse(row.try_get("visibility")?, "visibility")?)
        .with_owner(owner(row)?)
        .with_published_at(published_at.map(Timestamp::from_micros))
        .with_heading(row.try_get("heading")?)
        .with_updated_at(time(row, "updated_at")?)
        .with_revision(Revision::from_number(revision.cast_unsigned()));
    for &field in TextField::ALL {
        summary = summary.with_text(field, row.try_get(field.name())?);
    }
    Ok(summary)
}

/// A row of `handbill_keys`.
pub(super) fn key(row: &SqliteRow) -> sqlx::Result<KeyRecord> {
    let secret = required(hash(row, "secret")?, "secret")?;
    let last_used_at: Option<i64> = row.try_get("last_used_at")?;
    let key = KeyRecord::new(id(row, "id")?, secret, time(row, "created_at")?)
        .with_label(row.try_get("label")?)
        .with_owner(parse(row.try_get("owner")?, "owner")?)
        .with_last_used_at(last_used_at.map(Timestamp::from_micros));
    Ok(key)
}

/// The row of `handbill_meta`.
pub(super) fn installation_secret(row: &SqliteRow) -> sqlx::Result<InstallationSecret> {
    let secret = bytes(row, "installation_secret")?;
    let secret = secret.map(InstallationSecret::from_bytes);
    required(secret, "installation_secret")
}

/// Texts as SQLite's `json_each` reads them.
pub(super) fn json(texts: &[impl Serialize]) -> String {
    serde_json::to_string(texts).unwrap_or_else(|_| unreachable!("texts are JSON"))
}

pub(super) fn post_id(row: &SqliteRow) -> sqlx::Result<PostId> {
    id(row, "id")
}

/// A post's tags, as the column `tags` stores them: a JSON array.
pub(super) fn tags_json(tags: &[Tag]) -> String {
    let texts: Vec<&str> = tags.iter().map(Tag::as_str).collect();
    json(&texts)
}

/// A comma and the tag as JSON.
pub(super) fn tag_after_comma(tag: &Tag) -> String {
    let text = serde_json::to_string(tag.as_str());
    format!(
        ",{}",
        text.unwrap_or_else(|_| unreachable!("a string is JSON"))
    )
}

fn tags(row: &SqliteRow) -> sqlx::Result<Vec<Tag>> {
    let json: &str = row.try_get("tags")?;
    let texts: Vec<String> = serde_json::from_str(json).map_err(|_| unreadable("tags"))?;
    Ok(texts.into_iter().map(Tag::from_stored).collect())
}

fn owner(row: &SqliteRow) -> sqlx::Result<Option<Owner>> {
    let owner: Option<&str> = row.try_get("owner")?;
    owner.map(|owner| parse(owner, "owner")).transpose()
}

/// A row with the columns `tag` and `posts`.
pub(super) fn tag_count(row: &SqliteRow) -> sqlx::Result<TagCount> {
    let (tag, posts): (String, i64) = (row.try_get("tag")?, row.try_get("posts")?);
    Ok(TagCount::new(Tag::from_stored(tag), posts.cast_unsigned()))
}

fn id<T: std::str::FromStr>(row: &SqliteRow, column: &str) -> sqlx::Result<T> {
    parse(row.try_get(column)?, column)
}

fn parse<T: std::str::FromStr>(text: &str, column: &str) -> sqlx::Result<T> {
    text.parse().map_err(|_| unreadable(column))
}

fn time(row: &SqliteRow, column: &str) -> sqlx::Result<Timestamp> {
    row.try_get(column).map(Timestamp::from_micros)
}

fn hash(row: &SqliteRow, column: &str) -> sqlx::Result<Option<SecretHash>> {
    Ok(bytes(row, column)?.map(SecretHash::from_bytes))
}

fn bytes(row: &SqliteRow, column: &str) -> sqlx::Result<Option<[u8; 32]>> {
    let bytes: Option<&[u8]> = row.try_get(column)?;
    let bytes = bytes.map(<[u8; 32]>::try_from).transpose();
    bytes.map_err(|_| unreadable(column))
}

fn required<T>(value: Option<T>, column: &str) -> sqlx::Result<T> {
    value.ok_or_else(|| unreadable(column))
}

fn unreadable(column: &str) -> sqlx::Error {
    let source: BoxDynError = "the value is not one that Handbill writes".into();
    sqlx::Error::ColumnDecode {
        index: column.to_owned(),
        source,
    }
}
