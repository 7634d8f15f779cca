//! `SqliteStore::cached`: when changes by this process and by others become visible.

use std::path::Path;

use handbill::{Cached, Entry, Outcome, PageRequest, Post, PostList, Store, Tag};
use handbill_sql::SqliteStore;
use handbill_tests::calls::Calls;

use super::{first_page, folder, host, id, ids, insert, key, open, post, revised};

async fn cached(path: &Path) -> Cached<SqliteStore> {
    open(path).await.cached()
}

async fn update(store: &impl Store, before: &Post, after: &Post) {
    let updated = store.update_post(before.summary.revision, after.clone());
    assert_eq!(updated.await.unwrap(), Outcome::Applied);
}

async fn get(store: &impl Store, post: &Post) -> Option<Entry> {
    store.read_post(post.summary.id).await.unwrap()
}

fn live(post: &Post) -> Option<Entry> {
    Some(Entry::Live(post.clone().into()))
}

#[tokio::test]
async fn another_processs_changes_are_seen_soon() {
    let folder = folder();
    let path = folder.path().join("posts.db");
    // Two stores on one file are like two processes.
    let (one, other) = (cached(&path).await, cached(&path).await);
    let mut latest = post(1);
    assert_eq!(
        one.insert_post(latest.clone()).await.unwrap(),
        Outcome::Applied
    );
    for round in 0..6 {
        let (writer, reader) = match round % 2 {
            0 => (&one, &other),
            _ => (&other, &one),
        };
        let tag = format!("round {round}");
        let next = revised(&latest, &[&tag]);
        assert!(ids(reader, Some(&tag)).await.is_empty());
        update(writer, &latest, &next).await;
        // These reads may come from the cache, or the loop would not wait for anything.
        while get(reader, &latest).await != live(&next) {}
        while ids(reader, Some(&tag)).await.is_empty() {}
        latest = next;
    }
    let deleted = one.delete_post(latest.summary.id, latest.summary.revision);
    assert_eq!(deleted.await.unwrap(), Outcome::Applied);
    let gone = Some(Entry::Gone(latest.clone().into_tombstone()));
    while get(&other, &latest).await != gone {}
    while !ids(&other, None).await.is_empty() {}
}

#[tokio::test]
async fn own_changes_are_seen_at_once_also_while_others_write() {
    let folder = folder();
    let path = folder.path().join("posts.db");
    let (store, other) = (cached(&path).await, open(&path).await);
    for number in 0..50 {
        let first = post(number);
        let inserted = store.insert_post(first.clone()).await;
        assert_eq!(inserted.unwrap(), Outcome::Applied);
        assert_eq!(ids(&store, None).await, [first.summary.id]);
        assert_eq!(get(&store, &first).await, live(&first));
        insert(&other, &[without_lists(post(1000 + number))]).await;

        let second = revised(&first, &["changed"]);
        update(&store, &first, &second).await;
        assert_eq!(ids(&store, Some("changed")).await, [first.summary.id]);
        assert_eq!(get(&store, &first).await, live(&second));

        let deleted = store.delete_post(id(number), second.summary.revision);
        assert_eq!(deleted.await.unwrap(), Outcome::Applied);
        let gone = Some(Entry::Gone(second.into_tombstone()));
        assert_eq!(get(&store, &first).await, gone);
        assert!(ids(&store, Some("changed")).await.is_empty());
        let there = other.read_post(id(1000 + number)).await.unwrap();
        let Some(Entry::Live(there)) = there else {
            panic!("{there:?}");
        };
        let deleted = other.delete_post(id(1000 + number), there.summary.revision);
        assert_eq!(deleted.await.unwrap(), Outcome::Applied);
        while !ids(&store, None).await.is_empty() {}
    }
}

fn without_lists(mut post: Post) -> Post {
    post.summary.tags = Vec::new();
    post
}

fn is_same(one: &PostList, other: &PostList) -> bool {
    std::sync::Arc::ptr_eq(&one.posts, &other.posts)
}

#[tokio::test]
async fn pages_without_bodies_are_cached_and_others_are_not() {
    let folder = folder();
    let store = cached(&folder.path().join("posts.db")).await;
    for number in 0..3 {
        let inserted = store.insert_post(post(number)).await;
        assert_eq!(inserted.unwrap(), Outcome::Applied);
    }
    let list = async |request: &PageRequest| store.list_posts(request.clone()).await.unwrap();
    let tagged = first_page().with_tag(Some(Tag::from_stored("rust")));
    for request in [first_page(), tagged] {
        // Reads may be further apart than the bound, and the first one comes before the first
        // check.
        let mut before = list(&request).await;
        loop {
            let after = list(&request).await;
            if is_same(&before, &after) {
                break;
            }
            before = after;
        }
    }
    let long = PageRequest::new(1, 1000).unwrap();
    for request in [first_page().with_bodies(true), long] {
        let (first, second) = (list(&request).await, list(&request).await);
        assert_eq!(first, second);
        assert!(!is_same(&first, &second), "{request:?}");
    }
}

/// Anyone can make the service read the current state of a post, by sending a wrong edit token.
#[tokio::test]
async fn reading_the_current_state_of_posts_leaves_pages_cached() {
    let folder = folder();
    let store = cached(&folder.path().join("posts.db")).await;
    let inserted = store.insert_post(post(1)).await;
    assert_eq!(inserted.unwrap(), Outcome::Applied);
    let list = async || store.list_posts(first_page()).await.unwrap();
    let current = async |number| store.current_post(id(number)).await.unwrap();
    // The first check of the file has none before it to compare with.
    for _ in 0..3 {
        list().await;
        assert!(current(1).await.is_some());
    }
    let before = list().await;
    for unused_or_used in [2, 1, 1] {
        assert_eq!(current(unused_or_used).await.is_some(), unused_or_used == 1);
        assert!(is_same(&before, &list().await));
    }
}

#[tokio::test]
async fn tags_are_those_of_the_latest_own_change_and_soon_those_of_others() {
    let folder = folder();
    let path = folder.path().join("posts.db");
    let (store, other) = (cached(&path).await, open(&path).await);
    let tags = async || {
        let tags = store.list_tags(10).await.unwrap();
        let named = tags
            .iter()
            .map(|counted| (counted.tag.to_string(), counted.posts));
        named.collect::<Vec<_>>()
    };
    assert_eq!(tags().await, []);
    let inserted = store.insert_post(post(1)).await;
    assert_eq!(inserted.unwrap(), Outcome::Applied);
    assert_eq!(tags().await, [("rust".to_owned(), 1)]);
    update(&store, &post(1), &revised(&post(1), &["web"])).await;
    assert_eq!(tags().await, [("web".to_owned(), 1)]);
    insert(&other, &[post(2)]).await;
    while tags().await != [("rust".to_owned(), 1), ("web".to_owned(), 1)] {}
}

#[tokio::test]
async fn keys_tokens_and_current_posts_are_never_cached() {
    let folder = folder();
    let path = folder.path().join("posts.db");
    let store = cached(&path).await;
    let first = post(1);
    let inserted = store.insert_post(first.clone()).await;
    assert_eq!(inserted.unwrap(), Outcome::Applied);
    assert_eq!(store.insert_key(key(1)).await.unwrap(), Outcome::Applied);
    assert!(store.find_key(key(1).secret).await.unwrap().is_some());
    assert_eq!(get(&store, &first).await, live(&first));

    let mut host = host(&path).await;
    sqlx::raw_sql("DELETE FROM handbill_keys; UPDATE handbill_posts SET title = 'By hand'")
        .execute(&mut host)
        .await
        .unwrap();
    assert_eq!(store.find_key(key(1).secret).await.unwrap(), None);
    assert!(store.walk_keys(None, 10).await.unwrap().is_empty());
    let current = store.current_post(first.summary.id).await.unwrap();
    let found = store.post_by_token(first.edit_token).await;
    for entry in [current, found.unwrap()] {
        let Some(Entry::Live(post)) = entry else {
            panic!("{entry:?}");
        };
        assert_eq!(post.summary.title.as_deref(), Some("By hand"));
    }
}

#[tokio::test]
async fn a_closed_store_is_an_error_and_stays_closed() {
    let folder = folder();
    let path = folder.path().join("posts.db");
    let store = cached(&path).await;
    let inserted = store.insert_post(post(1)).await;
    assert_eq!(inserted.unwrap(), Outcome::Applied);
    store.read_post(id(1)).await.unwrap();
    store.store().close().await;
    // Cache entries may be returned until the bound has passed.
    while store.read_post(id(1)).await.is_ok() {}
    assert!(store.list_posts(first_page()).await.is_err());
    assert!(store.insert_post(post(2)).await.is_err());
}
