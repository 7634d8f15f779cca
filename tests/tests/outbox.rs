//! A listener registered by another instance while this one writes misses no change.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures_util::future::join_all;
use handbill::store::{NewChange, Outcome, Revision, Write};
use handbill::{Actor, Event, Store, Timestamp};
use handbill_sql::{PostgresStore, SqliteStore};
use handbill_testing::samples::{key, post, rewritten};
use handbill_tests::calls::Calls;
use handbill_tests::postgres::Postgres;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

/// A change of this subject, and its text. What happened is the same for all.
fn change(write: &Write) -> (NewChange, String) {
    let event = match write {
        Write::InsertPost { post, .. } | Write::UpdatePost { post, .. } => {
            Event::PostUpdated(post.summary.clone())
        }
        Write::DeletePost { id, .. } => {
            Event::PostUpdated(handbill::PostSummary::new(*id, Timestamp::from_micros(1)))
        }
        Write::InsertKey { key, .. } => Event::KeyRevoked(key.id),
        Write::RevokeKey(id) => Event::KeyRevoked(*id),
        other => panic!("no listener hears of {other:?}"),
    };
    let change = NewChange::new(Timestamp::from_micros(7), Actor::Host, None, event);
    let text = change.to_text();
    (change, text)
}

/// Makes a write that must be applied, and returns the text of its change.
async fn make(store: &dyn Store, write: Write) -> String {
    let (change, text) = change(&write);
    let outcome = store.write(write, Some(change)).await;
    assert_eq!(outcome.unwrap(), Outcome::Applied);
    text
}

fn insert(number: u32) -> Write {
    let post = post(number).into();
    Write::InsertPost {
        post,
        words: None,
        by: None,
    }
}

fn issue(number: u32) -> Write {
    let key = key(number);
    Write::InsertKey { key, by: None }
}

/// The texts that wait for the listener, sorted.
async fn waiting(store: &dyn Store) -> Vec<String> {
    let outbox = store.outbox().unwrap();
    let due = outbox.due_changes("audit", Timestamp::from_micros(0), 10_000);
    let mut texts: Vec<_> = due.await.unwrap().into_iter().map(|due| due.text).collect();
    texts.sort();
    texts
}

/// The first write of each kind after the registration, by an instance that has seen no listener.
async fn each_first_write_is_told(writer: &dyn Store, other: &dyn Store) {
    for number in 1..=3 {
        make(writer, insert(number)).await;
    }
    make(writer, issue(1)).await;
    let updated = rewritten(&post(2), "Changed");
    let writes = [
        vec![insert(10)],
        vec![insert(11), insert(12), insert(13)],
        vec![insert(14), issue(2), insert(15)],
        vec![Write::UpdatePost {
            expected: Revision::from_number(1),
            post: updated.into(),
            words: None,
            by: None,
        }],
        vec![Write::DeletePost {
            id: post(3).summary.id,
            expected: Revision::from_number(1),
            by: None,
        }],
        vec![issue(3)],
        vec![Write::RevokeKey(key(1).id)],
    ];
    for (round, together) in writes.into_iter().enumerate() {
        // This shows the writer that there is no listener any more.
        make(writer, issue(100 + round as u32)).await;
        other.outbox().unwrap().add_listener("audit").await.unwrap();
        let texts = join_all(together.into_iter().map(|write| make(writer, write)));
        let mut texts = texts.await;
        texts.sort();
        assert_eq!(waiting(other).await, texts);
        // What conflicts is not delivered, whatever the writer knows of listeners.
        let (change, _) = change(&insert(1));
        let outcome = writer.write(insert(1), Some(change)).await;
        assert_eq!(outcome.unwrap(), Outcome::Conflict);
        let without = writer.insert_post(post(200 + round as u32)).await;
        assert_eq!(without.unwrap(), Outcome::Applied);
        assert_eq!(waiting(writer).await, texts);
        let outbox = other.outbox().unwrap();
        assert!(outbox.remove_listener("audit").await.unwrap());
    }
}

/// Tasks write all the time. What they begin after the registration has returned is delivered.
async fn each_write_that_begins_later_is_told(writer: Arc<dyn Store>, other: &dyn Store) {
    const TASKS: usize = 8;
    const AFTER: usize = 20;
    let is_registered = Arc::new(AtomicBool::new(false));
    let next = Arc::new(AtomicUsize::new(1_000));
    let begun = Arc::new(Barrier::new(TASKS + 1));
    make(&*writer, issue(50)).await;
    let mut tasks = JoinSet::new();
    for _ in 0..TASKS {
        let (writer, is_registered) = (Arc::clone(&writer), Arc::clone(&is_registered));
        let (next, begun) = (Arc::clone(&next), Arc::clone(&begun));
        tasks.spawn(async move {
            let number = || next.fetch_add(1, Ordering::Relaxed) as u32;
            make(&*writer, insert(number())).await;
            begun.wait().await;
            let mut told = Vec::new();
            while told.len() < AFTER {
                let is_told = is_registered.load(Ordering::SeqCst);
                let text = make(&*writer, insert(number())).await;
                told.extend(is_told.then_some(text));
            }
            told
        });
    }
    begun.wait().await;
    other.outbox().unwrap().add_listener("audit").await.unwrap();
    is_registered.store(true, Ordering::SeqCst);
    let expected = tasks.join_all().await.concat();
    let waiting = waiting(other).await;
    let missed: Vec<_> = expected
        .iter()
        .filter(|text| !waiting.contains(text))
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[tokio::test]
async fn a_listener_registered_by_another_instance_while_this_one_writes_to_sqlite() {
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let open = async || {
            SqliteStore::open(folder.path().join("posts.db"))
                .await
                .unwrap()
        };
        let (writer, other) = (open().await, open().await);
        each_first_write_is_told(&writer, &other).await;
        each_write_that_begins_later_is_told(Arc::new(writer), &other).await;
    }
}

#[tokio::test]
async fn a_listener_registered_by_another_instance_while_this_one_writes_to_postgresql() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    for _ in 0..5 {
        let address = server.create_database().await;
        let open = async || PostgresStore::open(&address).await.unwrap();
        let (writer, other) = (open().await, open().await);
        each_first_write_is_told(&writer, &other).await;
        each_write_that_begins_later_is_told(Arc::new(writer), &other).await;
    }
}
