//! Reads after changes by the same instance.

use handbill::{Code, Draft};
use tokio::time::advance;

use crate::{
    BOUND, TICK, call_read, call_update, changed_elsewhere, id, read, revised, with_a_post,
};

#[tokio::test]
async fn a_change_is_seen_at_once_on_its_own_instance() {
    let (_, instance, first) = with_a_post(BOUND).await;
    read(&instance);
    assert!(call_update(&instance, &first).finish());
    assert_eq!(read(&instance), revised(&first).body);
    instance.handbill.posts().delete(id(1)).await.unwrap();
    assert_eq!(read(&instance), "410");
}

/// Tries each number of steps of the read before and after the start of the change.
#[tokio::test(start_paused = true)]
async fn a_read_that_began_before_an_own_change_does_not_cache_an_older_state() {
    for (steps_before, steps_between) in [(1, 0), (1, 1), (2, 0), (0, 1), (0, 2)] {
        let (_, instance, first) = with_a_post(BOUND).await;
        let (mut reading, mut writing) = (call_read(&instance), call_update(&instance, &first));
        for _ in 0..steps_before {
            reading.stop();
        }
        writing.stop();
        advance(TICK).await;
        for _ in 0..steps_between {
            reading.stop();
        }
        writing.stop();
        assert_eq!(writing.step(), Some(true));

        let after = read(&instance);
        assert_eq!(
            after,
            revised(&first).body,
            "{steps_before} {steps_between}"
        );
        reading.finish();
        let after = read(&instance);
        assert_eq!(
            after,
            revised(&first).body,
            "{steps_before} {steps_between}"
        );
    }
}

#[tokio::test]
async fn a_read_after_an_own_change_does_not_wait_for_an_earlier_read() {
    let (slow, instance, first) = with_a_post(BOUND).await;
    let mut early = call_read(&instance);
    early.stop();
    early.stop();
    assert!(call_update(&instance, &first).finish());
    assert_eq!(read(&instance), revised(&first).body);
    assert_eq!(slow.0.reads(), 2);
    let newer = revised(&first).body;
    assert_eq!(
        early.step(),
        Some(newer),
        "it finds what the later read has cached"
    );
}

#[tokio::test(start_paused = true)]
async fn a_change_that_took_effect_but_failed_or_was_cancelled_is_seen() {
    for is_cancelled in [false, true] {
        let (slow, instance, first) = with_a_post(BOUND).await;
        let mut writing = call_update(&instance, &first);
        writing.stop();
        advance(TICK).await;
        assert_eq!(read(&instance), first.body, "not made yet");
        writing.stop();
        assert_eq!(
            read(&instance),
            first.body,
            "cached, and not acknowledged yet"
        );
        assert_eq!(slow.0.reads(), 1);
        if is_cancelled {
            drop(writing);
        } else {
            slow.0.fail(true);
            assert_eq!(writing.step(), Some(false));
            slow.0.fail(false);
        }
        assert_eq!(read(&instance), revised(&first).body);
    }
}

/// So it is when the retry of a change finds it made, and acknowledges it without another write.
#[tokio::test(start_paused = true)]
async fn reads_are_not_older_than_the_post_that_a_change_found() {
    let (slow, instance, mut latest) = with_a_post(BOUND).await;
    let posts = instance.handbill.posts();
    for is_refused in [false, true] {
        assert_eq!(read(&instance), latest.body);
        let before = latest.clone();
        latest = changed_elsewhere(&slow, &latest).await;
        assert_eq!(read(&instance), before.body, "it is cached");
        let same = Draft::new().body(latest.body.clone());
        if is_refused {
            let expected = before.summary.revision;
            let refused = posts.update_if(id(1), expected, same).await.unwrap_err();
            assert_eq!(refused.code(), Code::PreconditionFailed);
        } else {
            posts.update(id(1), same).await.unwrap();
        }
        assert_eq!(read(&instance), latest.body);
        advance(TICK).await;
    }
}

#[tokio::test(start_paused = true)]
async fn after_the_current_post_was_read_it_is_read_once_more() {
    let (slow, instance, first) = with_a_post(BOUND).await;
    read(&instance);
    for reads in 2..4 {
        instance.handbill.posts().read(id(1)).await.unwrap();
        advance(TICK).await;
        for _ in 0..3 {
            assert_eq!(read(&instance), first.body);
        }
        assert_eq!(slow.0.reads(), reads);
    }
}
