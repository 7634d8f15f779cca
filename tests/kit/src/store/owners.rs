//! Checks of the lists of owners.

use handbill::store::Post;
use handbill::{List, Store, Visibility};
use std::sync::Arc;

use super::model::Model;
use super::subject::{Subject, request_of};
use crate::samples::{
    hidden, moment, owner, post, retagged, revised, rewritten, tag, with_visibility,
};

/// The post of another owner, or of none.
fn owned(mut post: Post, owner_or_none: Option<&str>) -> Post {
    post.summary.owner = owner_or_none.map(owner);
    post
}

/// An owner's list has all live posts of the owner, drafts and unlisted ones too, the latest `created_at`
/// first, whenever they were published.
pub async fn an_owners_list_has_all_its_posts(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let ann = owner("ann");
    assert!(store.ids_of(&ann, None).await.is_empty());
    let draft = hidden(2, Visibility::Draft);
    let unlisted = hidden(3, Visibility::Unlisted);
    let mut late = post(1);
    late.summary.published_at = Some(moment(3_600_000_000));
    for post in [&late, &post(4), &unlisted, &draft, &post(5)] {
        store.put(post).await;
    }
    store.remove(&post(4)).await;
    let expected = [&post(5), &unlisted, &draft, &late].map(|post| post.summary.clone());
    for per_page in [1, 3, 50] {
        let listed = store.whole(&request_of(&ann, 1, per_page, None)).await;
        assert_eq!(listed, expected, "with {per_page} posts a page");
    }
    let page = store
        .page(&request_of(&ann, 1, 2, None).with_bodies(true))
        .await;
    let bodies: Vec<_> = page.posts.iter().map(|post| post.body.clone()).collect();
    assert_eq!(bodies, [Some(post(5).body), Some(unlisted.body)]);
}

/// An owner's public list has the public posts of the owner, the latest `published_at` first.
pub async fn an_owners_public_list_has_its_public_posts(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let mut model = Model::default();
    let mut late = post(1);
    late.summary.published_at = Some(moment(3_600_000_000));
    let others = [owned(post(4), Some("bob")), owned(post(5), None)];
    let hidden = [Visibility::Unlisted, Visibility::Draft].map(|visibility| hidden(2, visibility));
    let shown = with_visibility(&hidden[1], Visibility::Public, moment(1_800_000_000));
    for post in [&late, &hidden[1], &post(3), &others[0], &others[1]] {
        store.put(post).await;
        model.put(post);
    }
    let public = request_of(&owner("ann"), 1, 2, None).with_list(List::PublicOf(owner("ann")));
    model.list_is_shown(&store, &public).await;
    for step in [
        &shown,
        &with_visibility(&shown, Visibility::Unlisted, moment(0)),
    ] {
        store.change(step).await;
        model.put(step);
        model.list_is_shown(&store, &public).await;
    }
    store.remove(&late).await;
    model.remove(late.summary.id);
    model.list_is_shown(&store, &public).await;
}

/// Of an owner's posts with the same time of creation, the greater identifier comes first.
pub async fn an_owners_posts_of_one_instant_are_ordered_by_identifier(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let mut expected = Vec::new();
    for number in 1..=20 {
        let mut post = post(number);
        post.summary.created_at = moment(0);
        store.put(&post).await;
        expected.push(post.summary.id);
    }
    expected.sort_unstable_by(|a, b| b.cmp(a));
    for tag in [None, Some(&tag("web"))] {
        assert_eq!(store.ids_of(&owner("ann"), tag).await, expected);
    }
}

/// An owner's list can be filtered by a tag, and follows changes of tags.
pub async fn an_owners_list_is_filtered_by_tag(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let mut model = Model::default();
    let mut posts = [
        post(1),
        hidden(2, Visibility::Draft),
        hidden(3, Visibility::Unlisted),
        owned(post(4), Some("bob")),
        owned(post(5), None),
    ];
    for post in &posts {
        store.put(post).await;
        model.put(post);
    }
    for tags in [&["web", "new"] as &[&str], &[], &["new"], &["rust", "web"]] {
        for post in &mut posts {
            *post = retagged(post, tags);
            store.change(post).await;
            model.put(post);
            for name in ["rust", "web", "new"] {
                let list = request_of(&owner("ann"), 1, 2, Some(&tag(name)));
                model.list_is_shown(&store, &list).await;
                let public = list.with_list(List::PublicOf(owner("ann")));
                model.list_is_shown(&store, &public).await;
            }
        }
    }
}

/// An owner's list has no post of another owner or without one. Owners are compared byte by byte.
pub async fn an_owners_list_has_no_posts_of_others(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let longest = "a".repeat(100);
    let owners = [
        "ann", "Ann", "an", "anna", "an_", "an%", "a*", "'ann'", "\"ann\"", "ann,bob", "key:ann",
        "1", &longest,
    ];
    store.put(&owned(post(0), None)).await;
    let mut expected = Vec::new();
    for (number, name) in (1..).zip(owners) {
        let first = owned(post(number), Some(name));
        let second = owned(hidden(100 + number, Visibility::Draft), Some(name));
        store.put(&first).await;
        store.put(&second).await;
        expected.push([second.summary, first.summary]);
    }
    for (name, expected) in owners.into_iter().zip(expected) {
        let listed = store.whole(&request_of(&owner(name), 1, 50, None)).await;
        assert_eq!(listed, expected, "the posts of {name}");
    }
    assert!(store.ids_of(&owner("nobody"), None).await.is_empty());
}

/// An owner's list and its total show each change and deletion at once, whatever the visibility.
pub async fn an_owners_list_shows_posts_as_they_are_now(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let ann = owner("ann");
    for number in 1..=3 {
        store.put(&hidden(number, Visibility::Draft)).await;
    }
    let (first, last) = (hidden(1, Visibility::Draft), hidden(3, Visibility::Draft));
    let mut now = hidden(2, Visibility::Draft);
    for step in 0..5 {
        now = match step {
            0 => rewritten(&now, "Rewritten"),
            1 => with_visibility(&now, Visibility::Public, moment(3_600_000_000)),
            2 => revised(&now),
            3 => with_visibility(&now, Visibility::Unlisted, moment(0)),
            _ => retagged(&now, &["rust", "new"]),
        };
        store.change(&now).await;
        for tag in [None, Some(&tag("rust"))] {
            let listed = store.whole(&request_of(&ann, 1, 50, tag)).await;
            let expected = [&last, &now, &first].map(|post| post.summary.clone());
            assert_eq!(listed, expected, "the list of {tag:?} after step {step}");
        }
    }
    for (post, left) in [(&now, 2), (&last, 1), (&first, 0)] {
        store.remove(post).await;
        for tag in [None, Some(&tag("rust"))] {
            let page = store.page(&request_of(&ann, 1, 50, tag)).await;
            assert_eq!((page.posts.len() as u64, page.total), (left, left));
        }
    }
}
