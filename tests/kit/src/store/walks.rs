//! Checks of walks over all entries and keys.

use handbill::store::{Entry, KeyRecord, Outcome};
use handbill::{KeyId, PostId, Store, Visibility};
use std::sync::Arc;

use super::subject::Subject;
use crate::samples::{hidden, key, post, rewritten, tombstone};

/// Every entry, in pieces of this size.
async fn all_entries(store: &Subject, limit: u32) -> Vec<Entry> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let piece = store.entries(after, limit).await;
        assert!(piece.len() <= limit as usize, "a piece beyond its limit");
        let is_last = piece.len() < limit as usize;
        after = piece.last().map(Entry::id);
        all.extend(piece);
        if is_last {
            return all;
        }
    }
}

/// Every key, in pieces of this size.
async fn all_keys(store: &Subject, limit: u32) -> Vec<KeyRecord> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let piece = store.keys_after(after, limit).await;
        assert!(piece.len() <= limit as usize, "a piece beyond its limit");
        let is_last = piece.len() < limit as usize;
        after = piece.last().map(|key| key.id);
        all.extend(piece);
        if is_last {
            return all;
        }
    }
}

/// A walk returns every post, whatever its visibility, and every tombstone as it is now, in ascending
/// order of identifiers. Each piece but the last one has as many entries as were asked for.
pub async fn a_walk_returns_every_entry_in_order(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    assert!(store.entries(None, 10).await.is_empty());
    let mut expected = Vec::new();
    for number in 0..60 {
        let first = match number % 3 {
            0 => hidden(number, Visibility::Draft),
            _ => post(number),
        };
        store.put(&first).await;
        expected.push(match number % 4 {
            0 => Entry::Live(first.into()),
            1 => {
                let changed = rewritten(&first, "Changed");
                store.change(&changed).await;
                Entry::Live(changed.into())
            }
            _ => {
                store.remove(&first).await;
                Entry::Gone(first.into_tombstone())
            }
        });
    }
    for number in 60..65 {
        let tombstone = tombstone(number);
        assert_eq!(store.insert_tombstone(&tombstone).await, Outcome::Applied);
        expected.push(Entry::Gone(tombstone));
    }
    expected.sort_by_key(Entry::id);
    for limit in [1, 13, 64, 65, 66, 1000] {
        let walked = all_entries(&store, limit).await;
        assert!(walked == expected, "a walk in pieces of {limit}");
    }
}

/// A walk of the keys returns each key in force as it is now, in ascending order of identifiers.
pub async fn a_walk_returns_every_key_in_order(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    assert!(store.keys_after(None, 10).await.is_empty());
    let mut expected = Vec::new();
    for number in 0..40 {
        let key = key(number);
        store.put_key(&key).await;
        if number % 5 == 0 {
            assert_eq!(store.revoke(key.id).await, Outcome::Applied);
        } else {
            expected.push(key);
        }
    }
    expected.sort_by_key(|key| key.id);
    for limit in [1, 7, 31, 32, 33, 1000] {
        assert_eq!(all_keys(&store, limit).await, expected, "pieces of {limit}");
    }
}

/// A walk goes on after any identifier, also one that was never used.
pub async fn a_walk_continues_after_any_identifier(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let (mut posts, mut keys) = (Vec::new(), Vec::new());
    for number in 0..20 {
        store.put(&post(number)).await;
        posts.push(post(number).summary.id);
        store.put_key(&key(number)).await;
        keys.push(key(number).id);
    }
    posts.sort_unstable();
    keys.sort_unstable();
    for number in 0..40 {
        let (after, after_key) = (post(number).summary.id, key(number).id);
        let walked: Vec<PostId> = store
            .entries(Some(after), 3)
            .await
            .iter()
            .map(Entry::id)
            .collect();
        let expected = posts.iter().filter(|id| **id > after).take(3);
        assert!(walked.iter().eq(expected), "the entries after {after}");
        let walked: Vec<KeyId> = store
            .keys_after(Some(after_key), 3)
            .await
            .iter()
            .map(|key| key.id)
            .collect();
        let expected = keys.iter().filter(|id| **id > after_key).take(3);
        assert!(walked.iter().eq(expected), "the keys after {after_key}");
    }
}

/// What exists from the first step of a walk to its last one is returned once, whatever is inserted,
/// deleted and revoked between two steps.
pub async fn a_walk_misses_nothing_during_writes(store: Arc<dyn Store>) {
    const STAYING: u32 = 60;
    const WRITES: u32 = 240;
    let store = Subject::new(store);
    for number in 0..STAYING {
        store.put(&post(number)).await;
        store.put_key(&key(number)).await;
    }
    let mut others = STAYING..STAYING + WRITES;
    let (mut entries, mut keys) = (Vec::<PostId>::new(), Vec::<KeyId>::new());
    loop {
        let piece = store.entries(entries.last().copied(), 7).await;
        let key_piece = store.keys_after(keys.last().copied(), 7).await;
        if piece.is_empty() && key_piece.is_empty() {
            break;
        }
        entries.extend(piece.iter().map(Entry::id));
        keys.extend(key_piece.iter().map(|key| key.id));
        for number in others.by_ref().take(8) {
            store.put(&post(number)).await;
            store.put_key(&key(number)).await;
            if number % 3 == 2 {
                store.remove(&post(number - 1)).await;
                assert_eq!(store.revoke(key(number - 1).id).await, Outcome::Applied);
            }
        }
    }
    assert!(
        entries.is_sorted_by(|a, b| a < b) && keys.is_sorted_by(|a, b| a < b),
        "a walk is not in order, or returns something twice"
    );
    for number in 0..STAYING {
        let entry = entries.binary_search(&post(number).summary.id);
        assert!(entry.is_ok(), "a walk misses a post");
        let key = keys.binary_search(&key(number).id);
        assert!(key.is_ok(), "a walk misses a key");
    }
}
