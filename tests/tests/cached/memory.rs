//! The byte budget of the cache.

use std::time::Duration;

use handbill::Cached;
use handbill_tests::calls::Calls;

use crate::slow::Slow;
use crate::{id, post};

const POSTS: u32 = 1000;

async fn filled(body_len: usize) -> Slow {
    let slow = Slow::default();
    for number in 0..POSTS {
        let mut post = post(number);
        post.body = "x".repeat(body_len);
        let _ = slow.0.inner.insert_post(post).await.unwrap();
    }
    slow
}

/// Reads all posts, and then counts those that are cached.
async fn cached(slow: &Slow, store: &Cached<Slow>) -> u64 {
    for number in 0..POSTS {
        store.read_post(id(number)).await.unwrap();
    }
    let mut hits = 0;
    // Start with the latest entries: reading an evicted post evicts another one.
    for number in (0..POSTS).rev() {
        let reads = slow.0.reads();
        store.read_post(id(number)).await.unwrap();
        hits += u64::from(slow.0.reads() == reads);
    }
    hits
}

#[tokio::test]
async fn the_cache_stays_within_its_byte_budget() {
    for (body_len, max_bytes) in [(10_000, 1_000_000), (1_000, 100_000), (20, 20_000)] {
        let slow = filled(body_len).await;
        let store = Cached::new(slow.clone(), Duration::from_secs(3600)).with_max_bytes(max_bytes);
        let cached = cached(&slow, &store).await;
        let most = max_bytes / body_len as u64;
        assert!(
            cached <= most,
            "{cached} posts of {body_len} in {max_bytes}"
        );
        assert!(
            cached >= most / 100,
            "{cached} posts of {body_len} in {max_bytes}"
        );
    }
}

#[tokio::test]
async fn every_post_is_cached_if_the_budget_suffices() {
    let slow = filled(1_000).await;
    let store = Cached::new(slow.clone(), Duration::from_secs(3600));
    assert_eq!(cached(&slow, &store).await, u64::from(POSTS));
}

#[tokio::test]
async fn a_post_larger_than_the_budget_is_read_but_not_cached() {
    let slow = filled(10_000).await;
    let store = Cached::new(slow.clone(), Duration::from_secs(3600)).with_max_bytes(5_000);
    assert_eq!(cached(&slow, &store).await, 0);
    assert!(store.read_post(id(0)).await.unwrap().is_some());
}
