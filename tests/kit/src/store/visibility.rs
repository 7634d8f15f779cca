//! Checks of which posts are in public lists, and where. A store obeys `listed_at` and nothing else.

use handbill::store::Post;
use handbill::{PostId, Store, Visibility};
use std::sync::Arc;

use super::subject::{Subject, request};
use crate::samples::{hidden, moment, post, retagged, rewritten, tag, with_visibility};

const HOUR: i64 = 3_600_000_000;

fn ids<const N: usize>(posts: [&Post; N]) -> [PostId; N] {
    posts.map(|post| post.summary.id)
}

/// Asserts that the public lists have these posts, in this order.
async fn are_listed<const N: usize>(store: &Subject, posts: [&Post; N]) {
    for tag in [None, Some(&tag("rust"))] {
        assert_eq!(store.ids(tag).await, ids(posts), "the list of {tag:?}");
    }
}

/// A public list has only posts for which `listed_at` is a time, when they are inserted and after each
/// change.
pub async fn public_lists_have_only_listed_posts(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let draft = hidden(1, Visibility::Draft);
    let unlisted = hidden(2, Visibility::Unlisted);
    let (mut hidden_again, public) = (post(3), post(4));
    hidden_again.summary.visibility = Visibility::Unlisted;
    for post in [&draft, &unlisted, &hidden_again, &public] {
        store.put(post).await;
    }
    are_listed(&store, [&public]).await;
    for hidden in [draft, unlisted, hidden_again] {
        let changed = rewritten(&hidden, "Changed");
        store.change(&changed).await;
        store.change(&retagged(&changed, &["rust", "new"])).await;
        assert!(store.ids(Some(&tag("new"))).await.is_empty());
        are_listed(&store, [&public]).await;
    }
    for (number, visibility) in [(10, Visibility::Draft), (11, Visibility::Unlisted)] {
        let first = post(number);
        store.put(&first).await;
        are_listed(&store, [&first, &public]).await;
        let now = with_visibility(&first, visibility, moment(0));
        store.change(&now).await;
        are_listed(&store, [&public]).await;
        store.remove(&now).await;
        are_listed(&store, [&public]).await;
    }
}

/// Public lists are sorted by the time of publication, whenever the posts were created.
pub async fn public_lists_are_sorted_by_publication(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let mut posts = [1, 2, 3, 4].map(post);
    let published = [2 * HOUR, HOUR, 3 * HOUR, 0];
    for (post, at) in posts.iter_mut().zip(published) {
        post.summary.published_at = Some(moment(at));
        store.put(post).await;
    }
    let [second, third, first, last] = &posts;
    are_listed(&store, [first, second, third, last]).await;
}

/// A post that is hidden and shown again returns to its place in public lists.
pub async fn a_post_that_is_shown_again_returns_to_its_place(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let posts = [1, 2, 3].map(post);
    for post in &posts {
        store.put(post).await;
    }
    let [oldest, mut middle, newest] = posts;
    for visibility in [Visibility::Unlisted, Visibility::Draft] {
        middle = with_visibility(&middle, visibility, moment(HOUR));
        store.change(&middle).await;
        are_listed(&store, [&newest, &oldest]).await;
        middle = rewritten(&middle, "Rewritten while it was hidden");
        store.change(&middle).await;
        middle = with_visibility(&middle, Visibility::Public, moment(2 * HOUR));
        store.change(&middle).await;
        are_listed(&store, [&newest, &middle, &oldest]).await;
        assert_eq!(store.list(None, 50).await[1], middle.summary);
    }
}

/// A draft that becomes public is listed by the time of that change, however old it is.
pub async fn a_draft_that_becomes_public_is_listed_at_the_top(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let draft = hidden(1, Visibility::Draft);
    let unlisted = hidden(2, Visibility::Unlisted);
    for post in [&draft, &unlisted, &post(3), &post(4)] {
        store.put(post).await;
    }
    let first = with_visibility(&draft, Visibility::Public, moment(HOUR));
    store.change(&first).await;
    are_listed(&store, [&first, &post(4), &post(3)]).await;
    let second = with_visibility(&unlisted, Visibility::Public, moment(2 * HOUR));
    store.change(&second).await;
    are_listed(&store, [&second, &first, &post(4), &post(3)]).await;
    assert_eq!(store.list(None, 50).await[0], second.summary);
}

/// The totals of public lists count listed posts only, after each change of visibility and deletion.
pub async fn public_totals_count_listed_posts(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let totals = async |expected: u64| {
        for page in [1, 5] {
            for tag in [None, Some(&tag("web"))] {
                let total = store.page(&request(page, 3, tag)).await.total;
                assert_eq!(total, expected, "the total of {tag:?} on page {page}");
            }
        }
    };
    let mut posts: Vec<Post> = (0..6)
        .map(|number| match number % 3 {
            0 => hidden(number, Visibility::Draft),
            1 => hidden(number, Visibility::Unlisted),
            _ => post(number),
        })
        .collect();
    for post in &posts {
        store.put(post).await;
    }
    totals(2).await;
    for (post, total) in posts.iter_mut().zip([3, 4, 4, 5, 6, 6]) {
        *post = with_visibility(post, Visibility::Public, moment(HOUR));
        store.change(post).await;
        totals(total).await;
    }
    for (post, total) in posts.iter_mut().zip([5, 4, 3]) {
        *post = with_visibility(post, Visibility::Draft, moment(0));
        store.change(post).await;
        totals(total).await;
    }
    for (post, total) in posts.iter().zip([3, 3, 3, 2, 1, 0]) {
        store.remove(post).await;
        totals(total).await;
    }
}
