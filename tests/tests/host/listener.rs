//! Events, as the host's listener receives them.

use handbill::store::{Decorated, Entry};
use handbill::{Code, Draft, Event, Handbill, MemoryStore, PageRequest};
use handbill_sql::SqliteStore;
use handbill_tests::calls::Calls;
use http::Request;
use http_body_util::Full;
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc};

use crate::gated::Gated;
use crate::{BASE, handbill, send};

/// A listener that forwards its events.
pub(crate) fn heard(handbill: Handbill) -> (Handbill, mpsc::UnboundedReceiver<Event>) {
    let (tell, heard) = mpsc::unbounded_channel();
    let handbill = handbill.with_listener(move |event| {
        let tell = tell.clone();
        async move { tell.send(event).unwrap() }
    });
    (handbill, heard)
}

#[tokio::test]
async fn the_listener_receives_each_change_and_nothing_else() {
    let (handbill, mut heard) = heard(handbill());
    let key = handbill.keys().issue(Some("ci"), None).await.unwrap();
    let create = |name: &str| {
        Request::post("/api/posts")
            .header("x-api-key", key.key.expose())
            .header("idempotency-key", name)
            .header("content-type", "application/json")
            .body(Full::from(r#"{"body": "x"}"#))
            .unwrap()
    };
    let responses = [
        send(&handbill, create("a")).await,
        send(&handbill, create("a")).await,
    ];
    let [first, repeated]: [Value; 2] =
        responses.map(|response| serde_json::from_slice(response.body()).unwrap());
    assert_eq!(first, repeated);
    let posts = handbill.posts();
    let page = posts.list(PageRequest::new(1, 20).unwrap()).await.unwrap();
    let id = page.posts[0].summary.id;
    posts.update(id, Draft::new().body("x")).await.unwrap();
    posts.update(id, Draft::new().body("y")).await.unwrap();
    posts.replace_edit_token(id).await.unwrap();
    posts.delete(id).await.unwrap();
    assert!(posts.delete(id).await.is_err());
    handbill.keys().revoke(key.record.id).await.unwrap();

    let mut events = Vec::new();
    for _ in 0..5 {
        events.push(heard.recv().await.unwrap());
    }
    let names: Vec<_> = events.iter().map(Event::name).collect();
    assert_eq!(
        names,
        [
            "key.issued",
            "post.created",
            "post.updated",
            "post.deleted",
            "key.revoked"
        ]
    );
    let printed = format!("{events:?}");
    for secret in [&first["edit_token"], &first["edit_url"]] {
        assert!(!printed.contains(secret.as_str().unwrap()), "{printed}");
    }
    assert!(!printed.contains(key.key.expose()), "{printed}");
    // A sixth event, if there were one, would have come before this one.
    handbill.keys().issue(None, None).await.unwrap();
    assert_eq!(heard.recv().await.unwrap().name(), "key.issued");
}

#[tokio::test]
async fn an_event_is_sent_when_its_change_is_durable() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("posts.db");
    let store = SqliteStore::open(&file).await.unwrap();
    let (handbill, mut heard) = heard(Handbill::new(BASE, store).unwrap());
    let created = handbill.posts().create(Draft::new().body("x")).await;
    assert_eq!(heard.recv().await.unwrap().name(), "post.created");

    let another = SqliteStore::open(&file).await.unwrap();
    let entry = another.read_post(created.unwrap().id).await.unwrap();
    assert!(matches!(entry, Some(Entry::Live(_))));
}

#[tokio::test]
async fn events_of_a_post_arrive_in_the_order_of_its_changes() {
    static GATE: Semaphore = Semaphore::const_new(0);
    let inner = MemoryStore::new();
    let store = Decorated(Gated { inner, gate: &GATE });
    let (handbill, mut heard) = heard(Handbill::new(BASE, store).unwrap());
    let id = handbill.posts().create(Draft::new().body("0")).await;
    let id = id.unwrap().id;

    let update = |title: &'static str| {
        let handbill = handbill.clone();
        tokio::spawn(async move { handbill.posts().update(id, Draft::new().title(title)).await })
    };
    // The first change is made, but its response is late, so the second one could overtake it.
    let mut updates = Vec::new();
    for title in ["first", "second"] {
        updates.push(update(title));
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }
    GATE.add_permits(1);
    for updating in updates {
        updating.await.unwrap().unwrap();
    }

    assert_eq!(heard.recv().await.unwrap().name(), "post.created");
    for title in ["first", "second"] {
        let Some(Event::PostUpdated(post)) = heard.recv().await else {
            panic!("not the next update");
        };
        assert_eq!(post.title.as_deref(), Some(title));
    }
}

#[tokio::test]
async fn a_request_that_ends_early_still_has_its_event() {
    let (handbill, mut heard) = heard(handbill());
    let posts = handbill.posts();
    tokio::select! {
        biased;
        _ = posts.create(Draft::new().body("x")) => panic!("it returned at once"),
        () = std::future::ready(()) => {}
    }
    assert_eq!(heard.recv().await.unwrap().name(), "post.created");
    let listed = posts.list(PageRequest::new(1, 20).unwrap()).await.unwrap();
    assert_eq!(listed.total, 1);
}

#[tokio::test]
async fn a_listener_that_never_ends_or_panics_does_no_harm() {
    let slow = handbill().with_listener(|_| std::future::pending());
    for _ in 0..3 {
        slow.posts().create(Draft::new().body("x")).await.unwrap();
    }

    let (tell, mut heard) = mpsc::unbounded_channel();
    let first = std::sync::atomic::AtomicBool::new(true);
    let panicking = handbill().with_listener(move |event| {
        let is_first = first.swap(false, std::sync::atomic::Ordering::Relaxed);
        assert!(!is_first, "panics before it returns a future");
        let tell = tell.clone();
        async move {
            assert!(
                event.name() != "post.created",
                "a fault of the host's own code"
            );
            tell.send(event).unwrap();
        }
    });
    let posts = panicking.posts();
    posts.create(Draft::new().body("x")).await.unwrap();
    let id = posts.create(Draft::new().body("x")).await.unwrap().id;
    posts.delete(id).await.unwrap();
    let event = heard.recv().await.unwrap();
    assert!(matches!(event, Event::PostDeleted { id: deleted, .. } if deleted == id));
}

#[test]
fn events_are_sent_on_any_runtime() {
    let (handbill, mut heard) = heard(handbill());
    for _ in 0..2 {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.unwrap().block_on(async {
            let created = handbill.posts().create(Draft::new().body("x")).await;
            created.unwrap();
            assert_eq!(heard.recv().await.unwrap().name(), "post.created");
        });
    }
    drop(handbill);
    assert_eq!(
        heard.blocking_recv(),
        None,
        "the listener goes with its service"
    );
}

#[tokio::test(start_paused = true)]
async fn events_that_wait_for_the_listener_have_a_limit() {
    static GATE: Semaphore = Semaphore::const_new(0);
    const WAITING: usize = 8192;
    let waiting = handbill().with_listener(|_| async {
        GATE.acquire().await.unwrap().forget();
    });
    let posts = waiting.posts();
    let id = posts.create(Draft::new().body("x")).await.unwrap().id;
    // The listener has the first event, so there is room for all of these.
    tokio::task::yield_now().await;
    for number in 0..WAITING {
        let change = Draft::new().title(format!("{number}"));
        posts.update(id, change).await.unwrap();
    }
    let refused = posts.update(id, Draft::new().title("refused")).await;
    assert_eq!(refused.unwrap_err().code(), Code::StoreUnavailable);
    let title = posts.read(id).await.unwrap().summary.title;
    assert_eq!(title.as_deref(), Some("8191"), "the change was not made");

    GATE.add_permits(1);
    posts.update(id, Draft::new().title("next")).await.unwrap();
}
