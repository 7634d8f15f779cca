//! Lists after random writes, and the block marks that find their pages.

use handbill::store::{Outcome, Post};
use handbill::{PageRequest, Store, Tag, Timestamp, Visibility};
use handbill_tests::calls::Calls;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use sqlx::SqliteConnection;
use tokio::task::JoinSet;

use super::{database, folder, host, insert, open, post, revised};

#[tokio::test]
async fn posts_before_all_others_and_between_them_are_listed_in_order() {
    let (_folder, path) = database();
    let store = open(&path).await;
    let mut host = host(&path).await;
    let mut live: Vec<Post> = (10_000..12_000).map(post).collect();
    for posts in live.chunks(500) {
        insert(&store, posts).await;
    }
    for old in live.drain(..1000) {
        let deleted = store.delete_post(old.summary.id, old.summary.revision);
        assert_eq!(deleted.await.unwrap(), Outcome::Applied);
    }
    lists_agree(&mut host, &live).await;
    let mut earlier: Vec<Post> = (9_000..9_900).map(post).collect();
    for (post, later) in earlier.iter_mut().zip(&live).step_by(2) {
        post.summary.published_at = later.summary.published_at;
    }
    insert(&store, &earlier).await;
    live.extend(earlier);
    lists_agree(&mut host, &live).await;

    live.sort_by_key(|post| std::cmp::Reverse((post.summary.listed_at(), post.summary.id)));
    let pages = live.chunks(50);
    for (number, expected) in (1..).zip(pages) {
        for tag in [None, Some(Tag::from_stored("rust"))] {
            let request = PageRequest::new(number, 50).unwrap().with_tag(tag);
            let page = store.list_posts(request).await.unwrap();
            assert_eq!(page.total, 1900);
            let found = page.posts.iter().map(|post| post.summary.id);
            assert!(
                found.eq(expected.iter().map(|post| post.summary.id)),
                "page {number}"
            );
        }
    }
}

#[tokio::test]
async fn pages_are_found_where_few_posts_are_left() {
    const CHUNK: usize = 800;
    let folder = folder();
    let store = open(&folder.path().join("posts.db")).await;
    let posts: Vec<Post> = (10_000..10_000 + 6 * CHUNK as u64).map(post).collect();
    for posts in posts.chunks(CHUNK) {
        insert(&store, posts).await;
    }
    let mut live = Vec::new();
    for chunk in posts.chunks(CHUNK) {
        let (remaining, deleted) = chunk.split_at(20);
        live.extend(remaining);
        let mut deletions = JoinSet::new();
        for post in deleted {
            let (store, id, revision) = (store.clone(), post.summary.id, post.summary.revision);
            deletions.spawn(async move { store.delete_post(id, revision).await });
        }
        for deleted in deletions.join_all().await {
            assert_eq!(deleted.unwrap(), Outcome::Applied);
        }
    }
    live.reverse();
    for (number, expected) in (1..).zip(live.chunks(7)) {
        let page = store.list_posts(PageRequest::new(number, 7).unwrap());
        let page = page.await.unwrap();
        assert_eq!(page.total, 120);
        let found = page.posts.iter().map(|post| post.summary.id);
        assert!(
            found.eq(expected.iter().map(|post| post.summary.id)),
            "page {number}"
        );
    }
}

#[tokio::test]
async fn lists_agree_with_the_posts_whatever_is_written() {
    const TAGS: [&str; 3] = ["often", "at times", "seldom"];
    let (_folder, path) = database();
    let store = open(&path).await;
    let mut host = host(&path).await;
    let mut random = StdRng::seed_from_u64(2);
    let mut live: Vec<Post> = Vec::new();
    let mut next = 0;
    for round in 0..80 {
        let mut writes = Vec::new();
        // Every fourth batch has only new posts, which take another code path.
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
                        assert_eq!(deleted.unwrap(), Outcome::Applied);
                        None
                    })
                }
                2 if !live.is_empty() => {
                    let old = live.swap_remove(random.random_range(0..live.len()));
                    let visibility = *Visibility::ALL.choose(&mut random).unwrap();
                    tokio::spawn(async move {
                        let mut changed = revised(&old, &tags);
                        changed.summary.visibility = visibility;
                        let expected = old.summary.revision;
                        let updated = store.update_post(expected, changed.clone()).await;
                        assert_eq!(updated.unwrap(), Outcome::Applied);
                        Some(changed)
                    })
                }
                _ => {
                    next += 1;
                    let mut new = post(next);
                    new.summary.tags = tags.into_iter().map(Tag::from_stored).collect();
                    let at = random.random_range(0..10_000);
                    new.summary.published_at = Some(Timestamp::from_micros(at));
                    tokio::spawn(async move {
                        let inserted = store.insert_post(new.clone()).await;
                        assert_eq!(inserted.unwrap(), Outcome::Applied);
                        let again = store.insert_post(new.clone()).await;
                        assert_eq!(again.unwrap(), Outcome::Conflict);
                        Some(new)
                    })
                }
            });
        }
        for write in writes {
            live.extend(write.await.unwrap());
        }
        if round % 20 == 19 {
            lists_agree(&mut host, &live).await;
        }
    }
    assert!(live.len() > 2048, "enough for several marks");
    while let Some(old) = live.pop() {
        let old = old.summary;
        let deleted = store.delete_post(old.id, old.revision).await.unwrap();
        assert_eq!(deleted, Outcome::Applied);
        if live.len() == 100 {
            lists_agree(&mut host, &live).await;
        }
    }
    lists_agree(&mut host, &live).await;
}

async fn lists_agree(host: &mut SqliteConnection, live: &[Post]) {
    let mut expected: Vec<(String, i64, String)> = Vec::new();
    for post in live {
        let Some(listed_at) = post.summary.listed_at() else {
            continue;
        };
        let tags = post.summary.tags.iter();
        let lists = tags.map(|tag| format!("tag:{}", tag.as_str()));
        for list in lists.chain(["all".to_owned()]) {
            expected.push((list, listed_at.as_micros(), post.summary.id.to_string()));
        }
    }
    expected.sort();
    let entries = "SELECT list, listed_at, post FROM handbill_list_entries
                   ORDER BY list, listed_at, post";
    let entries: Vec<(String, i64, String)> =
        sqlx::query_as(entries).fetch_all(&mut *host).await.unwrap();
    assert!(
        entries == expected,
        "the entries are not those of the posts"
    );

    let differences = "
        SELECT list, COUNT(*) AS posts FROM handbill_list_entries GROUP BY list
        EXCEPT SELECT name, posts FROM handbill_lists
        UNION ALL
        SELECT name, posts FROM handbill_lists
        EXCEPT SELECT list, COUNT(*) FROM handbill_list_entries GROUP BY list";
    let differences: Vec<(String, i64)> = sqlx::query_as(differences)
        .fetch_all(&mut *host)
        .await
        .unwrap();
    assert_eq!(differences, []);

    // Each list has a first mark, and an end.
    let marks = "
        SELECT list, listed_at, entries_before, (
          SELECT COUNT(*) FROM handbill_list_entries AS entry
          WHERE entry.list = mark.list
          AND (entry.listed_at, entry.post) < (mark.listed_at, mark.post)
        ) AS counted
        FROM handbill_list_marks AS mark
        UNION ALL
        SELECT name, 9223372036854775807, posts, posts FROM handbill_lists
        ORDER BY list, listed_at, entries_before";
    let marks: Vec<(String, i64, i64, i64)> =
        sqlx::query_as(marks).fetch_all(&mut *host).await.unwrap();
    for (list, _, entries_before, counted) in &marks {
        assert_eq!(entries_before, counted, "{list}");
    }
    for marks in marks.windows(2) {
        let [(list, _, before, _), (next_list, listed_at, after, _)] = marks else {
            unreachable!("they are two");
        };
        if list == next_list {
            let gap = after - before;
            // Only the end of a list may come right after a mark.
            let least = i64::from(*listed_at < i64::MAX);
            assert!(
                (least..1300).contains(&gap),
                "{gap} entries of {list} in a gap"
            );
        } else {
            assert_eq!((*listed_at, *after), (-1, 0), "the first mark");
        }
    }
}
