//! The changes that a store is asked for. Each looks first and writes then, so that one that
//! conflicts has written nothing.

use handbill::{KeyId, KeyRecord, Post, PostId, Revision, SecretHash, Timestamp, Write};
use redb::ReadableTable;

use crate::lists;
use crate::place::Place;
use crate::read;
use crate::record::{self, Head, Record};
use crate::tables::{Cause, Tables};

pub(crate) enum Change {
    InsertPost(Post),
    UpdatePost { expected: Revision, post: Post },
    DeletePost { id: PostId, expected: Revision },
    InsertKey(KeyRecord),
    TouchKey { id: KeyId, at: Timestamp },
    RevokeKey(KeyId),
}

impl Change {
    /// Writes the change into the transaction, where those that were asked for before it are seen.
    pub(crate) fn apply(self, tables: &mut Tables<'_>) -> Result<Write, Cause> {
        match self {
            Self::InsertPost(post) => insert_post(tables, post),
            Self::UpdatePost { expected, post } => update_post(tables, expected, post),
            Self::DeletePost { id, expected } => delete_post(tables, id, expected),
            Self::InsertKey(key) => insert_key(tables, &key),
            Self::TouchKey { id, at } => touch_key(tables, id, at),
            Self::RevokeKey(id) => revoke_key(tables, id),
        }
    }
}

fn insert_post(tables: &mut Tables<'_>, post: Post) -> Result<Write, Cause> {
    if tables.posts.get(post.summary.id.as_str())?.is_some() {
        return Ok(Write::Conflict);
    }
    let (head, body) = Head::split(post);
    lists::replace(&mut tables.lists, None, Some(&head.summary))?;
    name_by_token(tables, &head.edit_token, head.summary.id)?;
    put_live(tables, head, &body)?;
    Ok(Write::Applied)
}

/// The time of creation is the same in both, and so the new body takes the old one's place.
fn update_post(tables: &mut Tables<'_>, expected: Revision, post: Post) -> Result<Write, Cause> {
    let (head, body) = Head::split(post);
    let Some(old) = live_in(tables, head.summary.id, expected)? else {
        return Ok(Write::Conflict);
    };
    lists::replace(&mut tables.lists, Some(&old.summary), Some(&head.summary))?;
    if head.edit_token != old.edit_token {
        tables.edit_tokens.remove(old.edit_token.as_bytes())?;
        name_by_token(tables, &head.edit_token, head.summary.id)?;
    }
    put_live(tables, head, &body)?;
    Ok(Write::Applied)
}

/// The tombstone takes over the post's edit token, whose row, if it has one, stays.
fn delete_post(tables: &mut Tables<'_>, id: PostId, expected: Revision) -> Result<Write, Cause> {
    let Some(old) = live_in(tables, id, expected)? else {
        return Ok(Write::Conflict);
    };
    lists::replace(&mut tables.lists, Some(&old.summary), None)?;
    tables.bodies.remove(Place::of(&old.summary).as_bytes())?;
    let tombstone = Record::Gone(old.into_tombstone());
    tables
        .posts
        .insert(id.as_str(), tombstone.encode()?.as_slice())?;
    Ok(Write::Applied)
}

fn insert_key(tables: &mut Tables<'_>, key: &KeyRecord) -> Result<Write, Cause> {
    if tables.keys.get(key.id.as_str())?.is_some() {
        return Ok(Write::Conflict);
    }
    tables
        .keys
        .insert(key.id.as_str(), record::encode_key(key)?.as_slice())?;
    tables
        .key_secrets
        .insert(key.secret.as_bytes(), key.id.as_str())?;
    Ok(Write::Applied)
}

fn touch_key(tables: &mut Tables<'_>, id: KeyId, at: Timestamp) -> Result<Write, Cause> {
    if let Some(mut key) = read::key(&tables.keys, id)? {
        key.last_used_at = Some(at);
        tables
            .keys
            .insert(key.id.as_str(), record::encode_key(&key)?.as_slice())?;
    }
    Ok(Write::Applied)
}

fn revoke_key(tables: &mut Tables<'_>, id: KeyId) -> Result<Write, Cause> {
    let Some(key) = read::key(&tables.keys, id)? else {
        return Ok(Write::Conflict);
    };
    tables.keys.remove(key.id.as_str())?;
    tables.key_secrets.remove(key.secret.as_bytes())?;
    Ok(Write::Applied)
}

/// The post that is there, if it is live and in the revision expected.
fn live_in(tables: &Tables<'_>, id: PostId, expected: Revision) -> Result<Option<Head>, Cause> {
    Ok(match read::record(&tables.posts, id)? {
        Some(Record::Live(head)) if head.summary.revision == expected => Some(head),
        _ => None,
    })
}

/// A post's first token names it, so that most posts need no row here.
fn name_by_token(tables: &mut Tables<'_>, token: &SecretHash, id: PostId) -> Result<(), Cause> {
    if PostId::derive_from(token) != id {
        tables.edit_tokens.insert(token.as_bytes(), id.as_str())?;
    }
    Ok(())
}

fn put_live(tables: &mut Tables<'_>, head: Head, body: &str) -> Result<(), Cause> {
    let id = head.summary.id;
    tables
        .bodies
        .insert(Place::of(&head.summary).as_bytes(), body)?;
    tables
        .posts
        .insert(id.as_str(), Record::Live(head).encode()?.as_slice())?;
    Ok(())
}
