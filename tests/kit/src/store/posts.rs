//! Checks of single posts.

use handbill::store::{Entry, Outcome, Post, TextField};
use handbill::{PostId, PostSummary, Revision, Store, Tag, Timestamp, Visibility};
use std::sync::Arc;

use super::subject::Subject;
use crate::samples::{dated, hidden, moment, post, retagged, rewritten, tag, token, with_token};

/// A stored post is read back with every field unchanged.
pub async fn a_post_is_read_back_unchanged(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let full = post(1);
    let mut bare = post(2);
    bare.summary = PostSummary::new(bare.summary.id, bare.summary.created_at);
    bare.created_by = None;
    bare.creation = None;
    let mut in_this_order = post(3);
    in_this_order.summary.tags = ["z", "a", "m"].map(tag).to_vec();
    in_this_order.summary.revision = Revision::from_number(1_000_000_000_000);
    let mut draft = hidden(4, Visibility::Draft);
    draft.summary.publish_at = Some(moment(i64::from(u32::MAX)));
    draft.summary.expires_at = Some(moment(1));
    let mut unlisted = post(5);
    unlisted.summary.visibility = Visibility::Unlisted;
    for post in [&full, &bare, &in_this_order, &draft, &unlisted] {
        store.put(post).await;
        store.has(post).await;
    }
    store.has(&full).await;
}

/// Text is stored byte for byte, whatever its length and its meaning to a database.
pub async fn hostile_text_is_read_back_byte_for_byte(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let controls: String = (1..32).chain(127..160).filter_map(char::from_u32).collect();
    let texts = [
        "'; DROP TABLE posts; --".to_owned(),
        "\"quoted\" 'single' `back` \\ \\' \\\" $1 ?1 :name @name % _ {} [] \\u0041".to_owned(),
        "null".to_owned(),
        "[\"a\",\"b\"]".to_owned(),
        "0012.50e3".to_owned(),
        " \t\r\n untrimmed \r\n ".to_owned(),
        "👩‍👩‍👧‍👦 🏳️‍🌈 e\u{301} é \u{202e}turned\u{202c} \u{feff}\u{fffd}\u{10ffff}".to_owned(),
        format!("a{}", "\u{301}".repeat(1000)),
        controls,
        "𝄞".repeat(100_000),
    ];
    for (number, text) in (1..).zip(&texts) {
        let mut first = post(number);
        fill(&mut first, text);
        store.put(&first).await;
        store.has(&first).await;

        let mut second = rewritten(&post(100 + number), "rewritten");
        second.summary.revision = Revision::from_number(1);
        store.put(&second).await;
        let mut changed = rewritten(&second, "again");
        fill(&mut changed, text);
        store.change(&changed).await;
        store.has(&changed).await;

        let listed = store.list(Some(&Tag::from_stored(text.as_str())), 50).await;
        assert_eq!(
            listed,
            [changed.summary, first.summary],
            "the list of a tag"
        );
    }
}

fn fill(post: &mut Post, text: &str) {
    post.body = text.to_owned();
    post.summary.heading = Some(text.to_owned());
    post.summary.excerpt = text.to_owned();
    post.summary.picture = Some(text.to_owned());
    post.summary.tags = vec![Tag::from_stored(text), tag("other")];
    set_texts(post, Some(text));
}

fn set_texts(post: &mut Post, text: Option<&str>) {
    for &field in TextField::ALL {
        let summary = post.summary.clone();
        post.summary = summary.with_text(field, text.map(str::to_owned));
    }
}

/// Times are stored in whole microseconds, from the earliest to the latest.
pub async fn times_are_read_back_to_the_microsecond(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let times = [
        Timestamp::from_micros(0),
        Timestamp::from_micros(1),
        moment(123_457),
        Timestamp::from_micros(i64::MAX),
    ];
    for (number, time) in (1..).zip(times) {
        let post = dated(number, time);
        store.put(&post).await;
        store.has(&post).await;
        let newest = store.list(None, 50).await;
        assert_eq!(newest.first(), Some(&post.summary), "the newest post");
    }
    let mut later = post(100);
    later.summary.created_at = times[0];
    later.summary.published_at = Some(times[1]);
    later.summary.updated_at = times[2];
    store.put(&later).await;
    store.has(&later).await;
}

/// An unused identifier or token finds nothing, without an error.
pub async fn an_unused_identifier_finds_nothing(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let (unused, used) = (post(1000), [post(1), post(2)]);
    assert_eq!(store.post(unused.summary.id).await, None);
    assert_eq!(store.by_token(unused.edit_token).await, None);
    for post in &used {
        store.put(post).await;
    }
    store.remove(&used[0]).await;
    assert_eq!(store.post(unused.summary.id).await, None);
    assert_eq!(store.by_token(unused.edit_token).await, None);
}

/// A second post with the same identifier conflicts, and the first one is unchanged.
pub async fn a_taken_identifier_conflicts(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    for first in [post(1), post(2)] {
        store.put(&first).await;
        let mut second = post(10);
        second.summary.id = first.summary.id;
        second.summary.tags = vec![tag("second")];
        assert_eq!(store.insert(&second).await, Outcome::Conflict);
        assert_eq!(store.insert(&first).await, Outcome::Conflict);

        store.has(&first).await;
        let by_token = store.by_token(first.edit_token).await;
        assert_eq!(by_token, Some(Entry::Live(first.clone().into())));
        assert_eq!(store.by_token(second.edit_token).await, None);
        assert!(store.ids(Some(&tag("second"))).await.is_empty());
    }
    assert_eq!(store.list(None, 50).await.len(), 2);
}

/// The identifier of a deleted post is never reused.
pub async fn an_identifier_stays_taken_after_deletion(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    for first in [post(1), post(2)] {
        store.put(&first).await;
        store.remove(&first).await;
        let mut second = post(10);
        second.summary.id = first.summary.id;
        assert_eq!(store.insert(&first).await, Outcome::Conflict);
        assert_eq!(store.insert(&second).await, Outcome::Conflict);
        let found = store.post(first.summary.id).await;
        assert_eq!(found, Some(Entry::Gone(first.into_tombstone())));
    }
    assert!(store.ids(None).await.is_empty());
}

/// An update replaces every field.
pub async fn an_update_replaces_the_post(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    for first in [post(1), post(2)] {
        store.put(&first).await;
        let rewritten = rewritten(&first, "Rewritten");
        store.change(&rewritten).await;
        store.has(&rewritten).await;
        let retagged = retagged(&rewritten, &["web", "new"]);
        store.change(&retagged).await;
        store.has(&retagged).await;
        let mut bare = with_token(&retagged, token("other"));
        set_texts(&mut bare, None);
        bare.summary.tags = Vec::new();
        store.change(&bare).await;
        store.has(&bare).await;
        store.remove(&bare).await;
    }
}

/// An update that expects another revision changes nothing.
pub async fn an_update_of_another_revision_conflicts_and_changes_nothing(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    for first in [post(1), post(2)] {
        store.put(&first).await;
        let now = rewritten(&first, "Now");
        store.change(&now).await;

        let mut late = rewritten(&with_token(&now, token("late")), "Late");
        late.summary.tags = vec![tag("late")];
        for other in [0, 1, 3, 4] {
            let write = store.update(Revision::from_number(other), &late).await;
            assert_eq!(write, Outcome::Conflict, "revision 2 is there, not {other}");
        }
        store.has(&now).await;
        assert_eq!(store.by_token(late.edit_token).await, None);
        assert!(store.ids(Some(&tag("late"))).await.is_empty());
        let by_token = store.by_token(now.edit_token).await;
        assert_eq!(by_token, Some(Entry::Live(now.into())));
    }
}

/// An update of an unused identifier or a deleted post changes nothing.
pub async fn an_update_of_a_missing_post_conflicts(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let first = post(1);
    let next = rewritten(&first, "Next");
    assert_eq!(
        store.update(first.summary.revision, &next).await,
        Outcome::Conflict
    );
    assert_eq!(store.post(first.summary.id).await, None);

    store.put(&first).await;
    store.remove(&first).await;
    assert_eq!(
        store.update(first.summary.revision, &next).await,
        Outcome::Conflict
    );
    assert_eq!(
        store.post(first.summary.id).await,
        Some(Entry::Gone(first.into_tombstone()))
    );
    assert!(store.ids(None).await.is_empty());
}

/// A deletion that expects another revision changes nothing.
pub async fn a_deletion_of_another_revision_conflicts_and_changes_nothing(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let first = post(1);
    store.put(&first).await;
    let now = rewritten(&first, "Now");
    store.change(&now).await;
    for other in [0, 1, 3] {
        let write = store
            .delete(now.summary.id, Revision::from_number(other))
            .await;
        assert_eq!(write, Outcome::Conflict, "revision 2 is there, not {other}");
    }
    store.has(&now).await;
    assert_eq!(store.ids(None).await, [now.summary.id]);
}

/// A deletion of an unused identifier or a deleted post changes nothing.
pub async fn a_deletion_of_a_missing_post_conflicts(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let first = post(1);
    let (id, revision) = (first.summary.id, first.summary.revision);
    assert_eq!(store.delete(id, revision).await, Outcome::Conflict);
    assert_eq!(store.post(id).await, None);
    store.put(&first).await;
    store.remove(&first).await;
    assert_eq!(store.delete(id, revision).await, Outcome::Conflict);
    let next = Revision::from_number(revision.number() + 1);
    assert_eq!(store.delete(id, next).await, Outcome::Conflict);
}

/// A deleted post leaves a tombstone at its identifier, with its owner and visibility, and other posts are
/// unchanged.
pub async fn a_deleted_post_leaves_a_tombstone(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    let stays = post(10);
    store.put(&stays).await;
    let mut of_nobody = post(4);
    of_nobody.summary.owner = None;
    let draft = hidden(5, Visibility::Draft);
    let mut unlisted = post(6);
    unlisted.summary.visibility = Visibility::Unlisted;
    let without_creation = post(3).with_creation(None);
    for first in [
        post(1),
        post(2),
        without_creation,
        of_nobody,
        draft,
        unlisted,
    ] {
        store.put(&first).await;
        let last = with_token(&first, token(first.summary.id.as_str()));
        store.change(&last).await;
        store.remove(&last).await;
        let id: PostId = last.summary.id;
        let gone = Entry::Gone(last.into_tombstone());
        assert_eq!(store.post(id).await, Some(gone));
    }
    store.has(&stays).await;
}

/// `get_current_post` is never behind `get_post`.
pub async fn the_current_post_is_never_stale(store: Arc<dyn Store>) {
    let store = Subject::new(store);
    for first in [post(1), post(2)] {
        let id: PostId = first.summary.id;
        assert_eq!(store.current(id).await, None, "an unused identifier");
        store.put(&first).await;
        assert_eq!(
            store.current(id).await,
            Some(Entry::Live(first.clone().into()))
        );
        let last = with_token(&first, token(id.as_str()));
        store.change(&last).await;
        assert_eq!(
            store.current(id).await,
            Some(Entry::Live(last.clone().into()))
        );
        store.remove(&last).await;
        let gone = Entry::Gone(last.into_tombstone());
        assert_eq!(store.current(id).await, Some(gone));
    }
}
