//! The host's review.

use std::future::pending;
use std::sync::Mutex;

use futures_util::TryStreamExt;
use handbill::host::{Submission, Verdict};
use handbill::{Actor, FieldError, PostSelection};
use http::header::LOCATION;

use super::signed_in::{get_as, header, post_as, text};
use super::*;

/// Decides by what the body says.
async fn by_body(submission: Submission) -> Verdict {
    match submission.body.as_str() {
        body if body.contains("spam") => {
            Verdict::Refuse(vec![FieldError::refused("body", "No spam here, please.")])
        }
        body if body.contains("wait") => Verdict::Hold,
        body if body.contains("panic") => panic!("a fault of the host"),
        body if body.contains("never") => pending().await,
        _ => Verdict::Accept,
    }
}

fn reviewed() -> Handbill {
    handbill().with_review(by_body)
}

async fn create(handbill: &Handbill, body: &str) -> Result<PostId, Code> {
    let created = handbill.posts().create(Draft::new().body(body)).await;
    created
        .map(|post| post.id)
        .map_err(|problem| problem.code())
}

#[tokio::test]
async fn a_review_sees_who_writes_what_instead_of_what() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sees = Arc::clone(&seen);
    let handbill = handbill().with_review(move |submission| {
        let before = submission.before.and_then(|post| post.title);
        let now = (
            submission.by,
            before,
            submission.post.title,
            submission.body,
        );
        sees.lock().unwrap().push(now);
        async { Verdict::Accept }
    });
    let draft = Draft::new().title("One").body("text");
    let id = handbill.posts().create(draft).await.unwrap().id;
    let job = Actor::Job("cleanup".to_owned());
    let change = Draft::new().title("Two");
    handbill
        .by(job.clone())
        .posts()
        .update(id, change)
        .await
        .unwrap();
    handbill.posts().delete(id).await.unwrap();
    let text = |text: &str| Some(text.to_owned());
    let expected = [
        (Actor::Host, None, text("One"), "text".to_owned()),
        (job, text("One"), text("Two"), "text".to_owned()),
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test]
async fn what_is_refused_is_not_written_and_says_why_in_the_hosts_words() {
    let handbill = reviewed();
    let id = create(&handbill, "fine").await.unwrap();
    let key = handbill.keys().issue(None, None).await.unwrap().key;
    let body = || Full::from(r#"{"body": "spam"}"#);
    let json = |request: http::request::Builder| request.header("content-type", "application/json");
    let post = json(Request::post("/api/posts").header("x-api-key", key.expose()));
    let response = send(&handbill, post.body(body()).unwrap()).await;
    assert_eq!(response.status(), 422);
    let problem: Value = serde_json::from_slice(response.body()).unwrap();
    assert_eq!(problem["code"], "refused");
    let errors = json!([{"field": "body", "code": "refused", "detail": "No spam here, please."}]);
    assert_eq!(problem["errors"], errors);

    // What was accepted before the rule can still be hidden.
    let hosts = handbill
        .clone()
        .with_review(|_| async { Verdict::Refuse(Vec::new()) });
    let unlisted = hosts.posts().unlist_all(&PostSelection::all()).await;
    assert_eq!(unlisted.unwrap(), 1);
    let public = Draft::new().visibility(Visibility::Public);
    let refused = hosts.posts().update(id, public.clone()).await;
    assert_eq!(refused.unwrap_err().code(), Code::Refused);
    handbill.posts().update(id, public).await.unwrap();

    let change = handbill.posts().update(id, Draft::new().body("spam")).await;
    assert_eq!(change.unwrap_err().code(), Code::Refused);
    assert_eq!(handbill.posts().read(id).await.unwrap().body, "fine");
    assert_eq!(get(&handbill, "/api/posts").await["total"], 1);

    // On a page, the words are beside the field, and nothing that was typed is lost.
    let form = Request::post("/write").header("content-type", "application/x-www-form-urlencoded");
    let form = form
        .header("accept-language", "fr")
        .body(Full::from("title=Kept&body=spam"));
    let response = send(&handbill, form.unwrap()).await;
    assert_eq!(response.status(), 422);
    let page = str::from_utf8(response.body()).unwrap();
    for expected in ["No spam here, please.", "Kept"] {
        assert!(page.contains(expected), "{page}");
    }
}

#[tokio::test]
async fn what_is_held_is_a_draft_and_a_held_change_hides_the_post() {
    let handbill = reviewed();
    let id = create(&handbill, "wait").await.unwrap();
    let held = handbill.posts().summary(id).await.unwrap();
    assert_eq!(
        (held.visibility, held.published_at),
        (Visibility::Draft, None)
    );
    let public = Draft::new().body("fine").visibility(Visibility::Public);
    let published = handbill.posts().update(id, public).await.unwrap().summary;
    assert_eq!(published.visibility, Visibility::Public);
    handbill
        .posts()
        .update(id, Draft::new().body("wait"))
        .await
        .unwrap();
    let held = handbill.posts().summary(id).await.unwrap();
    assert_eq!(held.visibility, Visibility::Draft);
    assert_eq!(held.published_at, published.published_at);
}

#[tokio::test]
async fn the_writer_of_a_held_post_is_told_until_it_is_published_and_the_host_finds_it() {
    let handbill = reviewed();
    let alice = Some("alice");
    let publish = "body=wait&visibility=unlisted&as=publish";
    let is_told = async |address: &str| {
        let page = get_as(&handbill, address, alice).await;
        text(&page).contains("id=\"held\"")
    };
    for (form, is_held) in [
        ("body=wait", true),
        (publish, true),
        ("body=wait&publish_at=2030-01-01T00:00", true),
        ("body=wait&as=draft", false),
        ("body=fine&publish_at=2030-01-01T00:00", false),
    ] {
        let sent = post_as(&handbill, "/write", alice, form).await;
        let address = header(&sent, LOCATION).strip_prefix("/blog").unwrap();
        assert_eq!(is_told(address).await, is_held, "{form}");

        let (edit, _) = address.split_once('?').unwrap();
        let saved = post_as(&handbill, edit, alice, publish).await;
        let address = header(&saved, LOCATION).strip_prefix("/blog").unwrap();
        assert!(is_told(address).await, "{form}");

        let id = edit.split('/').nth(2).unwrap().parse().unwrap();
        let drafts = PostSelection::of_ids([id]).drafts();
        let held = async || {
            let held = handbill
                .posts()
                .visit(&drafts)
                .try_collect::<Vec<_>>()
                .await;
            held.unwrap().len()
        };
        assert_eq!(held().await, 1, "{form}");
        let public = Draft::new().body("fine").visibility(Visibility::Public);
        handbill.posts().update(id, public).await.unwrap();
        assert_eq!(held().await, 0, "{form}");
        assert!(!is_told(address).await, "{form}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_review_that_panics_or_never_decides_writes_nothing() {
    let handbill = reviewed();
    for body in ["panic", "never"] {
        assert_eq!(create(&handbill, body).await, Err(Code::StoreUnavailable));
    }
    assert_eq!(get(&handbill, "/api/posts").await["total"], 0);
}

#[tokio::test]
async fn a_retry_of_a_creation_returns_it_whatever_the_review_says_now() {
    let rejects = Arc::new(Mutex::new(false));
    let decides = Arc::clone(&rejects);
    let handbill = handbill().with_review(move |_| {
        let rejects = *decides.lock().unwrap();
        async move {
            match rejects {
                true => Verdict::Refuse(Vec::new()),
                false => Verdict::Accept,
            }
        }
    });
    let posts = handbill.posts();
    let create = |key| posts.create_once(key, Draft::new().body("x"));
    let first = create("one").await.unwrap();
    *rejects.lock().unwrap() = true;
    assert_eq!(create("one").await.unwrap().id, first.id);
    assert_eq!(create("two").await.unwrap_err().code(), Code::Refused);
}

#[tokio::test]
async fn a_key_that_is_revoked_during_the_review_writes_nothing() {
    let hosts = handbill();
    let issued = hosts.keys().issue(None, None).await.unwrap();
    let (keys, id) = (hosts.clone(), issued.record.id);
    let reviewed = hosts.clone().with_review(move |_| {
        let keys = keys.clone();
        async move {
            keys.keys().revoke(id).await.unwrap();
            Verdict::Accept
        }
    });
    let request = Request::post("/api/posts")
        .header("x-api-key", issued.key.expose())
        .header("content-type", "application/json")
        .body(Full::from(r#"{"body": "x"}"#));
    assert_eq!(send(&reviewed, request.unwrap()).await.status(), 401);
    assert_eq!(get(&hosts, "/api/posts").await["total"], 0);
}
