//! The sitemap of a very large number of posts.

use std::collections::HashSet;
use std::future::IntoFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use async_trait::async_trait;
use handbill::store::{Changes, Decorated, Decorator, ListedPost, PageStart, StoreError};
use handbill::{MemoryStore, PageRequest, PageSize, PostList, PostSummary, Store, Timestamp};
use handbill_testing::http::{App, TestResponse};
use handbill_tests::bare;
use roxmltree::{Document, Node};

const MAX_ADDRESSES: usize = 50_000;
/// When the post with the number 0 was published, in microseconds.
const FIRST: i64 = 1_795_168_800_000_000;

/// Generates its posts when they are read. It stores keys.
#[derive(Default)]
struct MadeUp {
    total: AtomicU64,
    /// How many new posts appear with each page that is read.
    growth: u64,
    /// The number of pages of a file that are being read, and its maximum.
    reading: AtomicU64,
    most_reading: AtomicU64,
    /// The number of pages of files that were read.
    read: AtomicU64,
    /// The size of the largest page that was read.
    longest: AtomicU64,
    keys: MemoryStore,
}

impl MadeUp {
    fn new(total: u64, growth: u64) -> Arc<Self> {
        Arc::new(Self {
            total: total.into(),
            growth,
            ..Self::default()
        })
    }
}

/// The post with this number. Higher numbers are newer.
fn post(number: u64) -> PostSummary {
    let digits = format!("{number:010}");
    let letters: String = digits
        .bytes()
        .map(|digit| char::from(b"bcdfghjklm"[usize::from(digit - b'0')]))
        .collect();
    let created_at = Timestamp::from_micros(FIRST + i64::try_from(number).unwrap());
    PostSummary::new(letters.parse().unwrap(), created_at)
}

/// The number of the post with this time.
fn number_at(time: Timestamp) -> u64 {
    u64::try_from(time.as_micros() - FIRST).unwrap()
}

/// A handle to the store, for a test that also gives it to the service.
struct Shared(Arc<MadeUp>);

#[async_trait]
impl Decorator for Shared {
    fn inner(&self) -> &dyn Store {
        &self.0.keys
    }

    async fn list_posts(&self, page: PageRequest) -> Result<PostList, StoreError> {
        let store = &self.0;
        // Shorter ones are read to see what has changed.
        let is_for_file = u64::from(page.per_page == PageSize::MAX);
        store.read.fetch_add(is_for_file, Ordering::SeqCst);
        let reading = store.reading.fetch_add(is_for_file, Ordering::SeqCst) + is_for_file;
        store.most_reading.fetch_max(reading, Ordering::SeqCst);
        tokio::task::yield_now().await;
        let total = store.total.fetch_add(store.growth, Ordering::SeqCst);
        let end = match page.start {
            PageStart::Skip(posts) => total.saturating_sub(posts),
            PageStart::After(place) | PageStart::Before(place) => number_at(place.time),
        };
        let start = end.saturating_sub(page.per_page.get().into());
        store.longest.fetch_max(end - start, Ordering::SeqCst);
        store.reading.fetch_sub(is_for_file, Ordering::SeqCst);
        let posts = (start..end)
            .rev()
            .map(|number| ListedPost::new(post(number)));
        Ok(PostList::new(posts.collect(), total))
    }

    /// The store inside knows nothing of these posts.
    fn changes(&self) -> Option<Changes> {
        None
    }
}

async fn app(store: &Arc<MadeUp>) -> App {
    App::over(&bare::mount(), Decorated(Shared(Arc::clone(store)))).await
}

/// The addresses in a sitemap file whose root element has this name.
fn addresses(file: &TestResponse, root: &str) -> Vec<String> {
    file.expect_status(200);
    let document = Document::parse(file.text()).unwrap();
    assert_eq!(document.root_element().tag_name().name(), root, "{file}");
    let locations = document
        .descendants()
        .filter(|node| node.has_tag_name("loc"));
    locations
        .filter_map(|location: Node<'_, '_>| location.text())
        .map(str::to_owned)
        .collect()
}

fn expected(app: &App, numbers: impl DoubleEndedIterator<Item = u64>) -> Vec<String> {
    let address = |number| format!("{}/p/{}", app.base(), post(number).id);
    numbers.rev().map(address).collect()
}

#[tokio::test]
async fn a_sitemap_is_split_at_50_000_addresses() {
    let store = MadeUp::new(120_000, 0);
    let app = app(&store).await;
    let index = app.get("/sitemap.xml").await;
    let files = addresses(&index, "sitemapindex");
    let numbered = [1, 2, 3].map(|n| format!("{}/sitemap.xml?page={n}", app.base()));
    assert_eq!(files, numbered, "{index}");
    let mut all = Vec::new();
    for (file, length) in files.iter().zip([50_000, 50_000, 20_000]) {
        let file = app.follow(file).await;
        let addresses = addresses(&file, "urlset");
        assert_eq!(addresses.len(), length, "{file}");
        all.extend(addresses);
    }
    assert!(all == expected(&app, 0..120_000), "all posts, newest first");
    app.get("/sitemap.xml?page=4").await.problem("not_found");
    let longest = store.longest.load(Ordering::SeqCst);
    assert_eq!(longest, 1000, "posts in memory at one time");
}

#[tokio::test]
async fn a_sitemap_of_50_000_addresses_is_one_file() {
    let app = app(&MadeUp::new(50_000, 0)).await;
    for path in ["/sitemap.xml", "/sitemap.xml?page=1"] {
        let file = app.get(path).await;
        let addresses = addresses(&file, "urlset");
        assert!(addresses == expected(&app, 0..50_000), "{file}");
    }
    app.get("/sitemap.xml?page=2").await.problem("not_found");
}

#[tokio::test]
async fn a_sitemap_has_each_post_once_while_others_are_added() {
    for total in [5_000, 49_990] {
        let store = MadeUp::new(total, 3);
        let app = app(&store).await;
        let file = app.get("/sitemap.xml").await;
        let addresses = addresses(&file, "urlset");
        let different: HashSet<_> = addresses.iter().collect();
        assert_eq!(
            different.len(),
            addresses.len(),
            "{file}: addresses that differ"
        );
        assert!(addresses.len() <= MAX_ADDRESSES, "{file}");
        let whole = expected(&app, 0..total);
        assert!(addresses.ends_with(&whole), "{file}: all, in their order");
    }
}

#[tokio::test]
async fn sitemaps_are_built_one_after_the_other() {
    let store = MadeUp::new(60_000, 0);
    let app = app(&store).await;
    let files = [1, 2, 1, 2].map(|number| {
        let call = app.get(&format!("/sitemap.xml?page={number}"));
        (number, tokio::spawn(call.into_future()))
    });
    for (number, file) in files {
        let file = file.await.unwrap();
        let expected = [50_000, 10_000][number - 1];
        assert_eq!(addresses(&file, "urlset").len(), expected, "{file}");
    }
    let most = store.most_reading.load(Ordering::SeqCst);
    assert_eq!(most, 1, "files that were built at one time");
}

/// The minute that the cache of sitemaps counts.
fn minute() -> u64 {
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap();
    since.as_secs() / 60
}

#[tokio::test]
async fn all_who_ask_within_a_minute_share_one_file() {
    let store = MadeUp::new(10_000, 0);
    let app = app(&store).await;
    loop {
        let (before, began) = (store.read.load(Ordering::SeqCst), minute());
        let first = app.get("/sitemap.xml").await;
        store.total.fetch_add(1, Ordering::SeqCst);
        let second = app.get("/sitemap.xml").await;
        if minute() != began {
            continue;
        }
        assert_eq!(first.body, second.body);
        assert_eq!(first.etag(), second.etag());
        let read = store.read.load(Ordering::SeqCst) - before;
        assert!(read <= 11, "{read} pages were read for 10,000 addresses");
        let current = app
            .get("/sitemap.xml")
            .header("if-none-match", first.etag());
        let status = current.await.status;
        assert!(status == 304 || minute() != began);
        break;
    }
}

#[tokio::test]
async fn a_sitemap_of_few_posts_shows_new_ones_at_once() {
    let store = MadeUp::new(900, 0);
    let app = app(&store).await;
    for total in 900..903 {
        let file = app.get("/sitemap.xml").await;
        assert!(addresses(&file, "urlset") == expected(&app, 0..total));
        store.total.fetch_add(1, Ordering::SeqCst);
    }
}
