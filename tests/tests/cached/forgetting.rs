//! Reads of tombstones whose owner is forgotten.

use handbill::{Entry, Outcome, Owner, Tombstone};
use handbill_tests::calls::Calls;

use crate::slow::{Call, Slow};
use crate::{BOUND, Instance, call_read, post, read, with_a_post};

fn owner() -> Owner {
    "user:42".parse().unwrap()
}

fn gone(tombstone: &Tombstone) -> Option<Entry> {
    Some(Entry::Gone(tombstone.clone()))
}

/// A store with a tombstone that names its owner, and a cache in front of it.
async fn with_a_tombstone() -> (Slow, Instance, Tombstone) {
    let (slow, store, mut first) = with_a_post(BOUND).await;
    first.summary.owner = Some(owner());
    let expected = first.summary.revision;
    let written = slow.0.inner.update_post(expected, first.clone()).await;
    assert_eq!(written.unwrap(), Outcome::Applied);
    let deleted = slow.0.inner.delete_post(first.summary.id, expected).await;
    assert_eq!(deleted.unwrap(), Outcome::Applied);
    (slow, store, first.into_tombstone())
}

fn call_forget(store: &Instance) -> Call<Option<Outcome>> {
    let store = Instance::clone(store);
    Call::new(async move { store.forget_owner(owner(), 10).await.ok() })
}

#[tokio::test]
async fn a_forgotten_owner_is_not_read_from_the_cache_of_its_own_instance() {
    let (slow, store, tombstone) = with_a_tombstone().await;
    let other = post(2);
    assert_eq!(
        slow.0.inner.insert_post(other.clone()).await.unwrap(),
        Outcome::Applied
    );
    store.read_post(other.summary.id).await.unwrap();
    assert_eq!(read(&store), gone(&tombstone));
    assert_eq!(call_forget(&store).finish(), Some(Outcome::Applied));
    assert_eq!(read(&store), gone(&tombstone.with_owner(None)));
    let reads_before = slow.0.reads();
    store.read_post(other.summary.id).await.unwrap();
    assert_eq!(slow.0.reads(), reads_before, "other posts are still cached");
}

/// Tries each number of steps of the read before and after the start of the call.
#[tokio::test]
async fn a_read_that_began_before_does_not_cache_an_owner_that_is_forgotten() {
    for (steps_before, steps_between) in [(1, 0), (1, 1), (2, 0), (0, 1), (0, 2)] {
        let (_, store, tombstone) = with_a_tombstone().await;
        let (mut reading, mut forgetting) = (call_read(&store), call_forget(&store));
        for _ in 0..steps_before {
            reading.stop();
        }
        forgetting.stop();
        for _ in 0..steps_between {
            reading.stop();
        }
        forgetting.stop();
        assert_eq!(forgetting.step(), Some(Some(Outcome::Applied)));
        let expected = gone(&tombstone.with_owner(None));
        assert_eq!(read(&store), expected, "{steps_before} {steps_between}");
        reading.finish();
        assert_eq!(read(&store), expected, "{steps_before} {steps_between}");
    }
}

#[tokio::test]
async fn an_owner_whose_forgetting_took_effect_but_failed_or_was_cancelled_is_not_read() {
    let (slow, store, tombstone) = with_a_tombstone().await;
    assert_eq!(read(&store), gone(&tombstone));
    slow.0.fail(true);
    assert_eq!(call_forget(&store).finish(), None);
    slow.0.fail(false);
    assert_eq!(read(&store), gone(&tombstone.with_owner(None)));

    let (_, store, tombstone) = with_a_tombstone().await;
    assert_eq!(read(&store), gone(&tombstone));
    let mut forgetting = call_forget(&store);
    forgetting.stop();
    forgetting.stop();
    drop(forgetting);
    assert_eq!(read(&store), gone(&tombstone.with_owner(None)));
}

/// Another instance made it forget the owner.
#[tokio::test]
async fn a_read_is_not_older_than_the_current_tombstone_that_was_read_before() {
    let (slow, store, tombstone) = with_a_tombstone().await;
    assert_eq!(read(&store), gone(&tombstone));
    let forgotten = slow.0.inner.forget_owner(owner(), 10).await;
    assert_eq!(forgotten.unwrap(), Outcome::Applied);
    let current = store.current_post(tombstone.id).await.unwrap();
    assert_eq!(current, gone(&tombstone.clone().with_owner(None)));
    assert_eq!(read(&store), current);
}
