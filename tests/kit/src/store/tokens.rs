//! Checks of edit tokens.

use handbill::Store;
use handbill::store::{Entry, Freshness, Post};
use std::sync::Arc;

use super::subject::Subject;
use crate::samples::{post, rewritten, token, with_token};

/// A post is found by its token, also after a change.
pub async fn an_edit_token_finds_its_post(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let posts = [post(1), post(2)];
    for post in &posts {
        store.put(post).await;
    }
    for post in posts {
        let finds = |post: &Post| Some(Entry::Live(post.clone().into()));
        for age in [Freshness::Bounded, Freshness::Current] {
            let found = store.by_token_at(post.edit_token, age).await;
            assert_eq!(found, finds(&post), "{age:?}");
        }
        let changed = rewritten(&post, "Changed");
        store.change(&changed).await;
        assert_eq!(store.by_token(post.edit_token).await, finds(&changed));
    }
}

/// After a post gets another token, the earlier one finds nothing.
pub async fn a_replaced_edit_token_finds_nothing(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    for post in [post(1), post(2)] {
        store.put(&post).await;
        let mut now = post.clone();
        let mut earlier = vec![post.edit_token];
        for round in 0..3 {
            assert!(store.by_token(now.edit_token).await.is_some());
            now = with_token(&now, token(&format!("{} {round}", post.summary.id)));
            store.change(&now).await;
            for token in &earlier {
                assert_eq!(store.by_token(*token).await, None, "a replaced token");
            }
            earlier.push(now.edit_token);
        }
    }
}

/// The current token of a post finds it, whatever tokens it had before, and earlier tokens may
/// return.
pub async fn a_replacing_edit_token_finds_its_post(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    for post in [post(1), post(2)] {
        store.put(&post).await;
        let second = with_token(&post, token(post.summary.id.as_str()));
        store.change(&second).await;
        let found = store.by_token(second.edit_token).await;
        assert_eq!(found, Some(Entry::Live(second.clone().into())));

        let third = with_token(&second, post.edit_token);
        store.change(&third).await;
        let found = store.by_token(post.edit_token).await;
        assert_eq!(found, Some(Entry::Live(third.into())));
        assert_eq!(store.by_token(second.edit_token).await, None);
    }
}

/// The tombstone is found by the post's last token and by no earlier one.
pub async fn a_deleted_post_is_found_by_its_last_edit_token(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    for post in [post(1), post(2)] {
        store.put(&post).await;
        store.remove(&post).await;
        let found = store.by_token(post.edit_token).await;
        assert_eq!(found, Some(Entry::Gone(post.into_tombstone())));
    }
    for first in [post(3), post(4)] {
        store.put(&first).await;
        let last = with_token(&first, token(&format!("last of {}", first.summary.id)));
        store.change(&last).await;
        store.remove(&last).await;
        let found = store.by_token(last.edit_token).await;
        assert_eq!(found, Some(Entry::Gone(last.into_tombstone())));
        assert_eq!(store.by_token(first.edit_token).await, None);
    }
}
