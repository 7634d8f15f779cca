//! Which calls of `Cached` read from the store.

use std::sync::Arc;

use handbill::{
    Cached, Entry, KeyId, KeyRecord, ListedPost, Outcome, PageRequest, Store, Visibility,
};
use handbill_tests::calls::Calls;
use tokio::time::advance;

use crate::slow::Slow;
use crate::{BOUND, call_read, changed_elsewhere, live, post, read, revised, token, with_a_post};

#[tokio::test]
async fn a_cached_post_is_not_read_again() {
    let (slow, store, first) = with_a_post(BOUND).await;
    for _ in 0..3 {
        assert_eq!(read(&store), live(&first));
    }
    assert_eq!(slow.0.reads(), 1);
    let deleted = store
        .delete_post(first.summary.id, first.summary.revision)
        .await;
    assert_eq!(deleted.unwrap(), Outcome::Applied);
    let gone = Some(Entry::Gone(first.into_tombstone()));
    for _ in 0..3 {
        assert_eq!(read(&store), gone);
    }
    assert_eq!(slow.0.reads(), 2);
}

#[tokio::test]
async fn a_post_is_found_as_soon_as_another_instance_has_created_it() {
    let slow = Slow::default();
    let store = Arc::new(Cached::new(slow.clone(), BOUND));
    assert_eq!(read(&store), None);
    let _ = slow.0.inner.insert_post(post(1)).await.unwrap();
    assert_eq!(read(&store), live(&post(1)));
}

/// A read that began before the post existed does not decide for later reads.
#[tokio::test]
async fn absence_is_not_shared() {
    let slow = Slow::default();
    let store = Arc::new(Cached::new(slow.clone(), BOUND));
    let (mut early, mut late) = (call_read(&store), call_read(&store));
    early.stop();
    early.stop();
    let _ = slow.0.inner.insert_post(post(1)).await.unwrap();
    late.stop();
    assert_eq!(early.step(), Some(None));
    late.stop();
    late.stop();
    assert_eq!(late.step(), Some(live(&post(1))));
}

#[tokio::test]
async fn credentials_and_lists_are_read_from_the_store_each_time() {
    let (slow, store, first) = with_a_post(BOUND).await;
    let id: KeyId = "bcdfghjklm".parse().unwrap();
    let key = KeyRecord::new(id, token(7), first.summary.created_at);
    let _ = store.insert_key(key.clone()).await.unwrap();
    let page = PageRequest::new(1, 20).unwrap();
    read(&store);
    assert!(store.find_key(key.secret).await.unwrap().is_some());
    assert_eq!(store.walk_keys(None, 10).await.unwrap().len(), 1);
    assert_eq!(store.list_posts(page.clone()).await.unwrap().total, 1);
    let found = store.post_by_token(first.edit_token).await;
    assert_eq!(found.unwrap(), live(&first));

    let mut second = revised(&first);
    second.edit_token = token(8);
    let written = slow
        .0
        .inner
        .update_post(first.summary.revision, second.clone())
        .await;
    assert_eq!(written.unwrap(), Outcome::Applied);
    let _ = slow.0.inner.revoke_key(key.id).await.unwrap();

    assert_eq!(store.find_key(key.secret).await.unwrap(), None);
    assert_eq!(store.walk_keys(None, 10).await.unwrap(), []);
    let listed = store.list_posts(page).await.unwrap();
    assert_eq!(*listed.posts, [ListedPost::new(second.summary.clone())]);
    let found = store.post_by_token(first.edit_token).await;
    assert_eq!(found.unwrap(), None);
    let found = store.post_by_token(second.edit_token).await;
    assert_eq!(found.unwrap(), live(&second));
    assert_eq!(read(&store), live(&first), "the read of a post is cached");
}

/// What is cached is returned sooner than what is not. A draft must not differ in this from an identifier that
/// was never used.
#[tokio::test]
async fn drafts_are_read_from_the_store_each_time() {
    let slow = Slow::default();
    let store = Arc::new(Cached::new(slow.clone(), BOUND));
    let mut draft = post(1);
    draft.summary.visibility = Visibility::Draft;
    let _ = slow.0.inner.insert_post(draft.clone()).await.unwrap();
    for _ in 0..3 {
        assert_eq!(read(&store), live(&draft));
    }
    assert_eq!(slow.0.reads(), 3);
    let deleted = slow
        .0
        .inner
        .delete_post(draft.summary.id, draft.summary.revision);
    assert_eq!(deleted.await.unwrap(), Outcome::Applied);
    for _ in 0..3 {
        assert!(matches!(read(&store), Some(Entry::Gone(_))));
    }
    assert_eq!(slow.0.reads(), 6);
}

#[tokio::test]
async fn reading_the_current_post_leaves_it_cached() {
    let (slow, store, first) = with_a_post(BOUND).await;
    for _ in 0..3 {
        assert_eq!(read(&store), live(&first));
        let current = store.current_post(first.summary.id).await;
        assert_eq!(current.unwrap(), live(&first));
    }
    assert_eq!(slow.0.reads(), 1);
}

/// The repetition of a change whose outcome was unknown may find it made, and acknowledge it without a
/// write of its own. Readers must see it then.
#[tokio::test]
async fn the_current_post_is_read_from_the_store_and_later_reads_are_not_older() {
    let (slow, store, first) = with_a_post(BOUND).await;
    assert_eq!(read(&store), live(&first));
    let second = changed_elsewhere(&slow, &first).await;
    assert_eq!(read(&store), live(&first), "it is cached");
    let current = store.current_post(first.summary.id).await;
    assert_eq!(current.unwrap(), live(&second));
    assert_eq!(read(&store), live(&second));
}

#[tokio::test]
async fn concurrent_reads_share_one_query() {
    let (slow, store, first) = with_a_post(BOUND).await;
    let mut concurrent: Vec<_> = (0..5).map(|_| call_read(&store)).collect();
    for reading in &mut concurrent {
        reading.stop();
    }
    concurrent[0].stop();
    for reading in &mut concurrent {
        assert_eq!(reading.step(), Some(live(&first)));
    }
    assert_eq!(slow.0.reads(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_query_as_old_as_the_bound_is_not_shared() {
    let (slow, store, first) = with_a_post(BOUND).await;
    let mut early = call_read(&store);
    early.stop();
    early.stop();
    let second = changed_elsewhere(&slow, &first).await;
    advance(BOUND).await;
    assert_eq!(read(&store), live(&second));
    assert_eq!(early.step(), Some(live(&first)), "it began before");
    assert_eq!(read(&store), live(&second));
    assert_eq!(slow.0.reads(), 2);
}

#[tokio::test]
async fn readers_that_wait_for_a_cancelled_or_failed_read_retry_concurrently() {
    let (slow, store, first) = with_a_post(BOUND).await;
    for fails in [true, false] {
        let reads_before = slow.0.reads();
        let mut concurrent: Vec<_> = (0..5).map(|_| call_read(&store)).collect();
        for reading in &mut concurrent {
            reading.stop();
        }
        let mut querying = concurrent.remove(0);
        if fails {
            slow.0.fail(true);
            querying.stop();
            assert_eq!(querying.step(), Some(None));
            slow.0.fail(false);
        }
        drop(querying);
        for reading in &mut concurrent {
            reading.stop();
        }
        assert_eq!(slow.0.reads() - reads_before, 5);
        for reading in &mut concurrent {
            reading.stop();
            assert_eq!(reading.step(), Some(live(&first)));
        }
    }
}
