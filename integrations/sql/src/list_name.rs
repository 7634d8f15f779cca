//! The names of lists, where tables have a row for each list of a post.

use std::borrow::Cow;

use handbill::store::Tag;
use sha2::{Digest as _, Sha256};

/// Longer tags do not fit into an index. Hosts may allow them.
const MAX_TAG_BYTES: usize = 2000;

/// The name of a public list: that of a tag, or the one of all posts.
pub(crate) fn list_name(tag: Option<&Tag>) -> Cow<'static, str> {
    let Some(tag) = tag.map(Tag::as_str) else {
        return "all".into();
    };
    if tag.len() <= MAX_TAG_BYTES {
        return format!("tag:{tag}").into();
    }
    let hash = hex::encode(Sha256::digest(tag));
    format!("long-tag:{hash}").into()
}
