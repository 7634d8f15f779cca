//! Rows as values, whatever the database.

use std::error::Error;
use std::str::FromStr;

use handbill::store::{
    Bar, Creation, Due, Entry, InstallationSecret, KeyRecord, ListedPost, Post, PostId, PostList,
    PostSummary, Revision, SecretHash, Tag, TextField, Timestamp, Tombstone,
};
use sqlx::Row as _;
use sqlx::error::BoxDynError;

/// A row of a database.
pub(crate) trait Row {
    fn flag(&self, column: &str) -> sqlx::Result<bool>;
    fn integer(&self, column: &str) -> sqlx::Result<Option<i64>>;
    fn text(&self, column: &str) -> sqlx::Result<Option<&str>>;
    fn bytes(&self, column: &str) -> sqlx::Result<Option<&[u8]>>;
}

macro_rules! row {
    ($row:ty) => {
        impl Row for $row {
            fn flag(&self, column: &str) -> sqlx::Result<bool> {
                self.try_get(column)
            }

            fn integer(&self, column: &str) -> sqlx::Result<Option<i64>> {
                self.try_get(column)
            }

            fn text(&self, column: &str) -> sqlx::Result<Option<&str>> {
                self.try_get(column)
            }

            fn bytes(&self, column: &str) -> sqlx::Result<Option<&[u8]>> {
                self.try_get(column)
            }
        }
    };
}

#[cfg(feature = "sqlite")]
row!(sqlx::sqlite::SqliteRow);
#[cfg(feature = "postgres")]
row!(sqlx::postgres::PgRow);
#[cfg(feature = "mysql")]
row!(sqlx::mysql::MySqlRow);

pub(crate) fn entry(row: &impl Row) -> sqlx::Result<Entry> {
    let edit_token = required(row, "edit_token", hash)?;
    let creation = hash(row, "creation_edit_token")?
        .zip(hash(row, "creation_request")?)
        .map(|(edit_token, request)| Creation::new(edit_token, request));
    if row.flag("deleted")? {
        let tombstone = Tombstone::new(id(row)?, edit_token)
            .with_owner(parse(row, "owner")?)
            .with_visibility(required(row, "visibility", parse)?)
            .with_creation(creation);
        return Ok(Entry::Gone(tombstone));
    }
    let post = Post::new(summary(row)?, required(row, "body", text)?, edit_token)
        .with_created_by(parse(row, "created_by")?)
        .with_creation(creation);
    Ok(Entry::Live(post.into()))
}

fn summary(row: &impl Row) -> sqlx::Result<PostSummary> {
    let created_at = required(row, "created_at", time)?;
    let mut summary = PostSummary::new(id(row)?, created_at)
        .with_heading(text(row, "heading")?)
        .with_excerpt(required(row, "excerpt", text)?)
        .with_picture(text(row, "picture")?)
        .with_tags(tags(row)?)
        .with_visibility(required(row, "visibility", parse)?)
        .with_owner(parse(row, "owner")?)
        .with_published_at(time(row, "published_at")?)
        .with_publish_at(time(row, "publish_at")?)
        .with_expires_at(time(row, "expires_at")?)
        .with_updated_at(required(row, "updated_at", time)?)
        .with_revision(required(row, "revision", revision)?);
    for &field in TextField::ALL {
        summary = summary.with_text(field, text(row, field.name())?);
    }
    Ok(summary)
}

/// A page of a list: rows with the total, and with a post each. A page without posts has one row, with the total
/// alone.
pub(crate) fn page(rows: &[impl Row]) -> sqlx::Result<PostList> {
    let total = match rows.first() {
        Some(row) => required(row, "total", Row::integer)?,
        None => 0,
    };
    let mut posts = Vec::with_capacity(rows.len());
    for row in rows {
        if row.text("id")?.is_some() {
            posts.push(ListedPost::new(summary(row)?).with_body(text(row, "body")?));
        }
    }
    Ok(PostList::new(posts, total.cast_unsigned()))
}

pub(crate) fn key(row: &impl Row) -> sqlx::Result<KeyRecord> {
    let (secret, created_at) = (
        required(row, "secret", hash)?,
        required(row, "created_at", time)?,
    );
    let key = KeyRecord::new(required(row, "id", parse)?, secret, created_at)
        .with_label(text(row, "label")?)
        .with_owner(required(row, "owner", parse)?)
        .with_last_used_at(time(row, "last_used_at")?);
    Ok(key)
}

/// A post or tombstone, and its identifier.
#[cfg(any(feature = "sqlite", feature = "mysql"))]
pub(crate) fn entry_by_id(row: &impl Row) -> sqlx::Result<(PostId, Entry)> {
    entry(row).map(|entry| (entry.id(), entry))
}

/// A key, and the hash of its secret.
pub(crate) fn key_by_secret(row: &impl Row) -> sqlx::Result<(SecretHash, KeyRecord)> {
    key(row).map(|key| (key.secret, key))
}

pub(crate) fn bar(row: &impl Row) -> sqlx::Result<Bar> {
    Ok(Bar {
        owner: required(row, "owner", hash)?,
        until: required(row, "until", time)?,
    })
}

/// The identifier of a post.
pub(crate) fn id(row: &impl Row) -> sqlx::Result<PostId> {
    required(row, "id", parse)
}

/// A post that is due.
pub(crate) fn due(row: &impl Row) -> sqlx::Result<Due> {
    let (at, id) = (required(row, "due_at", time)?, id(row)?);
    Ok(Due { at, id })
}

/// A tag and its number of posts.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn tag_count(row: &impl Row) -> sqlx::Result<handbill::store::TagCount> {
    let tag = Tag::from_stored(required(row, "tag", Row::text)?);
    let posts = required(row, "posts", Row::integer)?;
    Ok(handbill::store::TagCount::new(tag, posts.cast_unsigned()))
}

pub(crate) fn installation_secret(
    row: &impl Row,
    column: &str,
) -> sqlx::Result<InstallationSecret> {
    required(row, column, array).map(InstallationSecret::from_bytes)
}

/// What `read` reads, which must not be NULL.
pub(crate) fn required<'r, R: Row, T>(
    row: &'r R,
    column: &str,
    read: impl Fn(&'r R, &str) -> sqlx::Result<Option<T>>,
) -> sqlx::Result<T> {
    read(row, column)?.ok_or_else(|| unreadable(column, "it is NULL".into()))
}

fn parse<T: FromStr<Err: Error + Send + Sync + 'static>>(
    row: &impl Row,
    column: &str,
) -> sqlx::Result<Option<T>> {
    let value = row.text(column)?.map(str::parse).transpose();
    value.map_err(|error: T::Err| unreadable(column, error.into()))
}

fn text(row: &impl Row, column: &str) -> sqlx::Result<Option<String>> {
    Ok(row.text(column)?.map(str::to_owned))
}

/// The tags of a post.
pub(crate) fn tags(row: &impl Row) -> sqlx::Result<Vec<Tag>> {
    let json = required(row, "tags", Row::text)?;
    let tags: Vec<String> =
        serde_json::from_str(json).map_err(|error| unreadable("tags", error.into()))?;
    Ok(tags.into_iter().map(Tag::from_stored).collect())
}

fn time(row: &impl Row, column: &str) -> sqlx::Result<Option<Timestamp>> {
    Ok(row.integer(column)?.map(Timestamp::from_micros))
}

fn revision(row: &impl Row, column: &str) -> sqlx::Result<Option<Revision>> {
    let number = row.integer(column)?.map(i64::cast_unsigned);
    Ok(number.map(Revision::from_number))
}

fn hash(row: &impl Row, column: &str) -> sqlx::Result<Option<SecretHash>> {
    Ok(array(row, column)?.map(SecretHash::from_bytes))
}

fn array(row: &impl Row, column: &str) -> sqlx::Result<Option<[u8; 32]>> {
    let bytes = row.bytes(column)?.map(<[u8; 32]>::try_from).transpose();
    bytes.map_err(|error| unreadable(column, error.into()))
}

fn unreadable(column: &str, source: BoxDynError) -> sqlx::Error {
    sqlx::Error::ColumnDecode {
        index: column.to_owned(),
        source,
    }
}
