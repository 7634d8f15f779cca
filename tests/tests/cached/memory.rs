//! The byte budget of the cache.

use handbill::store::{CacheStats, Outcome};
use handbill::{Handbill, MemoryStore};
use handbill_tests::calls::Calls;

use crate::{get, path, post, service};

const POSTS: u32 = 300;

/// Reads all posts, each with a body of this length, and returns what is cached then.
async fn cached(body_len: usize, set: impl FnOnce(Handbill) -> Handbill) -> CacheStats {
    let store = MemoryStore::new();
    for number in 0..POSTS {
        let mut post = post(number);
        post.body = "x".repeat(body_len);
        let inserted = store.insert_post(post).await;
        assert_eq!(inserted.unwrap(), Outcome::Applied);
    }
    let handbill = set(service(store));
    for number in 0..POSTS {
        assert_eq!(get(&handbill, &path(number)).await.status(), 200);
    }
    handbill.stats().await.responses
}

#[tokio::test]
async fn the_cache_stays_within_its_byte_budget() {
    for (body_len, max_bytes) in [(10_000, 1_000_000), (1_000, 100_000), (20, 50_000)] {
        let stats = cached(body_len, |handbill| handbill.with_cache_bytes(max_bytes)).await;
        assert!(stats.bytes <= max_bytes, "{stats:?} in {max_bytes}");
        // The text of a post is in its response twice.
        let most = max_bytes / (2 * body_len as u64);
        assert!(
            (10..=most).contains(&stats.entries),
            "{stats:?} in {max_bytes}"
        );
    }
}

#[tokio::test]
async fn every_post_is_cached_if_the_budget_suffices() {
    let stats = cached(1_000, |handbill| handbill).await;
    assert_eq!(stats.entries, u64::from(POSTS));
}

#[tokio::test]
async fn a_post_larger_than_the_budget_is_read_but_not_cached() {
    let stats = cached(10_000, |handbill| handbill.with_cache_bytes(5_000)).await;
    assert_eq!((stats.entries, stats.bytes), (0, 0));
}
