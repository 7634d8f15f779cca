//! The representation of a resource (RFC 9110, section 3.2), which handlers of reads return.
//!
//! A handler first says what it would send, without the body. If the client or the cache has that already
//! ([`CacheReader::cached_reply`](super::CacheReader::cached_reply)), no body is made.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http_body_util::Full;

use super::CachedResponse;
use crate::http::{CacheControl, ETag, Response, response};
use crate::post::{PostSummary, Timestamp, Visibility};

pub(crate) enum Reply {
    /// A response that is sent as it is.
    Response(Response),
    /// A representation, which is subject to conditions and may be cached.
    Representation(Representation),
    /// What the cache has.
    Cached(Arc<CachedResponse>),
    /// A representation without its body, which the client has.
    Current(Representation),
}

/// A response to a read, without its validators.
#[derive(Clone)]
pub(crate) struct Representation {
    pub(crate) response: Response,
    /// The entity tag, if it is known before the body is made. Otherwise it is the hash of the body.
    pub(crate) etag: Option<ETag>,
    pub(crate) modified: Option<Timestamp>,
    /// Whether it may be used for other clients.
    pub(crate) is_shared: bool,
    /// For how long it may be used whatever is changed, if it is not made again after each change.
    pub(crate) lasts: Option<Duration>,
}

impl Representation {
    /// A representation that any client may store and must revalidate.
    pub(crate) fn new(media_type: &'static str) -> Self {
        let mut response = response::bytes(media_type, Bytes::new());
        response::set_cache_control(&mut response, CacheControl::Revalidated);
        Self {
            response,
            etag: None,
            modified: None,
            is_shared: true,
            lasts: None,
        }
    }

    /// The representation of a post, which has this tag. Of a draft it is private, and of an unlisted post not indexed.
    pub(crate) fn of_post(media_type: &'static str, post: &PostSummary, etag: ETag) -> Self {
        let mut new = Self::new(media_type).with_etag(etag);
        new.modified = Some(post.updated_at);
        match post.visibility {
            Visibility::Public => new,
            Visibility::Unlisted => new.with_indexing(false),
            Visibility::Draft => new.with_cache_control(CacheControl::NoStorePrivate),
        }
    }

    /// Sets the entity tag, if it is known before the body is made.
    pub(crate) fn with_etag(self, etag: ETag) -> Self {
        let etag = Some(etag);
        Self { etag, ..self }
    }

    /// Keeps the cache from having it, if this is false. What is private is never cached.
    pub(crate) fn with_sharing(mut self, is_shared: bool) -> Self {
        self.is_shared &= is_shared;
        self
    }

    /// Asks search engines not to index the response, if this is false.
    pub(crate) fn with_indexing(mut self, is_indexed: bool) -> Self {
        if !is_indexed {
            response::set_noindex(self.headers_mut());
        }
        self
    }

    /// Sets who may store the response. What is private is not cached here either.
    pub(crate) fn with_cache_control(mut self, cache_control: CacheControl) -> Self {
        response::set_cache_control(&mut self.response, cache_control);
        self.is_shared &= matches!(cache_control, CacheControl::Revalidated);
        self
    }

    pub(crate) fn len(&self) -> usize {
        response::len(&self.response)
    }

    pub(crate) fn headers_mut(&mut self) -> &mut HeaderMap {
        self.response.headers_mut()
    }

    pub(crate) fn with_body(mut self, body: impl Into<Bytes>) -> Self {
        *self.response.body_mut() = Full::new(body.into());
        self
    }
}

impl From<Representation> for Reply {
    fn from(representation: Representation) -> Self {
        Self::Representation(representation)
    }
}

impl From<Response> for Reply {
    fn from(response: Response) -> Self {
        Self::Response(response)
    }
}
