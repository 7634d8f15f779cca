//! The one cache of the service: finished responses to reads that are the same for all clients.
//!
//! A response is looked up before a handler runs, by what was asked for. It may be used as long as what the store tells
//! of changes ([`Changes`]) does not touch it. After that, a handler that knows the entity tag of what it would send
//! uses the cached body again if the tag is the same ([`CacheReader::cached_reply`]).

mod flights;
mod key;
mod reader;
mod representation;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use http::StatusCode;
use http::header::{self, HeaderValue};
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

pub(crate) use self::flights::FlightSender;
use self::flights::Flights;
pub(crate) use self::key::CacheKey;
#[cfg(feature = "pages")]
pub(crate) use self::key::Variant;
pub(crate) use self::reader::CacheReader;
pub(crate) use self::representation::{Reply, Representation};
use crate::http::coding::{Coding, Codings};
use crate::http::{Conditions, ETag, Response, response};
use crate::post::Timestamp;
pub(crate) use crate::store::Subject;
use crate::store::{CacheStats, Changes, ElapsedNanos, ReadStamp, ResponseStamp, Usability};

pub(crate) const DEFAULT_MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Each shard of the cache has room for the longest feed.
const MIN_SHARD_BYTES: u64 = 8 * 1024 * 1024;
const MAX_SHARDS: u64 = 64;
/// The share of entries that were read again. The rest, 2 MiB of a shard by default, has room for what is
/// new, so that a large response stays from the first time that it is made.
const HOT_SHARE: f64 = 0.75;
/// The number of entries that the cache has room for at first.
const INITIAL_ENTRIES: usize = 1024;
/// What an entry takes besides its response: the key, and the cache's bookkeeping.
const ENTRY_BYTES: usize = 256;
/// What a `HeaderMap` takes for each header that it has room for, besides the text of its value.
const HEADER_BYTES: usize = 112;

/// Finished responses, within a budget of bytes.
pub(crate) struct ResponseCache {
    responses: Cache<CacheKey, WeighedResponse, BytesWeighter>,
    flights: Flights,
    pub(crate) changes: Changes,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// A response to a read with all its headers, from which the matching 304 is made.
pub(crate) struct CachedResponse {
    etag: ETag,
    modified: Option<Timestamp>,
    full: Response,
    codings: Option<Codings>,
    stamp: ResponseStamp,
    /// Until when it may be used, if that does not depend on changes.
    until: Option<ElapsedNanos>,
}

/// A response with the bytes that are counted for it. A response grows by its compressed forms, and what is counted for
/// a cache entry must not change.
#[derive(Clone)]
struct WeighedResponse(Arc<CachedResponse>, u64);

#[derive(Clone)]
struct BytesWeighter;

impl Weighter<CacheKey, WeighedResponse> for BytesWeighter {
    fn weight(&self, _: &CacheKey, WeighedResponse(_, bytes): &WeighedResponse) -> u64 {
        *bytes
    }
}

impl ResponseCache {
    pub(crate) fn new(max_bytes: u64, changes: Changes) -> Self {
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
            responses: Cache::with_options(options, BytesWeighter, hasher, lifecycle),
            flights: Flights::default(),
            changes,
            hits: AtomicU64::default(),
            misses: AtomicU64::default(),
        }
    }

    pub(crate) fn stats(&self) -> CacheStats {
        CacheStats {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            entries: self.responses.len() as u64,
            bytes: self.responses.weight(),
        }
    }

    /// The response for a read that begins now, if it may be used without a question to the store.
    pub(crate) fn get(&self, key: &CacheKey) -> Option<Arc<CachedResponse>> {
        let WeighedResponse(cached, _) = self.responses.get(key)?;
        let may_be_used = self.usability(key, &cached, self.changes.stamp()) == Usability::Valid;
        may_be_used.then(|| self.hit(cached))
    }

    /// Gets the response for a read that began at `read_at`, or says how to get it.
    pub(crate) async fn get_or_make<'a>(
        &'a self,
        key: &'a CacheKey,
        read_at: ReadStamp,
    ) -> CacheLookup<'a> {
        if let Some(WeighedResponse(cached, _)) = self.responses.get(key) {
            if self.usability(key, &cached, read_at) == Usability::IfConfirmed {
                self.changes.confirm().await;
            }
            if self.usability(key, &cached, read_at) == Usability::Valid {
                return CacheLookup::Cached(self.hit(cached));
            }
        }
        let is_recent = |other| {
            let stamp = ResponseStamp::at(other);
            self.changes.usability(&stamp, key.subject, read_at) == Usability::Valid
        };
        match self.flights.begin(key, read_at, is_recent) {
            Ok(flight) => CacheLookup::Make(Some(flight)),
            Err(flight) => match flights::join(flight).await {
                Some(response) => CacheLookup::Cached(self.hit(response)),
                None => CacheLookup::Make(None),
            },
        }
    }

    /// The response under this key, for a read that began at `read_at` and has found out that the response has this
    /// tag: if it is the same, or if another read has made a newer one.
    pub(crate) fn reuse(
        &self,
        key: &CacheKey,
        etag: Option<&ETag>,
        read_at: ReadStamp,
    ) -> Option<Arc<CachedResponse>> {
        let WeighedResponse(cached, _) = self.responses.get(key)?;
        if etag == Some(&cached.etag) {
            cached.stamp.also_at(read_at);
            return Some(self.hit(cached));
        }
        (self.usability(key, &cached, read_at) == Usability::Valid).then(|| self.hit(cached))
    }

    pub(crate) fn insert(&self, key: &CacheKey, response: &Arc<CachedResponse>) {
        self.misses.fetch_add(1, Ordering::Relaxed);
        self.weigh(key, response);
    }

    /// Counts the memory of a response again, after a compressed form was added.
    pub(crate) fn weigh_again(&self, key: &CacheKey, response: &Arc<CachedResponse>) {
        let cached = self.responses.get(key);
        if cached.is_some_and(|WeighedResponse(cached, _)| Arc::ptr_eq(&cached, response)) {
            self.weigh(key, response);
        }
    }

    fn weigh(&self, key: &CacheKey, response: &Arc<CachedResponse>) {
        let bytes = ENTRY_BYTES + key.query.len() + response.size();
        let weighed = WeighedResponse(Arc::clone(response), bytes as u64);
        self.responses.insert(key.clone(), weighed);
    }

    fn usability(
        &self,
        key: &CacheKey,
        response: &CachedResponse,
        read_at: ReadStamp,
    ) -> Usability {
        match response.until {
            Some(until) if read_at.is_before(until) => Usability::Valid,
            Some(_) => Usability::No,
            None => self
                .changes
                .usability(&response.stamp, key.subject, read_at),
        }
    }

    fn hit(&self, response: Arc<CachedResponse>) -> Arc<CachedResponse> {
        self.hits.fetch_add(1, Ordering::Relaxed);
        response
    }
}

/// What the cache says to a read.
pub(crate) enum CacheLookup<'a> {
    Cached(Arc<CachedResponse>),
    /// The caller makes the response. If there is a sender, other reads wait for it.
    Make(Option<FlightSender<'a>>),
}

impl CachedResponse {
    /// Adds the validators to a response that is otherwise complete. It is what the store had at `stamp`. With
    /// `codings`, compressed forms may be added. Until `until`, it may be used whatever is changed.
    pub(crate) fn new(
        etag: ETag,
        modified: Option<Timestamp>,
        mut full: Response,
        codings: Option<Codings>,
        stamp: ReadStamp,
        until: Option<ElapsedNanos>,
    ) -> Self {
        etag.set_validators(&mut full, modified);
        Self {
            etag,
            modified,
            full,
            codings,
            stamp: ResponseStamp::at(stamp),
            until,
        }
    }

    /// The text to compress for a client that wants this coding, if it may be compressed and was not yet.
    pub(crate) fn to_compress(&self, coding: Option<Coding>) -> Option<(&Codings, Coding, Bytes)> {
        let (codings, coding) = (self.codings.as_ref()?, coding?);
        let text = self.full.body().clone().into_inner()?;
        codings.lacks(coding).then_some((codings, coding, text))
    }

    /// The entity tag, as the service compares it.
    pub(crate) fn etag(&self) -> &ETag {
        &self.etag
    }

    /// The response to a request with these conditions, in this coding if there is such a form.
    pub(crate) fn respond(&self, conditions: &Conditions<'_>, coding: Option<Coding>) -> Response {
        if !conditions.are_current(&self.etag, self.modified) {
            let mut response = self.full.clone();
            if let (Some(codings), Some(coding)) = (&self.codings, coding) {
                codings.apply(coding, &mut response);
            }
            return response;
        }
        let mut not_modified = response::empty(StatusCode::NOT_MODIFIED);
        let headers = not_modified.headers_mut();
        headers.clone_from(self.full.headers());
        headers.remove(header::CONTENT_TYPE);
        headers.remove(header::CONTENT_LENGTH);
        if let Some(coded) = conditions.coded_tag(&self.etag) {
            headers.insert(header::ETAG, coded);
        }
        not_modified
    }

    /// The bytes of memory that it takes, approximately.
    fn size(&self) -> usize {
        let body = response::len(&self.full);
        let headers = self.full.headers();
        let values: usize = headers.values().map(HeaderValue::len).sum();
        let codings = self.codings.as_ref().map_or(0, Codings::size);
        size_of::<Self>() + body + codings + headers.capacity() * HEADER_BYTES + values
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;
    use std::sync::{Arc, Mutex};
    use std::task::Poll;

    use shuttle::future::{block_on, spawn, yield_now};
    use tokio::runtime::Builder;

    use super::*;
    use crate::host::base_url::BaseUrl;
    use crate::http::ETagMaker;

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

    #[derive(Clone)]
    struct World {
        cache: Arc<ResponseCache>,
        etags: ETagMaker,
        /// How often each response was made.
        made: Arc<Mutex<[usize; 2]>>,
    }

    fn body_of(key: usize) -> Bytes {
        vec![b'a' + key as u8; BODY_BYTES].into()
    }

    impl World {
        fn new(max_bytes: u64) -> Self {
            let base_url = BaseUrl::parse("https://example.org").unwrap();
            let changes = Changes::complete();
            Self {
                cache: Arc::new(ResponseCache::new(max_bytes, changes)),
                etags: ETagMaker::new(&base_url, ""),
                made: Arc::default(),
            }
        }

        /// Asks the cache as the service does. `None` if the response was not made.
        async fn get_or_make(&self, number: usize, plan: Plan) -> Option<Arc<CachedResponse>> {
            let key = CacheKey::new("/", Subject::Lists).with_query(number.to_string());
            let read_at = self.cache.changes.stamp();
            let flight = match self.cache.get_or_make(&key, read_at).await {
                CacheLookup::Cached(cached) => return Some(cached),
                CacheLookup::Make(flight) => flight,
            };
            yield_now().await;
            if plan == Plan::Fail {
                return None;
            }
            let body = body_of(number);
            let etag = self.etags.of_bytes(&body);
            let response = response::bytes("text/plain", body);
            let made = Arc::new(CachedResponse::new(
                etag, None, response, None, read_at, None,
            ));
            self.made.lock().unwrap()[number] += 1;
            self.cache.insert(&key, &made);
            if let Some(flight) = flight {
                flight.finish(&made);
            }
            Some(made)
        }

        async fn read(self, number: usize, plan: Plan) {
            let mut found = pin!(self.get_or_make(number, plan));
            let mut steps = 0;
            let found = poll_fn(|context| {
                let found = found.as_mut().poll(context);
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
            match found.await {
                Some(found) => {
                    let body = found.full.body().clone().into_inner();
                    assert_eq!(body, Some(body_of(number)), "of another key");
                }
                None => assert_ne!(plan, Plan::Make, "the failure of another request"),
            }
        }
    }

    /// Concurrent requests, each for a key. Returns how often each response was made.
    fn reads(max_bytes: u64, requests: &[(usize, Plan)]) -> [usize; 2] {
        // For the time limit of those who wait, which never passes here.
        let runtime = Builder::new_current_thread().enable_time().build().unwrap();
        let _context = runtime.enter();
        let world = World::new(max_bytes);
        let request = |(key, plan): &(usize, Plan)| spawn(world.clone().read(*key, *plan));
        let requests: Vec<_> = requests.iter().map(request).collect();
        for request in requests {
            block_on(request).unwrap();
        }
        let weight = world.cache.responses.weight();
        assert!(weight <= max_bytes, "more than the budget");
        *world.made.lock().unwrap()
    }

    #[test]
    fn in_every_order_of_steps_concurrent_reads_share_one_making() {
        const REQUESTS: [(usize, Plan); 3] = [(0, Plan::Make), (0, Plan::Make), (1, Plan::Make)];
        let reads = || assert_eq!(reads(DEFAULT_MAX_BYTES, &REQUESTS), [1, 1]);
        shuttle::check_dfs(reads, None);
    }

    #[test]
    fn in_every_order_of_steps_a_read_that_fails_or_goes_away_disturbs_no_other() {
        const REQUESTS: [&[(usize, Plan)]; 3] = [
            &[(0, Plan::Fail), (0, Plan::Make), (0, Plan::Make)],
            &[(0, Plan::Go(2)), (0, Plan::Make), (0, Plan::Make)],
            &[(0, Plan::Go(1)), (0, Plan::Fail), (0, Plan::Make)],
        ];
        for requests in REQUESTS {
            shuttle::check_dfs(
                move || assert_ne!(reads(DEFAULT_MAX_BYTES, requests)[0], 0),
                None,
            );
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
