//! What one client does must not delay others: who waits for whom, and what is made twice. Work is counted, never time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::available_parallelism;

use async_trait::async_trait;
use handbill::store::{Decorated, Decorator, StoreError};
use handbill::{List, MemoryStore, PageRequest, PageSize, PostList, Store};
use handbill_testing::http::{App, Call, Created};
use handbill_tests::bare;
use serde_json::json;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio::task::{self, JoinHandle, JoinSet};

/// A runtime that does one piece of blocking work after the other, and goes on with what waited for it in that order.
fn runtime() -> Runtime {
    let mut runtime = Builder::new_current_thread();
    runtime
        .max_blocking_threads(1)
        .global_queue_interval(1)
        .enable_time()
        .build()
        .unwrap()
}

/// Holds up all blocking work until the sender is dropped.
fn close_gate() -> mpsc::Sender<()> {
    let (opener, gate) = mpsc::channel();
    task::spawn_blocking(move || gate.recv());
    opener
}

/// Lets all tasks run until each of them waits for the gate.
pub(crate) async fn everyone_waits() {
    for _ in 0..1000 {
        task::yield_now().await;
    }
}

/// Sends each request in a task of its own. `done` counts the responses, which have this status.
fn send_all(
    status: u16,
    calls: impl IntoIterator<Item = Call>,
    done: &Arc<AtomicUsize>,
) -> Vec<JoinHandle<()>> {
    let tasks = calls.into_iter().map(|call| {
        let done = Arc::clone(done);
        tokio::spawn(async move {
            call.await.expect_status(status);
            done.fetch_add(1, Ordering::Relaxed);
        })
    });
    tasks.collect()
}

fn cores() -> usize {
    available_parallelism().map_or(1, Into::into)
}

/// Posts that are heavy enough to wait in the queue for heavy work, each with a tag.
async fn heavy_posts(app: &App, number: usize) -> Vec<Created> {
    let mut posts = Vec::new();
    for number in 0..number {
        let body = format!("{number} {}", "word ".repeat(15_000));
        let fields = json!({ "body": body, "tags": format!("t{number}") });
        posts.push(app.create(&fields).await);
    }
    posts
}

/// More posts than are rendered at a time. A client may wait for all of them.
async fn many_heavy_posts(app: &App) -> Vec<Created> {
    heavy_posts(app, (cores() + 16).min(64)).await
}

/// While readers of heavy posts wait, the request is responded to before most of them. It is made from
/// the heavy posts and a light one, which is the last.
fn does_not_wait_for_heavy_reads(status: u16, request: impl FnOnce(&App, &[Created]) -> Call) {
    runtime().block_on(async {
        let app = crate::app().await;
        let mut posts = many_heavy_posts(&app).await;
        let heavy: Vec<_> = posts.iter().map(|post| app.get(&post.path())).collect();
        posts.push(app.create_body(&"light ".repeat(1_000)).await);
        let request = request(&app, &posts);
        let gate = close_gate();
        let done = Arc::default();
        let reads = send_all(200, heavy, &done);
        everyone_waits().await;
        let sent = tokio::spawn(async move {
            request.await.expect_status(status);
            done.load(Ordering::Relaxed)
        });
        everyone_waits().await;
        drop(gate);
        let done = sent.await.unwrap();
        assert!(done < posts.len() / 2, "{done} reads were first");
        for read in reads {
            read.await.unwrap();
        }
    });
}

#[test]
fn a_creation_does_not_wait_for_readers_of_heavy_posts() {
    let body = json!({ "body": "x".repeat(5_000) });
    does_not_wait_for_heavy_reads(201, |app, _| app.post(&body));
}

#[test]
fn a_heavy_creation_does_not_wait_for_readers_of_heavy_posts() {
    let body = json!({ "body": "x".repeat(50_000) });
    does_not_wait_for_heavy_reads(201, |app, _| app.post(&body));
}

#[test]
fn an_update_does_not_wait_for_readers_of_heavy_posts() {
    let body = json!({ "body": "x".repeat(50_000) });
    does_not_wait_for_heavy_reads(200, |app, posts| app.put(&posts[0], &body));
}

#[test]
fn saving_on_the_edit_page_does_not_wait_for_readers_of_heavy_posts() {
    let body = "x".repeat(50_000);
    does_not_wait_for_heavy_reads(303, |app, posts| {
        app.submit(&posts[0].edit_page(), &[("body", &*body)])
    });
}

#[test]
fn a_light_read_does_not_wait_for_readers_of_heavy_posts() {
    does_not_wait_for_heavy_reads(200, |app, posts| app.get(&posts.last().unwrap().page()));
}

/// The request is long to parse. Another one has its response before.
fn does_not_delay_others(status: u16, request: impl FnOnce(&App, &Created) -> Call) {
    runtime().block_on(async {
        let app = crate::app().await;
        let post = app.create_body("x").await;
        let request = request(&app, &post);
        let gate = close_gate();
        let sent = tokio::spawn(async move { request.await });
        everyone_waits().await;
        assert!(!sent.is_finished(), "it was parsed on the async worker");
        app.get("/livez").await.expect_status(200);
        drop(gate);
        sent.await.unwrap().expect_status(status);
    });
}

fn long_form(app: &App, page: &str) -> Call {
    let form = "application/x-www-form-urlencoded";
    app.call("POST", page).body(form, "&".repeat(1024 * 1024))
}

#[test]
fn a_long_form_for_a_new_post_does_not_delay_others() {
    does_not_delay_others(400, |app, _| long_form(app, "/write"));
}

#[test]
fn a_long_form_for_a_change_does_not_delay_others() {
    does_not_delay_others(400, |app, post| long_form(app, &post.edit_page()));
}

#[test]
fn a_long_form_for_a_key_does_not_delay_others() {
    does_not_delay_others(400, |app, _| long_form(app, "/keys"));
}

#[test]
fn a_list_of_many_empty_tags_does_not_delay_others() {
    let tags = vec![""; 340_000];
    let new = json!({ "body": "x", "tags": tags });
    does_not_delay_others(201, |app, _| app.post(&new));
    let change = json!({ "tags": tags });
    does_not_delay_others(200, |app, post| app.put(post, &change));
}

#[test]
fn a_long_request_for_a_key_does_not_delay_others() {
    let label = json!({ "label": vec![""; 340_000] });
    does_not_delay_others(422, |app, _| app.call("POST", "/api/keys").json(&label));
}

/// A store that counts the lists with bodies that it was asked for.
#[derive(Clone, Default)]
struct Counting {
    inner: Arc<MemoryStore>,
    lists: Arc<Mutex<usize>>,
}

#[async_trait]
impl Decorator for Counting {
    fn inner(&self) -> &dyn Store {
        &*self.inner
    }

    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        *self.lists.lock().unwrap() += usize::from(page.bodies);
        self.inner.list_posts(page).await
    }
}

#[test]
fn lists_with_bodies_are_made_one_at_a_time_and_not_for_clients_who_left() {
    runtime().block_on(async {
        let store = Counting::default();
        let lists = || *store.lists.lock().unwrap();
        let app = App::over(&bare::mount(), Decorated(store.clone())).await;
        many_heavy_posts(&app).await;
        let gate = close_gate();
        let page = |number| app.get(&format!("/api/posts?include=body&per_page=3&page={number}"));
        let done = Arc::default();
        let mut requests = send_all(200, (1..=5).map(page), &done);
        everyone_waits().await;
        assert_eq!(lists(), 1, "lists that were begun");

        for left in requests.drain(1..4) {
            left.abort();
        }
        drop(gate);
        for request in requests {
            request.await.unwrap();
        }
        assert_eq!(lists(), 2, "lists that were made");
        page(1).await.expect_status(200);
        assert_eq!(lists(), 2, "lists that were made, since one is cached");
    });
}

/// Two clients of one service.
async fn two_clients() -> [App; 2] {
    let app = crate::app().await;
    let mut clients = Vec::new();
    for address in ["192.0.2.1", "192.0.2.2"] {
        let mount = bare::mount_for(address.parse().unwrap());
        clients.push(App::of(&mount, app.service.clone(), &app.key).await);
    }
    clients.try_into().unwrap()
}

/// While one client waits for many responses with this status, each to a request about another post, another client's
/// request waits for few of them.
fn waits_for_few_of_another_client(
    many: usize,
    status: u16,
    request: fn(&App, &Created, usize) -> Call,
) {
    runtime().block_on(async {
        let [greedy, other] = two_clients().await;
        let posts = heavy_posts(&greedy, many + 1).await;
        let gate = close_gate();
        let done = Arc::default();
        let of_greedy = (0..many).map(|number| request(&greedy, &posts[number], number));
        let sent = send_all(status, of_greedy, &done);
        everyone_waits().await;
        let last = request(&other, &posts[many], many);
        let last = tokio::spawn(async move {
            last.await.expect_status(status);
            done.load(Ordering::Relaxed)
        });
        everyone_waits().await;
        drop(gate);
        let done = last.await.unwrap();
        assert!(done <= 1 + cores().div_ceil(2), "{done} were first");
        for sent in sent {
            sent.await.unwrap();
        }
    });
}

#[test]
fn a_feed_does_not_wait_for_all_feeds_of_another_client() {
    waits_for_few_of_another_client(20, 200, |app, _, number| {
        app.get(&format!("/feed.atom?tag=t{number}"))
    });
}

#[test]
fn a_list_with_bodies_does_not_wait_for_all_lists_of_another_client() {
    waits_for_few_of_another_client(20, 200, |app, _, number| {
        app.get(&format!("/api/posts?include=body&tag=t{number}"))
    });
}

#[test]
fn a_heavy_page_does_not_wait_for_all_heavy_pages_of_another_client() {
    waits_for_few_of_another_client(64, 200, |app, post, _| app.get(&post.page()));
}

#[test]
fn an_edit_page_does_not_wait_for_all_edit_pages_of_another_client() {
    waits_for_few_of_another_client(64, 200, |app, post, _| app.get(&post.edit_page()));
}

#[test]
fn a_heavy_creation_does_not_wait_for_all_creations_of_another_client() {
    waits_for_few_of_another_client(64, 201, |app, _, _| {
        app.post(&json!({ "body": "x".repeat(50_000) }))
    });
}

/// A form that was opened before the post became what it is. It is short, so that only the conflict waits.
fn conflict(app: &App, post: &Created) -> Call {
    let fields = [
        ("revision", "7"),
        ("lines", "0123456789ab"),
        ("body", "typed"),
    ];
    app.submit(&post.edit_page(), &fields)
}

#[test]
fn a_conflict_does_not_wait_for_all_conflicts_of_another_client() {
    waits_for_few_of_another_client(4, 412, |app, post, _| conflict(app, post));
}

#[test]
fn a_client_has_four_conflicts_that_wait() {
    runtime().block_on(async {
        let [greedy, other] = two_clients().await;
        let post = &heavy_posts(&greedy, 1).await[0];
        let gate = close_gate();
        let of_greedy = (0..4).map(|_| conflict(&greedy, post));
        let mut sent = send_all(412, of_greedy, &Arc::default());
        everyone_waits().await;
        let refused = conflict(&greedy, post).header("accept", "text/html").await;
        refused.expect_status(429).expect_text("typed</textarea>");
        assert_eq!(refused.header("retry-after"), Some("1"));
        sent.extend(send_all(412, [conflict(&other, post)], &Arc::default()));
        everyone_waits().await;
        drop(gate);
        for sent in sent {
            sent.await.unwrap();
        }
        conflict(&greedy, post).await.expect_status(412);
    });
}

#[test]
fn a_feed_does_not_wait_for_readers_of_heavy_posts() {
    does_not_wait_for_heavy_reads(200, |app, _| app.get("/feed.atom?tag=t0"));
}

#[test]
fn a_list_with_bodies_does_not_wait_for_readers_of_heavy_posts() {
    does_not_wait_for_heavy_reads(200, |app, _| app.get("/api/posts?include=body&tag=t0"));
}

#[test]
fn a_change_that_was_made_is_not_refused_afterwards() {
    runtime().block_on(async {
        let app = crate::app().await;
        let post = &heavy_posts(&app, 1).await[0];
        let gate = close_gate();
        let creation = json!({ "body": "x".repeat(50_000) });
        let creations = (0..64).map(|_| app.post(&creation));
        let creations = send_all(201, creations, &Arc::default());
        everyone_waits().await;
        app.post(&creation).await.problem("too_many_requests");
        let change = app.put(post, &json!({ "title": "t" }));
        let changed = send_all(200, [change], &Arc::default());
        everyone_waits().await;
        drop(gate);
        for sent in creations.into_iter().chain(changed) {
            sent.await.unwrap();
        }
    });
}

#[test]
fn the_hosts_own_code_may_read_as_many_posts_at_once_as_it_likes() {
    runtime().block_on(async {
        let app = crate::app().await;
        let id = heavy_posts(&app, 1).await[0].id.parse().unwrap();
        let gate = close_gate();
        let reads: JoinSet<_> = (0..100)
            .map(|_| {
                let handbill = app.service.clone();
                async move { handbill.posts().read(id).await.map(drop) }
            })
            .collect();
        everyone_waits().await;
        drop(gate);
        for read in reads.join_all().await {
            read.unwrap();
        }
    });
}

/// A store whose lists wait if they are as long as those for sitemaps, or of an owner.
#[derive(Clone)]
struct Waiting {
    inner: Arc<MemoryStore>,
    gate: Arc<Semaphore>,
    /// How many lists wait, and how many have waited.
    waiting: Arc<AtomicUsize>,
    begun: Arc<AtomicUsize>,
}

#[async_trait]
impl Decorator for Waiting {
    fn inner(&self) -> &dyn Store {
        &*self.inner
    }

    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        if page.list != List::Public || page.per_page == PageSize::MAX {
            self.begun.fetch_add(1, Ordering::Relaxed);
            self.waiting.fetch_add(1, Ordering::Relaxed);
            let _permit = self.gate.acquire().await;
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
        self.inner.list_posts(page).await
    }
}

/// A service whose long and owned lists wait until the gate has a permit.
async fn waiting() -> (App, Waiting) {
    let store = Waiting {
        inner: Arc::default(),
        gate: Arc::new(Semaphore::new(0)),
        waiting: Arc::default(),
        begun: Arc::default(),
    };
    let app = App::over(&bare::mount(), Decorated(store.clone())).await;
    app.create(&json!({ "body": "x", "tags": "a, b" })).await;
    (app, store)
}

#[tokio::test]
async fn feeds_and_lists_do_not_wait_for_sitemaps() {
    let (app, store) = waiting().await;
    let sitemaps = send_all(
        200,
        (0..3).map(|_| app.get("/sitemap.xml")),
        &Arc::default(),
    );
    everyone_waits().await;
    assert_eq!(store.waiting.load(Ordering::Relaxed), 1);
    for path in [
        "/feed.atom",
        "/feed.json",
        "/api/posts?include=body",
        "/tags",
    ] {
        app.get(path).await.expect_status(200);
    }
    store.gate.add_permits(1);
    for sitemap in sitemaps {
        sitemap.await.unwrap();
    }
    assert_eq!(store.begun.load(Ordering::Relaxed), 1, "one file is made");
}

#[tokio::test]
async fn the_store_makes_one_list_of_an_owner_at_a_time() {
    let (app, store) = waiting().await;
    let own = |number: usize| {
        let path = format!("/api/keys/current/posts?tag=t{number}");
        app.get(&path).header("x-api-key", &*app.key)
    };
    let lists = send_all(200, (0..5).map(own), &Arc::default());
    everyone_waits().await;
    assert_eq!(store.waiting.load(Ordering::Relaxed), 1);
    app.get("/api/posts").await.expect_status(200);
    store.gate.add_permits(1);
    for list in lists {
        list.await.unwrap();
    }
}

#[tokio::test]
async fn a_client_that_waits_for_too_many_lists_is_refused() {
    let (app, store) = waiting().await;
    let own = || {
        app.get("/api/keys/current/posts")
            .header("x-api-key", &*app.key)
    };
    let lists = send_all(200, (0..64).map(|_| own()), &Arc::default());
    everyone_waits().await;
    let refused = own().await;
    refused.problem("too_many_requests");
    assert_eq!(refused.header("retry-after"), Some("1"));
    store.gate.add_permits(1);
    for list in lists {
        list.await.unwrap();
    }
    own().await.expect_status(200);
}
