//! Posts, tombstones and keys as bytes: the number of the format, then the fields in
//! [postcard](https://postcard.jamesmunns.com)'s encoding, which is specified and stable.
//!
//! The stored types are apart from Handbill's, so that a change of these can't change what the
//! bytes mean without anybody noticing. Whoever changes a stored type makes a new format of it, and
//! goes on reading the old one. Identifiers are not in the bytes, since they are the rows' keys.

use std::error::Error;
use std::fmt;

use handbill::{
    Creation, KeyId, KeyRecord, Post, PostId, PostSummary, Revision, SecretHash, Tag, Timestamp,
    Tombstone,
};
use serde::{Deserialize, Serialize};

use crate::tables::Cause;

const FORMAT: u8 = 1;

/// What is at an identifier.
pub(crate) enum Record {
    Live(Head),
    Gone(Tombstone),
}

/// A post without its body, which has a table of its own.
pub(crate) struct Head {
    pub(crate) summary: PostSummary,
    pub(crate) edit_token: SecretHash,
    pub(crate) created_by: Option<KeyId>,
    pub(crate) creation: Option<Creation>,
}

impl Head {
    pub(crate) fn split(post: Post) -> (Self, String) {
        let Post {
            summary,
            body,
            edit_token,
            created_by,
            creation,
        } = post;
        (
            Self {
                summary,
                edit_token,
                created_by,
                creation,
            },
            body,
        )
    }

    pub(crate) fn with_body(self, body: String) -> Post {
        let Self {
            summary,
            edit_token,
            created_by,
            creation,
        } = self;
        Post {
            summary,
            body,
            edit_token,
            created_by,
            creation,
        }
    }

    pub(crate) fn into_tombstone(self) -> Tombstone {
        Tombstone {
            id: self.summary.id,
            edit_token: self.edit_token,
            creation: self.creation,
        }
    }
}

/// Bytes of the file that are not what this program writes.
#[derive(Debug)]
pub(crate) struct Broken(pub(crate) &'static str);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the database is broken: {}", self.0)
    }
}

impl Error for Broken {}

#[derive(Serialize, Deserialize)]
enum StoredRecord<'a> {
    Live(#[serde(borrow)] StoredHead<'a>),
    Gone(StoredTombstone),
}

#[derive(Serialize, Deserialize)]
struct StoredHead<'a> {
    title: Option<&'a str>,
    excerpt: &'a str,
    #[serde(borrow)]
    tags: Vec<&'a str>,
    focus_keyword: Option<&'a str>,
    created_at: i64,
    updated_at: i64,
    revision: u64,
    edit_token: [u8; 32],
    created_by: Option<&'a str>,
    creation: Option<StoredCreation>,
}

#[derive(Serialize, Deserialize)]
struct StoredTombstone {
    edit_token: [u8; 32],
    creation: Option<StoredCreation>,
}

#[derive(Serialize, Deserialize)]
struct StoredCreation {
    edit_token: [u8; 32],
    request: [u8; 32],
}

#[derive(Serialize, Deserialize)]
struct StoredKey<'a> {
    label: Option<&'a str>,
    secret: [u8; 32],
    created_at: i64,
    last_used_at: Option<i64>,
}

impl Record {
    pub(crate) fn encode(&self) -> Result<Vec<u8>, Cause> {
        encode(&match self {
            Self::Live(head) => StoredRecord::Live(StoredHead::of(head)),
            Self::Gone(tombstone) => StoredRecord::Gone(StoredTombstone {
                edit_token: *tombstone.edit_token.as_bytes(),
                creation: tombstone.creation.map(StoredCreation::of),
            }),
        })
    }

    pub(crate) fn decode(id: PostId, bytes: &[u8]) -> Result<Self, Cause> {
        Ok(match decode(bytes)? {
            StoredRecord::Live(stored) => Self::Live(stored.into_head(id)?),
            StoredRecord::Gone(stored) => Self::Gone(Tombstone {
                id,
                edit_token: SecretHash::from_bytes(stored.edit_token),
                creation: stored.creation.map(StoredCreation::into_creation),
            }),
        })
    }
}

impl<'a> StoredHead<'a> {
    fn of(head: &'a Head) -> Self {
        let summary = &head.summary;
        Self {
            title: summary.title.as_deref(),
            excerpt: &summary.excerpt,
            tags: summary.tags.iter().map(Tag::as_str).collect(),
            focus_keyword: summary.focus_keyword.as_deref(),
            created_at: summary.created_at.as_micros(),
            updated_at: summary.updated_at.as_micros(),
            revision: summary.revision.number(),
            edit_token: *head.edit_token.as_bytes(),
            created_by: head.created_by.as_ref().map(KeyId::as_str),
            creation: head.creation.map(StoredCreation::of),
        }
    }

    fn into_head(self, id: PostId) -> Result<Head, Broken> {
        let summary = PostSummary {
            id,
            title: self.title.map(str::to_owned),
            excerpt: self.excerpt.to_owned(),
            tags: self.tags.into_iter().map(Tag::from_stored).collect(),
            focus_keyword: self.focus_keyword.map(str::to_owned),
            created_at: Timestamp::from_micros(self.created_at),
            updated_at: Timestamp::from_micros(self.updated_at),
            revision: Revision::from_number(self.revision),
        };
        Ok(Head {
            summary,
            edit_token: SecretHash::from_bytes(self.edit_token),
            created_by: self.created_by.map(key_id).transpose()?,
            creation: self.creation.map(StoredCreation::into_creation),
        })
    }
}

impl StoredCreation {
    fn of(creation: Creation) -> Self {
        Self {
            edit_token: *creation.edit_token.as_bytes(),
            request: *creation.request.as_bytes(),
        }
    }

    fn into_creation(self) -> Creation {
        Creation {
            edit_token: SecretHash::from_bytes(self.edit_token),
            request: SecretHash::from_bytes(self.request),
        }
    }
}

pub(crate) fn encode_key(key: &KeyRecord) -> Result<Vec<u8>, Cause> {
    encode(&StoredKey {
        label: key.label.as_deref(),
        secret: *key.secret.as_bytes(),
        created_at: key.created_at.as_micros(),
        last_used_at: key.last_used_at.map(Timestamp::as_micros),
    })
}

pub(crate) fn decode_key(id: KeyId, bytes: &[u8]) -> Result<KeyRecord, Cause> {
    let stored: StoredKey<'_> = decode(bytes)?;
    Ok(KeyRecord {
        id,
        label: stored.label.map(str::to_owned),
        secret: SecretHash::from_bytes(stored.secret),
        created_at: Timestamp::from_micros(stored.created_at),
        last_used_at: stored.last_used_at.map(Timestamp::from_micros),
    })
}

pub(crate) fn post_id(text: &str) -> Result<PostId, Broken> {
    text.parse::<PostId>()
        .ok()
        .ok_or(Broken("not a post's identifier"))
}

pub(crate) fn key_id(text: &str) -> Result<KeyId, Broken> {
    text.parse::<KeyId>()
        .ok()
        .ok_or(Broken("not a key's identifier"))
}

fn encode(stored: &impl Serialize) -> Result<Vec<u8>, Cause> {
    Ok(postcard::to_extend(stored, vec![FORMAT])?)
}

fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, Cause> {
    match bytes.split_first() {
        Some((&FORMAT, fields)) => Ok(postcard::from_bytes(fields)?),
        _ => Err(Broken("a record of a format that this program does not know").into()),
    }
}
