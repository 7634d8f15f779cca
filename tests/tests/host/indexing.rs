//! Posts that were stored without words become found by them.

use handbill::PageSize;
use handbill::store::{Query, Search, SearchIndex, Words, Write};
use handbill_testing::samples;
use tokio::time::Instant;

use super::*;

const POSTS: u32 = 250;

/// A store as one that could not search has left it, and with posts whose words are of another version.
async fn old_store() -> MemoryStore {
    let store = MemoryStore::new();
    for number in 1..=POSTS {
        let mut post = samples::post(number);
        post.body = format!("Number n{number}, elephant.");
        let words = (number % 2 == 0).then(|| Words::new(0, ["elephant".to_owned()].into()));
        let post = Arc::new(post);
        let insert = Write::InsertPost {
            post,
            words,
            by: None,
        };
        assert_eq!(store.write(insert, None).await.unwrap(), Outcome::Applied);
    }
    store.set_indexed(0).await.unwrap();
    store
}

/// How many posts have these words, and whether some may be missing.
async fn found(store: &MemoryStore, words: &str) -> (u64, bool) {
    let search = Search::new(&Query::parse(words).unwrap());
    let page = PageRequest::first(PageSize::of::<1>()).with_search(Some(search));
    let list = store.list_posts(page).await.unwrap();
    (list.total, list.is_incomplete)
}

async fn wait_until_indexed(store: &MemoryStore) {
    while found(store, "elephant").await.1 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn what_was_stored_without_words_or_with_others_is_indexed() {
    let store = old_store().await;
    assert_eq!(found(&store, "elephant").await, (125, true));
    let handbill = Handbill::new(BASE, store.clone()).unwrap();
    wait_until_indexed(&store).await;
    assert_eq!(found(&store, "elephant").await, (250, false));
    assert_eq!(found(&store, "n7").await, (1, false));
    assert_eq!(handbill.stats().await.indexing.posts, u64::from(POSTS));
    let left = store.unindexed_posts(Words::VERSION, None, 1000).await;
    assert_eq!(left.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn one_instance_at_a_time_indexes() {
    let store = old_store().await;
    let lease = Duration::from_secs(60);
    assert!(store.lease_indexing("another", lease).await.unwrap());
    let (start, handbill) = (Instant::now(), Handbill::new(BASE, store.clone()).unwrap());
    wait_until_indexed(&store).await;
    assert!(start.elapsed() >= lease);
    assert_eq!(handbill.stats().await.indexing.posts, u64::from(POSTS));
    // It gives the lease back.
    while !store.lease_indexing("another", lease).await.unwrap() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_an_instance_of_an_earlier_version_writes_is_indexed_within_an_hour() {
    let store = old_store().await;
    let handbill = Handbill::new(BASE, store.clone()).unwrap();
    wait_until_indexed(&store).await;
    let (post, words, by) = (Arc::new(samples::post(POSTS + 1)), None, None);
    let late = Write::InsertPost { post, words, by };
    let _ = store.write(late, None).await.unwrap();
    let start = Instant::now();
    while handbill.stats().await.indexing.posts <= u64::from(POSTS) {
        tokio::time::sleep(Duration::from_secs(60)).await;
    }
    assert!(start.elapsed() <= Duration::from_secs(3700));
}

#[tokio::test]
async fn without_search_no_words_are_stored() {
    let store = MemoryStore::new();
    let handbill = Handbill::new(BASE, store.clone()).unwrap();
    let handbill = handbill.with_search(false);
    let post = Draft::new().body("An elephant.");
    handbill.posts().create(post).await.unwrap();
    assert_eq!(found(&store, "elephant").await, (0, false));
}
