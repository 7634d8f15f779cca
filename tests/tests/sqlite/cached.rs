//! `SqliteStore::cached`: when responses show changes by this process and by others.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use handbill::store::{Decorated, Decorator, PostList, StoreError};
use handbill::{Draft, Handbill, PageRequest, PostId, RateLimits, Store};
use handbill_sql::SqliteStore;
use handbill_tests::bare::{LOCAL, call};
use http::{Request, Response};

use super::{database, folder, host, id, open};

async fn cached(path: &Path) -> Handbill {
    service(open(path).await.cached())
}

fn service(store: impl Store) -> Handbill {
    let handbill = Handbill::new("https://example.org", store).unwrap();
    handbill.with_rate_limits(RateLimits::off())
}

fn draft(text: &str, tags: &[&str]) -> Draft {
    Draft::new().title(text).body(text).tags(tags.to_vec())
}

async fn create(handbill: &Handbill, text: &str, tags: &[&str]) -> PostId {
    let created = handbill.posts().create(draft(text, tags)).await;
    created.unwrap().id
}

async fn update(handbill: &Handbill, id: PostId, text: &str, tags: &[&str]) {
    let updated = handbill.posts().update(id, draft(text, tags)).await;
    updated.unwrap();
}

async fn get(handbill: &Handbill, path: &str) -> Response<Bytes> {
    let request = Request::get(path).body(Default::default());
    call(handbill.clone(), LOCAL, request.unwrap()).await
}

async fn status(handbill: &Handbill, path: &str) -> u16 {
    get(handbill, path).await.status().as_u16()
}

async fn shows(handbill: &Handbill, path: &str, text: &str) -> bool {
    let response = get(handbill, path).await;
    String::from_utf8_lossy(response.body()).contains(text)
}

/// The addresses of a post, and of the lists with it.
fn addresses(id: PostId) -> [String; 5] {
    let own = ["/api/posts/", "/p/"].map(|path| format!("{path}{id}"));
    let [json, page] = own;
    let [list, index, feed] = ["/api/posts", "/", "/feed.atom"].map(str::to_owned);
    [json, page, list, index, feed]
}

#[tokio::test]
async fn another_processs_changes_are_seen_soon() {
    let (_folder, path) = database();
    // Two stores on one file are like two processes.
    let (one, other) = (cached(&path).await, cached(&path).await);
    let id = create(&one, "first", &[]).await;
    for round in 0..6 {
        let (writer, reader) = match round % 2 {
            0 => (&one, &other),
            _ => (&other, &one),
        };
        let text = format!("round{round}");
        let list = format!("/api/posts?tag={text}");
        assert!(!shows(reader, &list, &text).await);
        update(writer, id, &text, &[&text]).await;
        // These reads may come from the cache, or the loops would not wait for anything.
        for address in addresses(id) {
            while !shows(reader, &address, &text).await {}
        }
        while !shows(reader, &list, &text).await {}
    }
    let mut program = host(&path).await;
    sqlx::raw_sql("UPDATE handbill_posts SET title = 'By hand', revision = revision + 1")
        .execute(&mut program)
        .await
        .unwrap();
    for address in addresses(id) {
        while !shows(&one, &address, "By hand").await {}
    }
    one.posts().delete(id).await.unwrap();
    while status(&other, &format!("/p/{id}")).await != 410 {}
    while shows(&other, "/api/posts", "By hand").await {}
}

#[tokio::test]
async fn own_changes_are_seen_at_once_also_while_others_write() {
    let (_folder, path) = database();
    let (one, other) = (cached(&path).await, service(open(&path).await));
    for number in 0..25 {
        let (first, second) = (format!("first{number}."), format!("second{number}."));
        let id = create(&one, &first, &[]).await;
        for address in addresses(id) {
            assert!(shows(&one, &address, &first).await, "{address}");
        }
        create(&other, "other", &[]).await;
        update(&one, id, &second, &["changed"]).await;
        for address in addresses(id) {
            assert!(shows(&one, &address, &second).await, "{address}");
        }
        assert!(shows(&one, "/api/posts?tag=changed", &second).await);
        assert!(shows(&one, "/tags", "changed").await);
        create(&other, "other", &[]).await;
        one.posts().delete(id).await.unwrap();
        for address in addresses(id) {
            assert!(!shows(&one, &address, &second).await, "{address}");
        }
        assert!(!shows(&one, "/tags", "changed").await);
    }
}

/// Counts what it is asked for.
struct Counting {
    inner: SqliteStore,
    lists: Arc<AtomicU64>,
}

#[async_trait]
impl Decorator for Counting {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        self.lists.fetch_add(1, Ordering::SeqCst);
        self.inner.list_posts(page).await
    }
}

/// A service that counts how often it reads a list.
async fn counting(path: &Path) -> (Handbill, Arc<AtomicU64>) {
    let lists = Arc::new(AtomicU64::new(0));
    let store = Counting {
        inner: open(path).await.cached(),
        lists: Arc::clone(&lists),
    };
    (service(Decorated(store)), lists)
}

/// Anyone can make the service read the current state of a post, by sending a wrong edit token.
#[tokio::test]
async fn lists_are_cached_and_stay_so_when_the_current_state_of_posts_is_read() {
    let folder = folder();
    let (handbill, lists) = counting(&folder.path().join("posts.db")).await;
    let used = create(&handbill, "text", &["rust"]).await;
    let read_all = async || {
        for list in [
            "/",
            "/api/posts",
            "/api/posts?include=body",
            "/feed.json?tag=rust",
        ] {
            assert_eq!(status(&handbill, list).await, 200);
        }
        lists.load(Ordering::SeqCst)
    };
    let current = async |id| handbill.posts().summary(id).await.is_ok();
    // The first check of the file has none before it to compare with.
    for _ in 0..3 {
        read_all().await;
        assert!(current(used).await);
    }
    let before = read_all().await;
    for id in [id(2), used, used] {
        assert_eq!(current(id).await, id == used);
        assert_eq!(read_all().await, before);
    }
}

#[tokio::test]
async fn keys_tokens_and_current_posts_are_never_cached() {
    let (_folder, path) = database();
    let handbill = cached(&path).await;
    let created = handbill.posts().create(draft("first", &[])).await.unwrap();
    let key = handbill.keys().issue(None, None).await.unwrap().key;
    let own_list = async || {
        let request = Request::get("/api/keys/current/posts").header("x-api-key", key.expose());
        let request = request.body(Default::default()).unwrap();
        call(handbill.clone(), LOCAL, request).await.status()
    };
    assert_eq!(own_list().await, 200);
    let address = format!("/api/posts/{}", created.id);
    assert!(shows(&handbill, &address, "first").await);

    let mut program = host(&path).await;
    let change = "DELETE FROM handbill_keys;
        UPDATE handbill_posts SET title = 'By hand', revision = revision + 1";
    sqlx::raw_sql(change).execute(&mut program).await.unwrap();
    assert_eq!(own_list().await, 401);
    let edit = format!("/e/{}", created.edit.token.expose());
    assert!(shows(&handbill, &edit, "By hand").await);
    let current = handbill.posts().summary(created.id).await.unwrap();
    assert_eq!(current.title.as_deref(), Some("By hand"));
    assert!(
        shows(&handbill, &address, "By hand").await,
        "later reads are not older"
    );
}

#[tokio::test]
async fn a_closed_store_is_an_error_and_stays_closed() {
    let folder = folder();
    let store = open(&folder.path().join("posts.db")).await.cached();
    let handbill = service(store.clone());
    let page = format!("/p/{}", create(&handbill, "text", &[]).await);
    assert_eq!(status(&handbill, &page).await, 200);
    store.close().await;
    // Cached responses may be used until the bound has passed.
    while status(&handbill, &page).await == 200 {}
    assert_eq!(status(&handbill, &page).await, 503);
    assert_eq!(status(&handbill, "/").await, 503);
    assert!(handbill.posts().create(draft("text", &[])).await.is_err());
}
