//! The routing table: from method and path to a route. Nothing else in the service looks at the path.

use http::Method;

use crate::id::PostId;
use crate::page::asset::{self, Asset};
use crate::secret::EditToken;

/// The resource and action of a request.
#[derive(Debug)]
pub(crate) enum Route {
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
    let mut allowed = Vec::new();
    let mut other = None;
    for verb in Verb::ALL {
        if let Some(route) = lookup(verb, path) {
            allowed.extend(verb.methods());
            other = Some(route);
        }
    }
    let Some(other) = other else {
        let part = if path.starts_with("/api/") {
            Part::Api
        } else {
            Part::Pages
        };
        return Err(NoRoute::NotFound { part });
    };
    allowed.push(&"OPTIONS");
    let allowed: Vec<&str> = allowed.into_iter().copied().collect();
    Err(NoRoute::OtherMethod {
        allowed: allowed.join(", "),
        other,
    })
}

/// The routing table. The path is compared as it was sent: percent-encoded characters, double slashes and
/// trailing slashes make another path.
fn lookup(verb: Verb, path: &str) -> Option<Route> {
    use Verb::{Delete, Get, Patch, Post, Put};

    // No route has more than four segments.
    let segments: Vec<&str> = path
        .strip_prefix('/')
        .unwrap_or(path)
        .splitn(5, '/')
        .collect();
    let id = |text: &str| text.parse::<PostId>().ok();
    let token = |text: &str| text.parse::<EditToken>().ok();
    match (verb, segments.as_slice()) {
        (Get, [""]) => Some(Route::IndexPage),
        (Get, ["api", "posts"]) => Some(Route::ListPosts),
        (Post, ["api", "posts"]) => Some(Route::CreatePost),
        (Get, ["api", "posts", text]) => id(text).map(Route::ReadPost),
        (Put, ["api", "posts", text]) => id(text).map(Route::PutPost),
        (Patch, ["api", "posts", text]) => id(text).map(Route::PatchPost),
        (Delete, ["api", "posts", text]) => id(text).map(Route::DeletePost),
        (Post, ["api", "posts", text, "edit_token"]) => id(text).map(Route::ReplaceEditToken),
        (Post, ["api", "keys"]) => Some(Route::IssueKey),
        (Get, ["api", "keys", "current"]) => Some(Route::ReadKey),
        (Delete, ["api", "keys", "current"]) => Some(Route::RevokeKey),
        (Get, ["openapi.json"]) => Some(Route::OpenApi),
        (Get, ["healthz"]) => Some(Route::Health),
        (Get, ["p", text]) => match text.strip_suffix(".md") {
            Some(text) => id(text).map(Route::PostSource),
            None => id(text).map(Route::PostPage),
        },
        (Get, ["e", text]) => token(text).map(Route::EditPage),
        (Post, ["e", text]) => token(text).map(Route::SendEditPage),
        (Get, ["keys"]) => Some(Route::KeysPage),
        (Post, ["keys"]) => Some(Route::IssueOnKeysPage),
        (Get, ["docs"]) => Some(Route::DocsPage),
        (Get, ["docs", "errors"]) => Some(Route::ErrorsPage),
        (Get, ["assets", name]) => asset::find(name).map(Route::Asset),
        (Get, ["feed.atom"]) => Some(Route::AtomFeed),
        (Get, ["feed.json"]) => Some(Route::JsonFeed),
        (Get, ["sitemap.xml"]) => Some(Route::Sitemap),
        _ => None,
    }
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

impl Route {
    /// The path with names in place of its variable parts. It contains no token, so it can be logged.
    pub(crate) const fn pattern(&self) -> &'static str {
        match self {
            Self::IndexPage => "/",
            Self::CreatePost | Self::ListPosts => "/api/posts",
            Self::ReadPost(_) | Self::PutPost(_) | Self::PatchPost(_) | Self::DeletePost(_) => {
                "/api/posts/{id}"
            }
            Self::ReplaceEditToken(_) => "/api/posts/{id}/edit_token",
            Self::IssueKey => "/api/keys",
            Self::ReadKey | Self::RevokeKey => "/api/keys/current",
            Self::OpenApi => "/openapi.json",
            Self::Health => "/healthz",
            Self::PostPage(_) => "/p/{id}",
            Self::PostSource(_) => "/p/{id}.md",
            Self::EditPage(_) | Self::SendEditPage(_) => "/e/{edit_token}",
            Self::KeysPage | Self::IssueOnKeysPage => "/keys",
            Self::DocsPage => "/docs",
            Self::ErrorsPage => "/docs/errors",
            Self::Asset(_) => "/assets/{name}",
            Self::AtomFeed => "/feed.atom",
            Self::JsonFeed => "/feed.json",
            Self::Sitemap => "/sitemap.xml",
        }
    }

    /// The part of the service that the route belongs to.
    pub(crate) const fn part(&self) -> Part {
        match self {
            Self::CreatePost
            | Self::ListPosts
            | Self::ReadPost(_)
            | Self::PutPost(_)
            | Self::PatchPost(_)
            | Self::DeletePost(_)
            | Self::ReplaceEditToken(_)
            | Self::IssueKey
            | Self::ReadKey
            | Self::RevokeKey
            | Self::OpenApi
            | Self::Health => Part::Api,
            Self::IndexPage
            | Self::PostPage(_)
            | Self::EditPage(_)
            | Self::SendEditPage(_)
            | Self::KeysPage
            | Self::IssueOnKeysPage
            | Self::DocsPage
            | Self::ErrorsPage
            | Self::Asset(_) => Part::Pages,
            Self::PostSource(_) | Self::AtomFeed | Self::JsonFeed | Self::Sitemap => Part::Exports,
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
