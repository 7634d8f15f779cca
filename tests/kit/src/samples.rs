//! Posts and keys for tests, each made from a number: higher numbers are newer.
//!
//! ```
//! use handbill_testing::samples::{post, revised};
//!
//! let first = post(1);
//! let second = revised(&first);
//! assert_eq!(second.summary.revision.number(), 2);
//! assert_ne!(first.summary.id, post(2).summary.id);
//! ```

use std::hash::{DefaultHasher, Hash, Hasher};

use handbill::store::{Creation, KeyRecord, Post, SecretHash, TextField, Tombstone};
use handbill::{KeyId, Owner, PostId, PostSummary, Revision, Tag, Timestamp, Visibility};

const ALPHABET: &[u8; 20] = b"bcdfghjklmnpqrstvwxz";
const IDS: u64 = 20_u64.pow(10);

/// A hash of a secret, different for each text.
pub fn token(text: &str) -> SecretHash {
    let mut bytes = [0; 32];
    for (part, bytes) in bytes.chunks_mut(8).enumerate() {
        let mut hasher = DefaultHasher::new();
        (part, text).hash(&mut hasher);
        bytes.copy_from_slice(&hasher.finish().to_be_bytes());
    }
    SecretHash::from_bytes(bytes)
}

/// A tag of this text, as it is.
pub fn tag(text: &str) -> Tag {
    Tag::from_stored(text)
}

/// An owner of this text.
pub fn owner(text: &str) -> Owner {
    text.parse().expect("visible ASCII characters")
}

/// An instant, this many microseconds after a fixed one in 2026.
pub fn moment(micros: i64) -> Timestamp {
    Timestamp::from_micros(1_795_168_800_000_000 + micros)
}

/// An identifier of a post, different for each number. Their order is not that of the numbers.
pub fn post_id(number: u32) -> PostId {
    scattered(number, 7_368_787_313)
        .parse()
        .expect("10 letters of the alphabet")
}

/// An identifier of a key, different for each number. Their order is not that of the numbers.
pub fn key_id(number: u32) -> KeyId {
    scattered(number, 5_915_587_277)
        .parse()
        .expect("10 letters of the alphabet")
}

/// 10 letters, different for each number: `factor` has no divisor in common with the number of
/// identifiers that there are.
fn scattered(number: u32, factor: u64) -> String {
    let product = u128::from(number) * u128::from(factor) + u128::from(factor);
    let mut rest = (product % u128::from(IDS)) as u64;
    let mut letters = String::new();
    for _ in 0..10 {
        letters.push(char::from(ALPHABET[(rest % 20) as usize]));
        rest /= 20;
    }
    letters
}

/// A valid value of a text field, different for each field and number.
pub fn text(field: TextField, number: u32) -> String {
    match field {
        TextField::Language => format!("en-x-{number}"),
        _ => format!("{} {number}", field.name()),
    }
}

/// The names of all text fields, each with a valid value.
pub fn texts(number: u32) -> impl Iterator<Item = (&'static str, String)> {
    let all = TextField::ALL.iter();
    all.map(move |field| (field.name(), text(*field, number)))
}

/// A public post of the owner `ann` in its first revision, with every field set and the tags `rust` and
/// `web`.
pub fn post(number: u32) -> Post {
    let edit_token = token(&format!("post {number}"));
    let mut summary = PostSummary::new(post_id(number), moment(i64::from(number)))
        .with_heading(Some(format!("Heading {number}")))
        .with_excerpt(format!("Of {number}."))
        .with_picture(Some(format!("https://example.org/{number}.png")))
        .with_tags(vec![tag("rust"), tag("web")])
        .with_owner(Some(owner("ann")));
    for &field in TextField::ALL {
        summary = summary.with_text(field, Some(text(field, number)));
    }
    let request = token(&format!("request {number}"));
    Post::new(summary, format!("Of *{number}*."), edit_token)
        .with_created_by(Some(key_id(number)))
        .with_creation(Some(Creation::new(edit_token, request)))
}

/// The post in its first revision, created and published at this moment.
pub fn dated(number: u32, at: Timestamp) -> Post {
    let mut post = post(number);
    post.summary.created_at = at;
    post.summary.published_at = Some(at);
    post.summary.updated_at = at;
    post
}

/// The post in its first revision, never public.
pub fn hidden(number: u32, visibility: Visibility) -> Post {
    let mut post = post(number);
    post.summary.visibility = visibility;
    post.summary.published_at = None;
    post
}

/// The post's next revision, a millisecond later, otherwise unchanged.
pub fn revised(post: &Post) -> Post {
    let mut post = post.clone();
    post.summary.revision = Revision::from_number(post.summary.revision.number() + 1);
    post.summary.updated_at = Timestamp::from_micros(post.summary.updated_at.as_micros() + 1000);
    post
}

/// The post's next revision with another body and excerpt, without a heading and a picture, and with every second text
/// field cleared and the others replaced.
pub fn rewritten(post: &Post, text: &str) -> Post {
    let mut post = revised(post);
    post.body = format!("{text}, *again*.");
    post.summary.excerpt = format!("{text}, again.");
    post.summary.heading = None;
    post.summary.picture = None;
    for fields in TextField::ALL.chunks(2) {
        let texts = [Some(format!("{} of {text}", fields[0].name())), None];
        for (field, text) in fields.iter().zip(texts) {
            post.summary = post.summary.with_text(*field, text);
        }
    }
    post
}

/// The post's next revision with other tags.
pub fn retagged(post: &Post, tags: &[&str]) -> Post {
    let mut post = revised(post);
    post.summary.tags = tags.iter().copied().map(tag).collect();
    post
}

/// The post's next revision with another visibility. If it is public, and was not before, it is published
/// at this moment.
pub fn with_visibility(post: &Post, visibility: Visibility, at: Timestamp) -> Post {
    let mut post = revised(post);
    post.summary.visibility = visibility;
    if visibility == Visibility::Public {
        post.summary.published_at.get_or_insert(at);
    }
    post
}

/// The post's next revision with another edit token.
pub fn with_token(post: &Post, edit_token: SecretHash) -> Post {
    let mut post = revised(post);
    post.edit_token = edit_token;
    post
}

/// The tombstone of a draft of the owner `ann`.
pub fn tombstone(number: u32) -> Tombstone {
    hidden(number, Visibility::Draft).into_tombstone()
}

/// A key of the owner `ann` with a label that was never used.
pub fn key(number: u32) -> KeyRecord {
    let secret = token(&format!("secret {number}"));
    KeyRecord::new(key_id(number), secret, moment(i64::from(number)))
        .with_label(Some(format!("key {number}")))
        .with_owner(owner("ann"))
}
