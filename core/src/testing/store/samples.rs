//! Posts and keys to check with.

use crate::id::{KeyId, PostId};
use crate::key::KeyRecord;
use crate::post::{Creation, Post, PostSummary, Revision, Tag};
use crate::secret::SecretHash;
use crate::time::Timestamp;

/// Another edit token for each text.
pub(super) fn token(text: &str) -> SecretHash {
    SecretHash::of(text)
}

pub(super) fn tag(text: &str) -> Tag {
    Tag::from_stored(text)
}

/// A moment, so many microseconds after the first.
pub(super) fn moment(micros: i64) -> Timestamp {
    Timestamp::from_micros(1_795_168_800_000_000 + micros)
}

/// A post as the service makes one: its edit token names its identifier. Higher numbers are newer.
pub(super) fn post(number: u32) -> Post {
    let edit_token = token(&format!("post {number}"));
    Post {
        summary: PostSummary {
            id: PostId::from_bits(*edit_token.as_bytes()),
            title: Some(format!("Post {number}")),
            excerpt: format!("Of {number}."),
            tags: vec![tag("rust"), tag("web")],
            focus_keyword: Some(format!("number {number}")),
            created_at: moment(i64::from(number)),
            updated_at: moment(i64::from(number)),
            revision: Revision::from_number(1),
        },
        body: format!("Of *{number}*."),
        edit_token,
        created_by: Some(key_id(number)),
        creation: Some(Creation {
            edit_token,
            request: token(&format!("request {number}")),
        }),
    }
}

/// A post whose identifier is not the one that its edit token names.
pub(super) fn otherwise_named(number: u32) -> Post {
    let mut post = post(number);
    post.summary.id = PostId::from_bits(*token(&format!("identifier {number}")).as_bytes());
    post
}

/// One post of each kind: stores may find them by their edit tokens in different ways.
pub(super) fn of_both_kinds() -> [Post; 2] {
    [post(1), otherwise_named(2)]
}

/// The post after one more write, which changed nothing else.
pub(super) fn revised(post: &Post) -> Post {
    let mut post = post.clone();
    post.summary.revision = post.summary.revision.next();
    post.summary.updated_at = Timestamp::from_micros(post.summary.updated_at.as_micros() + 1000);
    post
}

/// The post with another body, excerpt, title and keyword.
pub(super) fn rewritten(post: &Post, text: &str) -> Post {
    let mut post = revised(post);
    post.body = format!("{text}, *again*.");
    post.summary.excerpt = format!("{text}, again.");
    post.summary.title = Some(text.to_owned());
    post.summary.focus_keyword = None;
    post
}

/// The post with other tags.
pub(super) fn retagged(post: &Post, tags: &[&str]) -> Post {
    let mut post = revised(post);
    post.summary.tags = tags.iter().copied().map(tag).collect();
    post
}

/// The post with another edit token.
pub(super) fn with_token(post: &Post, edit_token: SecretHash) -> Post {
    let mut post = revised(post);
    post.edit_token = edit_token;
    post
}

fn key_id(number: u32) -> KeyId {
    let letters = PostId::from_bits(*token(&format!("key id {number}")).as_bytes());
    letters.as_str().parse().expect("identifiers look alike")
}

/// A key that was never used. Higher numbers are newer.
pub(super) fn key(number: u32) -> KeyRecord {
    KeyRecord {
        id: key_id(number),
        label: Some(format!("key {number}")),
        secret: token(&format!("secret {number}")),
        created_at: moment(i64::from(number)),
        last_used_at: None,
    }
}
