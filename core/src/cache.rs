//! The one cache of the service: finished responses to reads.
//!
//! A cached response never becomes stale, because its key contains a strong entity tag: if a post
//! changes, its tag changes, and readers look under another key. Entries that nobody asks for any more
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
pub(crate) struct ResponseCache(Cache<CacheKey, Arc<CachedResponse>, ByBytes>);

/// What determines the bytes of a response.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CacheKey {
    pub(crate) route: &'static str,
    pub(crate) caching: Caching,
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
        Self(Cache::with_options(options, ByBytes, hasher, lifecycle))
    }

    pub(crate) fn get(&self, key: &CacheKey) -> Option<Arc<CachedResponse>> {
        self.0.get(key)
    }

    /// The response under this key. If there is none, it is made once: concurrent requests for it wait.
    pub(crate) async fn get_or_make(
        &self,
        key: &CacheKey,
        make: impl Future<Output = Result<CachedResponse, Problem>>,
    ) -> Result<Arc<CachedResponse>, Problem> {
        let make = async { make.await.map(Arc::new) };
        self.0.get_or_insert_async(key, make).await
    }
}

impl CachedResponse {
    /// Adds the validators to a response that is otherwise complete.
    pub(crate) fn new(etag: ETag, modified: Option<Timestamp>, mut full: Response) -> Self {
        response::set_validators(&mut full, &etag, modified);
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
