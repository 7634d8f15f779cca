//! Converts rows into posts, tombstones and keys.

use std::error::Error;
use std::str::FromStr;

use handbill::store::{
    Creation, Entry, InstallationSecret, KeyRecord, Post, PostSummary, Revision, SecretHash, Tag,
    TagCount, TextField, Timestamp, Tombstone,
};
use sqlx::Row;
use sqlx::error::BoxDynError;
use sqlx::postgres::PgRow;

pub(super) fn entry(row: &PgRow) -> sqlx::Result<Entry> {
    let edit_token = hash(row, "edit_token")?;
    let creation = optional_hash(row, "creation_edit_token")?
        .zip(optional_hash(row, "creation_request")?)
        .map(|(edit_token, request)| Creation::new(edit_token, request));
    if row.try_get("deleted")? {
        let tombstone = Tombstone::new(parse(row, "id")?, edit_token)
            .with_owner(parse_optional(row, "owner")?)
            .with_visibility(parse(row, "visibility")?)
            .with_creation(creation);
        return Ok(Entry::Gone(tombstone));
    }
    let post = Post::new(summary(row)?, row.try_get("body")?, edit_token)
        .with_created_by(parse_optional(row, "created_by")?)
        .with_creation(creation);
    Ok(Entry::Live(post.into()))
}

pub(super) fn summary(row: &PgRow) -> sqlx::Result<PostSummary> {
    let number: i64 = row.try_get("revision")?;
    let tags: Vec<String> = serde_json::from_str(row.try_get("tags")?)
        .map_err(|error| unreadable("tags", error.into()))?;
    let mut summary = PostSummary::new(parse(row, "id")?, time(row, "created_at")?)
        .with_heading(row.try_get("heading")?)
        .with_excerpt(row.try_get("excerpt")?)
        .with_tags(tags.into_iter().map(Tag::from_stored).collect())
        .with_visibility(parse(row, "visibility")?)
        .with_owner(parse_optional(row, "owner")?)
        .with_published_at(optional_time(row, "published_at")?)
        .with_updated_at(time(row, "updated_at")?)
        .with_revision(Revision::from_number(number.cast_unsigned()));
    for &field in TextField::ALL {
        summary = summary.with_text(field, row.try_get(field.name())?);
    }
    Ok(summary)
}

pub(super) fn key(row: &PgRow) -> sqlx::Result<KeyRecord> {
    let key = KeyRecord::new(
        parse(row, "id")?,
        hash(row, "secret")?,
        time(row, "created_at")?,
    );
    Ok(key
        .with_label(row.try_get("label")?)
        .with_owner(parse(row, "owner")?)
        .with_last_used_at(optional_time(row, "last_used_at")?))
}

pub(super) fn tag_count(row: &PgRow) -> sqlx::Result<TagCount> {
    let tag: &str = row.try_get("tag")?;
    let posts: i64 = row.try_get("posts")?;
    Ok(TagCount::new(Tag::from_stored(tag), posts.cast_unsigned()))
}

pub(super) fn installation_secret(row: &PgRow) -> sqlx::Result<InstallationSecret> {
    let secret = bytes(row, "secret")?.map(InstallationSecret::from_bytes);
    secret.ok_or_else(|| unreadable("secret", "it is NULL".into()))
}

/// The value of the column `tags`: a JSON array.
pub(super) fn tags_json(tags: &[Tag]) -> String {
    let tags: Vec<&str> = tags.iter().map(Tag::as_str).collect();
    serde_json::to_string(&tags).unwrap_or_else(|_| unreachable!("an array of strings is JSON"))
}

/// The value of the column `revision`.
pub(super) fn revision(revision: Revision) -> i64 {
    revision.number().cast_signed()
}

fn parse<T: FromStr<Err: Error + Send + Sync + 'static>>(
    row: &PgRow,
    column: &str,
) -> sqlx::Result<T> {
    let value = parse_optional(row, column)?;
    value.ok_or_else(|| unreadable(column, "it is NULL".into()))
}

fn parse_optional<T: FromStr<Err: Error + Send + Sync + 'static>>(
    row: &PgRow,
    column: &str,
) -> sqlx::Result<Option<T>> {
    let text: Option<&str> = row.try_get(column)?;
    let value = text.map(str::parse).transpose();
    value.map_err(|error: T::Err| unreadable(column, error.into()))
}

fn time(row: &PgRow, column: &str) -> sqlx::Result<Timestamp> {
    row.try_get(column).map(Timestamp::from_micros)
}

fn optional_time(row: &PgRow, column: &str) -> sqlx::Result<Option<Timestamp>> {
    let micros: Option<i64> = row.try_get(column)?;
    Ok(micros.map(Timestamp::from_micros))
}

fn hash(row: &PgRow, column: &str) -> sqlx::Result<SecretHash> {
    let hash = optional_hash(row, column)?;
    hash.ok_or_else(|| unreadable(column, "it is NULL".into()))
}

fn optional_hash(row: &PgRow, column: &str) -> sqlx::Result<Option<SecretHash>> {
    Ok(bytes(row, column)?.map(SecretHash::from_bytes))
}

fn bytes(row: &PgRow, column: &str) -> sqlx::Result<Option<[u8; 32]>> {
    let bytes: Option<&[u8]> = row.try_get(column)?;
    let bytes = bytes.map(<[u8; 32]>::try_from).transpose();
    bytes.map_err(|error| unreadable(column, error.into()))
}

fn unreadable(column: &str, source: BoxDynError) -> sqlx::Error {
    sqlx::Error::ColumnDecode {
        index: column.to_owned(),
        source,
    }
}
