//! Checks of what an import inserts: posts, tombstones and keys that were made elsewhere.

use handbill::store::{Entry, KeyRecord, Outcome, Tombstone};
use handbill::{Revision, Store, Visibility};
use std::sync::Arc;

use super::subject::Subject;
use crate::samples::{
    hidden, key, moment, owner, post, rewritten, tag, token, tombstone, with_visibility,
};

/// A post is inserted in whatever revision it is, and can then be changed and deleted.
pub async fn a_post_of_any_revision_is_inserted_unchanged(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let shown_late = with_visibility(
        &hidden(1, Visibility::Draft),
        Visibility::Public,
        moment(900_000_001),
    );
    let changed = rewritten(&rewritten(&post(2), "Once"), "Twice");
    let mut hidden_again = rewritten(&post(3), "Hidden again");
    hidden_again.summary.visibility = Visibility::Draft;
    let mut old = post(4).with_created_by(None);
    old.summary.revision = Revision::from_number(1 << 40);
    for post in [&shown_late, &changed, &hidden_again, &old] {
        assert_eq!(store.insert(post).await, Outcome::Applied);
        store.has(post).await;
        let by_token = store.by_token(post.edit_token).await;
        assert_eq!(by_token, Some(Entry::Live(post.clone().into())));
    }
    let order = [&shown_late, &old, &changed].map(|post| post.summary.id);
    assert_eq!(store.ids(None).await, order);
    for post in [shown_late, changed, hidden_again, old] {
        let next = rewritten(&post, "Next");
        store.change(&next).await;
        store.has(&next).await;
        store.remove(&next).await;
    }
}

fn tombstones() -> [Tombstone; 4] {
    let bare = Tombstone::new(post(2).summary.id, token("bare"));
    let mut unlisted = post(4);
    unlisted.summary.visibility = Visibility::Unlisted;
    [
        tombstone(1),
        bare,
        post(3).into_tombstone(),
        unlisted.into_tombstone(),
    ]
}

/// An inserted tombstone is read back with every field unchanged.
pub async fn an_inserted_tombstone_is_read_back_unchanged(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    for tombstone in tombstones() {
        assert_eq!(store.insert_tombstone(&tombstone).await, Outcome::Applied);
        let found = Some(Entry::Gone(tombstone.clone()));
        assert_eq!(store.post(tombstone.id).await, found);
        assert_eq!(store.current(tombstone.id).await, found);
    }
    assert!(store.ids(None).await.is_empty());
    assert!(store.ids_of(&owner("ann"), None).await.is_empty());
    assert!(store.tags(10).await.is_empty());
}

/// An inserted tombstone is found by its edit token.
pub async fn an_inserted_tombstone_is_found_by_its_edit_token(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    for tombstone in tombstones() {
        assert_eq!(store.by_token(tombstone.edit_token).await, None);
        assert_eq!(store.insert_tombstone(&tombstone).await, Outcome::Applied);
        let found = store.by_token(tombstone.edit_token).await;
        assert_eq!(found, Some(Entry::Gone(tombstone)));
    }
}

/// A tombstone with the identifier of a post or of another tombstone conflicts and changes nothing.
pub async fn a_tombstone_of_a_taken_identifier_conflicts(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let (live, deleted) = (post(1), post(2));
    store.put(&live).await;
    store.put(&deleted).await;
    store.remove(&deleted).await;
    let inserted = tombstone(3);
    assert_eq!(store.insert_tombstone(&inserted).await, Outcome::Applied);
    for id in [live.summary.id, deleted.summary.id, inserted.id] {
        let second = Tombstone::new(id, token("second"));
        assert_eq!(store.insert_tombstone(&second).await, Outcome::Conflict);
        assert_eq!(store.by_token(second.edit_token).await, None);
    }
    store.has(&live).await;
    assert_eq!(store.ids(Some(&tag("rust"))).await, [live.summary.id]);
    for tombstone in [deleted.into_tombstone(), inserted] {
        let found = store.post(tombstone.id).await;
        assert_eq!(found, Some(Entry::Gone(tombstone)));
    }
}

/// The identifier of an inserted tombstone is never used again.
pub async fn the_identifier_of_an_inserted_tombstone_is_taken(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    for (number, tombstone) in (1..).zip(tombstones()) {
        assert_eq!(store.insert_tombstone(&tombstone).await, Outcome::Applied);
        let post = post(number);
        assert_eq!(store.insert(&post).await, Outcome::Conflict);
        let next = rewritten(&post, "Next");
        let update = store.update(post.summary.revision, &next).await;
        assert_eq!(update, Outcome::Conflict);
        let deletion = store.delete(post.summary.id, post.summary.revision).await;
        assert_eq!(deletion, Outcome::Conflict);
        let found = store.post(tombstone.id).await;
        assert_eq!(found, Some(Entry::Gone(tombstone)));
    }
}

/// A key that was used elsewhere is inserted with its owner and its last use.
pub async fn a_used_key_is_inserted_unchanged(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let used = key(1).with_last_used_at(Some(moment(7_200_000_000)));
    let bare = KeyRecord::new(key(2).id, key(2).secret, moment(-1));
    for key in [used, bare] {
        assert_eq!(store.insert_key(&key).await, Outcome::Applied);
        assert_eq!(store.key(key.secret).await, Some(key.clone()));
        assert_eq!(store.insert_key(&key).await, Outcome::Conflict);
        assert_eq!(store.key(key.secret).await, Some(key));
    }
}
