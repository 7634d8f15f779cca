//! What a store is asked for, read from one transaction, and so as it was at one moment.

use handbill::{Entry, KeyId, KeyRecord, PageRequest, PostId, PostList, PostSummary, SecretHash};
use redb::{ReadTransaction, ReadableTable};

use crate::lists;
use crate::place::{LENGTH, Place};
use crate::record::{self, Broken, Record};
use crate::tables::{BODIES, Cause, EDIT_TOKENS, KEY_SECRETS, KEYS, LISTS, POSTS};

pub(crate) fn post(transaction: &ReadTransaction, id: PostId) -> Result<Option<Entry>, Cause> {
    Ok(match record(&transaction.open_table(POSTS)?, id)? {
        None => None,
        Some(Record::Gone(tombstone)) => Some(Entry::Gone(tombstone)),
        Some(Record::Live(head)) => {
            let body = body(&transaction.open_table(BODIES)?, &head.summary)?;
            Some(Entry::Live(head.with_body(body).into()))
        }
    })
}

pub(crate) fn find_post_by_edit_token(
    transaction: &ReadTransaction,
    token: &SecretHash,
) -> Result<Option<Entry>, Cause> {
    let id = match transaction.open_table(EDIT_TOKENS)?.get(token.as_bytes())? {
        Some(id) => record::post_id(id.value())?,
        None => PostId::derive_from(token),
    };
    // The hash names its post also when that has another token by now.
    Ok(post(transaction, id)?.filter(|entry| match entry {
        Entry::Live(post) => post.edit_token == *token,
        Entry::Gone(tombstone) => tombstone.edit_token == *token,
    }))
}

pub(crate) fn page(
    transaction: &ReadTransaction,
    request: &PageRequest,
) -> Result<PostList, Cause> {
    let lists = transaction.open_table(LISTS)?;
    let posts = transaction.open_table(POSTS)?;
    let bodies = transaction.open_table(BODIES)?;

    let list = lists::name(request.tag());
    let mut listed = Vec::new();
    for place in lists::page(&lists, list, request.offset(), request.per_page())? {
        let id = place
            .id()
            .ok_or(Broken("a place in a list that is no post's"))?;
        let Some(Record::Live(head)) = record(&posts, id)? else {
            return Err(Broken("a post in a list that is not there").into());
        };
        let body = request
            .bodies()
            .then(|| body(&bodies, &head.summary))
            .transpose()?;
        listed.push((head.summary, body));
    }
    Ok(PostList {
        posts: listed.into(),
        total: lists::total(&lists, list)?,
    })
}

pub(crate) fn find_key(
    transaction: &ReadTransaction,
    secret: &SecretHash,
) -> Result<Option<KeyRecord>, Cause> {
    let Some(id) = transaction
        .open_table(KEY_SECRETS)?
        .get(secret.as_bytes())?
    else {
        return Ok(None);
    };
    key(&transaction.open_table(KEYS)?, record::key_id(id.value())?)
}

/// All of them are asked for, so they are put in order here, and have no list to keep.
pub(crate) fn keys(transaction: &ReadTransaction) -> Result<Vec<KeyRecord>, Cause> {
    let mut keys = Vec::new();
    for row in transaction.open_table(KEYS)?.iter()? {
        let (id, bytes) = row?;
        keys.push(record::decode_key(
            record::key_id(id.value())?,
            bytes.value(),
        )?);
    }
    // Rows come by identifier, the lesser first, and a sort by time keeps that where times agree.
    keys.sort_by_key(|key| key.created_at);
    Ok(keys)
}

pub(crate) fn record(
    posts: &impl ReadableTable<&'static str, &'static [u8]>,
    id: PostId,
) -> Result<Option<Record>, Cause> {
    let bytes = posts.get(id.as_str())?;
    bytes
        .map(|bytes| Record::decode(id, bytes.value()))
        .transpose()
}

pub(crate) fn key(
    keys: &impl ReadableTable<&'static str, &'static [u8]>,
    id: KeyId,
) -> Result<Option<KeyRecord>, Cause> {
    let bytes = keys.get(id.as_str())?;
    bytes
        .map(|bytes| record::decode_key(id, bytes.value()))
        .transpose()
}

fn body(
    bodies: &impl ReadableTable<&'static [u8; LENGTH], &'static str>,
    post: &PostSummary,
) -> Result<String, Cause> {
    let body = bodies
        .get(Place::of(post).as_bytes())?
        .ok_or(Broken("a post without its body"))?;
    Ok(body.value().to_owned())
}
