//! The routing table: from method and path to a route. Nothing else in the service looks at the path.

use http::Method;

use crate::id::PostId;
use crate::page::asset::{self, Asset};
use crate::secret::EditToken;

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
    RevokeKey,
    OpenApi,
    Health,
    IndexPage,
    PostPage(PostId),
    PostSource(PostId),
    EditPage(EditToken),
    SendEditPage(EditToken),
    KeysPage,
    IssueOnKeysPage,
    DocsPage,
    ErrorsPage,
    Asset(&'static Asset),
    AtomFeed,
    JsonFeed,
    Sitemap,
}

/// The part of the service that a route belongs to. It decides whether scripts of other sites may read
/// the responses, whether the host can switch the route off, and whether errors are HTML for browsers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The API: open to scripts of other sites, and always on. Its errors are always problem details.
    Api,
    /// The pages: closed to scripts of other sites.
    Pages,
    /// Feeds, the sitemap and the Markdown sources: open to scripts of other sites, and switched on and
    /// off together with the pages.
    Exports,
}

/// The methods that routes support. `HEAD` counts as `Get`, since the service drops the body of its
/// response.
#[derive(Clone, Copy, Debug)]
enum Verb {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

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

/// Finds the route of a request.
pub(crate) fn find(method: &Method, path: &str) -> Result<Route, NoRoute> {
    let verb = Verb::of(method);
    if let Some(route) = verb.and_then(|verb| lookup(verb, path)) {
        return Ok(route);
    }
    let mut allowed = String::new();
    let mut other = None;
    for verb in Verb::ALL {
        if let Some(route) = lookup(verb, path) {
            for method in verb.methods() {
                allowed += method;
                allowed += ", ";
            }
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

/// The routing table. The path is compared as it was sent: percent-encoded characters, double slashes and
/// trailing slashes make another path.
fn lookup(verb: Verb, path: &str) -> Option<Route> {
    use Action::*;
    use Part::{Api, Exports, Pages};
    use Verb::{Delete, Get, Patch, Post, Put};

    // No route has more than four segments.
    let path = path.strip_prefix('/').unwrap_or(path);
    let segments: Vec<&str> = path.splitn(5, '/').collect();
    let id = |text: &str| text.parse::<PostId>().ok();
    let token = |text: &str| text.parse::<EditToken>().ok();
    let (pattern, part, action) = match (verb, segments.as_slice()) {
        (Get, ["api", "posts"]) => ("/api/posts", Api, ListPosts),
        (Post, ["api", "posts"]) => ("/api/posts", Api, CreatePost),
        (Get, ["api", "posts", text]) => ("/api/posts/{id}", Api, ReadPost(id(text)?)),
        (Put, ["api", "posts", text]) => ("/api/posts/{id}", Api, PutPost(id(text)?)),
        (Patch, ["api", "posts", text]) => ("/api/posts/{id}", Api, PatchPost(id(text)?)),
        (Delete, ["api", "posts", text]) => ("/api/posts/{id}", Api, DeletePost(id(text)?)),
        (Post, ["api", "posts", text, "edit_token"]) => (
            "/api/posts/{id}/edit_token",
            Api,
            ReplaceEditToken(id(text)?),
        ),
        (Post, ["api", "keys"]) => ("/api/keys", Api, IssueKey),
        (Get, ["api", "keys", "current"]) => ("/api/keys/current", Api, ReadKey),
        (Delete, ["api", "keys", "current"]) => ("/api/keys/current", Api, RevokeKey),
        (Get, ["openapi.json"]) => ("/openapi.json", Api, OpenApi),
        (Get, ["healthz"]) => ("/healthz", Api, Health),
        (Get, [""]) => ("/", Pages, IndexPage),
        (Get, ["p", text]) => match text.strip_suffix(".md") {
            Some(text) => ("/p/{id}.md", Exports, PostSource(id(text)?)),
            None => ("/p/{id}", Pages, PostPage(id(text)?)),
        },
        (Get, ["e", text]) => ("/e/{edit_token}", Pages, EditPage(token(text)?)),
        (Post, ["e", text]) => ("/e/{edit_token}", Pages, SendEditPage(token(text)?)),
        (Get, ["keys"]) => ("/keys", Pages, KeysPage),
        (Post, ["keys"]) => ("/keys", Pages, IssueOnKeysPage),
        (Get, ["docs"]) => ("/docs", Pages, DocsPage),
        (Get, ["docs", "errors"]) => ("/docs/errors", Pages, ErrorsPage),
        (Get, ["assets", name]) => ("/assets/{name}", Pages, Asset(asset::find(name)?)),
        (Get, ["feed.atom"]) => ("/feed.atom", Exports, AtomFeed),
        (Get, ["feed.json"]) => ("/feed.json", Exports, JsonFeed),
        (Get, ["sitemap.xml"]) => ("/sitemap.xml", Exports, Sitemap),
        _ => return None,
    };
    Some(Route {
        pattern,
        part,
        action,
    })
}

impl Verb {
    const ALL: [Self; 5] = [Self::Get, Self::Post, Self::Put, Self::Patch, Self::Delete];

    fn of(method: &Method) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|verb| verb.methods().contains(&method.as_str()))
    }

    fn methods(self) -> &'static [&'static str] {
        match self {
            Self::Get => &["GET", "HEAD"],
            Self::Post => &["POST"],
            Self::Put => &["PUT"],
            Self::Patch => &["PATCH"],
            Self::Delete => &["DELETE"],
        }
    }
}

impl Part {
    /// Whether CORS may open it to scripts of other sites.
    pub(crate) const fn is_open_to_scripts(self) -> bool {
        matches!(self, Self::Api | Self::Exports)
    }

    /// Whether it is switched off together with the pages. A browser then also gets its errors as HTML.
    pub(crate) const fn goes_with_pages(self) -> bool {
        matches!(self, Self::Pages | Self::Exports)
    }
}

#[cfg(test)]
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
            ("/openapi.json", "GET, HEAD, OPTIONS"),
            ("/healthz", "GET, HEAD, OPTIONS"),
            (&format!("/p/{ID}"), "GET, HEAD, OPTIONS"),
            (
                &format!("/e/{}", "x".repeat(43)),
                "GET, HEAD, POST, OPTIONS",
            ),
            ("/keys", "GET, HEAD, POST, OPTIONS"),
            ("/feed.atom", "GET, HEAD, OPTIONS"),
            ("/feed.json", "GET, HEAD, OPTIONS"),
            ("/sitemap.xml", "GET, HEAD, OPTIONS"),
            ("/docs", "GET, HEAD, OPTIONS"),
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
            "/keys/",
            "/feed.atom/",
            "/feed.xml",
            "/sitemap.xml/1",
            "/docs/",
            "/p/",
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
