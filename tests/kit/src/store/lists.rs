//! Checks of lists.

use handbill::store::{Outcome, Post};
use handbill::{List, PageRequest, PostId, Store, Visibility};
use std::collections::HashSet;
use std::sync::Arc;

use super::model::Model;
use super::subject::{Subject, request};
use crate::samples::{dated, hidden, moment, owner, post, retagged, revised, rewritten, tag};

async fn with_posts(store: Arc<dyn Store>, posts: impl IntoIterator<Item = u32>) -> Subject {
    let store = Subject::new(store);
    for number in posts {
        store.put(&post(number)).await;
    }
    store
}

fn ids<'a>(posts: impl IntoIterator<Item = &'a Post>) -> Vec<PostId> {
    posts.into_iter().map(|post| post.summary.id).collect()
}

/// Without posts, each page is empty, without an error.
pub async fn an_empty_store_lists_nothing(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    for tag in [None, Some(&tag("none"))] {
        for number in [1, 2, u64::MAX] {
            let page = store.page(&request(number, 20, tag)).await;
            assert_eq!((page.posts.len(), page.total), (0, 0));
        }
    }
}

/// The newest post comes first, even if an older one was changed later.
pub async fn lists_are_newest_first(store: Arc<dyn Store>) {
    let store = with_posts(store, 1..=5).await;
    let expected: Vec<Post> = (1..=5).rev().map(post).collect();
    assert_eq!(store.ids(None).await, ids(&expected));
    assert_eq!(store.ids(Some(&tag("rust"))).await, ids(&expected));
    store.change(&rewritten(&post(2), "Late")).await;
    assert_eq!(store.ids(None).await, ids(&expected));
    assert_eq!(store.ids(Some(&tag("rust"))).await, ids(&expected));
}

/// Of posts with the same time, the greater identifier comes first.
pub async fn equal_times_are_ordered_by_identifier(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let mut expected = Vec::new();
    for number in 1..=30 {
        let post = dated(number, moment(0));
        store.put(&post).await;
        expected.push(post.summary.id);
    }
    expected.sort_unstable_by(|a, b| b.cmp(a));
    for tag in [None, Some(&tag("web"))] {
        assert_eq!(store.ids(tag).await, expected);
        let in_small_pages = store.list(tag, 7).await;
        let in_small_pages: Vec<_> = in_small_pages.iter().map(|post| post.id).collect();
        assert_eq!(in_small_pages, expected);
    }
}

/// The posts since a time are counted, those of that very time included.
pub async fn posts_since_a_time_are_counted(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let mut model = Model::default();
    let ann = owner("ann");
    for number in 1..=12 {
        let mut post = match number % 3 {
            0 => hidden(number, Visibility::Draft),
            _ => post(number),
        };
        post.summary.tags.truncate(number as usize % 2);
        store.put(&post).await;
        model.put(&post);
        for list in [
            List::Public,
            List::PublicOf(ann.clone()),
            List::AllOf(ann.clone()),
        ] {
            for tag in [None, Some(&tag("rust"))] {
                let list = request(1, 10, tag).with_list(list.clone());
                model.is_counted(&store, &list).await;
            }
        }
    }
}

/// The order depends on when posts were published, not on the order of insertion.
pub async fn posts_inserted_out_of_order_are_listed_in_order(store: Arc<dyn Store>) {
    let order = (0..60).map(|step| 1 + (step * 37) % 60);
    let store = with_posts(store, order).await;
    let expected: Vec<Post> = (1..=60).rev().map(post).collect();
    assert_eq!(store.ids(None).await, ids(&expected));
    assert_eq!(store.ids(Some(&tag("web"))).await, ids(&expected));
}

/// The pages of a list have each post once, whatever the page size.
pub async fn each_post_is_on_exactly_one_page(store: Arc<dyn Store>) {
    let store = with_posts(store, 1..=101).await;
    for per_page in [1, 2, 7, 20, 49, 50] {
        for tag in [None, Some(&tag("rust"))] {
            let listed = store.list(tag, per_page).await;
            let different: HashSet<_> = listed.iter().map(|post| post.id).collect();
            assert_eq!(listed.len(), 101, "posts on all pages of {per_page}");
            assert_eq!(different.len(), 101, "different ones among them");
        }
    }
}

/// A page past the end, up to the largest page number, has no posts and the correct total.
pub async fn pages_past_the_end_are_empty_with_the_right_total(store: Arc<dyn Store>) {
    let store = with_posts(store, 1..=21).await;
    for tag in [None, Some(&tag("rust"))] {
        let last = store.page(&request(3, 10, tag)).await;
        assert_eq!((last.posts.len(), last.total), (1, 21));
        for past_the_end in [4, 5, 1_000_000, u64::MAX / 50, u64::MAX] {
            let page = store.page(&request(past_the_end, 10, tag)).await;
            assert_eq!(
                (page.posts.len(), page.total),
                (0, 21),
                "page {past_the_end}"
            );
        }
    }
}

/// A deleted post is in no list.
pub async fn a_deleted_post_is_in_no_list(store: Arc<dyn Store>) {
    let store = with_posts(store, 1..=5).await;
    store.remove(&post(3)).await;
    let expected = ids(&[5, 4, 2, 1].map(post));
    for tag in [None, Some(&tag("rust")), Some(&tag("web"))] {
        assert_eq!(store.ids(tag).await, expected, "the list of {tag:?}");
    }
}

/// Totals count live posts only, down to zero and up again.
pub async fn totals_are_right_after_deletions(store: Arc<dyn Store>) {
    let store = with_posts(store, 1..=30).await;
    let (all, rust) = (request(1, 10, None), request(1, 10, Some(&tag("rust"))));
    for (number, left) in (1..=30).zip((0..30).rev()) {
        store.remove(&post(number)).await;
        let write = store.delete(post(number).summary.id, post(number).summary.revision);
        assert_eq!(write.await, Outcome::Conflict);
        for page in [&all, &rust] {
            let page = store.page(page).await;
            assert_eq!(page.total, left, "posts that are left");
            assert_eq!(page.posts.len() as u64, left.min(10));
        }
    }
    store.put(&post(31)).await;
    for page in [&all, &rust] {
        assert_eq!(store.page(page).await.total, 1);
    }
}

/// A post is in the lists of its current tags, and in no others.
pub async fn tag_lists_follow_tag_changes(store: Arc<dyn Store>) {
    let store = with_posts(store, 1..=4).await;
    let mut model = Model::default();
    (1..=4).for_each(|number| model.put(&post(number)));
    let mut now = post(2);
    let changes: [&[&str]; 6] = [
        &["web", "rust"],
        &["web", "new"],
        &["other", "another", "rust"],
        &[],
        &["rust"],
        &["new", "web", "rust"],
    ];
    for tags in changes {
        now = retagged(&now, tags);
        store.change(&now).await;
        model.put(&now);
        for name in ["rust", "web", "new", "other", "another"] {
            model.is_shown(&store, Some(&tag(name)), 3).await;
        }
        model.is_shown(&store, None, 3).await;
    }
    store.remove(&now).await;
    model.remove(now.summary.id);
    for name in ["rust", "web", "new", "other", "another"] {
        model.is_shown(&store, Some(&tag(name)), 3).await;
    }
}

/// Similar tags and tags with a common prefix have separate lists.
pub async fn tags_are_compared_byte_by_byte(store: Arc<dyn Store>) {
    const TAGS: [&str; 12] = [
        "rust", "rust ", "rusty", "Rust", "rus_", "rus%", "r*", "é", "e\u{301}", "e", "\"rust\"",
        "1",
    ];
    let store = Subject::new(store);
    let mut posts = Vec::new();
    for (number, name) in (1..).zip(TAGS) {
        let mut post = post(number);
        post.summary.tags = vec![tag(name)];
        store.put(&post).await;
        posts.push(post);
    }
    for (name, post) in TAGS.into_iter().zip(&posts) {
        let listed = store.ids(Some(&tag(name))).await;
        assert_eq!(listed, [post.summary.id], "the posts with the tag {name:?}");
    }
}

/// A list shows the current state of a post after each change.
pub async fn lists_show_posts_as_they_are_now(store: Arc<dyn Store>) {
    let store = with_posts(store, 1..=3).await;
    let mut now = post(2);
    for round in 0..3 {
        let next = match round {
            0 => rewritten(&now, "Rewritten"),
            1 => revised(&now),
            _ => retagged(&now, &["rust", "new"]),
        };
        now = next;
        store.change(&now).await;
        for tag in [None, Some(&tag("rust"))] {
            let listed = store.list(tag, 50).await;
            let expected = [&post(3).summary, &now.summary, &post(1).summary].map(Clone::clone);
            assert_eq!(listed, expected, "the list of {tag:?}");
        }
    }
}

/// A list contains bodies only if they are requested, whichever list is read first.
pub async fn lists_have_bodies_only_on_request(store: Arc<dyn Store>) {
    let store = with_posts(store, 1..=3).await;
    let expected: Vec<_> = [3, 2, 1].map(|number| Some(post(number).body)).to_vec();
    for page in [request(1, 50, None), request(1, 50, Some(&tag("rust")))] {
        for asked_for in [false, true, false] {
            let page: PageRequest = page.clone().with_bodies(asked_for);
            let bodies = store.page(&page).await.posts;
            let bodies: Vec<_> = bodies.iter().map(|listed| listed.body.clone()).collect();
            if asked_for {
                assert_eq!(bodies, expected);
            } else {
                assert_eq!(
                    bodies,
                    [None, None, None],
                    "bodies without a request for them"
                );
            }
        }
    }
}
