//! What `Cached` promises beyond the contract of `Store`: who is asked when, and what is never
//! answered.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod instances;
mod memory;
mod simulation;
mod slow;

use std::sync::Arc;
use std::time::Duration;

use handbill::{
    Cached, Entry, KeyId, KeyRecord, PageRequest, Post, PostId, PostSummary, Revision, SecretHash,
    Store, Timestamp, Write,
};
use slow::{Call, Slow};
use tokio::time::{Instant, advance};

const BOUND: Duration = Duration::from_secs(10);
const TICK: Duration = Duration::from_nanos(1);

type Instance = Arc<Cached<Slow>>;

fn token(number: u32) -> SecretHash {
    let mut bytes = [7; 32];
    // The beginning names the identifier.
    bytes[12..16].copy_from_slice(&number.to_be_bytes());
    SecretHash::from_bytes(bytes)
}

/// A post in its first revision.
fn post(number: u32) -> Post {
    let at = Timestamp::from_micros(1_795_168_800_000_000 + i64::from(number));
    Post {
        summary: PostSummary {
            id: id(number),
            title: None,
            excerpt: String::new(),
            tags: Vec::new(),
            focus_keyword: None,
            created_at: at,
            updated_at: at,
            revision: Revision::from_number(1),
        },
        body: format!("Of {number}."),
        edit_token: token(number),
        created_by: None,
        creation: None,
    }
}

fn id(number: u32) -> PostId {
    PostId::named_by(&token(number))
}

/// The post in its next revision.
fn revised(post: &Post) -> Post {
    let mut post = post.clone();
    post.summary.revision = Revision::from_number(post.summary.revision.number() + 1);
    post.body.push_str(" Again.");
    post
}

fn live(post: &Post) -> Option<Entry> {
    Some(Entry::Live(post.clone().into()))
}

/// A store of one post, and what keeps that in memory.
async fn with_a_post(bound: Duration) -> (Slow, Instance, Post) {
    let slow = Slow::default();
    let post = post(1);
    assert_eq!(
        slow.inner.insert_post(post.clone()).await.unwrap(),
        Write::Applied
    );
    let cached = Cached::new(slow.clone(), bound);
    (slow, Arc::new(cached), post)
}

/// What another instance does, all at once.
async fn changed_elsewhere(slow: &Slow, post: &Post) -> Post {
    let (expected, post) = (post.summary.revision, revised(post));
    let written = slow.inner.update_post(expected, post.clone()).await;
    assert_eq!(written.unwrap(), Write::Applied);
    post
}

/// Reads without waiting for anybody else's call.
#[track_caller]
fn read(store: &Instance) -> Option<Entry> {
    call_read(store).finish()
}

fn call_read(store: &Instance) -> Call<Option<Entry>> {
    let store = Arc::clone(store);
    Call::new(async move { store.post(id(1)).await.unwrap_or(None) })
}

fn call_update(store: &Instance, post: &Post) -> Call<bool> {
    let (store, expected, post) = (Arc::clone(store), post.summary.revision, revised(post));
    Call::new(async move {
        let written = store.update_post(expected, post).await;
        matches!(written, Ok(Write::Applied))
    })
}

#[tokio::test]
async fn what_was_read_is_not_asked_for_again() {
    let (slow, store, first) = with_a_post(BOUND).await;
    for _ in 0..3 {
        assert_eq!(read(&store), live(&first));
    }
    assert_eq!(slow.asked(), 1);
    let deleted = store
        .delete_post(first.summary.id, first.summary.revision)
        .await;
    assert_eq!(deleted.unwrap(), Write::Applied);
    let gone = Some(Entry::Gone(first.into_tombstone()));
    for _ in 0..3 {
        assert_eq!(read(&store), gone);
    }
    assert_eq!(slow.asked(), 2);
}

#[tokio::test]
async fn a_post_is_found_as_soon_as_it_is_there_whoever_created_it() {
    let slow = Slow::default();
    let store = Arc::new(Cached::new(slow.clone(), BOUND));
    assert_eq!(read(&store), None);
    let _ = slow.inner.insert_post(post(1)).await.unwrap();
    assert_eq!(read(&store), live(&post(1)));
}

/// Somebody who began to read before the post was there has no say either.
#[tokio::test]
async fn absence_is_not_shared() {
    let slow = Slow::default();
    let store = Arc::new(Cached::new(slow.clone(), BOUND));
    let (mut early, mut late) = (call_read(&store), call_read(&store));
    early.stop();
    early.stop();
    let _ = slow.inner.insert_post(post(1)).await.unwrap();
    late.stop();
    assert_eq!(early.step(), Some(None));
    late.stop();
    late.stop();
    assert_eq!(late.step(), Some(live(&post(1))));
}

#[tokio::test]
async fn what_decides_about_rights_and_lists_are_asked_for_each_time() {
    let (slow, store, first) = with_a_post(BOUND).await;
    let key = KeyRecord {
        id: KeyId::parse("bcdfghjklm").unwrap(),
        secret: token(7),
        label: None,
        created_at: first.summary.created_at,
        last_used_at: None,
    };
    let _ = store.insert_key(key.clone()).await.unwrap();
    let page = PageRequest::new(1, 20).unwrap();
    read(&store);
    assert!(store.key_by_secret(key.secret).await.unwrap().is_some());
    assert_eq!(store.keys().await.unwrap().len(), 1);
    assert_eq!(store.posts(page.clone()).await.unwrap().total, 1);
    assert_eq!(
        store.current_post(first.summary.id).await.unwrap(),
        live(&first)
    );
    let found = store.post_by_edit_token(first.edit_token).await;
    assert_eq!(found.unwrap(), live(&first));

    let mut second = revised(&first);
    second.edit_token = token(8);
    let written = slow
        .inner
        .update_post(first.summary.revision, second.clone())
        .await;
    assert_eq!(written.unwrap(), Write::Applied);
    let _ = slow.inner.revoke_key(key.id).await.unwrap();

    assert_eq!(store.key_by_secret(key.secret).await.unwrap(), None);
    assert_eq!(store.keys().await.unwrap(), []);
    let listed = store.posts(page).await.unwrap();
    assert_eq!(*listed.posts, [(second.summary.clone(), None)]);
    assert_eq!(
        store.current_post(first.summary.id).await.unwrap(),
        live(&second)
    );
    let found = store.post_by_edit_token(first.edit_token).await;
    assert_eq!(found.unwrap(), None);
    let found = store.post_by_edit_token(second.edit_token).await;
    assert_eq!(found.unwrap(), live(&second));
    assert_eq!(read(&store), live(&first), "what readers are shown is kept");
}

#[tokio::test]
async fn an_own_change_is_seen_at_once() {
    let (_, store, first) = with_a_post(BOUND).await;
    read(&store);
    let second = revised(&first);
    let written = store
        .update_post(first.summary.revision, second.clone())
        .await;
    assert_eq!(written.unwrap(), Write::Applied);
    assert_eq!(read(&store), live(&second));
    let deleted = store.delete_post(id(1), second.summary.revision).await;
    assert_eq!(deleted.unwrap(), Write::Applied);
    assert_eq!(read(&store), Some(Entry::Gone(second.into_tombstone())));
}

/// However many steps the read has made when the change begins, and when it is acknowledged.
#[tokio::test]
async fn a_read_that_began_before_an_own_change_keeps_nothing_from_before_it() {
    for (steps_before, steps_between) in [(1, 0), (1, 1), (2, 0), (0, 1), (0, 2)] {
        let (_, store, first) = with_a_post(BOUND).await;
        let (mut reading, mut writing) = (call_read(&store), call_update(&store, &first));
        for _ in 0..steps_before {
            reading.stop();
        }
        writing.stop();
        for _ in 0..steps_between {
            reading.stop();
        }
        writing.stop();
        assert_eq!(writing.step(), Some(true));

        let after = read(&store);
        assert_eq!(
            after,
            live(&revised(&first)),
            "{steps_before} {steps_between}"
        );
        reading.finish();
        let after = read(&store);
        assert_eq!(
            after,
            live(&revised(&first)),
            "{steps_before} {steps_between}"
        );
    }
}

#[tokio::test]
async fn a_read_that_begins_after_an_own_change_does_not_wait_for_one_from_before_it() {
    let (slow, store, first) = with_a_post(BOUND).await;
    let mut early = call_read(&store);
    early.stop();
    early.stop();
    let second = revised(&first);
    let _ = store
        .update_post(first.summary.revision, second.clone())
        .await
        .unwrap();
    assert_eq!(read(&store), live(&second));
    assert_eq!(slow.asked(), 2);
    assert_eq!(early.step(), Some(live(&first)), "it began before");
}

#[tokio::test]
async fn a_change_that_was_made_though_it_failed_or_nobody_waited_is_seen() {
    let (slow, store, first) = with_a_post(BOUND).await;
    read(&store);
    slow.fail(true);
    let second = revised(&first);
    let written = store
        .update_post(first.summary.revision, second.clone())
        .await;
    assert!(written.is_err());
    slow.fail(false);
    assert_eq!(read(&store), live(&second));

    let mut writing = call_update(&store, &second);
    writing.stop();
    writing.stop();
    assert_eq!(read(&store), live(&second), "not acknowledged yet");
    drop(writing);
    assert_eq!(read(&store), live(&revised(&second)));
}

#[tokio::test]
async fn after_a_conflict_the_post_is_read_anew() {
    let (slow, store, first) = with_a_post(BOUND).await;
    read(&store);
    let second = changed_elsewhere(&slow, &first).await;
    let written = store
        .update_post(first.summary.revision, revised(&first))
        .await;
    assert_eq!(written.unwrap(), Write::Conflict);
    assert_eq!(read(&store), live(&second));
}

#[tokio::test(start_paused = true)]
async fn what_others_change_is_seen_within_the_bound() {
    let (slow, store, first) = with_a_post(BOUND).await;
    read(&store);
    let second = changed_elsewhere(&slow, &first).await;
    advance(BOUND - TICK).await;
    assert_eq!(read(&store), live(&first));
    advance(TICK).await;
    assert_eq!(read(&store), live(&second));
}

/// What the store answers may be from when it was asked.
#[tokio::test(start_paused = true)]
async fn the_bound_counts_from_before_the_store_was_asked() {
    let (slow, store, first) = with_a_post(BOUND).await;
    let mut reading = call_read(&store);
    reading.stop();
    reading.stop();
    let second = changed_elsewhere(&slow, &first).await;
    advance(BOUND - TICK).await;
    assert_eq!(reading.step(), Some(live(&first)));
    assert_eq!(read(&store), live(&first));
    advance(TICK).await;
    assert_eq!(read(&store), live(&second));
}

#[tokio::test]
async fn with_a_bound_of_zero_every_read_asks() {
    let (slow, store, first) = with_a_post(Duration::ZERO).await;
    for _ in 0..3 {
        assert_eq!(read(&store), live(&first));
    }
    let mut together = [call_read(&store), call_read(&store)];
    for reading in &mut together {
        reading.stop();
    }
    assert_eq!(slow.asked(), 5);
    let second = changed_elsewhere(&slow, &first).await;
    assert_eq!(read(&store), live(&second));
}

#[tokio::test]
async fn readers_at_the_same_time_share_one_question() {
    let (slow, store, first) = with_a_post(BOUND).await;
    let mut together: Vec<_> = (0..5).map(|_| call_read(&store)).collect();
    for reading in &mut together {
        reading.stop();
    }
    together[0].stop();
    for reading in &mut together {
        assert_eq!(reading.step(), Some(live(&first)));
    }
    assert_eq!(slow.asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_question_as_old_as_the_bound_is_not_shared() {
    let (slow, store, first) = with_a_post(BOUND).await;
    let mut early = call_read(&store);
    early.stop();
    early.stop();
    let second = changed_elsewhere(&slow, &first).await;
    advance(BOUND).await;
    assert_eq!(read(&store), live(&second));
    assert_eq!(early.step(), Some(live(&first)), "it began before");
    assert_eq!(read(&store), live(&second));
    assert_eq!(slow.asked(), 2);
}

#[tokio::test]
async fn those_who_wait_for_a_read_that_is_given_up_or_fails_ask_all_at_the_same_time() {
    let (slow, store, first) = with_a_post(BOUND).await;
    for fails in [true, false] {
        let asked_before = slow.asked();
        let mut together: Vec<_> = (0..5).map(|_| call_read(&store)).collect();
        for reading in &mut together {
            reading.stop();
        }
        let mut asking = together.remove(0);
        if fails {
            slow.fail(true);
            asking.stop();
            assert_eq!(asking.step(), Some(None));
            slow.fail(false);
        }
        drop(asking);
        for reading in &mut together {
            reading.stop();
        }
        assert_eq!(slow.asked() - asked_before, 5);
        for reading in &mut together {
            reading.stop();
            assert_eq!(reading.step(), Some(live(&first)));
        }
    }
}

#[tokio::test]
async fn a_post_that_others_changed_is_read_anew_once_that_is_told() {
    let (slow, store, first) = with_a_post(BOUND).await;
    let other = post(2);
    let _ = slow.inner.insert_post(other.clone()).await.unwrap();
    let _ = store.post(other.summary.id).await.unwrap();
    read(&store);
    let second = changed_elsewhere(&slow, &first).await;
    assert_eq!(read(&store), live(&first));
    store.changes().changed(first.summary.id);
    assert_eq!(read(&store), live(&second));
    let asked = slow.asked();
    let _ = store.post(other.summary.id).await.unwrap();
    assert_eq!(slow.asked(), asked, "the other one is kept");
}

#[tokio::test]
async fn a_read_that_began_before_a_change_was_told_keeps_nothing_from_before_it() {
    let (slow, store, first) = with_a_post(BOUND).await;
    let mut reading = call_read(&store);
    reading.stop();
    reading.stop();
    let second = changed_elsewhere(&slow, &first).await;
    store.changes().changed(first.summary.id);
    assert_eq!(reading.step(), Some(live(&first)));
    assert_eq!(read(&store), live(&second));
}

#[tokio::test(start_paused = true)]
async fn what_is_kept_lives_on_while_all_changes_are_heard() {
    let (slow, store, _) = with_a_post(BOUND).await;
    let changes = store.changes();
    changes.begin_anew();
    advance(TICK).await;
    read(&store);
    for _ in 0..5 {
        advance(BOUND - TICK).await;
        changes.heard_all_until(Instant::now().into_std());
        read(&store);
    }
    assert_eq!(slow.asked(), 1);
    let heard = Instant::now();
    advance(BOUND - TICK).await;
    changes.heard_all_until((heard - BOUND).into_std());
    read(&store);
    assert_eq!(slow.asked(), 1, "an earlier instant takes nothing back");
    advance(TICK).await;
    read(&store);
    assert_eq!(
        slow.asked(),
        2,
        "nothing was heard for as long as the bound"
    );
}

#[tokio::test(start_paused = true)]
async fn nothing_is_renewed_of_what_was_read_before_listening_began_or_began_again() {
    let (slow, store, mut latest) = with_a_post(BOUND).await;
    let changes = store.changes();
    advance(TICK).await;
    for _ in 0..3 {
        // Nobody listens: of this change nothing is heard.
        assert_eq!(read(&store), live(&latest));
        let before = latest.clone();
        latest = changed_elsewhere(&slow, &latest).await;
        changes.heard_all_until(Instant::now().into_std());
        advance(BOUND - TICK).await;
        changes.begin_anew();
        changes.heard_all_until(Instant::now().into_std());
        assert_eq!(read(&store), live(&before));
        advance(TICK).await;
        changes.heard_all_until(Instant::now().into_std());
        assert_eq!(read(&store), live(&latest));
        advance(BOUND - TICK).await;
        changes.heard_all_until(Instant::now().into_std());
        advance(BOUND).await;
        latest = changed_elsewhere(&slow, &latest).await;
    }
    let asked = slow.asked();
    // A read is under way while listening begins again.
    let mut reading = call_read(&store);
    reading.stop();
    reading.stop();
    let after = changed_elsewhere(&slow, &latest).await;
    changes.begin_anew();
    assert_eq!(reading.step(), Some(live(&latest)));
    advance(BOUND).await;
    changes.heard_all_until(Instant::now().into_std());
    assert_eq!(read(&store), live(&after));
    assert_eq!(slow.asked(), asked + 2);
}
