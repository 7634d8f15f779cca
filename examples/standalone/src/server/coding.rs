//! Compresses public responses, each once for all clients: a response that is in memory as a whole is compressed as a
//! whole, and cached.
//!
//! Each coding of a response has an entity tag of its own (RFC 9110, section 8.8.3.3): that of the service with `+br` or
//! `+gzip` at its end, which the service never sees. What is private may hold a secret and is never compressed: with a
//! text of the attacker in it, its length could tell the secret.

use std::io::Write;
use std::sync::Arc;
use std::thread::available_parallelism;

use bytes::Bytes;
use flate2::write::GzEncoder;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG,
    HeaderMap, HeaderValue, IF_MATCH, IF_NONE_MATCH, VARY,
};
use http::{Method, Response, StatusCode};
use http_body::Body;
use http_body_util::Full;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Memory for compressed responses, in bytes.
const CACHE_BYTES: u64 = 8 * 1024 * 1024;
const INITIAL_ENTRIES: usize = 256;
/// What an entry takes besides its texts, approximately.
const ENTRY_BYTES: usize = 128;
/// Shorter responses fit into one packet anyway.
const MIN_BYTES: u64 = 1024;
/// Compressing more than this takes longer than a change of threads.
const LONG: usize = 16 * 1024;
/// A third of the time of the next level, and 2 % longer.
const BROTLI_QUALITY: u32 = 5;
const BROTLI_WINDOW: u32 = 22;

/// How a response is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Coding {
    Brotli,
    Gzip,
}

/// Compresses responses and caches the results.
#[derive(Clone, Debug)]
pub(crate) struct Codings {
    cache: Arc<Cache<Key, Option<Bytes>, ByBytes>>,
    /// For compressing on blocking threads.
    permits: Arc<Semaphore>,
}

/// What is known of a request once the service has it.
pub(crate) struct Wanted {
    /// If the client accepts one, and reads.
    coding: Option<Coding>,
    /// The path and the query.
    address: String,
    /// The entity tags that the client has.
    known: Option<HeaderValue>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    address: String,
    etag: String,
    coding: Coding,
}

#[derive(Clone, Debug)]
struct ByBytes;

impl Weighter<Key, Option<Bytes>> for ByBytes {
    fn weight(&self, key: &Key, coded: &Option<Bytes>) -> u64 {
        let texts = key.address.len() + key.etag.len();
        (ENTRY_BYTES + texts + coded.as_ref().map_or(0, Bytes::len)) as u64
    }
}

impl Coding {
    /// The best first.
    const ALL: [Self; 2] = [Self::Brotli, Self::Gzip];

    const fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// The coding that a client accepts (RFC 9110, section 12.5.3).
    fn accepted_by(headers: &HeaderMap) -> Option<Self> {
        let lists = headers.get_all(ACCEPT_ENCODING).iter();
        let lists: Vec<_> = lists.filter_map(|list| list.to_str().ok()).collect();
        let accepts = |coding: &Self| {
            let mut accepted = lists.iter().flat_map(|list| list.split(','));
            accepted.any(|accepted| {
                let mut parts = accepted.split(';').map(str::trim);
                let is_it = parts
                    .next()
                    .is_some_and(|name| name.eq_ignore_ascii_case(coding.name()));
                is_it && !parts.any(is_never)
            })
        };
        Self::ALL.into_iter().find(accepts)
    }

    /// The entity tag of a response in this coding.
    fn tag(self, etag: &str) -> Option<String> {
        Some(format!("{}+{}\"", etag.strip_suffix('"')?, self.name()))
    }

    fn compress(self, text: &[u8]) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Brotli => {
                let mut coded = Vec::new();
                let buffer = text.len().clamp(1, LONG);
                let mut encoder = brotli::CompressorWriter::new(
                    &mut coded,
                    buffer,
                    BROTLI_QUALITY,
                    BROTLI_WINDOW,
                );
                encoder.write_all(text)?;
                drop(encoder);
                Ok(coded)
            }
            Self::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
                encoder.write_all(text)?;
                encoder.finish()
            }
        }
    }
}

/// Whether a parameter is a weight of 0.
fn is_never(parameter: &str) -> bool {
    let weight = parameter
        .strip_prefix("q=")
        .or(parameter.strip_prefix("Q="));
    weight.is_some_and(|weight| weight.parse() == Ok(0.0))
}

impl Wanted {
    /// What the client wants. The entity tags in the request become those of the service.
    pub(crate) fn by<B>(request: &mut http::Request<B>) -> Self {
        let reads = request.method() == Method::GET;
        let coding = reads
            .then(|| Coding::accepted_by(request.headers()))
            .flatten();
        let address = match (coding, request.uri().path_and_query()) {
            (Some(_), Some(address)) => address.as_str().to_owned(),
            _ => String::new(),
        };
        let headers = request.headers_mut();
        let known = headers.get(IF_NONE_MATCH).cloned();
        for (name, tags) in headers.iter_mut() {
            if [IF_NONE_MATCH, IF_MATCH].contains(name) {
                remove_codings(tags);
            }
        }
        Self {
            coding,
            address,
            known,
        }
    }

    /// The tag of the client that stands for this one of the service.
    fn known_as(&self, etag: &str) -> Option<HeaderValue> {
        let known = self.known.as_ref()?.to_str().ok()?;
        let mut tags = Coding::ALL
            .into_iter()
            .filter_map(|coding| coding.tag(etag));
        let tag = tags.find(|tag| known.contains(tag.as_str()))?;
        HeaderValue::try_from(tag).ok()
    }
}

/// Removes the codings from entity tags.
fn remove_codings(tags: &mut HeaderValue) {
    let Ok(text) = tags.to_str() else {
        return;
    };
    let of_service = Coding::ALL.iter().fold(text.to_owned(), |text, coding| {
        text.replace(&format!("+{}\"", coding.name()), "\"")
    });
    if let Ok(of_service) = HeaderValue::try_from(of_service) {
        *tags = of_service;
    }
}

impl Codings {
    pub(crate) fn new() -> Self {
        let cores = available_parallelism().map_or(1, |cores| cores.get().div_ceil(2));
        Self {
            cache: Arc::new(Cache::with_weighter(INITIAL_ENTRIES, CACHE_BYTES, ByBytes)),
            permits: Arc::new(Semaphore::new(cores)),
        }
    }

    /// The response as the client wants it.
    pub(crate) async fn code(
        &self,
        wanted: Wanted,
        mut response: Response<Full<Bytes>>,
    ) -> Response<Full<Bytes>> {
        if !may_be_compressed(&response) {
            return response;
        }
        response
            .headers_mut()
            .append(VARY, HeaderValue::from_static("Accept-Encoding"));
        let etag = response.headers().get(ETAG);
        let Some(etag) = etag.and_then(|etag| etag.to_str().ok().map(str::to_owned)) else {
            return response;
        };
        if response.status() == StatusCode::NOT_MODIFIED {
            if let Some(tag) = wanted.known_as(&etag) {
                response.headers_mut().insert(ETAG, tag);
            }
            return response;
        }
        let (Some(coding), Some(tag)) = (
            wanted.coding,
            wanted.coding.and_then(|coding| coding.tag(&etag)),
        ) else {
            return response;
        };
        let (Ok(tag), true) = (
            HeaderValue::try_from(tag),
            response.body().size_hint().lower() >= MIN_BYTES,
        ) else {
            return response;
        };
        let key = Key {
            address: wanted.address,
            etag,
            coding,
        };
        let (mut head, body) = response.into_parts();
        let text = body.into_inner().unwrap_or_default();
        let Some(coded) = self.compressed(key, &text).await else {
            return Response::from_parts(head, Full::from(text));
        };
        head.headers.insert(ETAG, tag);
        head.headers.insert(CONTENT_LENGTH, coded.len().into());
        head.headers
            .insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
        let body = Bytes::from_owner(Sent { coded, _text: text });
        Response::from_parts(head, Full::from(body))
    }

    /// The text in a coding, if that is shorter. It is made once, for all that ask for it at the same time.
    async fn compressed(&self, key: Key, text: &Bytes) -> Option<Bytes> {
        let coding = key.coding;
        let compress = {
            let text = text.clone();
            move || {
                let coded = coding.compress(&text).ok()?;
                (coded.len() < text.len()).then(|| Bytes::from(coded))
            }
        };
        let make = async {
            if text.len() <= LONG {
                return Ok::<_, ()>(compress());
            }
            let _permit = self.permits.acquire().await;
            spawn_blocking(compress).await.map_err(drop)
        };
        self.cache
            .get_or_insert_async(&key, make)
            .await
            .ok()
            .flatten()
    }
}

/// A compressed body that is being sent. Its text stays in memory for as long, so that the service, which counts how
/// much memory responses take, counts it.
struct Sent {
    coded: Bytes,
    _text: Bytes,
}

impl AsRef<[u8]> for Sent {
    fn as_ref(&self) -> &[u8] {
        &self.coded
    }
}

/// Whether it is a text for everyone.
fn may_be_compressed(response: &Response<Full<Bytes>>) -> bool {
    let text = |name| {
        response
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok())
    };
    let is_read = matches!(response.status(), StatusCode::OK | StatusCode::NOT_MODIFIED);
    let is_public = text(CACHE_CONTROL).is_some_and(|control| control.starts_with("public"));
    let is_text = text(CONTENT_TYPE).is_none_or(|kind| {
        kind.starts_with("text/")
            || ["json", "xml", "javascript"]
                .iter()
                .any(|part| kind.contains(part))
    });
    is_read && is_public && is_text
}
