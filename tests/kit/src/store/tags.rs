//! Checks of the counted tags.

use handbill::store::{Post, TagCount};
use handbill::{Store, Visibility};
use std::sync::Arc;

use super::subject::{Subject, request};
use crate::samples::{hidden, moment, post, retagged, tag, with_visibility};

fn counts(tags: &[(&str, u64)]) -> Vec<TagCount> {
    let counts = tags.iter().map(|(name, posts)| (tag(name), *posts));
    counts
        .map(|(tag, posts)| TagCount::new(tag, posts))
        .collect()
}

fn tagged(mut post: Post, tags: &[&str]) -> Post {
    post.summary.tags = tags.iter().copied().map(tag).collect();
    post
}

/// The number of a tag is the total of its public list after each write.
pub async fn tags_are_counted_as_they_are_listed(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let agree = async |expected: &[(&str, u64)]| {
        assert_eq!(store.tags(10).await, counts(expected));
        for (name, posts) in expected {
            let total = store.page(&request(1, 1, Some(&tag(name)))).await.total;
            assert_eq!(total, *posts, "the total of {name}");
        }
    };
    assert!(store.tags(10).await.is_empty());
    store.put(&post(1)).await;
    agree(&[("rust", 1), ("web", 1)]).await;
    store.put(&tagged(post(2), &["web", "new"])).await;
    agree(&[("web", 2), ("new", 1), ("rust", 1)]).await;
    let draft = tagged(hidden(3, Visibility::Draft), &["new", "secret"]);
    store.put(&draft).await;
    agree(&[("web", 2), ("new", 1), ("rust", 1)]).await;
    let retagged = retagged(&post(1), &["rust", "new", "other"]);
    store.change(&retagged).await;
    agree(&[("new", 2), ("other", 1), ("rust", 1), ("web", 1)]).await;
    let shown = with_visibility(&draft, Visibility::Public, moment(9));
    store.change(&shown).await;
    agree(&[
        ("new", 3),
        ("other", 1),
        ("rust", 1),
        ("secret", 1),
        ("web", 1),
    ])
    .await;
    let unlisted = with_visibility(&retagged, Visibility::Unlisted, moment(9));
    store.change(&unlisted).await;
    agree(&[("new", 2), ("secret", 1), ("web", 1)]).await;
    store.remove(&tagged(post(2), &["web", "new"])).await;
    agree(&[("new", 1), ("secret", 1)]).await;
    store.remove(&unlisted).await;
    agree(&[("new", 1), ("secret", 1)]).await;
}

/// The tags with the most posts come first. Of tags with equally many, the lesser one by its bytes.
pub async fn tags_with_the_most_posts_come_first(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let in_order = ["\"", "1", "Z", "a b", "a", "aa", "z", "é", "𝄞", "한"];
    let mut in_order = in_order.to_vec();
    in_order.sort_unstable();
    for (number, name) in (1..).zip(in_order.iter().rev()) {
        store.put(&tagged(post(number), &[name])).await;
    }
    store.put(&tagged(post(100), &["many"])).await;
    store.put(&tagged(post(101), &["z", "many"])).await;
    store.put(&tagged(post(102), &["many"])).await;
    let mut expected = vec![("many", 3), ("z", 2)];
    in_order.retain(|name| *name != "z");
    expected.extend(in_order.iter().map(|name| (*name, 1)));
    assert_eq!(store.tags(100).await, counts(&expected));
}

/// At most as many tags are returned as were asked for: the first ones.
pub async fn tags_are_returned_up_to_the_limit(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let names: Vec<String> = (10..40).map(|number| format!("tag {number}")).collect();
    let (first, rest) = names.split_at(15);
    for (number, names) in (1..).zip([first, rest]) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        store.put(&tagged(post(number), &names)).await;
    }
    for limit in [0, 1, 15, 29, 30, 31, 1000, u32::MAX] {
        let expected: Vec<_> = names.iter().take(limit as usize).collect();
        let expected: Vec<_> = expected.iter().map(|name| (name.as_str(), 1)).collect();
        assert_eq!(store.tags(limit).await, counts(&expected));
    }
}

/// A tag whose last public post was hidden, retagged or deleted is not returned.
pub async fn tags_without_public_posts_vanish(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let posts = [["stays"], ["hidden"], ["retagged"], ["deleted"]];
    let posts: Vec<Post> = (1..)
        .zip(posts)
        .map(|(number, tags)| tagged(post(number), &tags))
        .collect();
    for post in &posts {
        store.put(post).await;
    }
    assert_eq!(store.tags(10).await.len(), 4);
    let hidden = with_visibility(&posts[1], Visibility::Draft, moment(0));
    store.change(&hidden).await;
    store.change(&retagged(&posts[2], &[])).await;
    store.remove(&posts[3]).await;
    assert_eq!(store.tags(10).await, counts(&[("stays", 1)]));
    store.remove(&hidden).await;
    assert_eq!(store.tags(10).await, counts(&[("stays", 1)]));
    store.remove(&posts[0]).await;
    assert!(store.tags(10).await.is_empty());
}

/// Tags of up to 2,000 bytes are returned. A longer tag has a list all the same, and the other tags are
/// returned next to it.
pub async fn long_tags_are_counted(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    // Letters in no order, so that they cannot be compressed.
    let long: String = (0..)
        .flat_map(|number| post(number).summary.id.as_str().to_owned().into_bytes())
        .map(char::from)
        .take(5000)
        .collect();
    let (longest, too_long) = (&long[..2000], &long[..]);
    store.put(&tagged(post(1), &[longest, "web"])).await;
    store.put(&tagged(post(2), &[too_long, "web"])).await;
    let mut tags = store.tags(10).await;
    tags.retain(|count| count.tag != tag(too_long));
    assert_eq!(tags, counts(&[("web", 2), (longest, 1)]));
    let listed = store.ids(Some(&tag(too_long))).await;
    assert_eq!(listed, [post(2).summary.id]);
    store.remove(&tagged(post(2), &[too_long, "web"])).await;
    assert_eq!(store.tags(10).await.len(), 2);
}
