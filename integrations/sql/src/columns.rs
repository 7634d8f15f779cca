//! The columns of posts and of keys, in statements. Each text field of a post has one with its name.
//!
//! Statements name the columns that they read: a prepared `SELECT *` fails once a later version has added a column.

use handbill::store::TextField;

/// Reads whole posts, and tombstones.
pub(crate) fn posts_where(condition: &str) -> String {
    let texts = texts();
    format!(
        "SELECT
           id, deleted, revision, visibility, owner, created_at, published_at, updated_at,
           edit_token, created_by, creation_edit_token, creation_request, {texts}, tags, heading,
           excerpt, body
         FROM handbill_posts WHERE {condition}"
    )
}

/// Reads keys.
pub(crate) fn keys_where(condition: &str) -> String {
    format!(
        "SELECT id, secret, label, owner, created_at, last_used_at FROM handbill_keys
         WHERE {condition}"
    )
}

/// The names of the text fields, separated by commas.
pub(crate) fn texts() -> String {
    each_text(|_, name| name.to_owned())
}

/// What `column` makes of the place and the name of each text field, separated by commas.
pub(crate) fn each_text(column: impl Fn(usize, &str) -> String) -> String {
    let fields = TextField::ALL.iter().enumerate();
    let columns: Vec<_> = fields
        .map(|(place, field)| column(place, field.name()))
        .collect();
    columns.join(", ")
}
