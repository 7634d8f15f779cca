//! Posts and keys for the tests of `PostgresStore`.

use handbill::store::{KeyRecord, Post, SecretHash};
use handbill::{KeyId, PostId, PostSummary, Revision, Tag, Timestamp};

/// The post with this number, created this many microseconds after a fixed moment.
pub fn post(number: u64, micros: i64, tags: &[&str]) -> Post {
    let id: PostId = letters(number).parse().expect("ten consonants");
    let at = Timestamp::from_micros(1_795_168_800_000_000 + micros);
    let summary = PostSummary::new(id, at)
        .with_title(Some(format!("Post {number}")))
        .with_excerpt(format!("Of {number}."))
        .with_tags(tags_of(tags));
    Post::new(summary, format!("Of *{number}*."), secret(number))
}

/// The post after one more change, which sets its tags.
pub fn retagged(post: &Post, tags: &[&str]) -> Post {
    let mut post = revised(post);
    post.summary.tags = tags_of(tags);
    post
}

/// The post after one more change of its body.
pub fn revised(post: &Post) -> Post {
    let mut post = post.clone();
    let revision = post.summary.revision.number() + 1;
    post.summary.revision = Revision::from_number(revision);
    post.body = format!("Revision {revision}.");
    post
}

/// The key with this number.
pub fn key(number: u64) -> KeyRecord {
    let id: KeyId = letters(number).parse().expect("ten consonants");
    KeyRecord::new(id, secret(number), Timestamp::from_micros(1))
}

fn tags_of(tags: &[&str]) -> Vec<Tag> {
    tags.iter().map(|tag| Tag::from_stored(*tag)).collect()
}

/// The decimal digits of the number as letters.
fn letters(number: u64) -> String {
    let digits = format!("{number:010}");
    digits
        .bytes()
        .map(|digit| char::from(b"bcdfghjklm"[usize::from(digit - b'0')]))
        .collect()
}

fn secret(number: u64) -> SecretHash {
    let mut bytes = [7; 32];
    bytes[8..16].copy_from_slice(&number.to_be_bytes());
    SecretHash::from_bytes(bytes)
}
