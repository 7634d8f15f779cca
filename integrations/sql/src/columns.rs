//! The columns of posts and of keys. Each text field of a post has one with its name.
//!
//! Statements name the columns that they read: a prepared `SELECT *` fails once a later version has added a column.

use std::borrow::Cow;
use std::sync::LazyLock;

use handbill::store::{KeyId, Post, PostId, SecretHash, Tag, TextField, Timestamp};

use Life::{Emptied, Fixed, Lasting};
use Of::{Bytes, Field, Integer, Text};

use crate::query::{Query, Value};

/// A column of `handbill_posts`.
#[derive(Clone, Copy)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) life: Life,
    pub(crate) of: Of,
}

/// What becomes of a column after the post was inserted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// It never changes.
    Fixed,
    /// Updates change it. A tombstone has what its post had last.
    Lasting,
    /// Updates change it. A tombstone has this SQL instead.
    Emptied(&'static str),
}

/// The type of a column, and what it has of a post.
#[derive(Clone, Copy)]
pub(crate) enum Of {
    Integer(fn(&Post) -> Option<i64>),
    Text(fn(&Post) -> Option<Cow<'_, str>>),
    Bytes(fn(&Post) -> Option<&[u8]>),
    Field(TextField),
}

impl Column {
    pub(crate) fn value<'p>(&self, post: &'p Post) -> Value<'p> {
        match self.of {
            Integer(of) => Value::Integer(of(post)),
            Text(of) => Value::Text(of(post)),
            Bytes(of) => Value::Bytes(of(post)),
            Field(field) => Value::Text(post.summary.text(field).map(Cow::from)),
        }
    }
}

macro_rules! columns {
    ($($name:ident: $life:expr, $of:ident(|$post:ident| $value:expr);)*) => {
        &[$(Column {
            name: stringify!($name),
            life: $life,
            of: $of(|$post| $value),
        }),*]
    };
}

/// What lists read, but for the text fields.
const SUMMARY: &[Column] = columns! {
    id: Fixed, Text(|post| Some(post.summary.id.as_str().into()));
    revision: Lasting, Integer(|post| Some(post.summary.revision.number().cast_signed()));
    visibility: Lasting, Text(|post| Some(post.summary.visibility.as_str().into()));
    owner: Lasting, Text(|post| post.summary.owner.as_ref().map(|owner| owner.as_str().into()));
    created_at: Fixed, Integer(|post| Some(post.summary.created_at.as_micros()));
    published_at: Emptied("NULL"), Integer(|post| post.summary.published_at.map(Timestamp::as_micros));
    updated_at: Lasting, Integer(|post| Some(post.summary.updated_at.as_micros()));
    publish_at: Emptied("NULL"), Integer(|post| post.summary.publish_at.map(Timestamp::as_micros));
    expires_at: Emptied("NULL"), Integer(|post| post.summary.expires_at.map(Timestamp::as_micros));
    tags: Emptied("'[]'"), Text(|post| Some(tags_json(&post.summary.tags).into()));
    heading: Emptied("NULL"), Text(|post| post.summary.heading.as_deref().map(Cow::from));
    excerpt: Emptied("''"), Text(|post| Some(post.summary.excerpt.as_str().into()));
    picture: Emptied("NULL"), Text(|post| post.summary.picture.as_deref().map(Cow::from));
};

/// What lists do not read.
const REST: &[Column] = columns! {
    listed_at: Emptied("NULL"), Integer(|post| post.summary.listed_at().map(Timestamp::as_micros));
    due_at: Emptied("NULL"), Integer(|post| post.summary.due_at().map(Timestamp::as_micros));
    edit_token: Lasting, Bytes(|post| Some(post.edit_token.as_bytes()));
    created_by: Fixed, Text(|post| post.created_by.as_ref().map(|key| key.as_str().into()));
    creation_edit_token: Fixed, Bytes(|post| Some(post.creation.as_ref()?.edit_token.as_bytes()));
    creation_request: Fixed, Bytes(|post| Some(post.creation.as_ref()?.request.as_bytes()));
    body: Emptied("''"), Text(|post| Some(post.body.as_str().into()));
};

/// All columns of a live post.
pub(crate) static OF_POSTS: LazyLock<Vec<Column>> = LazyLock::new(|| {
    let texts = TextField::ALL.iter().map(|&field| Column {
        name: field.name(),
        life: Emptied("NULL"),
        of: Field(field),
    });
    let summary = SUMMARY.iter().copied().chain(texts);
    summary.chain(REST.iter().copied()).collect()
});

/// The columns that updates change.
pub(crate) fn changing() -> impl Iterator<Item = &'static Column> {
    OF_POSTS.iter().filter(|column| column.life != Fixed)
}

/// What a statement that makes a tombstone of a post sets, beside `deleted`.
#[cfg(any(feature = "sqlite", feature = "mysql"))]
pub(crate) fn emptied() -> String {
    let emptied = OF_POSTS.iter().filter_map(|column| match column.life {
        Emptied(sql) => Some(format!("{} = {sql}", column.name)),
        Fixed | Lasting => None,
    });
    emptied.collect::<Vec<_>>().join(", ")
}

/// The names of the columns that lists read.
pub(crate) fn of_lists() -> String {
    let summary = OF_POSTS.len() - REST.len();
    each(&OF_POSTS[..summary], |_, column| column.name.to_owned())
}

/// What `text` makes of the place and the column of each, separated by commas.
pub(crate) fn each<'c>(
    columns: impl IntoIterator<Item = &'c Column>,
    text: impl Fn(usize, &Column) -> String,
) -> String {
    let columns = columns.into_iter().enumerate();
    let texts: Vec<_> = columns.map(|(place, column)| text(place, column)).collect();
    texts.join(", ")
}

/// Reads whole posts, and tombstones.
pub(crate) fn posts_where(condition: &str) -> String {
    let names = each(&*OF_POSTS, |_, column| column.name.to_owned());
    format!("SELECT deleted, {names} FROM handbill_posts WHERE {condition}")
}

/// Reads the post with this edit token.
pub(crate) fn post_by_edit_token(token: &SecretHash) -> Query<'_> {
    static POST: LazyLock<String> = LazyLock::new(|| posts_where("edit_token = $1"));
    Query::new(POST.as_str()).bind(token.as_bytes())
}

/// Reads whole posts, and tombstones, whose identifiers come after this one, or the first ones.
pub(crate) fn posts_after(after: Option<&PostId>, limit: u32) -> Query<'_> {
    static POSTS: LazyLock<String> = LazyLock::new(|| posts_where("id > $1 ORDER BY id LIMIT $2"));
    let after = after.map_or("", PostId::as_str);
    Query::new(POSTS.as_str()).bind(after).bind(limit)
}

/// Reads which posts are due.
pub(crate) fn due(limit: u32) -> Query<'static> {
    let due = "
SELECT due_at, id FROM handbill_posts WHERE due_at IS NOT NULL AND NOT deleted
ORDER BY due_at, id LIMIT $1";
    Query::new(due).bind(limit)
}

/// Reads keys.
pub(crate) fn keys_where(condition: &str) -> String {
    format!(
        "SELECT id, secret, label, owner, created_at, last_used_at FROM handbill_keys
         WHERE {condition}"
    )
}

/// Reads the keys whose identifiers come after this one, or the first ones.
pub(crate) fn keys_after(after: Option<&KeyId>, limit: u32) -> Query<'_> {
    static KEYS: LazyLock<String> = LazyLock::new(|| keys_where("id > $1 ORDER BY id LIMIT $2"));
    let after = after.map_or("", KeyId::as_str);
    Query::new(KEYS.as_str()).bind(after).bind(limit)
}

/// Reads the bars of the owners after this one, or the first ones.
pub(crate) fn bars_after(after: Option<&SecretHash>, limit: u32) -> Query<'_> {
    let after = after.map_or(&[][..], |owner| owner.as_bytes());
    let bars = "SELECT owner, until FROM handbill_bars WHERE owner > $1 ORDER BY owner LIMIT $2";
    Query::new(bars).bind(after).bind(limit)
}

/// A JSON array.
fn tags_json(tags: &[Tag]) -> String {
    let tags: Vec<&str> = tags.iter().map(Tag::as_str).collect();
    serde_json::to_string(&tags).unwrap_or_else(|_| unreachable!("an array of strings is JSON"))
}
