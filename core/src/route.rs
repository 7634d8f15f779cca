//! The routing table: from method and path to a route. Nothing else in the service looks at the path.

use http::Method;

use crate::cache::{CacheKey, Subject};
use crate::context::Context;
use crate::http::paging;
use crate::http::request::Head;
use crate::id::PostId;
use crate::page;
use crate::part::Part;

/// A row of the routing table.
#[derive(Debug)]
pub(crate) struct Route {
    /// The path with names in place of its variable parts. It contains no token, so it can be logged.
    pub(crate) pattern: &'static str,
    pub(crate) part: Part,
    pub(crate) action: Action,
}

/// What a request asks for.
#[derive(Debug)]
pub(crate) enum Action {
    CreatePost,
    ListPosts,
    ReadPost(PostId),
    PutPost(PostId),
    PatchPost(PostId),
    DeletePost(PostId),
    ReplaceEditToken(PostId),
    IssueKey,
    ReadKey,
    ListOwnPosts,
    RevokeKey,
    OpenApi,
    Live,
    Ready,
    Health,
    Page(page::Action),
}

/// The methods that routes support, each with what `Allow` lists for it.
const METHODS: [(&str, &str); 5] = [
    ("GET", "GET, HEAD, "),
    ("POST", "POST, "),
    ("PUT", "PUT, "),
    ("PATCH", "PATCH, "),
    ("DELETE", "DELETE, "),
];

/// Why no route matches a request.
#[derive(Debug)]
pub(crate) enum NoRoute {
    /// There is nothing at the path.
    NotFound {
        /// The part that the path would belong to.
        part: Part,
    },
    /// The path supports other methods.
    OtherMethod {
        /// These methods, as `Allow` lists them.
        allowed: String,
        /// The route of one of these methods.
        other: Route,
    },
}

impl Route {
    /// What the cache knows the response to a read by. `None` if it is made for each request.
    pub(crate) fn cache_key(&self, context: &Context, head: &Head) -> Option<CacheKey> {
        let key = |subject| CacheKey::new(self.pattern, subject);
        match &self.action {
            Action::ReadPost(id) => Some(key(Subject::Post(*id))),
            Action::ListPosts => {
                let page = paging::page(&head.query, &context.limits).ok()?;
                let query = page.short_query(page.number.get());
                Some(key(Subject::Lists).with_query(query))
            }
            Action::OpenApi => Some(key(Subject::Settings)),
            Action::Page(action) => page::cache_key(context, self.pattern, action, head),
            Action::CreatePost
            | Action::PutPost(_)
            | Action::PatchPost(_)
            | Action::DeletePost(_)
            | Action::ReplaceEditToken(_)
            | Action::IssueKey
            | Action::ReadKey
            | Action::ListOwnPosts
            | Action::RevokeKey
            | Action::Live
            | Action::Ready
            | Action::Health => None,
        }
    }
}

/// Finds the route of a request.
pub(crate) fn find(method: &Method, path: &str) -> Result<Route, NoRoute> {
    // The service drops the body of a response to HEAD.
    let method = match method.as_str() {
        "HEAD" => "GET",
        other => other,
    };
    if let Some(route) = lookup(method, path) {
        return Ok(route);
    }
    let mut allowed = String::new();
    let mut other = None;
    for (method, names) in METHODS {
        if let Some(route) = lookup(method, path) {
            allowed += names;
            other = Some(route);
        }
    }
    Err(match other {
        Some(other) => NoRoute::OtherMethod {
            allowed: allowed + "OPTIONS",
            other,
        },
        None if path.starts_with("/api/") => NoRoute::NotFound { part: Part::Api },
        None => NoRoute::NotFound { part: Part::Pages },
    })
}

/// The routing table; `page/route.rs` has the rows of the pages. The path is compared as it was sent: percent-encoded characters, double slashes and
/// trailing slashes make another path.
fn lookup(method: &str, path: &str) -> Option<Route> {
    use Action::*;
    use Part::Api;

    // No route has more than four segments.
    let path = path.strip_prefix('/').unwrap_or(path);
    let segments: Vec<&str> = path.splitn(5, '/').collect();
    let id = |text: &str| text.parse::<PostId>().ok();
    let (pattern, part, action) = match (method, segments.as_slice()) {
        ("GET", ["api", "posts"]) => ("/api/posts", Api, ListPosts),
        ("POST", ["api", "posts"]) => ("/api/posts", Api, CreatePost),
        ("GET", ["api", "posts", text]) => ("/api/posts/{id}", Api, ReadPost(id(text)?)),
        ("PUT", ["api", "posts", text]) => ("/api/posts/{id}", Api, PutPost(id(text)?)),
        ("PATCH", ["api", "posts", text]) => ("/api/posts/{id}", Api, PatchPost(id(text)?)),
        ("DELETE", ["api", "posts", text]) => ("/api/posts/{id}", Api, DeletePost(id(text)?)),
        ("POST", ["api", "posts", text, "edit_token"]) => (
            "/api/posts/{id}/edit_token",
            Api,
            ReplaceEditToken(id(text)?),
        ),
        ("POST", ["api", "keys"]) => ("/api/keys", Api, IssueKey),
        ("GET", ["api", "keys", "current"]) => ("/api/keys/current", Api, ReadKey),
        ("GET", ["api", "keys", "current", "posts"]) => {
            ("/api/keys/current/posts", Api, ListOwnPosts)
        }
        ("DELETE", ["api", "keys", "current"]) => ("/api/keys/current", Api, RevokeKey),
        ("GET", ["openapi.json"]) => ("/openapi.json", Api, OpenApi),
        ("GET", ["livez"]) => ("/livez", Api, Live),
        ("GET", ["readyz"]) => ("/readyz", Api, Ready),
        ("GET", ["healthz"]) => ("/healthz", Api, Health),
        (method, segments) => {
            let (pattern, part, action) = page::lookup(method, segments)?;
            (pattern, part, Page(action))
        }
    };
    Some(Route {
        pattern,
        part,
        action,
    })
}

#[cfg(all(test, feature = "pages"))]
mod tests {
    use super::*;

    const ID: &str = "bcdfghjklm";

    fn allow(path: &str) -> String {
        match find(&Method::OPTIONS, path) {
            Err(NoRoute::OtherMethod { allowed, .. }) => allowed,
            other => panic!("{path}: {other:?}"),
        }
    }

    #[test]
    fn each_path_supports_its_methods() {
        for (path, methods) in [
            ("/", "GET, HEAD, OPTIONS"),
            ("", "GET, HEAD, OPTIONS"),
            ("/api/posts", "GET, HEAD, POST, OPTIONS"),
            (
                &format!("/api/posts/{ID}"),
                "GET, HEAD, PUT, PATCH, DELETE, OPTIONS",
            ),
            (&format!("/api/posts/{ID}/edit_token"), "POST, OPTIONS"),
            ("/api/keys", "POST, OPTIONS"),
            ("/api/keys/current", "GET, HEAD, DELETE, OPTIONS"),
            ("/api/keys/current/posts", "GET, HEAD, OPTIONS"),
            ("/openapi.json", "GET, HEAD, OPTIONS"),
            ("/livez", "GET, HEAD, OPTIONS"),
            ("/readyz", "GET, HEAD, OPTIONS"),
            ("/healthz", "GET, HEAD, OPTIONS"),
            (&format!("/p/{ID}"), "GET, HEAD, OPTIONS"),
            (&format!("/p/{ID}.png"), "GET, HEAD, OPTIONS"),
            (
                &format!("/e/{}", "x".repeat(43)),
                "GET, HEAD, POST, OPTIONS",
            ),
            ("/write", "GET, HEAD, POST, OPTIONS"),
            ("/keys", "GET, HEAD, POST, OPTIONS"),
            ("/feed.atom", "GET, HEAD, OPTIONS"),
            ("/feed.json", "GET, HEAD, OPTIONS"),
            ("/sitemap.xml", "GET, HEAD, OPTIONS"),
            ("/tags", "GET, HEAD, OPTIONS"),
            ("/follow", "GET, HEAD, OPTIONS"),
            ("/llms.txt", "GET, HEAD, OPTIONS"),
            ("/manifest.webmanifest", "GET, HEAD, OPTIONS"),
            ("/docs", "GET, HEAD, OPTIONS"),
            ("/docs/reference", "GET, HEAD, OPTIONS"),
            ("/docs/errors", "GET, HEAD, OPTIONS"),
        ] {
            assert_eq!(allow(path), methods, "{path}");
        }
    }

    #[test]
    fn every_other_path_is_not_found() {
        for path in [
            "//",
            "/api",
            "/api/",
            "/api/posts/",
            "//api/posts",
            "/api//posts",
            "/API/posts",
            "/api/posts/%2F",
            "/api/posts/bcdfghjkl%00",
            "/api/posts/bcdfghjklma",
            &format!("/api/posts/{ID}/"),
            &format!("/api/posts/{ID}/edit_token/"),
            &format!("/api/posts/{ID}/edit_token/x"),
            "/api/keys/current/",
            "/write/",
            "/keys/",
            "/feed.atom/",
            "/feed.xml",
            "/sitemap.xml/1",
            "/docs/",
            "/tags/",
            "/follow/",
            "/p/",
            &format!("/p/{ID}.gif"),
            "/e/",
            &format!("/e/{}", "x".repeat(42)),
            "/a/b/c/d/e/f/g",
            "*",
        ] {
            assert!(
                matches!(find(&Method::GET, path), Err(NoRoute::NotFound { .. })),
                "{path}"
            );
        }
    }
}
