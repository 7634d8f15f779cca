//! Rendering, done once a revision and never in the way of other requests.

use std::convert::Infallible;
use std::future::Future;
use std::hash::Hash;
use std::sync::Arc;
use std::thread::available_parallelism;

use bytes::Bytes;
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, Weighter};
use tokio::sync::{Mutex, MutexGuard, Semaphore};
use tokio::task;

use crate::conditional::ETag;
use crate::id::PostId;
use crate::kept::KeptAnswer;
use crate::markdown;
use crate::post::{PageRequest, PostList, PostSummary, Revision};

/// Bytes of rendered posts, of posts as the API answers them, of pages of lists, of posts' HTML pages,
/// and of feeds that are kept.
const POSTS_BYTES: u64 = 4 * 1024 * 1024;
const ANSWERS_BYTES: u64 = 8 * 1024 * 1024;
const PAGES_BYTES: u64 = 8 * 1024 * 1024;
const POST_PAGES_BYTES: u64 = 12 * 1024 * 1024;
/// The longest feed has a place: whoever waits for one that was just made finds it here.
const FEEDS_BYTES: u64 = 16 * 1024 * 1024;
/// Posts or pages that a cache is laid out for at first; it grows with their number.
const LAID_OUT_FOR: usize = 1024;
/// Feeds, of which there are few, and long ones: a cache for many would have no place for a long one.
const FEEDS_LAID_OUT_FOR: usize = 32;
/// Bytes of source from which a body is worked on beside the async workers: below, even the worst
/// case takes less than the way there and back is worth.
const SMALL: usize = 4096;

/// A post as its readers see it.
pub(crate) struct Rendered {
    /// The body's safe HTML.
    pub(crate) html: String,
}

/// All that a page's bytes depend on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct PageContent {
    request: PageRequest,
    total: u64,
    posts: Vec<(PostId, Revision)>,
}

/// All that the bytes of a post's HTML page depend on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PostPageKey {
    pub(crate) id: PostId,
    pub(crate) revision: Revision,
    /// The tag of the language that the page speaks.
    pub(crate) language: &'static str,
    /// Whether its links go on in this language.
    pub(crate) is_chosen: bool,
}

/// Renders posts, and keeps what was rendered and answered by identifier and revision: a revision's
/// content never changes, so that what is kept is never stale.
pub(crate) struct Renderer {
    posts: Cache<(PostId, Revision), Arc<Rendered>, ByBytes>,
    answers: Cache<(PostId, Revision), Arc<KeptAnswer>, ByBytes>,
    pages: Cache<PageContent, Arc<KeptAnswer>, ByBytes>,
    post_pages: Cache<PostPageKey, Arc<KeptAnswer>, ByBytes>,
    /// By tags that name all that a feed depends on.
    feeds: Cache<ETag, Bytes, ByBytes>,
    export: Mutex<()>,
    places: Arc<Semaphore>,
}

#[derive(Clone)]
struct ByBytes;

impl Weighter<(PostId, Revision), Arc<Rendered>> for ByBytes {
    fn weight(&self, _: &(PostId, Revision), rendered: &Arc<Rendered>) -> u64 {
        (rendered.html.len() + size_of::<Rendered>()) as u64
    }
}

impl Weighter<(PostId, Revision), Arc<KeptAnswer>> for ByBytes {
    fn weight(&self, _: &(PostId, Revision), answer: &Arc<KeptAnswer>) -> u64 {
        answer.weight() as u64
    }
}

impl Weighter<PageContent, Arc<KeptAnswer>> for ByBytes {
    fn weight(&self, content: &PageContent, page: &Arc<KeptAnswer>) -> u64 {
        (size_of_val(content.posts.as_slice()) + page.weight()) as u64
    }
}

impl Weighter<PostPageKey, Arc<KeptAnswer>> for ByBytes {
    fn weight(&self, _: &PostPageKey, page: &Arc<KeptAnswer>) -> u64 {
        page.weight() as u64
    }
}

impl Weighter<ETag, Bytes> for ByBytes {
    fn weight(&self, _: &ETag, feed: &Bytes) -> u64 {
        (feed.len() + size_of::<ETag>()) as u64
    }
}

fn cache<K: Eq + Hash, V: Clone>(laid_out_for: usize, max_bytes: u64) -> Cache<K, V, ByBytes>
where
    ByBytes: Weighter<K, V>,
{
    let (hasher, lifecycle) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
    Cache::with(laid_out_for, max_bytes, ByBytes, hasher, lifecycle)
}

/// What is kept under a key, made by `make` if nothing is. Whoever else wants it meanwhile waits for it.
async fn kept_or_made<K, V, F>(
    cache: &Cache<K, Arc<V>, ByBytes>,
    key: &K,
    make: impl FnOnce() -> F,
) -> Arc<V>
where
    K: Clone + Eq + Hash,
    F: Future<Output = V>,
    ByBytes: Weighter<K, Arc<V>>,
{
    if let Some(kept) = cache.get(key) {
        return kept;
    }
    // In a box of its own: most find what they want, and carry no room for making it.
    let make = async { Ok::<_, Infallible>(Arc::new(make().await)) };
    let Ok(made) = Box::pin(cache.get_or_insert_async(key, make)).await;
    made
}

impl Renderer {
    pub(crate) fn new() -> Self {
        // One core at least is left to those who do not wait for rendering.
        let places = available_parallelism().map_or(1, |cores| cores.get().div_ceil(2));
        Self {
            posts: cache(LAID_OUT_FOR, POSTS_BYTES),
            answers: cache(LAID_OUT_FOR, ANSWERS_BYTES),
            pages: cache(LAID_OUT_FOR, PAGES_BYTES),
            post_pages: cache(LAID_OUT_FOR, POST_PAGES_BYTES),
            feeds: cache(FEEDS_LAID_OUT_FOR, FEEDS_BYTES),
            export: Mutex::new(()),
            places: Arc::new(Semaphore::new(places)),
        }
    }

    /// The answer of the API to a read of this post, if it is kept.
    pub(crate) fn kept_answer(&self, post: &PostSummary) -> Option<Arc<KeptAnswer>> {
        self.answers.get(&(post.id, post.revision))
    }

    /// The answer of the API to a read of this post, made by `make` if it is not kept.
    pub(crate) async fn answer<F: Future<Output = KeptAnswer>>(
        &self,
        post: &PostSummary,
        make: impl FnOnce() -> F,
    ) -> Arc<KeptAnswer> {
        kept_or_made(&self.answers, &(post.id, post.revision), make).await
    }

    /// The answer of the API to this page of a list, made by `make` if it is not kept.
    pub(crate) async fn page<F: Future<Output = KeptAnswer>>(
        &self,
        request: &PageRequest,
        found: &PostList,
        make: impl FnOnce() -> F,
    ) -> Arc<KeptAnswer> {
        let posts = found
            .posts
            .iter()
            .map(|listed| (listed.summary.id, listed.summary.revision));
        let content = PageContent {
            request: request.clone(),
            total: found.total,
            posts: posts.collect(),
        };
        kept_or_made(&self.pages, &content, make).await
    }

    /// A post's HTML page, if it is kept.
    pub(crate) fn kept_post_page(&self, key: &PostPageKey) -> Option<Arc<KeptAnswer>> {
        self.post_pages.get(key)
    }

    /// A post's HTML page, made by `make` if it is not kept.
    pub(crate) async fn post_page<F: Future<Output = KeptAnswer>>(
        &self,
        key: &PostPageKey,
        make: impl FnOnce() -> F,
    ) -> Arc<KeptAnswer> {
        kept_or_made(&self.post_pages, key, make).await
    }

    /// The feed that has this tag, if it is kept.
    pub(crate) fn feed(&self, etag: &ETag) -> Option<Bytes> {
        self.feeds.get(etag)
    }

    pub(crate) fn keep_feed(&self, etag: ETag, feed: Bytes) {
        self.feeds.insert(etag, feed);
    }

    /// Waits for its turn to make a feed or a file of a sitemap. Each takes megabytes and the store's
    /// time: one is made after the other, however many are asked for.
    pub(crate) async fn export_turn(&self) -> MutexGuard<'_, ()> {
        self.export.lock().await
    }

    /// The post as its readers see it.
    pub(crate) async fn render(&self, post: &PostSummary, source: &str) -> Arc<Rendered> {
        let make = || async {
            let (len, source) = (source.len(), source.to_owned());
            let style = markdown::Style::default();
            let rendered = self
                .work(len, move || markdown::render(&source, &style))
                .await;
            Rendered {
                html: rendered.html,
            }
        };
        kept_or_made(&self.posts, &(post.id, post.revision), make).await
    }

    /// Renders a source in a style that no cache holds.
    pub(crate) async fn render_styled(
        &self,
        source: &str,
        style: markdown::Style,
    ) -> markdown::Rendered {
        let (len, source) = (source.len(), source.to_owned());
        self.work(len, move || markdown::render(&source, &style))
            .await
    }

    /// Does work whose time grows with a body of so many bytes, beside the async workers unless
    /// it is small.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        body_len: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        if body_len <= SMALL {
            return work();
        }
        // The place goes with the work, which goes on when nobody waits for it any more.
        let place = Arc::clone(&self.places).acquire_owned().await;
        let working = task::spawn_blocking(move || {
            let _place = place;
            work()
        });
        match working.await {
            Ok(done) => done,
            Err(failed) => std::panic::resume_unwind(failed.into_panic()),
        }
    }
}
