//! Checks of pages that begin after or before a place.

use handbill::store::{PageStart, Place, Post};
use handbill::{List, PageRequest, PageSize, PostId, Store, Visibility};
use std::sync::Arc;

use super::subject::{Subject, request, request_of};
use crate::samples::{dated, hidden, moment, owner, post, tag, with_visibility};

/// The identifiers on the pages after and before a place, newest first. The total must be that of the whole list.
async fn beside(store: &Subject, list: &PageRequest, place: Place, total: u64) -> [Vec<PostId>; 2] {
    let mut pages = [Vec::new(), Vec::new()];
    let starts = [PageStart::After(place), PageStart::Before(place)];
    for (ids, start) in pages.iter_mut().zip(starts) {
        let page = store.page(&list.clone().with_start(start)).await;
        assert_eq!(page.total, total, "the total of the whole list, {start:?}");
        ids.extend(page.posts.iter().map(|listed| listed.summary.id));
    }
    pages
}

/// The identifiers of the posts with these numbers.
fn ids<const N: usize>(numbers: [u32; N]) -> Vec<PostId> {
    numbers.map(|number| post(number).summary.id).to_vec()
}

async fn with_posts(store: Arc<dyn Store>, posts: impl IntoIterator<Item = Post>) -> Subject {
    let store = Subject::new(store);
    for post in posts {
        store.put(&post).await;
    }
    store
}

/// The posts after a place are the next older ones, without the post at the place, newest first.
pub async fn the_posts_after_a_place_are_the_next_older_ones(store: Arc<dyn Store>) {
    let store = with_posts(store, (1..=9).map(post)).await;
    for (per_page, expected) in [
        (1, ids([5])),
        (3, ids([5, 4, 3])),
        (50, ids([5, 4, 3, 2, 1])),
    ] {
        let list = request(1, per_page, None);
        let place = list.place_of(&post(6).summary);
        let [after, _] = beside(&store, &list, place, 9).await;
        assert_eq!(after, expected, "{per_page} posts after a place");
    }
    let list = request(1, 1, None).with_bodies(true);
    let start = PageStart::After(list.place_of(&post(6).summary));
    let page = store.page(&list.with_start(start)).await;
    let body = page.posts.first().and_then(|listed| listed.body.as_ref());
    assert_eq!(body, Some(&post(5).body), "the body after a place");
}

/// The posts before a place are the next newer ones, without the post at the place, also newest first.
pub async fn the_posts_before_a_place_are_the_next_newer_ones(store: Arc<dyn Store>) {
    let store = with_posts(store, (1..=9).map(post)).await;
    for (per_page, expected) in [
        (1, ids([5])),
        (3, ids([7, 6, 5])),
        (50, ids([9, 8, 7, 6, 5])),
    ] {
        let list = request(1, per_page, None);
        let place = list.place_of(&post(4).summary);
        let [_, before] = beside(&store, &list, place, 9).await;
        assert_eq!(before, expected, "{per_page} posts before a place");
    }
}

/// After the oldest post of a list and before the newest one, there are no posts. The total is that of the whole list.
pub async fn beyond_the_ends_of_a_list_are_no_posts(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let all = request(1, 50, None);
    let of_tag = request(1, 50, Some(&tag("rust")));
    let of_owner = request_of(&owner("ann"), 1, 50, None);
    for list in [&all, &of_tag, &of_owner] {
        let place = list.place_of(&post(1).summary);
        let found = beside(&store, list, place, 0).await;
        assert_eq!(found, [[], []], "in a list without posts: {list:?}");
    }
    for number in 1..=3 {
        store.put(&post(number)).await;
    }
    for list in [&all, &of_tag, &of_owner] {
        let [oldest, newest] = [1, 3].map(|number| list.place_of(&post(number).summary));
        let [after, _] = beside(&store, list, oldest, 3).await;
        let [_, before] = beside(&store, list, newest, 3).await;
        assert_eq!([after, before], [[], []], "beyond the ends of {list:?}");
    }
}

/// In the list of a tag, a place has that tag's posts after and before it, also the place of a post without the tag.
pub async fn a_tags_list_has_posts_after_and_before_a_place(store: Arc<dyn Store>) {
    let posts = (1..=9).map(|number| {
        let mut post = post(number);
        if number % 2 == 0 {
            post.summary.tags = vec![tag("even")];
        }
        post
    });
    let store = with_posts(store, posts).await;
    let list = request(1, 50, Some(&tag("even")));
    for (at, expected) in [
        (5, [ids([4, 2]), ids([8, 6])]),
        (6, [ids([4, 2]), ids([8])]),
    ] {
        let place = list.place_of(&post(at).summary);
        let found = beside(&store, &list, place, 4).await;
        assert_eq!(found, expected, "the posts beside post {at}");
    }
}

/// In the list of an owner, a place is in the order of creation, and has drafts and unlisted posts beside it.
pub async fn an_owners_list_has_posts_after_and_before_a_place(store: Arc<dyn Store>) {
    let mut late = post(1);
    late.summary.published_at = Some(moment(3_600_000_000));
    let mut others = post(4);
    others.summary.owner = Some(owner("bob"));
    let posts = [
        late.clone(),
        hidden(2, Visibility::Draft),
        post(3),
        others,
        hidden(5, Visibility::Unlisted),
    ];
    let store = with_posts(store, posts).await;
    for tag in [None, Some(&tag("rust"))] {
        let list = request_of(&owner("ann"), 1, 50, tag);
        let place = list.place_of(&post(3).summary);
        let found = beside(&store, &list, place, 4).await;
        assert_eq!(found, [ids([2, 1]), ids([5])], "beside post 3, {tag:?}");
        let place = list.place_of(&late.summary);
        let found = beside(&store, &list, place, 4).await;
        assert_eq!(found, [ids([]), ids([5, 3, 2])], "beside post 1, {tag:?}");
    }
}

/// The place of a post that was deleted, or is hidden now, still has the posts after and before it.
pub async fn a_place_outlives_its_post(store: Arc<dyn Store>) {
    let store = with_posts(store, (1..=7).map(post)).await;
    store.remove(&post(3)).await;
    store
        .change(&with_visibility(&post(5), Visibility::Unlisted, moment(0)))
        .await;
    for tag in [None, Some(&tag("rust"))] {
        let list = request(1, 2, tag);
        for (at, expected) in [
            (3, [ids([2, 1]), ids([6, 4])]),
            (5, [ids([4, 2]), ids([7, 6])]),
        ] {
            let place = list.place_of(&post(at).summary);
            let found = beside(&store, &list, place, 5).await;
            assert_eq!(found, expected, "beside the place of post {at}, {tag:?}");
        }
    }
    let list = request_of(&owner("ann"), 1, 2, None);
    let found = beside(&store, &list, list.place_of(&post(3).summary), 6).await;
    assert_eq!(
        found,
        [ids([2, 1]), ids([5, 4])],
        "in the list of the owner"
    );
}

/// Of posts with the same time, those with lesser identifiers are after a place, and those with greater ones before it.
pub async fn posts_with_the_same_time_have_places_of_their_own(store: Arc<dyn Store>) {
    let posts: Vec<_> = (1..=12).map(|number| dated(number, moment(0))).collect();
    let mut expected: Vec<_> = posts.iter().map(|post| post.summary.id).collect();
    expected.sort_unstable_by(|a, b| b.cmp(a));
    let store = with_posts(store, posts.iter().cloned()).await;
    let ann = owner("ann");
    for list in [List::Public, List::PublicOf(ann.clone()), List::AllOf(ann)] {
        let list = PageRequest::first(PageSize::MAX).with_list(list);
        for post in &posts {
            let place = list.place_of(&post.summary);
            let at = expected
                .iter()
                .position(|id| *id == place.id)
                .unwrap_or_default();
            let [after, before] = beside(&store, &list, place, 12).await;
            assert_eq!(after, expected[at + 1..], "after post {at} of one time");
            assert_eq!(before, expected[..at], "before post {at} of one time");
        }
    }
}
