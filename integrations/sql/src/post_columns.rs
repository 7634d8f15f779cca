//! The columns of posts, in statements. Each text field has one with its name.

use handbill::store::TextField;

/// Reads whole posts, and tombstones. It names the columns: a prepared `SELECT *` fails once a later version has added
/// a column.
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
