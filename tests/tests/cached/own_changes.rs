//! Reads after changes by the same instance.

use handbill::{Entry, Outcome};
use handbill_tests::calls::Calls;

use crate::{
    BOUND, call_read, call_update, changed_elsewhere, id, live, read, revised, with_a_post,
};

#[tokio::test]
async fn a_change_is_seen_at_once_on_its_own_instance() {
    let (_, store, first) = with_a_post(BOUND).await;
    read(&store);
    let second = revised(&first);
    let written = store
        .update_post(first.summary.revision, second.clone())
        .await;
    assert_eq!(written.unwrap(), Outcome::Applied);
    assert_eq!(read(&store), live(&second));
    let deleted = store.delete_post(id(1), second.summary.revision).await;
    assert_eq!(deleted.unwrap(), Outcome::Applied);
    assert_eq!(read(&store), Some(Entry::Gone(second.into_tombstone())));
}

/// Tries each number of steps of the read before and after the start of the change.
#[tokio::test]
async fn a_read_that_began_before_an_own_change_does_not_cache_an_older_state() {
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
async fn a_read_after_an_own_change_does_not_wait_for_an_earlier_read() {
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
    assert_eq!(slow.0.reads(), 2);
    assert_eq!(early.step(), Some(live(&first)), "it began before");
}

#[tokio::test]
async fn a_change_that_took_effect_but_failed_or_was_cancelled_is_seen() {
    let (slow, store, first) = with_a_post(BOUND).await;
    read(&store);
    slow.0.fail(true);
    let second = revised(&first);
    let written = store
        .update_post(first.summary.revision, second.clone())
        .await;
    assert!(written.is_err());
    slow.0.fail(false);
    assert_eq!(read(&store), live(&second));

    let mut writing = call_update(&store, &second);
    writing.stop();
    writing.stop();
    assert_eq!(read(&store), live(&second), "not acknowledged yet");
    drop(writing);
    assert_eq!(read(&store), live(&revised(&second)));
}

#[tokio::test]
async fn after_a_conflict_the_post_is_read_from_the_store() {
    let (slow, store, first) = with_a_post(BOUND).await;
    read(&store);
    let second = changed_elsewhere(&slow, &first).await;
    let written = store
        .update_post(first.summary.revision, revised(&first))
        .await;
    assert_eq!(written.unwrap(), Outcome::Conflict);
    assert_eq!(read(&store), live(&second));
}
