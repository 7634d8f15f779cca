//! What a host's metrics and traces get to know.

use std::sync::Mutex;

use handbill::store::{CacheStats, Health, StoreError, StoreStats, WriteStats};
use handbill_sql::SqliteStore;
use tracing::field::{Field, Visit};
use tracing::instrument::WithSubscriber;
use tracing::span::{Attributes, Id, Record};
use tracing::{Level, Metadata, Subscriber};

use super::*;

async fn get(handbill: &Handbill, path: &str) -> Response<Bytes> {
    let request = Request::get(path).header("accept", "text/html");
    send(handbill, request.body(Full::default()).unwrap()).await
}

async fn submit(handbill: &Handbill, path: &str, form: &'static str) -> Response<Bytes> {
    let request = Request::post(path)
        .header("accept", "text/html")
        .header("content-type", "application/x-www-form-urlencoded");
    send(handbill, request.body(Full::from(form)).unwrap()).await
}

#[tokio::test]
async fn changes_are_counted_once_however_they_are_made() {
    let handbill = handbill();
    let posts = handbill.posts();
    let id = posts.create(Draft::new().body("x")).await.unwrap().id;
    let change = Draft::new().body("y");
    posts.update(id, change.clone()).await.unwrap();
    posts.update(id, change).await.unwrap();
    posts.update(id, Draft::new().body("")).await.unwrap_err();
    assert_eq!(submit(&handbill, "/write", "body=z").await.status(), 303);
    posts.delete(id).await.unwrap();
    posts.delete(id).await.unwrap_err();
    let key = handbill.keys().issue(None, None).await.unwrap();
    handbill.keys().revoke(key.record.id).await.unwrap();

    let clone = handbill.clone().with_cors(false);
    let changes = clone.stats().await.changes;
    assert_eq!((changes.posts_created, changes.posts_updated), (2, 1));
    assert_eq!(changes.posts_deleted, 1);
    assert_eq!((changes.keys_issued, changes.keys_revoked), (1, 1));
}

#[tokio::test]
async fn each_response_that_tells_of_a_problem_names_its_code() {
    let handbill = handbill();
    let id = handbill.posts().create(Draft::new().body("x")).await;
    let edit = format!("/e/{}", id.unwrap().edit.token.expose());
    for (response, code) in [
        (get(&handbill, "/nowhere").await, Some(Code::NotFound)),
        (get(&handbill, "/api/nowhere").await, Some(Code::NotFound)),
        (get(&handbill, "/p/bcdfghjklm").await, Some(Code::NotFound)),
        (
            get(&handbill, "/api/posts?page=0").await,
            Some(Code::InvalidParameter),
        ),
        (
            submit(&handbill, "/api/posts", "").await,
            Some(Code::UnsupportedMediaType),
        ),
        (
            submit(&handbill, "/write", "body=").await,
            Some(Code::InvalidPost),
        ),
        (
            submit(&handbill, &edit, "body=&title=").await,
            Some(Code::InvalidPost),
        ),
        (
            submit(&handbill, &edit, "action=delete").await,
            Some(Code::InvalidPost),
        ),
        (
            submit(&handbill, &edit, "action=delete&confirm=yes&revision=0").await,
            Some(Code::PreconditionFailed),
        ),
        (
            submit(&handbill, "/write", "body=x&api_key=y").await,
            Some(Code::InvalidApiKey),
        ),
        (get(&handbill, "/").await, None),
        (submit(&handbill, "/write", "body=x").await, None),
    ] {
        assert_eq!(response.extensions().get(), code.as_ref(), "{response:?}");
    }
    let refused = handbill.too_many_requests(Duration::from_secs(1));
    assert_eq!(refused.extensions().get(), Some(&Code::TooManyRequests));
}

#[tokio::test]
async fn the_cache_counts_what_it_saves() {
    let handbill = handbill();
    let id = handbill.posts().create(Draft::new().body("x")).await;
    let path = format!("/api/posts/{}", id.unwrap().id);
    assert_eq!(handbill.stats().await.responses, CacheStats::default());
    for _ in 0..3 {
        assert_eq!(get(&handbill, &path).await.status(), 200);
    }
    let cache = handbill.stats().await.responses;
    assert_eq!((cache.hits, cache.misses, cache.entries), (2, 1, 1));
    assert!((1..10_000).contains(&cache.bytes), "{cache:?}");
}

#[tokio::test]
async fn a_store_counts_its_batches_also_behind_others() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("posts.db")).await;
    let store: Arc<dyn Store> = Arc::new(Decorated(Wrapper(store.unwrap())));
    let handbill = Handbill::new(BASE, Box::new(store)).unwrap();
    for _ in 0..3 {
        handbill
            .posts()
            .create(Draft::new().body("x"))
            .await
            .unwrap();
    }
    let StoreStats { writes, .. } = handbill.stats().await.store;
    let WriteStats {
        waiting,
        writes,
        batches,
        time,
    } = writes.unwrap();
    assert_eq!((waiting, writes, batches), (0, 3, 3));
    assert!(time > Duration::ZERO);
}

/// A store that forwards everything.
struct Wrapper<S>(S);

impl<S: Store> handbill::store::Decorator for Wrapper<S> {
    fn inner(&self) -> &dyn Store {
        &self.0
    }
}

/// A store that cannot be reached.
struct Down(MemoryStore);

#[async_trait::async_trait]
impl handbill::store::Decorator for Down {
    fn inner(&self) -> &dyn Store {
        &self.0
    }

    async fn health(&self) -> Result<Health, StoreError> {
        Err(StoreError::new("reach it", "it is away"))
    }
}

#[tokio::test]
async fn a_store_that_does_not_respond_leaves_the_other_figures() {
    let handbill = Handbill::new(BASE, Decorated(Down(MemoryStore::new()))).unwrap();
    handbill
        .posts()
        .create(Draft::new().body("x"))
        .await
        .unwrap();
    let stats = handbill.stats().await;
    assert_eq!(stats.health, None);
    assert_eq!(stats.changes.posts_created, 1);
    let up = self::handbill().stats().await;
    assert_eq!(up.health, Some(Health::default()));
}

#[tokio::test]
async fn what_waits_for_durable_listeners_is_among_the_figures() {
    let handbill = handbill()
        .with_durable_listener("index", |_| async { Err("not today".into()) })
        .unwrap();
    handbill
        .posts()
        .create(Draft::new().body("x"))
        .await
        .unwrap();
    handbill.flush().await.unwrap();
    let listeners = handbill.stats().await.listeners;
    assert_eq!((&*listeners[0].name, listeners[0].waiting), ("index", 1));
}

/// The spans of a subscriber of the host: each with its fields, and the number of its parent.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<SpanList>>);

#[derive(Default)]
struct SpanList {
    all: Vec<String>,
    entered: Vec<usize>,
}

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("handbill") && *metadata.level() <= Level::DEBUG
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut spans = self.0.lock().unwrap();
        let mut text = match spans.entered.last() {
            Some(&parent) => {
                let parent = spans.all[parent - 1].clone();
                format!("{} > ", parent.split(' ').next().unwrap_or_default())
            }
            None => String::new(),
        };
        text += span.metadata().name();
        span.record(&mut Fields(&mut text));
        spans.all.push(text);
        Id::from_u64(spans.all.len() as u64)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &tracing::Event<'_>) {}

    fn enter(&self, span: &Id) {
        let span = span.into_u64() as usize;
        self.0.lock().unwrap().entered.push(span);
    }

    fn exit(&self, _: &Id) {
        self.0.lock().unwrap().entered.pop();
    }
}

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        *self.0 += &format!(" {field}={value:?}");
    }
}

#[tokio::test]
async fn a_subscriber_of_the_host_sees_what_a_request_waits_for_and_no_secret() {
    let handbill = handbill();
    let key = handbill.keys().issue(None, None).await.unwrap().key;
    let body = Bytes::from(format!(r#"{{"body":"{}"}}"#, "long ".repeat(5000)));
    let spans = Spans::default();
    let create = async || {
        let request = Request::post("/api/posts?token=s3cret")
            .header("x-api-key", key.expose())
            .header("content-type", "application/json");
        let response = send(&handbill, request.body(Full::from(body.clone())).unwrap());
        let response = response.with_subscriber(spans.clone()).await;
        assert_eq!(response.status(), 201);
    };
    // If other tests meet a span for the first time while the first subscriber is made, only the second one has it.
    create().await;
    spans.0.lock().unwrap().all.clear();
    create().await;

    let spans = spans.0.lock().unwrap().all.clone();
    let expected = [
        "request method=POST route=\"/api/posts\"",
        "request > store operation=\"find_key\"",
        "request > body",
        "request > queue",
        "request > work",
        "request > store operation=\"insert_post\"",
    ];
    for span in expected {
        assert!(spans.iter().any(|seen| seen == span), "{span}: {spans:#?}");
    }
    let all = spans.join("\n");
    assert!(
        !all.contains("s3cret") && !all.contains(key.expose()),
        "{all}"
    );
}
