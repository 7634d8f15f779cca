//! Writes that are one statement, the same on SQLite and MySQL.

use handbill::store::{KeyId, KeyRecord, Owner, SecretHash, Timestamp, Tombstone};

use crate::query::Query;

/// `on_conflict` says what to do if the identifier is taken.
pub(crate) fn insert_tombstone<'t>(tombstone: &'t Tombstone, on_conflict: &str) -> Query<'t> {
    let creation = tombstone.creation.as_ref();
    Query::new(format!(
        "INSERT INTO handbill_posts (
           id, deleted, revision, visibility, owner, created_at, updated_at, edit_token,
           creation_edit_token, creation_request, tags, excerpt, body
         ) VALUES ($1, TRUE, 1, $2, $3, 0, 0, $4, $5, $6, '[]', '', '') {on_conflict}"
    ))
    .bind(tombstone.id.as_str())
    .bind(tombstone.visibility.as_str())
    .bind(tombstone.owner.as_ref().map(Owner::as_str))
    .bind(tombstone.edit_token.as_bytes())
    .bind(creation.map(|creation| creation.edit_token.as_bytes()))
    .bind(creation.map(|creation| creation.request.as_bytes()))
}

/// `on_conflict` says what to do if the identifier is taken.
pub(crate) fn insert_key<'k>(key: &'k KeyRecord, on_conflict: &str) -> Query<'k> {
    Query::new(format!(
        "INSERT INTO handbill_keys (id, secret, label, owner, created_at, last_used_at)
         VALUES ($1, $2, $3, $4, $5, $6) {on_conflict}"
    ))
    .bind(key.id.as_str())
    .bind(key.secret.as_bytes())
    .bind(key.label.as_deref())
    .bind(key.owner.as_str())
    .bind(key.created_at.as_micros())
    .bind(key.last_used_at.map(Timestamp::as_micros))
}

pub(crate) fn touch_key(id: &KeyId, at: Timestamp) -> Query<'_> {
    let touch = Query::new("UPDATE handbill_keys SET last_used_at = $2 WHERE id = $1");
    touch.bind(id.as_str()).bind(at.as_micros())
}

pub(crate) fn revoke_key(id: &KeyId) -> Query<'_> {
    Query::new("DELETE FROM handbill_keys WHERE id = $1").bind(id.as_str())
}

pub(crate) fn unbar(owner: &SecretHash, at: Timestamp) -> Query<'_> {
    let unbar = "UPDATE handbill_bars SET until = $2 WHERE owner = $1 AND until > $2";
    let unbar = Query::new(unbar).bind(owner.as_bytes());
    unbar.bind(at.as_micros())
}
