//! The check of durable stores.

use std::sync::Arc;

use handbill::store::{Bar, Entry, InstallationSecret, Outcome, Post, Words, Write};
use handbill::{PageRequest, PageSize, Store, Visibility};

use super::index_subject::{IndexSubject, search};
use super::model::Model;
use super::outbox_subject::{LATER, OutboxSubject};
use super::subject::{Subject, request_of};
use crate::check::setup;
use crate::samples::{
    hidden, key, moment, owner, post, retagged, rewritten, tag, token, tombstone, with_token,
};

/// A reopened store has every post, tombstone, key and bar in the last state that was written, and the
/// installation's secret.
///
/// `resource` is whatever lives as long as the store's data, and `reopen` opens the store again
/// with it.
pub async fn a_reopened_store_has_everything_that_was_written<Resource, S: Store>(
    store: Arc<dyn Store>,
    resource: &Resource,
    reopen: impl AsyncFnOnce(&Resource) -> S,
) {
    let outbox = OutboxSubject::new(Arc::clone(&store));
    let index = IndexSubject::new(Arc::clone(&store));
    let written = Subject::new(store);
    for number in 1..=6 {
        written.put(&post(number)).await;
    }
    let changed = rewritten(&post(2), "Changed");
    let retagged = retagged(&post(3), &["web", "new"]);
    let with_token = with_token(&post(4), token("replaced"));
    for post in [&changed, &retagged, &with_token] {
        written.change(post).await;
    }
    written.remove(&post(5)).await;
    let draft = hidden(8, Visibility::Draft);
    written.put(&draft).await;
    let imported = tombstone(9);
    setup(async { assert_eq!(written.insert_tombstone(&imported).await, Outcome::Applied) }).await;
    let mut forgotten = tombstone(10).with_owner(Some(owner("bob")));
    setup(async { assert_eq!(written.insert_tombstone(&forgotten).await, Outcome::Applied) }).await;
    setup(async { assert_eq!(written.forget(&owner("bob"), 10).await, Outcome::Applied) }).await;
    forgotten.owner = None;
    for number in 1..=3 {
        written.put_key(&key(number)).await;
    }
    let used = key(2).with_last_used_at(Some(moment(3_600_000_000)));
    let at = moment(3_600_000_000);
    setup(async { assert_eq!(written.note_use(used.id, at).await, Outcome::Applied) }).await;
    setup(async { assert_eq!(written.revoke(key(3).id).await, Outcome::Applied) }).await;
    let bar = Bar {
        owner: token("owner bob"),
        until: moment(1),
    };
    let write = Write::Bar {
        owner: bar.owner,
        until: bar.until,
    };
    setup(async { assert_eq!(written.write(write).await, Outcome::Applied) }).await;
    let secret = InstallationSecret::from_bytes([1; 32]);
    setup(written.installation_secret(secret.clone())).await;
    let waiting = leave_changes(outbox).await;
    if let Some(index) = index {
        setup(index.set_indexed(Words::VERSION + 1)).await;
    }
    drop(written);

    let reopened: Arc<dyn Store> = Arc::new(setup(reopen(resource)).await);
    if let Some(outbox) = OutboxSubject::new(Arc::clone(&reopened)) {
        changes_wait(&outbox, &waiting).await;
    }
    if let Some(index) = IndexSubject::new(Arc::clone(&reopened)) {
        words_are_there(&index, &changed).await;
    }
    let store = Subject::new(reopened);
    let mut model = Model::default();
    for post in [post(1), changed, retagged, with_token, post(6), draft] {
        store.has(&post).await;
        let by_token = store.by_token(post.edit_token).await;
        assert_eq!(by_token, Some(Entry::Live(post.clone().into())));
        model.put(&post);
    }
    assert_eq!(store.by_token(post(4).edit_token).await, None);
    let gone = Some(Entry::Gone(post(5).into_tombstone()));
    assert_eq!(store.post(post(5).summary.id).await, gone);
    assert_eq!(store.by_token(post(5).edit_token).await, gone);
    assert_eq!(store.insert(&post(5)).await, Outcome::Conflict);
    for name in [None, Some("rust"), Some("web"), Some("new")] {
        model.is_shown(&store, name.map(tag).as_ref(), 2).await;
    }
    for tombstone in [imported, forgotten] {
        let stored = store.post(tombstone.id).await;
        assert_eq!(stored, Some(Entry::Gone(tombstone)));
    }
    let of_ann = request_of(&owner("ann"), 1, 2, None);
    model.list_is_shown(&store, &of_ann).await;
    model.tags_are_counted(&store).await;
    let mut keys = [key(1), used.clone()];
    keys.sort_by_key(|key| key.id);
    assert_eq!(store.keys().await, keys);
    for (secret, found) in [
        (key(1).secret, Some(key(1))),
        (key(2).secret, Some(used)),
        (key(3).secret, None),
    ] {
        assert_eq!(store.key(secret).await, found);
    }
    assert_eq!(store.bars_after(None, 10).await, [bar]);
    let another = InstallationSecret::from_bytes([2; 32]);
    let stored = store.installation_secret(another).await;
    assert!(stored == secret, "the installation's secret has changed");
    // New writes appear next to the earlier ones.
    store.put(&post(7)).await;
    model.put(&post(7));
    model.is_shown(&store, None, 50).await;
}

/// Leaves a change that is done, one that failed and one that was not told. Returns the texts of those that wait.
async fn leave_changes(outbox: Option<OutboxSubject>) -> Vec<String> {
    let Some(outbox) = outbox else {
        return Vec::new();
    };
    outbox.add("audit").await;
    let mut texts = Vec::new();
    for number in 21..=23 {
        texts.push(setup(outbox.insert_key(&key(number))).await.1);
    }
    let numbers = setup(outbox.due("audit")).await;
    let numbers: Vec<_> = numbers.iter().map(|change| change.number).collect();
    let [done, failed, _] = numbers[..] else {
        return texts;
    };
    setup(outbox.settle("audit", &[done], &[(failed, moment(LATER))])).await;
    for number in 21..=23 {
        setup(outbox.remove_key(key(number).id)).await;
    }
    texts.split_off(1)
}

async fn changes_wait(outbox: &OutboxSubject, texts: &[String]) {
    assert_eq!(outbox.texts("audit").await, texts, "the changes that wait");
    let due = outbox.due_at("audit", moment(LATER - 1), 10).await;
    let due: Vec<_> = due.into_iter().map(|change| change.text).collect();
    assert_eq!(due, texts[1..], "the change that is due already");
}

/// The words that posts were written with find them, and what was noted of the index is there.
async fn words_are_there(index: &IndexSubject, rewritten: &Post) {
    for (terms, expected) in [
        ("again", vec![rewritten.summary.id]),
        ("title 1", vec![post(1).summary.id]),
        ("title 5", Vec::new()),
    ] {
        assert_eq!(index.found(search(terms)).await, expected, "by {terms:?}");
    }
    let unindexed = index.unindexed(Words::VERSION, None, 10).await;
    assert_eq!(unindexed, [], "posts without words");
    let list = PageRequest::first(PageSize::MAX);
    assert!(index.page(&list, search("title")).await.is_incomplete);
}
