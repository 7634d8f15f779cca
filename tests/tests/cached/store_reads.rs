//! Which requests read from the store.

use handbill::store::Outcome;
use handbill::{Draft, Visibility};
use handbill_tests::calls::Calls;
use http::Request;
use tokio::time::advance;

use crate::slow::Slow;
use crate::{
    BOUND, Instance, call_read, changed_elsewhere, get, id, insert, path, post, read, send,
    with_a_post,
};

#[tokio::test]
async fn a_cached_post_is_not_read_again() {
    let (slow, instance, first) = with_a_post(BOUND).await;
    for _ in 0..3 {
        assert_eq!(read(&instance), first.body);
    }
    assert_eq!(slow.0.reads(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_unchanged_post_that_is_read_again_is_not_made_again() {
    let (slow, instance, _) = with_a_post(BOUND).await;
    let before = get(&instance.handbill, &path(1)).await;
    advance(BOUND).await;
    let after = get(&instance.handbill, &path(1)).await;
    assert_eq!(slow.0.reads(), 2);
    assert_eq!(before.body().as_ptr(), after.body().as_ptr());
    get(&instance.handbill, &path(1)).await;
    assert_eq!(slow.0.reads(), 2, "it holds for another bound");
}

#[tokio::test]
async fn a_post_is_found_as_soon_as_another_instance_has_created_it() {
    let slow = Slow::default();
    let instance = Instance::new(&slow, BOUND);
    assert_eq!(read(&instance), "404");
    insert(&slow, &post(1)).await;
    assert_eq!(read(&instance), post(1).body);
}

/// A read that began before the post existed does not decide for later reads.
#[tokio::test]
async fn absence_is_not_shared() {
    let slow = Slow::default();
    let instance = Instance::new(&slow, BOUND);
    let (mut early, mut late) = (call_read(&instance), call_read(&instance));
    early.stop();
    early.stop();
    insert(&slow, &post(1)).await;
    late.stop();
    assert_eq!(early.step().as_deref(), Some("404"));
    late.stop();
    late.stop();
    assert_eq!(late.step(), Some(post(1).body));
}

/// New posts are not notified.
#[tokio::test]
async fn lists_are_read_from_the_store_each_time() {
    let (slow, instance, _) = with_a_post(BOUND).await;
    for number in 2..4 {
        insert(&slow, &post(number)).await;
        for list in [
            "/",
            "/api/posts",
            "/api/posts?include=body",
            "/feed.atom",
            "/feed.json",
        ] {
            let response = get(&instance.handbill, list).await;
            let text = String::from_utf8_lossy(response.body());
            assert!(text.contains(id(number).as_str()), "{list}: {text}");
        }
    }
}

#[tokio::test]
async fn credentials_are_read_from_the_store_each_time() {
    let (slow, instance, first) = with_a_post(BOUND).await;
    let handbill = &instance.handbill;
    let issued = handbill.keys().issue(None, None).await.unwrap();
    let status = async |path: &str, header, secret: &str| {
        let request = Request::get(path).header(header, secret);
        send(handbill, request).await.status().as_u16()
    };
    let own_list =
        async || status("/api/keys/current/posts", "x-api-key", issued.key.expose()).await;
    assert_eq!(own_list().await, 200);
    let revoked = slow.0.inner.revoke_key(issued.record.id).await;
    assert_eq!(revoked.unwrap(), Outcome::Applied);
    assert_eq!(own_list().await, 401);

    let hide = Draft::new().visibility(Visibility::Draft);
    handbill.posts().update(id(1), hide).await.unwrap();
    let edit = handbill.posts().replace_edit_token(id(1)).await.unwrap();
    let by_token = async || status(&path(1), "x-edit-token", edit.token.expose()).await;
    assert_eq!(by_token().await, 200);
    let found = slow.0.inner.current_post(id(1)).await.unwrap();
    let Some(handbill::store::Entry::Live(mut now)) = found else {
        panic!("{found:?}");
    };
    std::sync::Arc::make_mut(&mut now).edit_token = first.edit_token;
    changed_elsewhere(&slow, &now).await;
    assert_eq!(by_token().await, 404);
}

/// What is cached is returned sooner than what is not. A draft must not differ in this from an identifier that
/// was never used.
#[tokio::test]
async fn drafts_are_read_from_the_store_each_time() {
    let slow = Slow::default();
    let instance = Instance::new(&slow, BOUND);
    let mut draft = post(1);
    draft.summary.visibility = Visibility::Draft;
    insert(&slow, &draft).await;
    for _ in 0..3 {
        assert_eq!(read(&instance), "404");
    }
    let entries = async || instance.handbill.stats().await.responses.entries;
    assert_eq!((slow.0.reads(), entries().await), (3, 0));
    // Its author reads it.
    let edit = instance.handbill.posts().replace_edit_token(id(1)).await;
    let edit = edit.unwrap();
    for _ in 0..3 {
        let request = Request::get(path(1)).header("x-edit-token", edit.token.expose());
        assert_eq!(send(&instance.handbill, request).await.status(), 200);
        assert_eq!(read(&instance), "404");
    }
    assert_eq!((slow.0.reads(), entries().await), (9, 0));
    instance.handbill.posts().delete(id(1)).await.unwrap();
    for _ in 0..3 {
        assert_eq!(read(&instance), "404");
    }
    assert_eq!((slow.0.reads(), entries().await), (12, 0));
}

#[tokio::test]
async fn concurrent_reads_share_one_query() {
    let (slow, instance, first) = with_a_post(BOUND).await;
    let mut concurrent: Vec<_> = (0..5).map(|_| call_read(&instance)).collect();
    for reading in &mut concurrent {
        reading.stop();
    }
    concurrent[0].stop();
    for reading in &mut concurrent {
        assert_eq!(reading.step(), Some(first.body.clone()));
    }
    assert_eq!(slow.0.reads(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_read_waits_for_another_one_for_at_most_50_milliseconds() {
    const LONGEST: std::time::Duration = std::time::Duration::from_millis(50);
    let (slow, instance, first) = with_a_post(BOUND).await;
    let mut early = call_read(&instance);
    early.stop();
    let began = tokio::time::Instant::now();
    let late = get(&instance.handbill, &path(1)).await;
    assert_eq!(crate::shown(&late), first.body);
    assert!(began.elapsed() <= LONGEST + std::time::Duration::from_millis(1));
    assert_eq!(slow.0.reads(), 2);
    early.stop();
    assert_eq!(early.step(), Some(first.body));
}

#[tokio::test(start_paused = true)]
async fn a_query_as_old_as_the_bound_is_not_shared() {
    let (slow, instance, first) = with_a_post(BOUND).await;
    let mut early = call_read(&instance);
    early.stop();
    early.stop();
    let second = changed_elsewhere(&slow, &first).await;
    advance(BOUND).await;
    assert_eq!(read(&instance), second.body);
    assert_eq!(
        early.step().as_ref(),
        Some(&second.body),
        "it finds what the later read has cached"
    );
    assert_eq!(read(&instance), second.body);
    assert_eq!(slow.0.reads(), 2);
}

#[tokio::test]
async fn readers_that_wait_for_a_cancelled_or_failed_read_retry_concurrently() {
    for fails in [true, false] {
        let (slow, instance, first) = with_a_post(BOUND).await;
        let mut concurrent: Vec<_> = (0..5).map(|_| call_read(&instance)).collect();
        for reading in &mut concurrent {
            reading.stop();
        }
        let mut querying = concurrent.remove(0);
        if fails {
            slow.0.fail(true);
            querying.stop();
            assert_eq!(querying.step().as_deref(), Some("503"));
            slow.0.fail(false);
        }
        drop(querying);
        for reading in &mut concurrent {
            reading.stop();
        }
        assert_eq!(slow.0.reads(), 5);
        for reading in &mut concurrent {
            reading.stop();
            assert_eq!(reading.step(), Some(first.body.clone()));
        }
    }
}
