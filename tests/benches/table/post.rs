//! The post that everything is measured with: 930 bytes of ordinary Markdown, with a heading, a
//! list, a link, a code block, a quotation and a table.

use handbill_tests::load::post_json;
use serde_json::json;

/// Stands for the post's number in [`BODY`].
pub(crate) const NUMBER: &str = "{number}";

/// The body of every post.
pub(crate) const BODY: &str = include_str!("post.md");

/// The tags of every second post. The others have the first tag alone.
pub(crate) const TAGS: [&str; 2] = ["notes", "harbour"];

pub(crate) fn title(number: u64) -> String {
    format!("Note {number}")
}

pub(crate) fn body(number: u64) -> String {
    BODY.replace(NUMBER, &number.to_string())
}

/// A request that creates a post with Handbill, which is mounted at this path or, if it is empty, at
/// the root.
pub(crate) fn create(mount: &str, key_header: &str, number: u64) -> Vec<u8> {
    let post = json!({ "title": title(number), "body": body(number), "tags": TAGS });
    post_json(&format!("{mount}/api/posts"), key_header, &post.to_string())
}
