//! What an instance returns after changes by other instances, with and without notifications.

use std::time::Duration;

use handbill::Store;
use tokio::time::{Instant, advance};

use crate::{BOUND, TICK, call_read, changed_elsewhere, live, post, read, with_a_post};

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

/// The response of the store may be as old as the query.
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
        // Nothing listens, so no notification of this change arrives.
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
    // A read is in progress while listening starts again.
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
