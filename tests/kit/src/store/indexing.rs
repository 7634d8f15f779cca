//! Checks of the words that come after their posts: for those that were stored without.

use std::sync::Arc;
use std::time::{Duration, Instant};

use handbill::store::{Outcome, Words};
use handbill::{PageRequest, PageSize, PostId, Store, Visibility};

use super::index_subject::{IndexSubject, made, made_by, search};
use super::races::on_threads;
use super::subject::Subject;
use crate::samples::{hidden, post, post_id, revised, tombstone};

const VERSION: u32 = Words::VERSION;
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// A walk returns the live posts, of any visibility, that have no words of a version, in the order of identifiers. One
/// whose text has no word is indexed all the same.
pub async fn posts_without_words_are_returned_by_a_walk(store: Arc<dyn Store>) {
    let Some(index) = IndexSubject::new(Arc::clone(&store)) else {
        return;
    };
    let store = Subject::new(store);
    assert_eq!(index.unindexed(VERSION, None, 10).await, []);
    index.put(&post(1), "word").await;
    index.put(&post(2), "").await;
    let draft = hidden(3, Visibility::Draft);
    for post in [&draft, &post(4), &post(5), &post(6)] {
        assert_eq!(index.insert(post, None).await, Outcome::Applied);
    }
    for number in [7, 8] {
        let words = made_by(VERSION + 1, "word");
        let write = index.insert(&post(number), Some(words)).await;
        assert_eq!(write, Outcome::Applied);
    }
    let _ = store.insert_tombstone(&tombstone(9)).await;
    store.remove(&post(4)).await;
    index.change(&revised(&post(5)), "word").await;
    index.put(&post(10), "word").await;
    let lost = index.update(&revised(&post(10)), None).await;
    assert_eq!(lost, Outcome::Applied);

    let expected = sorted([3, 6, 7, 8, 10]);
    for limit in [1, 2, 4, 5, 6, 1000] {
        let (mut walked, mut after) = (Vec::new(), None);
        loop {
            let piece = index.unindexed(VERSION, after, limit).await;
            let is_last = piece.len() < limit as usize;
            after = piece.last().copied();
            walked.extend(piece);
            if is_last {
                break;
            }
        }
        assert_eq!(walked, expected, "a walk in pieces of {limit}");
    }
    for after in (0..20).map(post_id) {
        let rest = expected.iter().copied().filter(|id| *id > after);
        let rest: Vec<_> = rest.take(3).collect();
        let piece = index.unindexed(VERSION, Some(after), 3).await;
        assert_eq!(piece, rest, "after {after}");
    }
    let others = sorted([1, 2, 3, 5, 6, 10]);
    assert_eq!(index.unindexed(VERSION + 1, None, 1000).await, others);

    let (first, second) = (
        post(1).summary.revision,
        revised(&post(10)).summary.revision,
    );
    let revision = |number| if number == 10 { second } else { first };
    let late = [3, 6, 7, 8, 10].map(|number| (post_id(number), revision(number), made("late")));
    index.index_posts(late.to_vec()).await;
    assert_eq!(index.unindexed(VERSION, None, 1000).await, []);
    let found = index.found(search("late")).await;
    assert_eq!(found, [10, 8, 7, 6].map(post_id));
}

fn sorted<const N: usize>(numbers: [u32; N]) -> Vec<PostId> {
    let mut ids = numbers.map(post_id);
    ids.sort_unstable();
    ids.to_vec()
}

/// A post is indexed in the revision that it has now, instead of its earlier words, and found by words of any version.
/// Other revisions, deleted and unknown posts are ignored. The post does not change.
pub async fn a_post_is_indexed_in_its_revision(store: Arc<dyn Store>) {
    let Some(index) = IndexSubject::new(Arc::clone(&store)) else {
        return;
    };
    let store = Subject::new(store);
    for number in [1, 2, 3] {
        index.put(&post(number), "old").await;
    }
    let changed = revised(&post(1));
    index.change(&changed, "old").await;
    store.remove(&post(2)).await;
    let revision = |number| revised(&post(number)).summary.revision;
    let first = post(3).summary.revision;
    index.index_posts(Vec::new()).await;
    index
        .index_posts(vec![
            (post_id(1), first, made("stale")),
            (post_id(2), first, made("deleted")),
            (post_id(4), first, made("unknown")),
            (post_id(3), revision(3), made("early")),
            (post_id(3), first, made("new")),
        ])
        .await;
    for (terms, expected) in [
        ("old", vec![post_id(1)]),
        ("new", vec![post_id(3)]),
        ("stale", Vec::new()),
        ("deleted", Vec::new()),
        ("unknown", Vec::new()),
        ("early", Vec::new()),
    ] {
        assert_eq!(index.found(search(terms)).await, expected, "by {terms:?}");
    }
    let newer = made_by(VERSION + 1, "newer");
    index
        .index_posts(vec![(post_id(1), revision(1), newer)])
        .await;
    assert_eq!(index.found(search("newer")).await, [post_id(1)]);
    assert_eq!(index.found(search("old")).await, []);
    assert_eq!(index.unindexed(VERSION, None, 10).await, [post_id(1)]);
    store.has(&changed).await;
    store.has(&post(3)).await;
}

/// A list with a search, also an empty one, is incomplete while the store has noted another version. A new store is
/// complete. Other lists are never incomplete.
pub async fn a_search_is_incomplete_until_its_version_is_noted(store: Arc<dyn Store>) {
    let Some(index) = IndexSubject::new(Arc::clone(&store)) else {
        return;
    };
    let store = Subject::new(store);
    let list = PageRequest::first(PageSize::of::<10>());
    let expect = async |is_incomplete| {
        for terms in ["word", "other", ""] {
            let page = index.page(&list, search(terms)).await;
            assert_eq!(page.is_incomplete, is_incomplete, "by {terms:?}");
        }
        assert!(!store.page(&list).await.is_incomplete);
    };
    expect(false).await;
    index.put(&post(1), "word").await;
    expect(false).await;
    for version in [VERSION - 1, VERSION + 1] {
        index.set_indexed(version).await;
        expect(true).await;
        assert_eq!(index.found(search("word")).await, [post_id(1)]);
        index.set_indexed(VERSION).await;
        expect(false).await;
    }
}

/// Of several instances, the first one has the lease, renews it again and again, and ends it; or its time does.
pub async fn indexing_is_leased_to_one_instance_at_a_time(store: Arc<dyn Store>) {
    let Some(index) = IndexSubject::new(store) else {
        return;
    };
    let long = Duration::from_secs(30);
    for _ in 0..2 {
        assert!(index.lease("one", long).await);
        assert!(!index.lease("two", long).await);
    }
    let is_ended = index.lease("two", Duration::ZERO).await;
    assert!(!is_ended, "another one ends a lease");
    assert!(!index.lease("two", long).await);
    assert!(index.lease("one", Duration::ZERO).await);
    assert!(index.lease("two", long).await);
    assert!(!index.lease("one", long).await);
    assert!(index.lease("two", Duration::from_millis(1)).await);
    let started = Instant::now();
    while !index.lease("three", Duration::ZERO).await {
        assert!(started.elapsed() < LONGEST_WAIT, "a lease does not end");
    }
    let outcomes = on_threads(4, move |instance| {
        let index = index.clone();
        async move { index.lease(&format!("instance {instance}"), long).await }
    })
    .await;
    let leases = outcomes.iter().filter(|is_leased| **is_leased).count();
    assert_eq!(leases, 1, "of four that began at the same time");
}
