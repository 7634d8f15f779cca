//! Reads after changes by other instances, with and without notifications.

use std::time::Duration;

use tokio::time::{Instant, advance};

use crate::{
    BOUND, TICK, call_read, changed_elsewhere, get, insert, path, post, read, with_a_post,
};

#[tokio::test(start_paused = true)]
async fn changes_by_others_are_seen_within_the_bound() {
    let (slow, instance, first) = with_a_post(BOUND).await;
    read(&instance);
    let second = changed_elsewhere(&slow, &first).await;
    advance(BOUND - TICK).await;
    assert_eq!(read(&instance), first.body);
    advance(TICK).await;
    assert_eq!(read(&instance), second.body);
}

/// The store's result may be as old as the start of the read.
#[tokio::test(start_paused = true)]
async fn the_bound_starts_before_the_read_of_the_store() {
    let (slow, instance, first) = with_a_post(BOUND).await;
    let mut reading = call_read(&instance);
    reading.stop();
    reading.stop();
    let second = changed_elsewhere(&slow, &first).await;
    advance(BOUND - TICK).await;
    assert_eq!(reading.step(), Some(first.body.clone()));
    assert_eq!(read(&instance), first.body);
    advance(TICK).await;
    assert_eq!(read(&instance), second.body);
}

#[tokio::test]
async fn with_a_bound_of_zero_every_read_reaches_the_store() {
    let (slow, instance, first) = with_a_post(Duration::ZERO).await;
    for _ in 0..3 {
        assert_eq!(read(&instance), first.body);
    }
    let mut concurrent = [call_read(&instance), call_read(&instance)];
    for reading in &mut concurrent {
        reading.stop();
    }
    assert_eq!(slow.0.reads(), 5);
    let second = changed_elsewhere(&slow, &first).await;
    assert_eq!(read(&instance), second.body);
}

#[tokio::test]
async fn a_change_notification_makes_the_next_read_reach_the_store() {
    let (slow, instance, first) = with_a_post(BOUND).await;
    insert(&slow, &post(2)).await;
    get(&instance.handbill, &path(2)).await;
    read(&instance);
    let second = changed_elsewhere(&slow, &first).await;
    assert_eq!(read(&instance), first.body);
    instance.changes.changed(first.summary.id);
    assert_eq!(read(&instance), second.body);
    let reads_before = slow.0.reads();
    get(&instance.handbill, &path(2)).await;
    assert_eq!(
        slow.0.reads(),
        reads_before,
        "the other post is still cached"
    );
}

#[tokio::test]
async fn a_read_that_began_before_a_change_notification_does_not_cache_an_older_state() {
    let (slow, instance, first) = with_a_post(BOUND).await;
    let mut reading = call_read(&instance);
    reading.stop();
    reading.stop();
    let second = changed_elsewhere(&slow, &first).await;
    instance.changes.changed(first.summary.id);
    assert_eq!(reading.step(), Some(first.body.clone()));
    assert_eq!(read(&instance), second.body);
}

#[tokio::test(start_paused = true)]
async fn cached_posts_stay_valid_while_all_changes_are_received() {
    let (slow, instance, _) = with_a_post(BOUND).await;
    let changes = instance.changes.clone();
    changes.reset();
    advance(TICK).await;
    read(&instance);
    for _ in 0..5 {
        advance(BOUND - TICK).await;
        changes.confirm_until(Instant::now().into_std());
        read(&instance);
    }
    assert_eq!(slow.0.reads(), 1);
    let confirmed = Instant::now();
    advance(BOUND - TICK).await;
    changes.confirm_until((confirmed - BOUND).into_std());
    read(&instance);
    assert_eq!(slow.0.reads(), 1, "an earlier confirmation has no effect");
    advance(TICK).await;
    read(&instance);
    assert_eq!(
        slow.0.reads(),
        2,
        "the last confirmation is as old as the bound"
    );
}

#[tokio::test(start_paused = true)]
async fn posts_that_were_read_before_listening_restarted_are_not_renewed() {
    let (slow, instance, mut latest) = with_a_post(BOUND).await;
    let changes = instance.changes.clone();
    advance(TICK).await;
    for _ in 0..3 {
        // The instance does not listen, so it misses this change.
        assert_eq!(read(&instance), latest.body);
        let before = latest.clone();
        latest = changed_elsewhere(&slow, &latest).await;
        changes.confirm_until(Instant::now().into_std());
        advance(BOUND - TICK).await;
        changes.reset();
        changes.confirm_until(Instant::now().into_std());
        assert_eq!(read(&instance), before.body);
        advance(TICK).await;
        changes.confirm_until(Instant::now().into_std());
        assert_eq!(read(&instance), latest.body);
        advance(BOUND - TICK).await;
        changes.confirm_until(Instant::now().into_std());
        advance(BOUND).await;
        latest = changed_elsewhere(&slow, &latest).await;
    }
    let reads_before = slow.0.reads();
    // A read is in progress while listening restarts.
    let mut reading = call_read(&instance);
    reading.stop();
    reading.stop();
    let after = changed_elsewhere(&slow, &latest).await;
    changes.reset();
    assert_eq!(reading.step(), Some(latest.body.clone()));
    advance(BOUND).await;
    changes.confirm_until(Instant::now().into_std());
    assert_eq!(read(&instance), after.body);
    assert_eq!(slow.0.reads(), reads_before + 2);
}
