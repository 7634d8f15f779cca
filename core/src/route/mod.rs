//! A row of the table of routes: which requests it is for, what handles them, and what the documents say of it.

pub(crate) mod operation;

use std::pin::Pin;

use crate::cache::{CacheKey, CacheReader, Reply, Subject};
use crate::context::Context;
use crate::http::route_group::RouteGroup;
use crate::http::{Body, Head};
use crate::post::{EditToken, PostId};
use crate::problem::Problem;
use crate::route::operation::Operation;

/// A method and a path.
pub(crate) struct Row {
    pub(crate) method: &'static str,
    /// The path, with a name in braces in place of its variable part. It contains no token, so it can be logged.
    pub(crate) pattern: &'static str,
    pub(crate) group: RouteGroup,
    pub(crate) handler: Handler,
    /// What the documents say of it. The API alone has such rows.
    pub(crate) operation: Option<Operation>,
    cache_key: Option<fn(Call<'_>) -> Option<CacheKey>>,
    /// Whether a text may stand for `{name}` or `{slug}` in the pattern.
    pub(crate) may_be_name: fn(&str) -> bool,
    /// The pattern in three: before its variable part, that part, and after it.
    parts: (&'static str, &'static str, &'static str),
}

pub(crate) type Handler = for<'a> fn(Call<'a>, &'a CacheReader<'a>, Body) -> ReplyFuture<'a>;
pub(crate) type ReplyFuture<'a> = Pin<Box<dyn Future<Output = Result<Reply, Problem>> + Send + 'a>>;

/// The row that a request is for.
pub(crate) struct Route {
    pub(crate) row: &'static Row,
    /// The variable part of the path, if it is the identifier of a post.
    id: Option<PostId>,
}

/// A request on its way to the handler of its row.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) context: &'a Context,
    pub(crate) head: &'a Head,
    pub(crate) route: &'a Route,
}

pub(crate) const fn get(pattern: &'static str, group: RouteGroup, handler: Handler) -> Row {
    row("GET", pattern, group, handler)
}

pub(crate) const fn post(pattern: &'static str, group: RouteGroup, handler: Handler) -> Row {
    row("POST", pattern, group, handler)
}

pub(crate) const fn row(
    method: &'static str,
    pattern: &'static str,
    group: RouteGroup,
    handler: Handler,
) -> Row {
    Row {
        method,
        pattern,
        group,
        handler,
        operation: None,
        cache_key: None,
        may_be_name: |_| false,
        parts: parts_of(pattern),
    }
}

/// What a handler returns: its reply in a future of its own.
macro_rules! reply {
    ($reply:expr) => {
        Box::pin(async move { Ok($reply.into()) })
    };
}
pub(crate) use reply;

/// The handler that is this asynchronous function of the call, and of the reader or the body if it needs one.
macro_rules! handler {
    ($function:path) => {
        |call, _, _| $crate::route::reply!($function(call).await?)
    };
    ($function:path, reader) => {
        |call, reader, _| $crate::route::reply!($function(call, reader).await?)
    };
    ($function:path, body) => {
        |call, _, body| $crate::route::reply!($function(call, body).await?)
    };
}
pub(crate) use handler;

impl Row {
    /// Sets the function that makes the cache key. Without it, and where it returns `None`, the response is not cached.
    pub(crate) const fn cached(self, key: fn(Call<'_>) -> Option<CacheKey>) -> Self {
        let cache_key = Some(key);
        Self { cache_key, ..self }
    }

    /// Sets what the documents say of it.
    pub(crate) const fn described(self, operation: Operation) -> Self {
        let operation = Some(operation);
        Self { operation, ..self }
    }

    /// The route of a path, if the pattern fits it. The path is compared as it was sent: percent-encoded characters,
    /// double slashes and trailing slashes make another path.
    pub(crate) fn route(&'static self, path: &str) -> Option<Route> {
        let value = self.variable(path)?;
        let mut id = None;
        let is_valid = match self.parts.1 {
            "" => value.is_empty(),
            "{id}" => {
                id = value.parse().ok();
                id.is_some()
            }
            "{edit_token}" => value.parse::<EditToken>().is_ok(),
            _ => (self.may_be_name)(value),
        };
        is_valid.then_some(Route { row: self, id })
    }

    /// The variable part of a path that begins and ends like the pattern.
    fn variable<'p>(&self, path: &'p str) -> Option<&'p str> {
        let (before, _, after) = self.parts;
        path.strip_prefix(before)?.strip_suffix(after)
    }
}

const fn parts_of(pattern: &'static str) -> (&'static str, &'static str, &'static str) {
    let bytes = pattern.as_bytes();
    let mut start = 0;
    while start < bytes.len() && bytes[start] != b'{' {
        start += 1;
    }
    let mut end = start;
    while end < bytes.len() && (end == start || bytes[end - 1] != b'}') {
        end += 1;
    }
    let (before, rest) = pattern.split_at(start);
    let (name, after) = rest.split_at(end - start);
    (before, name, after)
}

impl Route {
    /// The cache key of a read. `None` if the response is made for each request.
    pub(crate) fn cache_key(&self, context: &Context, head: &Head) -> Option<CacheKey> {
        if self.row.group.goes_with_pages() && !context.pages_are_on {
            return None;
        }
        let route = self;
        self.row.cache_key?(Call {
            context,
            head,
            route,
        })
    }
}

impl<'a> Call<'a> {
    /// The variable part of the path, such as the name of a file.
    #[cfg(feature = "pages")]
    pub(crate) fn variable(self) -> &'a str {
        let variable = self.route.row.variable(self.head.parts.uri.path());
        variable.unwrap_or_default()
    }

    /// The identifier in the path.
    pub(crate) fn id(self) -> PostId {
        let id = self.route.id;
        id.unwrap_or_else(|| unreachable!("the pattern has {{id}}"))
    }

    /// The cache key of a response that shows this.
    pub(crate) fn key(self, subject: Subject) -> CacheKey {
        CacheKey::new(self.route.row.pattern, subject)
    }
}
