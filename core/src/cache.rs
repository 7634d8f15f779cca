//! The one cache of the service: finished responses to reads.
//!
//! A cached response never becomes stale, because its key contains a strong entity tag: if a post
//! changes, its tag changes, and readers look under another key. Entries that are not requested any more
//! are evicted when the cache exceeds its budget.

use std::sync::Arc;

use http::StatusCode;
use http::header::{self, HeaderValue};
use http_body::Body;
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

use crate::http::conditional::{Conditions, ETag};
use crate::http::representation::Caching;
use crate::http::response::{self, Response};
use crate::problem::Problem;
use crate::store::{CacheStats, HitCounter};
use crate::time::Timestamp;

/// The default budget. Together with the 16 MiB of [`Cached`](crate::Cached) it is 64 MiB.
pub(crate) const DEFAULT_MAX_BYTES: u64 = 48 * 1024 * 1024;
/// Each shard of the cache has room for the longest feed.
const MIN_SHARD_BYTES: u64 = 8 * 1024 * 1024;
const MAX_SHARDS: u64 = 64;
/// The share of entries that were read again. The rest, 3 MiB of a shard by default, has room for what is
/// new, so that a large response stays from the first time that it is made.
const HOT_SHARE: f64 = 0.75;
/// The number of entries that the cache has room for at first.
const INITIAL_ENTRIES: usize = 1024;
/// What an entry takes besides its response: the key with its entity tag, and the cache's bookkeeping.
const ENTRY_BYTES: usize = 256;
/// What a `HeaderMap` takes for each header that it has room for, besides the text of its value.
const HEADER_BYTES: usize = 112;

/// Finished responses, within a budget of bytes.
pub(crate) struct ResponseCache {
    responses: Cache<CacheKey, Arc<CachedResponse>, ByBytes>,
    hits: HitCounter,
}

/// What determines the bytes of a response.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CacheKey {
    pub(crate) route: &'static str,
    pub(crate) caching: Caching,
    /// The entity tag of the response, or what identifies the state that it shows.
    pub(crate) etag: ETag,
}

/// A response to a read with all its headers, from which the matching 304 is made.
pub(crate) struct CachedResponse {
    etag: ETag,
    modified: Option<Timestamp>,
    full: Response,
}

#[derive(Clone)]
struct ByBytes;

impl Weighter<CacheKey, Arc<CachedResponse>> for ByBytes {
    fn weight(&self, _: &CacheKey, response: &Arc<CachedResponse>) -> u64 {
        (ENTRY_BYTES + response.size()) as u64
    }
}

impl ResponseCache {
    pub(crate) fn new(max_bytes: u64) -> Self {
        let shards = 1 << (max_bytes / MIN_SHARD_BYTES).clamp(1, MAX_SHARDS).ilog2();
        let options = OptionsBuilder::new()
            .estimated_items_capacity(INITIAL_ENTRIES)
            .weight_capacity(max_bytes)
            .shards(shards)
            .hot_allocation(HOT_SHARE)
            .build()
            .unwrap_or_else(|_| unreachable!("both capacities are set"));
        let (hasher, lifecycle) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
        Self {
            responses: Cache::with_options(options, ByBytes, hasher, lifecycle),
            hits: HitCounter::default(),
        }
    }

    pub(crate) fn get(&self, key: &CacheKey) -> Option<Arc<CachedResponse>> {
        let cached = self.responses.get(key);
        self.hits.count(cached.is_some());
        cached
    }

    pub(crate) fn stats(&self) -> CacheStats {
        self.hits
            .stats(self.responses.len() as u64, self.responses.weight())
    }

    /// The response under this key. If there is none, it is made once: concurrent requests for it wait.
    pub(crate) async fn get_or_make(
        &self,
        key: &CacheKey,
        make: impl Future<Output = Result<CachedResponse, Problem>>,
    ) -> Result<Arc<CachedResponse>, Problem> {
        let make = async { make.await.map(Arc::new) };
        self.responses.get_or_insert_async(key, make).await
    }
}

impl CachedResponse {
    /// Adds the validators to a response that is otherwise complete.
    pub(crate) fn new(etag: ETag, modified: Option<Timestamp>, mut full: Response) -> Self {
        etag.set_validators(&mut full, modified);
        Self {
            etag,
            modified,
            full,
        }
    }

    /// The response to a request with these conditions.
    pub(crate) fn respond(&self, conditions: &Conditions) -> Response {
        if !conditions.are_current(&self.etag, self.modified) {
            return self.full.clone();
        }
        let mut not_modified = response::empty(StatusCode::NOT_MODIFIED);
        let headers = not_modified.headers_mut();
        headers.clone_from(self.full.headers());
        headers.remove(header::CONTENT_TYPE);
        headers.remove(header::CONTENT_LENGTH);
        not_modified
    }

    /// The bytes of memory that it takes, approximately.
    fn size(&self) -> usize {
        let body = self.full.body().size_hint().lower() as usize;
        let headers = self.full.headers();
        let values: usize = headers.values().map(HeaderValue::len).sum();
        size_of::<Self>() + body + headers.capacity() * HEADER_BYTES + values
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;
    use std::sync::{Arc, Mutex};
    use std::task::Poll;

    use bytes::Bytes;
    use http_body_util::BodyExt;
    use shuttle::future::{block_on, spawn, yield_now};

    use super::{CacheKey, CachedResponse, Caching, DEFAULT_MAX_BYTES, ResponseCache, response};
    use crate::base_url::BaseUrl;
    use crate::http::conditional::{Conditions, ETagMaker};
    use crate::problem::{Code, Problem};

    const BODY_BYTES: usize = 1000;
    /// A budget with room for one of the responses, not for two.
    const ONE_RESPONSE: u64 = 2500;

    /// What a request does, if it is the one that makes the response.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Plan {
        Make,
        Fail,
        /// The client goes away after so many steps, whether it makes the response or waits.
        Go(usize),
    }

    /// What happens to the response with one key.
    #[derive(Debug, Default)]
    struct Making {
        is_being_made: bool,
        made: usize,
    }

    #[derive(Clone)]
    struct World {
        cache: Arc<ResponseCache>,
        etags: ETagMaker,
        /// For each key.
        makings: Arc<[Mutex<Making>; 2]>,
    }

    /// A response that is being made.
    struct BeingMade<'a>(&'a Mutex<Making>);

    impl<'a> BeingMade<'a> {
        fn begin(making: &'a Mutex<Making>) -> Self {
            let was_being_made = std::mem::replace(&mut making.lock().unwrap().is_being_made, true);
            assert!(!was_being_made, "made twice at a time");
            Self(making)
        }
    }

    impl Drop for BeingMade<'_> {
        fn drop(&mut self) {
            self.0.lock().unwrap().is_being_made = false;
        }
    }

    fn body_of(key: usize) -> Bytes {
        vec![b'a' + key as u8; BODY_BYTES].into()
    }

    impl World {
        fn new(max_bytes: u64) -> Self {
            let base_url = BaseUrl::parse("https://example.org").unwrap();
            Self {
                cache: Arc::new(ResponseCache::new(max_bytes)),
                etags: ETagMaker::new(&base_url, ""),
                makings: Arc::default(),
            }
        }

        /// Asks the cache as the service does.
        async fn read(self, key: usize, plan: Plan) {
            let etag = self.etags.of_bytes(&[key as u8]);
            let cache_key = CacheKey {
                route: "/",
                caching: Caching::ByRoute,
                etag: etag.clone(),
            };
            let make = async {
                let turn = BeingMade::begin(&self.makings[key]);
                yield_now().await;
                if plan == Plan::Fail {
                    return Err(Problem::new(Code::StoreUnavailable, "it cannot be made"));
                }
                turn.0.lock().unwrap().made += 1;
                Ok(CachedResponse::new(
                    etag,
                    None,
                    response::bytes("text/plain", body_of(key)),
                ))
            };
            let found = match self.cache.get(&cache_key) {
                Some(found) => Ok(found),
                None => {
                    let mut found = pin!(self.cache.get_or_make(&cache_key, make));
                    let mut steps = 0;
                    let found = poll_fn(|context| {
                        let found = found.as_mut().poll(context).map(Some);
                        if let Plan::Go(last) = plan
                            && found.is_pending()
                        {
                            steps += 1;
                            context.waker().wake_by_ref();
                            if steps == last {
                                return Poll::Ready(None);
                            }
                        }
                        found
                    });
                    let Some(found) = found.await else {
                        return;
                    };
                    found
                }
            };
            match found {
                Ok(found) => {
                    let body = found
                        .respond(&Conditions::default())
                        .into_body()
                        .collect()
                        .await;
                    assert_eq!(body.unwrap().to_bytes(), body_of(key), "of another key");
                }
                Err(_) => assert_eq!(plan, Plan::Fail, "the failure of another request"),
            }
        }
    }

    /// Concurrent requests, each for a key. Returns how often each response was made.
    fn reads(max_bytes: u64, requests: &[(usize, Plan)]) -> [usize; 2] {
        let world = World::new(max_bytes);
        let request = |(key, plan): &(usize, Plan)| spawn(world.clone().read(*key, *plan));
        let requests: Vec<_> = requests.iter().map(request).collect();
        for request in requests {
            block_on(request).unwrap();
        }
        assert!(
            world.cache.responses.weight() <= max_bytes,
            "more than the budget"
        );
        [0, 1].map(|key| world.makings[key].lock().unwrap().made)
    }

    #[test]
    fn in_every_order_of_steps_a_response_is_made_once() {
        const REQUESTS: [&[(usize, Plan)]; 4] = [
            &[(0, Plan::Make), (0, Plan::Make), (1, Plan::Make)],
            &[(0, Plan::Fail), (0, Plan::Make), (0, Plan::Make)],
            &[(0, Plan::Go(2)), (0, Plan::Make), (0, Plan::Make)],
            &[(0, Plan::Go(1)), (0, Plan::Fail), (0, Plan::Make)],
        ];
        for requests in REQUESTS {
            let reads = move || {
                let made = reads(DEFAULT_MAX_BYTES, requests);
                let wanted = [0, 1].map(|key| usize::from(requests.contains(&(key, Plan::Make))));
                assert_eq!(made, wanted);
            };
            shuttle::check_dfs(reads, None);
        }
    }

    #[test]
    fn in_any_order_of_steps_evictions_disturb_no_request() {
        const REQUESTS: [(usize, Plan); 6] = [
            (0, Plan::Make),
            (1, Plan::Make),
            (0, Plan::Fail),
            (1, Plan::Go(1)),
            (0, Plan::Make),
            (1, Plan::Make),
        ];
        shuttle::check_random(
            || {
                reads(ONE_RESPONSE, &REQUESTS);
            },
            10_000,
        );
    }
}
