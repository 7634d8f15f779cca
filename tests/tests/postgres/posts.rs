//! Posts for the tests.

use handbill::{Post, PostId, PostSummary, Revision, SecretHash, Tag, Timestamp};

/// The post with this number, created this many microseconds after the first moment.
pub(crate) fn post(number: u64, micros: i64, tags: &[&str]) -> Post {
    let mut token = [0; 32];
    // A bijection of the numbers, so that no two tokens, and no two identifiers, begin alike.
    let mixed = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    token[..8].copy_from_slice(&mixed.to_be_bytes());
    token[8..16].copy_from_slice(&mixed.rotate_left(29).to_be_bytes());
    let edit_token = SecretHash::from_bytes(token);
    let at = Timestamp::from_micros(1_795_168_800_000_000 + micros);
    Post {
        summary: PostSummary {
            id: PostId::derive_from(&edit_token),
            title: Some(format!("Post {number}")),
            excerpt: String::new(),
            tags: tags.iter().map(|tag| Tag::from_stored(*tag)).collect(),
            focus_keyword: None,
            created_at: at,
            updated_at: at,
            revision: Revision::from_number(1),
        },
        body: format!("Of {number}."),
        edit_token,
        created_by: None,
        creation: None,
    }
}

/// The post with other tags.
pub(crate) fn retagged(post: &Post, tags: &[&str]) -> Post {
    let mut post = post.clone();
    post.summary.revision = Revision::from_number(post.summary.revision.number() + 1);
    post.summary.tags = tags.iter().map(|tag| Tag::from_stored(*tag)).collect();
    post
}
