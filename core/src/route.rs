//! The table of addresses: which method at which path is which route. Pure; nothing else in the
//! service looks at a path.

use http::Method;

use crate::id::PostId;
use crate::page::asset::{self, Asset};
use crate::secret::EditToken;

/// What a request asks for.
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

/// What a route belongs to: decides whether scripts of other sites may read what it answers,
/// whether it can be switched off, and whether its errors are pages for browsers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The API: for programs, scripts of other sites too. It is always on, and its errors are
    /// problem details whoever asks.
    Api,
    /// The pages: for people, and closed to scripts of other sites.
    Pages,
    /// What the pages show, for programs: feeds, the sitemap, the source of a post. Scripts of
    /// other sites may read it; it is on and off with the pages.
    Exports,
}

/// The methods that some route takes. `HEAD` is `Get` here: the service drops the body itself.
#[derive(Clone, Copy, Debug)]
enum Verb {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

/// Why a request has no route.
#[derive(Debug)]
pub(crate) enum NoRoute {
    /// Nothing is at the path.
    NotFound {
        /// What the path would belong to.
        part: Part,
    },
    /// Something is there, but not for this method.
    OtherMethod {
        /// The methods that it takes, as `Allow` lists them.
        allowed: String,
        /// A route that another method has there.
        other: Route,
    },
}

/// The route of a request.
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

/// The one table. A path is compared as it was sent: what is percent-encoded, doubled or followed
/// by a slash is another path.
fn lookup(verb: Verb, path: &str) -> Option<Route> {
    use Verb::{Delete, Get, Patch, Post, Put};

    let mut rest = Some(path.strip_prefix('/').unwrap_or(path));
    let segments = std::array::from_fn(|_| next_segment(&mut rest));
    let [first, second, third, fourth, fifth] = segments;
    let id = |text: &str| text.parse::<PostId>().ok();
    match (verb, (first?, second, third, fourth, fifth)) {
        (Get, ("", None, ..)) => Some(Route::IndexPage),
        (Get, ("api", Some("posts"), None, ..)) => Some(Route::ListPosts),
        (Post, ("api", Some("posts"), None, ..)) => Some(Route::CreatePost),
        (Get, ("api", Some("posts"), Some(text), None, _)) => id(text).map(Route::ReadPost),
        (Put, ("api", Some("posts"), Some(text), None, _)) => id(text).map(Route::PutPost),
        (Patch, ("api", Some("posts"), Some(text), None, _)) => id(text).map(Route::PatchPost),
        (Delete, ("api", Some("posts"), Some(text), None, _)) => id(text).map(Route::DeletePost),
        (Post, ("api", Some("posts"), Some(text), Some("edit_token"), None)) => {
            id(text).map(Route::ReplaceEditToken)
        }
        (Post, ("api", Some("keys"), None, ..)) => Some(Route::IssueKey),
        (Get, ("api", Some("keys"), Some("current"), None, _)) => Some(Route::ReadKey),
        (Delete, ("api", Some("keys"), Some("current"), None, _)) => Some(Route::RevokeKey),
        (Get, ("openapi.json", None, ..)) => Some(Route::OpenApi),
        (Get, ("healthz", None, ..)) => Some(Route::Health),
        (Get, ("p", Some(text), None, ..)) => match text.strip_suffix(".md") {
            Some(text) => id(text).map(Route::PostSource),
            None => id(text).map(Route::PostPage),
        },
        (Get, ("e", Some(text), None, ..)) => EditToken::parse(text).map(Route::EditPage),
        (Post, ("e", Some(text), None, ..)) => EditToken::parse(text).map(Route::SendEditPage),
        (Get, ("keys", None, ..)) => Some(Route::KeysPage),
        (Post, ("keys", None, ..)) => Some(Route::IssueOnKeysPage),
        (Get, ("docs", None, ..)) => Some(Route::DocsPage),
        (Get, ("docs", Some("errors"), None, ..)) => Some(Route::ErrorsPage),
        (Get, ("assets", Some(name), None, ..)) => asset::find(name).map(Route::Asset),
        (Get, ("feed.atom", None, ..)) => Some(Route::AtomFeed),
        (Get, ("feed.json", None, ..)) => Some(Route::JsonFeed),
        (Get, ("sitemap.xml", None, ..)) => Some(Route::Sitemap),
        _ => None,
    }
}

/// The text up to the next slash, which goes with it.
fn next_segment<'p>(rest: &mut Option<&'p str>) -> Option<&'p str> {
    let text = (*rest)?;
    // So short a text is searched sooner than a call of `split` takes.
    let slash = text.bytes().position(|byte| byte == b'/');
    *rest = slash.map(|at| &text[at + 1..]);
    slash.map_or(Some(text), |at| Some(&text[..at]))
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
    /// The route's path with names for its parts: fit for a log, since it holds no token.
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

    /// What the route belongs to.
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
    /// Whether scripts of other sites may use it (CORS).
    pub(crate) const fn is_open_to_scripts(self) -> bool {
        matches!(self, Self::Api | Self::Exports)
    }

    /// Whether it goes with the pages: a host switches it off with them, and a browser that came for
    /// a page gets one about an error.
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
    fn each_path_takes_its_methods() {
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
