//! Checks of API keys.

use handbill::Store;
use handbill::store::{KeyRecord, Outcome};
use std::sync::Arc;

use super::subject::Subject;
use crate::check::joined;
use crate::samples::{key, moment, owner, post};

/// Keys in the order of a walk.
fn sorted<const N: usize>(mut keys: [KeyRecord; N]) -> [KeyRecord; N] {
    keys.sort_by_key(|key| key.id);
    keys
}

/// A stored key is read back with every field unchanged.
pub async fn a_key_is_read_back_unchanged(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let bare = KeyRecord::new(key(2).id, key(2).secret, key(2).created_at);
    let hostile = key(3)
        .with_label(Some(
            "'; DROP TABLE keys; -- \"e\u{301}\" 👩‍👩‍👧 \\u0041 ?1".to_owned(),
        ))
        .with_owner(owner(&"'\"%_\\$1?:--".repeat(8)))
        .with_last_used_at(Some(moment(123_457)));
    for key in [key(1), bare, hostile] {
        store.put_key(&key).await;
        assert_eq!(store.key(key.secret).await, Some(key));
    }
}

/// An unknown secret finds nothing, without an error, also at the second lookup.
pub async fn an_unknown_secret_finds_no_key(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    assert_eq!(store.key(key(1).secret).await, None);
    store.put_key(&key(2)).await;
    assert_eq!(store.key(key(1).secret).await, None);
    store.put_key(&key(1)).await;
    assert_eq!(store.key(key(1).secret).await, Some(key(1)));
}

/// A second key with the same identifier conflicts, and the first one is unchanged.
pub async fn a_taken_key_identifier_conflicts(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    store.put_key(&key(1)).await;
    let mut second = key(2);
    second.id = key(1).id;
    assert_eq!(store.insert_key(&second).await, Outcome::Conflict);
    assert_eq!(store.key(second.secret).await, None);
    assert_eq!(store.key(key(1).secret).await, Some(key(1)));
    assert_eq!(store.keys().await, [key(1)]);
}

/// Each lookup of a key returns the time of its last use.
pub async fn the_use_of_a_key_is_noted(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    store.put_key(&key(1)).await;
    store.put_key(&key(2)).await;
    for hour in 1..4 {
        assert!(store.key(key(1).secret).await.is_some());
        let used = key(1).with_last_used_at(Some(moment(hour * 3_600_000_000)));
        let noted = store.note_use(key(1).id, moment(hour * 3_600_000_000));
        assert_eq!(noted.await, Outcome::Applied);
        assert_eq!(store.key(key(1).secret).await, Some(used.clone()));
        assert_eq!(store.keys().await, sorted([used, key(2)]));
    }
}

/// Noting the use of a revoked or unknown key finds nothing and does not restore it.
pub async fn the_use_of_a_revoked_key_is_ignored(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    store.put_key(&key(1)).await;
    assert_eq!(store.revoke(key(1).id).await, Outcome::Applied);
    for number in [1, 2] {
        let noted = store.note_use(key(number).id, moment(0)).await;
        assert_eq!(noted, Outcome::NotFound);
        assert_eq!(store.key(key(number).secret).await, None);
    }
    assert!(store.keys().await.is_empty());
}

/// A revoked key is unknown to the next call, even if it was looked up before. Other keys are
/// unaffected.
pub async fn a_revoked_key_is_unknown_at_once(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    for number in 1..=3 {
        store.put_key(&key(number)).await;
        assert_eq!(store.key(key(number).secret).await, Some(key(number)));
    }
    assert_eq!(store.revoke(key(2).id).await, Outcome::Applied);
    assert_eq!(store.key(key(2).secret).await, None);
    assert_eq!(store.keys().await, sorted([key(1), key(3)]));
    assert_eq!(store.key(key(1).secret).await, Some(key(1)));
}

/// A revoked key's secret stays unknown if a store lets another key use its identifier.
pub async fn a_revoked_secret_finds_no_later_key(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    store.put_key(&key(1)).await;
    assert_eq!(store.revoke(key(1).id).await, Outcome::Applied);
    let mut later = key(1);
    later.secret = key(2).secret;
    let expected = match store.insert_key(&later).await {
        Outcome::Applied => Some(later.clone()),
        _ => None,
    };
    assert_eq!(store.key(later.secret).await, expected);
    let found = store.key(key(1).secret).await;
    assert_eq!(found, None, "what the store finds by the revoked secret");
}

/// A revoked key is unknown at once, even if concurrent writes of posts are committed together with
/// the revocation.
pub async fn a_revoked_key_is_unknown_at_once_during_writes(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    for round in 0..50 {
        store.put_key(&key(round)).await;
        let writes: Vec<_> = (0..8)
            .map(|write| {
                let (store, post) = (store.clone(), post(8 * round + write));
                tokio::spawn(async move {
                    store.put(&post).await;
                    store.key(key(round).secret).await;
                })
            })
            .collect();
        // Each round differs in whether the key was looked up before and how far the writes are.
        if round % 8 < 4 {
            assert_eq!(store.key(key(round).secret).await, Some(key(round)));
        }
        for _ in 0..round % 4 {
            tokio::task::yield_now().await;
        }
        assert_eq!(store.revoke(key(round).id).await, Outcome::Applied);
        assert_eq!(store.key(key(round).secret).await, None, "a revoked key");
        for write in writes {
            joined(write).await;
        }
        assert_eq!(store.key(key(round).secret).await, None, "a revoked key");
    }
}

/// A key can be revoked only once.
pub async fn revoking_an_absent_key_is_not_found(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    assert_eq!(store.revoke(key(1).id).await, Outcome::NotFound);
    store.put_key(&key(1)).await;
    assert_eq!(store.revoke(key(1).id).await, Outcome::Applied);
    assert_eq!(store.revoke(key(1).id).await, Outcome::NotFound);
}

/// A working store reports that it is healthy.
pub async fn a_working_store_is_healthy(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    store.health().await;
    store.put(&post(1)).await;
    store.health().await;
    store.has(&post(1)).await;
}
