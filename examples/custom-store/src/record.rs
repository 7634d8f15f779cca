//! Posts and keys as JSON, which anyone can read. The formats belong to this store: it converts
//! Handbill's types by their public fields.

use handbill::{
    Creation, Entry, InvalidOwner, KeyRecord, Owner, Post, PostId, PostSummary, Revision,
    SecretHash, Tag, Timestamp, Tombstone,
};
use serde::{Deserialize, Serialize};

use crate::tables::Cause;

#[derive(Serialize, Deserialize)]
enum StoredEntry {
    Live(Box<StoredPost>),
    Gone(StoredTombstone),
}

#[derive(Serialize, Deserialize)]
struct StoredPost {
    title: Option<String>,
    heading: Option<String>,
    excerpt: String,
    tags: Vec<String>,
    focus_keyword: Option<String>,
    author: Option<String>,
    language: Option<String>,
    visibility: String,
    owner: Option<String>,
    created_at: i64,
    published_at: Option<i64>,
    updated_at: i64,
    revision: u64,
    body: String,
    edit_token: Hash,
    created_by: Option<String>,
    creation: Option<StoredCreation>,
}

#[derive(Serialize, Deserialize)]
struct StoredTombstone {
    edit_token: Hash,
    owner: Option<String>,
    visibility: String,
    creation: Option<StoredCreation>,
}

/// 32 bytes in hexadecimal digits.
#[derive(Serialize, Deserialize)]
struct Hash(#[serde(with = "hex::serde")] [u8; 32]);
/// The hashes of the edit token and of the request that created the post.
type StoredCreation = (Hash, Hash);

#[derive(Serialize, Deserialize)]
struct StoredKey {
    label: Option<String>,
    owner: String,
    secret: Hash,
    created_at: i64,
    last_used_at: Option<i64>,
}

fn encode_hash(hash: SecretHash) -> Hash {
    Hash(*hash.as_bytes())
}

fn decode_hash(hash: &Hash) -> SecretHash {
    SecretHash::from_bytes(hash.0)
}

fn encode_creation(creation: Creation) -> StoredCreation {
    (
        encode_hash(creation.edit_token),
        encode_hash(creation.request),
    )
}

fn decode_creation((token, request): StoredCreation) -> Creation {
    Creation::new(decode_hash(&token), decode_hash(&request))
}

pub(crate) fn encode_post(post: &Post) -> Result<Vec<u8>, Cause> {
    let summary = &post.summary;
    let tags = summary.tags.iter().map(|tag| tag.as_str().to_owned());
    let stored = StoredEntry::Live(Box::new(StoredPost {
        title: summary.title.clone(),
        heading: summary.heading.clone(),
        excerpt: summary.excerpt.clone(),
        tags: tags.collect(),
        focus_keyword: summary.focus_keyword.clone(),
        author: summary.author.clone(),
        language: summary.language.clone(),
        visibility: summary.visibility.to_string(),
        owner: summary.owner.as_ref().map(Owner::to_string),
        created_at: summary.created_at.as_micros(),
        published_at: summary.published_at.map(Timestamp::as_micros),
        updated_at: summary.updated_at.as_micros(),
        revision: summary.revision.number(),
        body: post.body.clone(),
        edit_token: encode_hash(post.edit_token),
        created_by: post.created_by.map(|id| id.to_string()),
        creation: post.creation.map(encode_creation),
    }));
    Ok(serde_json::to_vec(&stored)?)
}

pub(crate) fn encode_tombstone(gone: &Tombstone) -> Result<Vec<u8>, Cause> {
    let stored = StoredEntry::Gone(StoredTombstone {
        edit_token: encode_hash(gone.edit_token),
        owner: gone.owner.as_ref().map(Owner::to_string),
        visibility: gone.visibility.to_string(),
        creation: gone.creation.map(encode_creation),
    });
    Ok(serde_json::to_vec(&stored)?)
}

pub(crate) fn decode_entry(id: &str, json: &[u8]) -> Result<Entry, Cause> {
    let id = id.parse()?;
    Ok(match serde_json::from_slice(json)? {
        StoredEntry::Live(stored) => Entry::Live(decode_post(id, *stored)?.into()),
        StoredEntry::Gone(stored) => Entry::Gone(
            Tombstone::new(id, decode_hash(&stored.edit_token))
                .with_owner(decode_owner(stored.owner)?)
                .with_visibility(stored.visibility.parse()?)
                .with_creation(stored.creation.map(decode_creation)),
        ),
    })
}

fn decode_owner(owner: Option<String>) -> Result<Option<Owner>, InvalidOwner> {
    owner.map(|owner| owner.parse()).transpose()
}

fn decode_post(id: PostId, stored: StoredPost) -> Result<Post, Cause> {
    let summary = PostSummary::new(id, Timestamp::from_micros(stored.created_at))
        .with_title(stored.title)
        .with_heading(stored.heading)
        .with_excerpt(stored.excerpt)
        .with_tags(stored.tags.into_iter().map(Tag::from_stored).collect())
        .with_focus_keyword(stored.focus_keyword)
        .with_author(stored.author)
        .with_language(stored.language)
        .with_visibility(stored.visibility.parse()?)
        .with_owner(decode_owner(stored.owner)?)
        .with_published_at(stored.published_at.map(Timestamp::from_micros))
        .with_updated_at(Timestamp::from_micros(stored.updated_at))
        .with_revision(Revision::from_number(stored.revision));
    let created_by = stored.created_by.map(|id| id.parse()).transpose()?;
    let post = Post::new(summary, stored.body, decode_hash(&stored.edit_token));
    let creation = stored.creation.map(decode_creation);
    Ok(post.with_created_by(created_by).with_creation(creation))
}

pub(crate) fn encode_key(key: &KeyRecord) -> Result<Vec<u8>, Cause> {
    Ok(serde_json::to_vec(&StoredKey {
        label: key.label.clone(),
        owner: key.owner.to_string(),
        secret: encode_hash(key.secret),
        created_at: key.created_at.as_micros(),
        last_used_at: key.last_used_at.map(Timestamp::as_micros),
    })?)
}

pub(crate) fn decode_key(id: &str, json: &[u8]) -> Result<KeyRecord, Cause> {
    let stored: StoredKey = serde_json::from_slice(json)?;
    let created_at = Timestamp::from_micros(stored.created_at);
    let last_used_at = stored.last_used_at.map(Timestamp::from_micros);
    let key = KeyRecord::new(id.parse()?, decode_hash(&stored.secret), created_at);
    let key = key.with_owner(stored.owner.parse()?);
    Ok(key.with_label(stored.label).with_last_used_at(last_used_at))
}
