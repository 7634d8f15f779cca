//! What an instance returns after changes by other instances, with and without notifications.

use std::time::Duration;

use handbill::Store;
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

/// The response of the store may be as old as the query.
#[tokio::test(start_paused = true)]
async fn the_bound_counts_from_before_the_query() {
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
async fn with_a_bound_of_zero_every_read_queries_the_store() {
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
async fn a_post_is_read_again_after_a_notification() {
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
    assert_eq!(slow.asked(), asked, "the other post is still cached");
}

#[tokio::test]
async fn a_read_that_began_before_a_notification_caches_no_old_version() {
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
async fn cached_posts_stay_valid_while_notifications_are_complete() {
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
    assert_eq!(slow.asked(), 1, "an earlier instant changes nothing");
    advance(TICK).await;
    read(&store);
    assert_eq!(
        slow.asked(),
        2,
        "no notification arrived for as long as the bound"
    );
}

#[tokio::test(start_paused = true)]
async fn posts_read_before_listening_began_are_not_extended() {
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
