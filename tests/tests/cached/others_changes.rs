//! Reads after changes by other instances, with and without notifications.

use std::time::Duration;

use handbill_tests::calls::Calls;
use tokio::time::{Instant, advance};

use crate::{BOUND, TICK, call_read, changed_elsewhere, live, post, read, with_a_post};

#[tokio::test(start_paused = true)]
async fn changes_by_others_are_seen_within_the_bound() {
    let (slow, store, first) = with_a_post(BOUND).await;
    read(&store);
    let second = changed_elsewhere(&slow, &first).await;
    advance(BOUND - TICK).await;
    assert_eq!(read(&store), live(&first));
    advance(TICK).await;
    assert_eq!(read(&store), live(&second));
}

/// The store's result may be as old as the start of the read.
#[tokio::test(start_paused = true)]
async fn the_bound_starts_before_the_read_of_the_store() {
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
async fn with_a_bound_of_zero_every_read_reaches_the_store() {
    let (slow, store, first) = with_a_post(Duration::ZERO).await;
    for _ in 0..3 {
        assert_eq!(read(&store), live(&first));
    }
    let mut concurrent = [call_read(&store), call_read(&store)];
    for reading in &mut concurrent {
        reading.stop();
    }
    assert_eq!(slow.0.reads(), 5);
    let second = changed_elsewhere(&slow, &first).await;
    assert_eq!(read(&store), live(&second));
}

#[tokio::test]
async fn a_change_notification_makes_the_next_read_reach_the_store() {
    let (slow, store, first) = with_a_post(BOUND).await;
    let other = post(2);
    let _ = slow.0.inner.insert_post(other.clone()).await.unwrap();
    let _ = store.read_post(other.summary.id).await.unwrap();
    read(&store);
    let second = changed_elsewhere(&slow, &first).await;
    assert_eq!(read(&store), live(&first));
    store.changes().changed(first.summary.id);
    assert_eq!(read(&store), live(&second));
    let reads_before = slow.0.reads();
    let _ = store.read_post(other.summary.id).await.unwrap();
    assert_eq!(
        slow.0.reads(),
        reads_before,
        "the other post is still cached"
    );
}

#[tokio::test]
async fn a_read_that_began_before_a_change_notification_does_not_cache_an_older_state() {
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
async fn cached_posts_stay_valid_while_all_changes_are_received() {
    let (slow, store, _) = with_a_post(BOUND).await;
    let changes = store.changes();
    changes.reset();
    advance(TICK).await;
    read(&store);
    for _ in 0..5 {
        advance(BOUND - TICK).await;
        changes.confirm_until(Instant::now().into_std());
        read(&store);
    }
    assert_eq!(slow.0.reads(), 1);
    let confirmed = Instant::now();
    advance(BOUND - TICK).await;
    changes.confirm_until((confirmed - BOUND).into_std());
    read(&store);
    assert_eq!(slow.0.reads(), 1, "an earlier confirmation has no effect");
    advance(TICK).await;
    read(&store);
    assert_eq!(
        slow.0.reads(),
        2,
        "the last confirmation is as old as the bound"
    );
}

#[tokio::test(start_paused = true)]
async fn posts_that_were_read_before_listening_restarted_are_not_renewed() {
    let (slow, store, mut latest) = with_a_post(BOUND).await;
    let changes = store.changes();
    advance(TICK).await;
    for _ in 0..3 {
        // The instance does not listen, so it misses this change.
        assert_eq!(read(&store), live(&latest));
        let before = latest.clone();
        latest = changed_elsewhere(&slow, &latest).await;
        changes.confirm_until(Instant::now().into_std());
        advance(BOUND - TICK).await;
        changes.reset();
        changes.confirm_until(Instant::now().into_std());
        assert_eq!(read(&store), live(&before));
        advance(TICK).await;
        changes.confirm_until(Instant::now().into_std());
        assert_eq!(read(&store), live(&latest));
        advance(BOUND - TICK).await;
        changes.confirm_until(Instant::now().into_std());
        advance(BOUND).await;
        latest = changed_elsewhere(&slow, &latest).await;
    }
    let reads_before = slow.0.reads();
    // A read is in progress while listening restarts.
    let mut reading = call_read(&store);
    reading.stop();
    reading.stop();
    let after = changed_elsewhere(&slow, &latest).await;
    changes.reset();
    assert_eq!(reading.step(), Some(live(&latest)));
    advance(BOUND).await;
    changes.confirm_until(Instant::now().into_std());
    assert_eq!(read(&store), live(&after));
    assert_eq!(slow.0.reads(), reads_before + 2);
}
