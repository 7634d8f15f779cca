//! The settings of a host, and the methods that it can call without a request.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod authors;
mod changes;
mod decorated;
mod durable;
mod erasing;
mod forms;
mod gated;
mod indexing;
mod json;
mod listener;
mod login;
mod metrics;
mod moderation;
mod once;
mod pages;
mod review;
mod schedule;
mod selection;
mod signed_in;
mod visiting;

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gated::Gated;
use handbill::store::{Decorated, Entry, InstallationSecret, Outcome, Post};
use handbill::{
    ClientAddr, Code, CreatedPost, Draft, Handbill, KeyRequests, Limits, MemoryStore, Owner,
    PageRequest, PostId, Problem, Rate, RateLimits, RoutePattern, Store, Timestamp, TrustedProxies,
    Visibility,
};
use handbill_tests::calls::Calls;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tower::ServiceExt;

const BASE: &str = "https://example.org/blog";

fn handbill() -> Handbill {
    let handbill = Handbill::new(BASE, MemoryStore::new()).unwrap();
    handbill.with_rate_limits(RateLimits::off())
}

async fn send(handbill: &Handbill, request: Request<Full<Bytes>>) -> Response<Bytes> {
    let response = handbill.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    Response::from_parts(parts, body.collect().await.unwrap().to_bytes())
}

async fn get(handbill: &Handbill, path: &str) -> Value {
    let request = Request::get(path).body(Full::default()).unwrap();
    serde_json::from_slice(send(handbill, request).await.body()).unwrap()
}

fn key_request() -> http::request::Builder {
    Request::post("/api/keys")
}

async fn status_of(handbill: &Handbill, request: http::request::Builder) -> StatusCode {
    let request = request.body(Full::default()).unwrap();
    send(handbill, request).await.status()
}

fn from(address: &str) -> ClientAddr {
    ClientAddr(address.parse::<IpAddr>().unwrap())
}

#[tokio::test]
async fn responses_have_the_pattern_of_their_route_for_the_log() {
    let handbill = handbill();
    for (path, pattern) in [("/api/posts", Some("/api/posts")), ("/nowhere", None)] {
        let request = Request::get(path).body(Full::default()).unwrap();
        let response = send(&handbill, request).await;
        let found = response.extensions().get::<RoutePattern>();
        assert_eq!(found, pattern.map(RoutePattern).as_ref());
    }
}

/// The pages' links and redirects begin with the path of the base URL. With `https://h//x.example`, they
/// would lead to another site.
#[test]
fn a_base_url_is_refused_with_a_reason_if_links_below_it_could_lead_elsewhere() {
    for (wrong, reason) in [
        ("https://h//x.example", "two slashes"),
        ("https://h/.//x.example", "two slashes"),
        ("https://h/\\x.example", "backslashes"),
        ("https://h/\t/x.example", "control characters"),
        ("https://user:secret@h", "password"),
        ("https://h/?a", "query"),
        ("https://h/#a", "fragment"),
        ("ftp://h", "http or https"),
        ("h", "relative"),
    ] {
        let refused = Handbill::new(wrong, MemoryStore::new()).unwrap_err();
        let refused = refused.to_string();
        assert!(refused.contains(reason), "{wrong}: {refused}");
        assert!(!refused.contains("secret"), "{refused}");
    }
}

#[tokio::test]
async fn a_clone_without_cors_returns_no_cached_response_with_cors() {
    let open = handbill();
    let post = open.posts().create(Draft::new().body("A post.")).await;
    let path = format!("/api/posts/{}", post.unwrap().id);
    let closed = open.clone().with_cors(false);
    for (handbill, is_open) in [(&open, true), (&closed, false), (&open, true)] {
        let request = Request::get(&path).body(Full::default()).unwrap();
        let response = send(handbill, request).await;
        let allowed = response.headers().get("access-control-allow-origin");
        assert_eq!(allowed.is_some(), is_open);
    }
}

#[tokio::test]
async fn a_creation_whose_identifier_is_taken_gets_another_one() {
    // With the same secret, API key and idempotency key, two services derive the same identifier.
    let (store, other_store) = (MemoryStore::new(), MemoryStore::new());
    for store in [&store, &other_store] {
        let secret = InstallationSecret::from_bytes([1; 32]);
        let stored = store.get_or_insert_installation_secret(secret).await;
        assert!(stored.is_ok());
    }
    let [handbill, other] = [&store, &other_store].map(|store| Handbill::new(BASE, store.clone()));
    let (handbill, other) = (handbill.unwrap(), other.unwrap());
    let issued = handbill.keys().issue(None, None).await.unwrap();
    let put = other_store.insert_key(issued.record).await;
    assert_eq!(put.unwrap(), Outcome::Applied);
    let create = async |handbill: &Handbill| -> Value {
        let request = Request::post("/api/posts")
            .header("x-api-key", issued.key.expose())
            .header("idempotency-key", "once")
            .header("content-type", "application/json");
        let request = request.body(Full::from(r#"{"title":"Mine","body":"All of it."}"#));
        serde_json::from_slice(send(handbill, request.unwrap()).await.body()).unwrap()
    };
    let taken = create(&other).await["id"].clone();
    let id = taken.as_str().unwrap().parse::<PostId>().unwrap();
    let Some(Entry::Live(post)) = other_store.read_post(id).await.unwrap() else {
        panic!("it was created");
    };
    let mut somebody_else_s = Post::clone(&post);
    somebody_else_s.creation = None;
    let put = store.insert_post(somebody_else_s).await;
    assert_eq!(put.unwrap(), Outcome::Applied);

    let created = create(&handbill).await;
    assert_ne!(created["id"], taken);
    assert_eq!(create(&handbill).await, created);
    let id = created["id"].as_str().unwrap().parse::<PostId>().unwrap();
    let read = handbill.posts().read(id).await.unwrap();
    assert_eq!(read.summary.title.as_deref(), Some("Mine"));
    assert_eq!(read.html, "<p>All of it.</p>\n");
}

#[tokio::test]
async fn the_installation_secret_is_read_once_and_again_only_after_a_failure() {
    static GATE: Semaphore = Semaphore::const_new(0);
    let inner = MemoryStore::new();
    let handbill = Handbill::new(BASE, Decorated(Gated { inner, gate: &GATE })).unwrap();
    let key = handbill.keys().issue(None, None).await.unwrap().key;
    let create = async |name: &str| {
        let request = Request::post("/api/posts")
            .header("x-api-key", key.expose())
            .header("idempotency-key", name)
            .header("content-type", "application/json");
        let request = request.body(Full::from(r#"{"body":"x"}"#)).unwrap();
        send(&handbill, request).await.status()
    };
    assert_eq!(create("a").await, StatusCode::SERVICE_UNAVAILABLE);
    GATE.add_permits(1);
    for name in ["a", "b", "a"] {
        assert_eq!(create(name).await, StatusCode::CREATED);
    }
    assert_eq!(GATE.available_permits(), 0);
}

#[tokio::test]
async fn the_host_decides_who_gets_a_key_from_the_request_itself() {
    #[derive(Clone)]
    struct LoggedInAs(&'static str);

    let handbill = handbill().with_key_requests(KeyRequests::decided_by(|request| async move {
        tokio::task::yield_now().await;
        assert_eq!(request.uri.path(), "/api/keys");
        let user = request.extensions.get::<LoggedInAs>();
        user.is_some_and(|LoggedInAs(name)| *name == "editor")
    }));
    let editor = key_request().extension(LoggedInAs("editor"));
    assert_eq!(status_of(&handbill, editor).await, 201);
    let reader = key_request().extension(LoggedInAs("reader"));
    assert_eq!(status_of(&handbill, reader).await, 403);
    assert_eq!(status_of(&handbill, key_request()).await, 403);
    assert_eq!(handbill.keys().list().await.unwrap().len(), 1);
}

#[tokio::test]
async fn the_rate_of_key_requests_limits_the_hosts_decisions() {
    let key_requests = Arc::new(Semaphore::new(0));
    let limits = {
        let mut limits = RateLimits::off();
        limits.key_requests = Some(twice_a_day());
        limits
    };
    let count = Arc::clone(&key_requests);
    let handbill = handbill()
        .with_rate_limits(limits.clone())
        .with_key_requests(KeyRequests::decided_by(move |_| {
            count.add_permits(1);
            async { false }
        }));
    for expected in [403, 403, 429, 429] {
        assert_eq!(status_of(&handbill, key_request()).await, expected);
    }
    assert_eq!(key_requests.available_permits(), 2);
}

fn twice_a_day() -> Rate {
    Rate::new(NonZeroU32::new(2).unwrap(), Duration::from_secs(86_400))
}

#[tokio::test]
async fn rates_count_the_client_that_a_trusted_proxy_names() {
    let mut limits = RateLimits::off();
    limits.key_requests = Some(twice_a_day());
    let handbill = handbill()
        .with_rate_limits(limits.clone())
        .with_trusted_proxies(TrustedProxies::new(["10.0.0.0/8"]).unwrap());
    let forwarded = |peer: &str, client: &str| {
        let request = key_request().header("x-forwarded-for", client);
        request.extension(from(peer))
    };
    for expected in [201, 201, 429] {
        let request = forwarded("10.0.0.1", "192.0.2.1");
        assert_eq!(status_of(&handbill, request).await, expected);
    }
    let other = forwarded("10.0.0.1", "198.51.100.9, 192.0.2.2");
    assert_eq!(status_of(&handbill, other).await, 201);
    for (lie, expected) in [("192.0.2.3", 201), ("192.0.2.4", 201), ("192.0.2.5", 429)] {
        let request = forwarded("203.0.113.1", lie);
        assert_eq!(status_of(&handbill, request).await, expected);
    }
}

#[tokio::test]
async fn clients_read_the_hosts_own_posts() {
    let handbill = handbill();
    let posts = handbill.posts();
    let draft = Draft::new().title(" Hello ").body("Some *Markdown*.");
    let created = posts
        .create(draft.tags(["Rust", "#web"]).focus_keyword("hello"))
        .await
        .unwrap();
    assert_eq!(created.url, format!("{BASE}/p/{}", created.id.as_str()));
    assert_eq!(
        created.edit.url.expose(),
        format!("{BASE}/e/{}", created.edit.token.expose())
    );

    let path = format!("/api/posts/{}", created.id.as_str());
    let over_http = get(&handbill, &path).await;
    let in_process = posts.read(created.id).await.unwrap();
    assert_eq!(serde_json::to_value(&in_process).unwrap(), over_http);
    assert_eq!(over_http["tags"], json!(["rust", "web"]));

    let updated = posts.update(created.id, Draft::new().tags([""; 0])).await;
    assert_eq!(updated.unwrap().summary.tags, []);
    let listed = posts.list(PageRequest::new(1, 20).unwrap()).await.unwrap();
    assert_eq!((listed.posts.len(), listed.total), (1, 1));
    assert_eq!(get(&handbill, &path).await["title"], "Hello", "unchanged");

    let replaced = posts.replace_edit_token(created.id).await.unwrap();
    assert_ne!(replaced.token.expose(), created.edit.token.expose());
    let delete = |token: &str| Request::delete(&path).header("x-edit-token", token);
    let old = delete(created.edit.token.expose());
    assert_eq!(status_of(&handbill, old).await, 403);
    let new = delete(replaced.token.expose());
    assert_eq!(status_of(&handbill, new).await, 204);
    let gone = posts.delete(created.id).await.unwrap_err();
    assert_eq!(gone.code(), Code::Gone);
}

#[tokio::test]
async fn the_hosts_own_posts_have_the_same_limits() {
    let mut limits = Limits::default();
    limits.title = 3;
    let handbill = handbill().with_limits(limits);
    let refused = handbill.posts().create(Draft::new().title("four")).await;
    let problem = refused.unwrap_err();
    assert_eq!(problem.code(), Code::InvalidPost);
    let mut fields: Vec<_> = problem
        .errors()
        .iter()
        .map(|error| error.field.as_str())
        .collect();
    fields.sort_unstable();
    assert_eq!(fields, ["body", "title"]);
}

#[tokio::test]
async fn no_value_that_the_host_gets_prints_a_secret() {
    let handbill = handbill();
    let created = handbill.posts().create(Draft::new().body("x")).await;
    let created = created.unwrap();
    let printed = format!("{created:?}");
    assert!(!printed.contains(created.edit.token.expose()), "{printed}");
}
