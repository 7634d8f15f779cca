//! The outbox under test.

use std::sync::Arc;
use std::time::Duration;

use handbill::store::{
    DueChange, KeyRecord, ListenerFailure, ListenerState, NewChange, Outbox, Outcome, Post, Retry,
    Write,
};
use handbill::{Actor, Event, KeyId, Store, Timestamp};

use super::subject::call;
use crate::check::setup;
use crate::samples::moment;

/// Later than every due time in the checks.
pub(super) const LATER: i64 = 1_000_000;

/// A store with an outbox, whose errors fail the check.
#[derive(Clone)]
pub(super) struct OutboxSubject(Arc<dyn Store>);

impl OutboxSubject {
    /// `None` if the store has no outbox.
    pub(super) fn new(store: Arc<dyn Store>) -> Option<Self> {
        store.outbox().is_some().then(|| Self(store))
    }

    /// The same, with a listener of this name.
    pub(super) async fn with_listener(store: Arc<dyn Store>, name: &str) -> Option<Self> {
        let outbox = Self::new(store)?;
        outbox.add(name).await;
        Some(outbox)
    }

    fn outbox(&self) -> &dyn Outbox {
        self.0.outbox().expect("the store has an outbox")
    }

    pub(super) async fn add(&self, name: &str) {
        setup(call(self.outbox().add_listener(name))).await;
    }

    pub(super) async fn remove(&self, name: &str) -> bool {
        call(self.outbox().remove_listener(name)).await
    }

    pub(super) async fn states(&self) -> Vec<ListenerState> {
        call(self.outbox().listeners()).await
    }

    pub(super) async fn lease(&self, name: &str, instance: &str, seconds: u64) -> bool {
        let time = Duration::from_secs(seconds);
        call(self.outbox().lease_listener(name, instance, time)).await
    }

    /// The changes that are due at a moment, or later than all.
    pub(super) async fn due_at(&self, name: &str, now: Timestamp, limit: u32) -> Vec<DueChange> {
        let mut due = call(self.outbox().due_changes(name, now, limit)).await;
        due.sort_by_key(|change| change.number);
        due
    }

    pub(super) async fn due(&self, name: &str) -> Vec<DueChange> {
        self.due_at(name, moment(LATER), 1000).await
    }

    /// The texts of the changes that are due.
    pub(super) async fn texts(&self, name: &str) -> Vec<String> {
        let due = self.due(name).await;
        due.into_iter().map(|change| change.text).collect()
    }

    pub(super) async fn settle(&self, name: &str, done: &[u64], again: &[(u64, Timestamp)]) {
        let again: Vec<_> = again
            .iter()
            .map(|&(number, due)| retry(number, due))
            .collect();
        call(self.outbox().settle(name, done, &again)).await;
    }

    pub(super) async fn write(&self, write: Write, change: NewChange) -> Outcome {
        call(self.0.write(write, Some(change))).await
    }

    /// Inserts a post, and returns what became of it and the text of its change.
    pub(super) async fn insert(&self, post: &Post) -> (Outcome, String) {
        let change = created(post);
        let text = change.to_text();
        let post = post.clone().into();
        let (words, by) = (None, None);
        let insert = Write::InsertPost { post, words, by };
        (self.write(insert, change).await, text)
    }

    /// Inserts a post that must not conflict, and returns the text of its change.
    pub(super) async fn put(&self, post: &Post) -> String {
        setup(async {
            let (write, text) = self.insert(post).await;
            assert_eq!(write, Outcome::Applied, "a post under a free identifier");
            text
        })
        .await
    }

    /// Replaces a post with its next revision, and returns what became of it and the text of its change.
    pub(super) async fn update(&self, post: &Post) -> (Outcome, String) {
        let change = updated(post);
        let text = change.to_text();
        let expected = handbill::Revision::from_number(post.summary.revision.number() - 1);
        let post = post.clone().into();
        let by = None;
        let words = None;
        let update = Write::UpdatePost {
            expected,
            post,
            words,
            by,
        };
        (self.write(update, change).await, text)
    }

    /// Revokes a key without a change.
    pub(super) async fn remove_key(&self, id: KeyId) {
        let revoked = call(self.0.write(Write::RevokeKey(id), None)).await;
        assert_eq!(revoked, Outcome::Applied);
    }

    pub(super) async fn insert_key(&self, key: &KeyRecord) -> (Outcome, String) {
        let change = of_key(key);
        let text = change.to_text();
        let key = key.clone();
        let insert = Write::InsertKey { key, by: None };
        (self.write(insert, change).await, text)
    }
}

/// A failure, whose error names the change.
pub(super) fn retry(number: u64, due: Timestamp) -> Retry {
    let error = format!("\"{number}\" 🦀 failed");
    let failure = ListenerFailure {
        at: moment(1),
        error,
    };
    Retry {
        number,
        due,
        failure,
    }
}

pub(super) fn created(post: &Post) -> NewChange {
    let event = Event::PostCreated(post.summary.clone());
    let revision = Some(post.summary.revision);
    NewChange::new(post.summary.created_at, Actor::Host, revision, event)
}

pub(super) fn updated(post: &Post) -> NewChange {
    let event = Event::PostUpdated(post.summary.clone());
    let revision = Some(post.summary.revision);
    NewChange::new(post.summary.updated_at, Actor::EditToken, revision, event)
}

pub(super) fn of_key(key: &KeyRecord) -> NewChange {
    NewChange::new(
        key.created_at,
        Actor::Key(key.id),
        None,
        Event::KeyRevoked(key.id),
    )
}
