//! `SECURITY.md` states what each route asks of the store. Here each route is called with a large store, and
//! may ask for no more.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use handbill::host::Author;
use handbill::store::{
    Decorated, Decorator, Entry, Freshness, Health, InstallationSecret, KeyRecord, List, NewChange,
    Outcome, PageRequest, PostKey, PostList, SecretHash, Store, StoreError, Tag, TagCount,
    Timestamp, Write,
};
use handbill::{Handbill, MemoryStore, RoutePattern, SignedIn};
use handbill_testing::http::{App, Created};
use handbill_tests::bare;
use http::Request;
use http_body_util::Full;
use serde_json::json;
use tower::ServiceExt;

/// Of the author whose posts those of the app's key are.
const SLUG: &str = "ada";
const SECURITY: &str = include_str!("../../../SECURITY.md");
/// More than any route but the sitemap may read.
const POSTS: usize = 2_500;

/// Counts the calls, and the rows that they return.
#[derive(Clone, Default)]
struct Counting {
    inner: Arc<MemoryStore>,
    calls: Arc<AtomicUsize>,
    rows: Arc<AtomicUsize>,
}

impl Counting {
    fn count(&self, rows: usize) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }

    /// The calls and rows since this was asked last.
    fn take(&self) -> (usize, usize) {
        let take = |number: &AtomicUsize| number.swap(0, Ordering::Relaxed);
        (take(&self.calls), take(&self.rows))
    }
}

#[async_trait]
impl Decorator for Counting {
    fn inner(&self) -> &dyn Store {
        &*self.inner
    }

    async fn write(&self, write: Write, change: Option<NewChange>) -> Result<Outcome, StoreError> {
        self.count(1);
        self.inner.write(write, change).await
    }

    async fn get_post(
        &self,
        by: PostKey,
        freshness: Freshness,
    ) -> Result<Option<Entry>, StoreError> {
        self.count(1);
        self.inner.get_post(by, freshness).await
    }

    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        let found = self.inner.list_posts(page).await?;
        self.count(found.posts.len());
        Ok(found)
    }

    async fn count_since(
        &self,
        list: List,
        tag: Option<Tag>,
        times: Vec<Timestamp>,
    ) -> Result<Vec<u64>, StoreError> {
        let found = self.inner.count_since(list, tag, times).await?;
        self.count(found.len());
        Ok(found)
    }

    async fn list_tags(&self, limit: u32) -> Result<Vec<TagCount>, StoreError> {
        let found = self.inner.list_tags(limit).await?;
        self.count(found.len());
        Ok(found)
    }

    async fn find_key(&self, secret: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
        self.count(1);
        self.inner.find_key(secret).await
    }

    async fn get_or_insert_installation_secret(
        &self,
        candidate: InstallationSecret,
    ) -> Result<InstallationSecret, StoreError> {
        self.count(1);
        self.inner
            .get_or_insert_installation_secret(candidate)
            .await
    }

    async fn health(&self) -> Result<Health, StoreError> {
        self.count(1);
        self.inner.health().await
    }
}

/// A row of the table: a route, the query that it is for, and the most calls and rows.
#[derive(Debug)]
struct Cost<'a> {
    method: &'a str,
    pattern: &'a str,
    query: &'a str,
    calls: usize,
    rows: usize,
}

/// The table in `SECURITY.md`.
fn table() -> Vec<Cost<'static>> {
    let section = SECURITY.split("## What each route costs").nth(1);
    let section = section.and_then(|rest| rest.split("\n## ").next());
    let rows = section.unwrap().lines();
    rows.filter_map(|line| {
        let mut cells = line.split('|').skip(1).map(str::trim);
        let route = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
        let (method, path) = route.split_once(' ')?;
        let (pattern, query) = path.split_at(path.find('?').unwrap_or(path.len()));
        let mut number = || cells.next()?.replace(',', "").parse().ok();
        let (calls, rows) = (number()?, number()?);
        Some(Cost {
            method,
            pattern,
            query,
            calls,
            rows,
        })
    })
    .collect()
}

/// A request to a route. It asks for as much as it can.
fn request(
    app: &App,
    post: &Created,
    asset: &str,
    owner: &SignedIn,
    cost: &Cost<'_>,
) -> Request<Full<Bytes>> {
    const FORM: &str = "application/x-www-form-urlencoded";
    let (method, pattern) = (cost.method, cost.pattern);
    let query = match (method, pattern) {
        _ if !cost.query.is_empty() => cost.query,
        ("GET", "/api/posts" | "/api/keys/current/posts") => "?per_page=50&page=2&include=body",
        ("GET", "/" | "/by/{slug}") => "?per_page=50",
        ("GET", "/sitemap.xml") => "?page=1",
        _ => "",
    };
    let (media_type, body) = match (method, pattern) {
        ("POST", "/api/posts" | "/api/posts/{id}/edit_token") | ("PUT" | "PATCH", _) => {
            ("application/json", json!({ "body": "new" }).to_string())
        }
        ("POST", "/api/keys") => ("application/json", "{}".to_owned()),
        ("POST", "/keys") => (FORM, "label=x".to_owned()),
        ("POST", "/write") => (FORM, format!("body=new&api_key={}", app.key)),
        ("POST", _) => (FORM, "body=newer".to_owned()),
        _ => ("", String::new()),
    };
    let path = pattern
        .replace("{id}", &post.id)
        .replace("{edit_token}", &post.token)
        .replace("{slug}", SLUG)
        .replace("/assets/{name}", asset);
    let mut request = Request::builder().method(method).uri(path + query);
    if !media_type.is_empty() {
        request = request.header("content-type", media_type);
    }
    if pattern.starts_with("/api/posts/{id}") && method != "GET" {
        request = request.header("x-edit-token", &post.token);
    } else if pattern.starts_with("/api/") {
        request = request.header("x-api-key", &*app.key);
    }
    if pattern == "/p/{id}/edit" {
        request = request.extension(owner.clone());
    }
    if pattern == "/api/posts" && method == "POST" {
        request = request.header("idempotency-key", "costs");
    }
    request.body(Full::new(Bytes::from(body))).unwrap()
}

/// The path of a file of the pages.
async fn asset(app: &App) -> String {
    let page = app.get("/").await;
    let links = page.text().split('"');
    let mut assets = links.filter_map(|link| link.find("/assets/").map(|at| &link[at..]));
    assets.next().unwrap().to_owned()
}

/// The owner of what the app's key creates.
async fn owner(app: &App) -> SignedIn {
    let key = app.get("/api/keys/current").header("x-api-key", &*app.key);
    SignedIn::new(key.await.json()["owner"].as_str().unwrap().parse().unwrap())
}

#[test]
fn the_table_has_each_route_once() {
    let mut table = table();
    table.retain(|cost| cost.query.is_empty());
    let listed: BTreeSet<_> = table
        .iter()
        .map(|cost| (cost.method, cost.pattern))
        .collect();
    let routes = Handbill::endpoints().map(|one| (one.method, one.pattern));
    assert_eq!(listed, routes.collect());
    assert_eq!(listed.len(), table.len());
    assert!(listed.len() > 30, "{listed:?}");
}

#[tokio::test]
async fn no_route_asks_more_of_the_store_than_the_table_says() {
    let store = Counting::default();
    let app = App::over(&bare::mount(), Decorated(store.clone())).await;
    for number in 0..POSTS {
        let fields = json!({ "body": "x", "tags": format!("all, t{number}") });
        app.create(&fields).await;
    }
    let asset = asset(&app).await;
    let owner = owner(&app).await;
    for cost in table() {
        let route = format!("{} {}", cost.method, cost.pattern);
        let post = app.create_body("old").await;
        let app = match &*route {
            "DELETE /api/keys/current" => app.with_another_key().await,
            _ => app.clone(),
        };
        let request = request(&app, &post, &asset, &owner, &cost);
        store.take();
        let author = Author::new(owner.owner().clone(), SLUG, "Ada");
        let service = app.service.clone().with_authors(move |_| {
            let author = author.clone();
            async move { Ok(Some(author?)) }
        });
        let Ok(response) = service.oneshot(request).await;
        let (calls, rows) = store.take();
        assert!(response.status().as_u16() < 400, "{route}: {response:?}");
        let found = response.extensions().get::<RoutePattern>();
        assert_eq!(found.map(|found| found.0), Some(cost.pattern), "{route}");
        assert!(calls <= cost.calls, "{route}: {calls} calls");
        assert!(rows <= cost.rows, "{route}: {rows} rows");
    }
}
