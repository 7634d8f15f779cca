//! The blocks that lists are kept in.

use handbill::{PageRequest, Post, Store, Tag, Timestamp, Write};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use sqlx::{Row, SqliteConnection};
use tokio::task::JoinSet;

use super::{folder, host, insert, open, post, revised};

#[tokio::test]
async fn places_before_all_blocks_and_between_them_are_listed_in_order() {
    let folder = folder();
    let path = folder.path().join("posts.db");
    let store = open(&path).await;
    let mut host = host(&path).await;
    let mut live: Vec<Post> = (10_000..12_000).map(post).collect();
    for posts in live.chunks(500) {
        insert(&store, posts).await;
    }
    for old in live.drain(..1000) {
        let deleted = store.delete_post(old.summary.id, old.summary.revision);
        assert_eq!(deleted.await.unwrap(), Write::Applied);
    }
    blocks_agree(&mut host, &live).await;
    let mut earlier: Vec<Post> = (9_000..9_900).map(post).collect();
    for (post, later) in earlier.iter_mut().zip(&live).step_by(2) {
        post.summary.created_at = later.summary.created_at;
    }
    insert(&store, &earlier).await;
    live.extend(earlier);
    blocks_agree(&mut host, &live).await;

    live.sort_by_key(|post| std::cmp::Reverse((post.summary.created_at, post.summary.id)));
    let pages = live.chunks(50);
    for (number, expected) in (1..).zip(pages) {
        for tag in [None, Some(Tag::from_stored("rust"))] {
            let request = PageRequest::new(number, 50).unwrap().with_tag(tag);
            let page = store.list_posts(request).await.unwrap();
            assert_eq!(page.total, 1900);
            let found = page.posts.iter().map(|(post, _)| post.id);
            assert!(
                found.eq(expected.iter().map(|post| post.summary.id)),
                "page {number}"
            );
        }
    }
}

#[tokio::test]
async fn pages_are_found_even_if_blocks_are_almost_empty() {
    const BLOCK: usize = 800;
    let folder = folder();
    let store = open(&folder.path().join("posts.db")).await;
    let posts: Vec<Post> = (10_000..10_000 + 6 * BLOCK as u64).map(post).collect();
    for posts in posts.chunks(BLOCK) {
        insert(&store, posts).await;
    }
    let mut live = Vec::new();
    for block in posts.chunks(BLOCK) {
        let (kept, deleted) = block.split_at(20);
        live.extend(kept);
        let mut deletions = JoinSet::new();
        for post in deleted {
            let (store, id, revision) = (store.clone(), post.summary.id, post.summary.revision);
            deletions.spawn(async move { store.delete_post(id, revision).await });
        }
        for deleted in deletions.join_all().await {
            assert_eq!(deleted.unwrap(), Write::Applied);
        }
    }
    live.reverse();
    for (number, expected) in (1..).zip(live.chunks(7)) {
        let page = store.list_posts(PageRequest::new(number, 7).unwrap());
        let page = page.await.unwrap();
        assert_eq!(page.total, 120);
        let found = page.posts.iter().map(|(post, _)| post.id);
        assert!(
            found.eq(expected.iter().map(|post| post.summary.id)),
            "page {number}"
        );
    }
}

#[tokio::test]
async fn blocks_match_the_posts_after_any_writes() {
    const TAGS: [&str; 3] = ["often", "at times", "seldom"];
    let folder = folder();
    let path = folder.path().join("posts.db");
    let store = open(&path).await;
    let mut host = host(&path).await;
    let mut random = StdRng::seed_from_u64(2);
    let mut live: Vec<Post> = Vec::new();
    let mut next = 0;
    for round in 0..80 {
        let mut writes = Vec::new();
        // Each fourth batch is of new posts alone, which takes another way to the disk.
        for _ in 0..64 {
            let store = store.clone();
            let tags = TAGS.into_iter().zip([0.9, 0.5, 0.1]);
            let tags: Vec<_> = tags
                .filter(|(_, often)| random.random_bool(*often))
                .collect();
            let tags: Vec<_> = tags.into_iter().map(|(tag, _)| tag).collect();
            let kind = if round % 4 == 0 || round < 40 {
                0
            } else {
                random.random_range(0..4)
            };
            writes.push(match kind {
                1 if !live.is_empty() => {
                    let old = live.swap_remove(random.random_range(0..live.len()));
                    tokio::spawn(async move {
                        let old = old.summary;
                        let deleted = store.delete_post(old.id, old.revision).await;
                        assert_eq!(deleted.unwrap(), Write::Applied);
                        None
                    })
                }
                2 if !live.is_empty() => {
                    let old = live.swap_remove(random.random_range(0..live.len()));
                    tokio::spawn(async move {
                        let changed = revised(&old, &tags);
                        let expected = old.summary.revision;
                        let updated = store.update_post(expected, changed.clone()).await;
                        assert_eq!(updated.unwrap(), Write::Applied);
                        Some(changed)
                    })
                }
                _ => {
                    next += 1;
                    let mut new = post(next);
                    new.summary.tags = tags.into_iter().map(Tag::from_stored).collect();
                    let at = random.random_range(0..10_000);
                    new.summary.created_at = Timestamp::from_micros(at);
                    tokio::spawn(async move {
                        let inserted = store.insert_post(new.clone()).await;
                        assert_eq!(inserted.unwrap(), Write::Applied);
                        let again = store.insert_post(new.clone()).await;
                        assert_eq!(again.unwrap(), Write::Conflict);
                        Some(new)
                    })
                }
            });
        }
        for write in writes {
            live.extend(write.await.unwrap());
        }
        if round % 20 == 19 {
            blocks_agree(&mut host, &live).await;
        }
    }
    assert!(live.len() > 2048, "enough for more than one block");
    while let Some(old) = live.pop() {
        let old = old.summary;
        let deleted = store.delete_post(old.id, old.revision).await.unwrap();
        assert_eq!(deleted, Write::Applied);
        if live.len() == 100 {
            blocks_agree(&mut host, &live).await;
        }
    }
    blocks_agree(&mut host, &live).await;
}

async fn blocks_agree(host: &mut SqliteConnection, live: &[Post]) {
    let totals = "SELECT number, places FROM handbill_lists WHERE places > 0 ORDER BY number";
    let totals = lists(host, totals).await;
    let places = live.iter().map(|post| 1 + post.summary.tags.len() as i64);
    let total = totals.iter().map(|(_, places)| places);
    assert_eq!(total.sum::<i64>(), places.sum::<i64>());
    let sums = "SELECT list, SUM(places) FROM handbill_blocks GROUP BY list ORDER BY list";
    assert_eq!(lists(host, sums).await, totals);

    let blocks = "SELECT list, created_at, places, posts FROM handbill_blocks
                  ORDER BY list, created_at, id";
    let blocks = sqlx::query(blocks).fetch_all(&mut *host).await.unwrap();
    let mut before = None;
    for block in &blocks {
        let (list, start, posts): (i64, i64, &[u8]) = (block.get(0), block.get(1), block.get(3));
        assert_eq!(block.get::<i64, _>(2), posts.len() as i64 / 5);
        assert!(
            (1..=800).contains(&(posts.len() / 5)),
            "a block is split in time"
        );
        for post in posts.chunks(5) {
            let number = post
                .iter()
                .rev()
                .fold(0, |number, byte| number << 8 | i64::from(*byte));
            let query = sqlx::query("SELECT created_at, id FROM handbill_posts WHERE number = ?1");
            let row = query
                .bind::<i64>(number)
                .fetch_one(&mut *host)
                .await
                .unwrap();
            let place: (i64, i64, i64) = (list, row.get(0), row.get(1));
            assert!(before < Some(place), "{place:?} comes after {before:?}");
            assert!(
                place.1 >= start,
                "{place:?} belongs to the block from {start} on"
            );
            before = Some(place);
        }
    }
}

async fn lists(host: &mut SqliteConnection, query: &'static str) -> Vec<(i64, i64)> {
    let rows = sqlx::query(query).fetch_all(host).await.unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}
