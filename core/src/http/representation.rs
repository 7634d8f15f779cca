//! The representation of a resource, which handlers of reads return instead of a response.
//!
//! The body is made lazily, so `service.rs` can first evaluate the conditions of the request and consult
//! the cache.

use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use http::HeaderMap;

use super::conditional::ETag;
use super::response::{self, CacheControl, Response};
use crate::id::PostId;
use crate::problem::Problem;
use crate::queue::{Permit, Queue};
use crate::time::Timestamp;

/// The result of a handler.
pub(crate) enum Reply<'a> {
    /// A response that is sent as it is.
    Response(Response),
    /// A representation, which is subject to conditions and may be cached.
    Representation(Representation<'a>),
}

/// A representation of a resource (RFC 9110, section 3.2) whose body is not made yet. `service.rs` makes
/// it, unless the client's copy is current or the response is cached.
pub(crate) struct Representation<'a> {
    pub(crate) head: ResponseHead<'a>,
    /// The entity tag, if it is known before the body is made. Otherwise it is the hash of the body.
    pub(crate) etag: Option<ETag>,
    /// What identifies the state of the resource for the cache, if its entity tag is the hash of the body.
    pub(crate) state: Option<ETag>,
    pub(crate) modified: Option<Timestamp>,
    pub(crate) caching: Caching,
    /// Where the request waits before the body is made, and the length of its input.
    pub(crate) queue: Option<(&'a Queue, usize)>,
    pub(crate) body: MakeBody<'a>,
}

/// Status and headers of a representation, without the validators. They are made only if the response
/// is not cached.
pub(crate) struct ResponseHead<'a> {
    media_type: &'static str,
    cache_control: CacheControl,
    is_indexed: bool,
    headers: Vec<SetHeaders<'a>>,
}

/// Sets further headers.
type SetHeaders<'a> = Box<dyn FnOnce(&mut HeaderMap) + Send + 'a>;

/// Whether the service caches the response, and what identifies it in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Caching {
    /// The response is made for each request.
    Off,
    /// The route and the entity tag determine its bytes.
    ByRoute,
    /// The route, this post and the entity tag determine its bytes.
    ByPost(PostId),
}

/// Makes the body, with the permit of the queue.
type MakeBody<'a> = Box<dyn FnOnce(Permit) -> FutureBody<'a> + Send + 'a>;
type FutureBody<'a> = Pin<Box<dyn Future<Output = Result<Body, Problem>> + Send + 'a>>;

/// A body that was made.
pub(crate) struct Body {
    pub(crate) bytes: Bytes,
    /// The entity tag of these bytes, if the resource changed after the representation's own tag was
    /// determined.
    pub(crate) newer_etag: Option<ETag>,
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self {
            bytes,
            newer_etag: None,
        }
    }
}

impl<'a> Representation<'a> {
    /// A representation that any client may store and must revalidate, and whose entity tag is the
    /// hash of its body.
    pub(crate) fn new<B: Into<Body>>(
        media_type: &'static str,
        body: impl Future<Output = Result<B, Problem>> + Send + 'a,
    ) -> Self {
        Self::made_by(media_type, None, |_| body)
    }

    /// The same if the body is made when the queue lets the request through, from an input of so many bytes.
    pub(crate) fn queued<B: Into<Body>, F: Future<Output = Result<B, Problem>> + Send + 'a>(
        media_type: &'static str,
        queue: &'a Queue,
        input_len: usize,
        make: impl FnOnce(Permit) -> F + Send + 'a,
    ) -> Self {
        Self::made_by(media_type, Some((queue, input_len)), make)
    }

    fn made_by<B: Into<Body>, F: Future<Output = Result<B, Problem>> + Send + 'a>(
        media_type: &'static str,
        queue: Option<(&'a Queue, usize)>,
        make: impl FnOnce(Permit) -> F + Send + 'a,
    ) -> Self {
        let head = ResponseHead {
            media_type,
            cache_control: CacheControl::Revalidated,
            is_indexed: true,
            headers: Vec::new(),
        };
        Self {
            head,
            etag: None,
            state: None,
            modified: None,
            caching: Caching::Off,
            queue,
            body: Box::new(|permit| {
                let body = make(permit);
                Box::pin(async { body.await.map(Into::into) })
            }),
        }
    }

    /// Sets an entity tag that is known before the body is made, and whether the cache holds the
    /// response.
    pub(crate) fn with_etag(mut self, etag: ETag, caching: Caching) -> Self {
        self.etag = Some(etag);
        self.caching = caching;
        self
    }

    /// Caches the response, whose bytes the route and this state determine. Its entity tag is their hash.
    pub(crate) fn with_state(mut self, state: ETag) -> Self {
        self.state = Some(state);
        self.caching = Caching::ByRoute;
        self
    }

    /// Sets when the resource was last changed.
    pub(crate) fn with_modified(mut self, modified: Timestamp) -> Self {
        self.modified = Some(modified);
        self
    }

    /// Sets whether search engines may index the response. By default they may.
    pub(crate) fn with_indexing(mut self, is_indexed: bool) -> Self {
        self.head.is_indexed = is_indexed;
        self
    }

    /// Sets headers of the response beside its type, its validators and `Cache-Control`, after those that
    /// were set before.
    pub(crate) fn with_headers(mut self, set: impl FnOnce(&mut HeaderMap) + Send + 'a) -> Self {
        self.head.headers.push(Box::new(set));
        self
    }

    pub(crate) fn with_cache_control(mut self, cache_control: CacheControl) -> Self {
        self.head.cache_control = cache_control;
        self
    }
}

impl ResponseHead<'_> {
    /// A response with this head.
    pub(crate) fn with_body(self, body: Bytes) -> Response {
        let mut response = response::bytes(self.media_type, body);
        response::set_cache_control(&mut response, self.cache_control);
        if !self.is_indexed {
            response::set_noindex(response.headers_mut());
        }
        for set in self.headers {
            set(response.headers_mut());
        }
        response
    }
}

impl<'a> From<Representation<'a>> for Reply<'a> {
    fn from(representation: Representation<'a>) -> Self {
        Self::Representation(representation)
    }
}

impl From<Response> for Reply<'_> {
    fn from(response: Response) -> Self {
        Self::Response(response)
    }
}
