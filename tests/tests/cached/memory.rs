//! How much memory the cache uses.

use std::time::Duration;

use handbill::{Cached, Post, Store};

use crate::slow::Slow;
use crate::{id, post};

const POSTS: u32 = 1000;

async fn filled(body_len: usize) -> Slow {
    let slow = Slow::default();
    for number in 0..POSTS {
        let post = Post {
            body: "x".repeat(body_len),
            ..post(number)
        };
        let _ = slow.inner.insert_post(post).await.unwrap();
    }
    slow
}

/// Reads all posts, then counts how many of them are cached.
async fn kept(slow: &Slow, store: &Cached<Slow>) -> u64 {
    for number in 0..POSTS {
        store.get_post(id(number)).await.unwrap();
    }
    let mut kept = 0;
    // Start with the last one, which is cached: each read that misses evicts another entry.
    for number in (0..POSTS).rev() {
        let asked = slow.asked();
        store.get_post(id(number)).await.unwrap();
        kept += u64::from(slow.asked() == asked);
    }
    kept
}

#[tokio::test]
async fn the_cache_stays_within_its_size() {
    for (body_len, max_bytes) in [(10_000, 1_000_000), (1_000, 100_000), (10, 20_000)] {
        let slow = filled(body_len).await;
        let store = Cached::new(slow.clone(), Duration::from_secs(3600)).with_max_bytes(max_bytes);
        let kept = kept(&slow, &store).await;
        let most = max_bytes / body_len as u64;
        assert!(kept <= most, "{kept} posts of {body_len} in {max_bytes}");
        assert!(
            kept >= most / 100,
            "{kept} posts of {body_len} in {max_bytes}"
        );
    }
}

#[tokio::test]
async fn everything_is_cached_if_there_is_room() {
    let slow = filled(1_000).await;
    let store = Cached::new(slow.clone(), Duration::from_secs(3600));
    assert_eq!(kept(&slow, &store).await, u64::from(POSTS));
}

#[tokio::test]
async fn a_post_that_is_too_large_to_cache_is_still_read() {
    let slow = filled(10_000).await;
    let store = Cached::new(slow.clone(), Duration::from_secs(3600)).with_max_bytes(5_000);
    assert_eq!(kept(&slow, &store).await, 0);
    assert!(store.get_post(id(0)).await.unwrap().is_some());
}
