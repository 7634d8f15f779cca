//! Checks of what is due.

use std::sync::Arc;

use handbill::store::{Due, Post};
use handbill::{Store, Visibility};

use super::subject::Subject;
use crate::samples::{hidden, moment, post, revised, tombstone};

/// A draft that is due at these times, to be published and to be deleted.
fn due(number: u32, publish_at: Option<i64>, expires_at: Option<i64>) -> Post {
    let mut post = hidden(number, Visibility::Draft);
    post.summary.publish_at = publish_at.map(moment);
    post.summary.expires_at = expires_at.map(moment);
    post
}

fn listed(post: &Post, micros: i64) -> Due {
    let (at, id) = (moment(micros), post.summary.id);
    Due { at, id }
}

/// What is due is listed by the earlier of both times, whatever the visibility. Of one time, the lesser identifier
/// comes first.
pub async fn due_posts_are_listed_earliest_first(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    assert_eq!(store.due(10).await, []);
    let mut public = post(1);
    public.summary.expires_at = Some(moment(3_000_001));
    let both = due(2, Some(9_000_000), Some(3_000_000));
    let other = due(3, Some(3_000_000), Some(9_000_000));
    let last = due(4, Some(i64::from(u32::MAX) * 1_000_000), None);
    let first = due(5, Some(-1), None);
    for post in [&public, &both, &last, &post(6), &other, &first] {
        store.put(post).await;
    }
    let _ = store.insert_tombstone(&tombstone(7)).await;
    let mut equal = [listed(&both, 3_000_000), listed(&other, 3_000_000)];
    equal.sort_by_key(|due| due.id);
    let expected = [
        listed(&first, -1),
        equal[0],
        equal[1],
        listed(&public, 3_000_001),
        listed(&last, i64::from(u32::MAX) * 1_000_000),
    ];
    for limit in 1..=6 {
        let up_to = expected.len().min(limit);
        assert_eq!(store.due(limit as u32).await, expected[..up_to]);
    }
}

/// A post is due as it is now: an update moves it or ends that, and a deleted post is not due.
pub async fn a_post_is_due_as_it_is_now(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let [moved, ended, deleted, new] = [1, 2, 3, 4].map(|number| due(number, Some(5), None));
    for post in [&moved, &ended, &deleted] {
        store.put(post).await;
    }
    store.put(&post(5)).await;
    let mut later = revised(&moved);
    later.summary.publish_at = Some(moment(7));
    store.change(&later).await;
    let mut published = revised(&ended);
    published.summary.publish_at = None;
    store.change(&published).await;
    store.remove(&deleted).await;
    store.put(&new).await;
    let mut expiring = revised(&post(5));
    expiring.summary.expires_at = Some(moment(6));
    store.change(&expiring).await;
    let expected = [listed(&new, 5), listed(&expiring, 6), listed(&later, 7)];
    assert_eq!(store.due(10).await, expected);
    store.has(&later).await;
    store.has(&published).await;
    store.has(&expiring).await;
}
