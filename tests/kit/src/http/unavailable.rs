//! Responses while the store fails: they report it without the cause.

use async_trait::async_trait;
use handbill::MemoryStore;
use handbill::store::{
    Bar, Changes, Due, Entry, Freshness, Health, InstallationSecret, KeyId, KeyRecord, List,
    NewChange, Outbox, Outcome, PageRequest, PostId, PostKey, PostList, SearchIndex, SecretHash,
    Store, StoreError, StoreStats, Tag, TagCount, Timestamp, Write,
};
use serde_json::json;

use super::app::{HTML, NO_POST, NO_TOKEN};
use super::{Address, App, Created, Kind, Mount, TestResponse};

const CAUSE: &str = "disk on fire at /var/lib/secret-path";

/// A store whose calls all fail, except for those of its index.
struct Broken(MemoryStore);

fn trouble<T>() -> Result<T, StoreError> {
    Err(StoreError::new("do anything", CAUSE))
}

#[async_trait]
impl Store for Broken {
    async fn write(&self, _: Write, _: Option<NewChange>) -> Result<Outcome, StoreError> {
        trouble()
    }
    async fn get_post(&self, _: PostKey, _: Freshness) -> Result<Option<Entry>, StoreError> {
        trouble()
    }
    async fn list_posts(&self, _: PageRequest) -> Result<PostList, StoreError> {
        trouble()
    }
    async fn count_since(
        &self,
        _: List,
        _: Option<Tag>,
        _: Vec<Timestamp>,
    ) -> Result<Vec<u64>, StoreError> {
        trouble()
    }
    async fn list_due(&self, _: u32) -> Result<Vec<Due>, StoreError> {
        trouble()
    }
    async fn list_tags(&self, _: u32) -> Result<Vec<TagCount>, StoreError> {
        trouble()
    }
    async fn walk_entries(&self, _: Option<PostId>, _: u32) -> Result<Vec<Entry>, StoreError> {
        trouble()
    }
    async fn find_key(&self, _: SecretHash) -> Result<Option<KeyRecord>, StoreError> {
        trouble()
    }
    async fn walk_keys(&self, _: Option<KeyId>, _: u32) -> Result<Vec<KeyRecord>, StoreError> {
        trouble()
    }
    async fn walk_bars(&self, _: Option<SecretHash>, _: u32) -> Result<Vec<Bar>, StoreError> {
        trouble()
    }
    async fn get_or_insert_installation_secret(
        &self,
        _: InstallationSecret,
    ) -> Result<InstallationSecret, StoreError> {
        trouble()
    }
    async fn health(&self) -> Result<Health, StoreError> {
        trouble()
    }
    fn outbox(&self) -> Option<&dyn Outbox> {
        None
    }
    fn search_index(&self) -> Option<&dyn SearchIndex> {
        Some(&self.0)
    }
    fn changes(&self) -> Option<Changes> {
        None
    }
    fn stats(&self) -> StoreStats {
        StoreStats::default()
    }
}

/// A service on the failing store, with a well-formed key.
pub(super) async fn broken(mount: &Mount) -> App {
    let working = App::new(mount).await;
    App::of(
        mount,
        App::service(mount, Broken(MemoryStore::new())),
        &working.key,
    )
    .await
}

/// A post that no store has.
fn no_post() -> Created {
    Created {
        id: NO_POST.to_owned(),
        token: NO_TOKEN.to_owned(),
        etag: String::new(),
    }
}

fn is_store_read(address: &Address) -> bool {
    address.is_read() && address.reads_store && address.kind != Kind::Card
}

#[track_caller]
fn expect_no_cause(response: &TestResponse) {
    for word in ["fire", "secret-path", "do anything"] {
        response.expect_no_text(word);
        let headers = format!("{:?}", response.headers);
        assert!(!headers.contains(word), "{response}: {headers}");
    }
}

/// Every request that needs the store returns 503 with `Retry-After`, without the cause.
pub async fn a_failing_store_gives_503_without_the_cause(mount: &Mount) {
    let app = broken(mount).await;
    let reads = app.paths(&no_post(), is_store_read).await;
    let reads = reads
        .iter()
        .map(|path| app.get(path).header("x-api-key", &*app.key));
    let path = format!("/api/posts/{NO_POST}");
    let by_token = |method| app.call(method, &path).header("x-edit-token", NO_TOKEN);
    let replaced = app.call("POST", &format!("{path}/edit_token"));
    for call in reads.chain([
        app.post(&json!({ "body": "x" })),
        by_token("PUT").json(&json!({ "title": "x" })),
        by_token("DELETE"),
        replaced.header("x-api-key", &*app.key),
        app.call("POST", "/api/keys"),
    ]) {
        let given = call.clone().unmounted().await;
        let response = call.await;
        response.problem("store_unavailable");
        expect_no_cause(&response);
        assert_eq!(response.body, given.body, "{response}: the body");
    }
}

/// A browser gets a page, which does not name the cause either.
pub async fn a_failing_store_gives_browsers_an_error_page(mount: &Mount) {
    let app = broken(mount).await;
    let page = app.get("/").header("accept", "text/html").await;
    page.expect_status(503)
        .expect_header("content-type", HTML)
        .expect_header("cache-control", "no-store");
    expect_no_cause(&page);
}

/// A response that needs no store call succeeds. A mistyped key is refused without a lookup, too.
pub async fn responses_that_need_no_store_work_without_one(mount: &Mount) {
    let app = broken(mount).await;
    let without_store = |address: &Address| address.is_read() && !address.reads_store;
    for path in app.paths(&no_post(), without_store).await {
        app.get(&path).await.expect_status(200);
    }
    let typo = app.get("/api/keys/current");
    let typo = typo.header("x-api-key", format!("{}x", app.key)).await;
    typo.problem("invalid_api_key");
    let twice = app.post(&json!({})).header("x-api-key", "x").await;
    twice.problem("invalid_header");
}
