//! The table of routes: `api/route.rs` and `page/route.rs` have its rows. The router, `Allow`, `/docs` and the tests go
//! over it, and nothing else in the service looks at a path.

use http::Method;

use super::Handbill;
use crate::http::route_group::RouteGroup;
use crate::route::{Route, Row};
use crate::{api, page};

/// The methods that rows have, in the order of `Allow`, each with what `Allow` lists for it.
const ALLOWED: [(&str, &str); 5] = [
    ("GET", "GET, HEAD, "),
    ("POST", "POST, "),
    ("PUT", "PUT, "),
    ("PATCH", "PATCH, "),
    ("DELETE", "DELETE, "),
];

const API: &str = "/api/";

/// All rows, beginning with those that are likely for the path.
fn rows(path: &str) -> impl Iterator<Item = &'static Row> {
    let (likely, others) = match path.starts_with(API) {
        true => (api::ROWS, page::ROWS),
        false => (page::ROWS, api::ROWS),
    };
    likely.iter().chain(others)
}

/// A method and the pattern of the paths that it works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Endpoint {
    /// The method. Where it is `GET`, `HEAD` works, too, and `OPTIONS` works everywhere.
    pub method: &'static str,
    /// The path below the mount point, such as `/e/{edit_token}`: that of [`RoutePattern`](crate::RoutePattern).
    pub pattern: &'static str,
    /// Its `operationId` in `/openapi.json`, if it belongs to the API.
    pub operation_id: Option<&'static str>,
}

impl Handbill {
    /// Everything that the service responds to, for the host's metrics, rules and tests. Pages that are switched off
    /// are listed, too.
    ///
    /// ```
    /// let mut endpoints = handbill::Handbill::endpoints();
    /// assert!(endpoints.any(|one| one.method == "PATCH" && one.pattern == "/api/posts/{id}"));
    /// ```
    pub fn endpoints() -> impl Iterator<Item = Endpoint> {
        rows(API).map(|row| Endpoint {
            method: row.method,
            pattern: row.pattern,
            operation_id: row.operation.map(|operation| operation.id),
        })
    }
}

/// Why no row is for a request.
pub(crate) enum NoRoute {
    /// There is nothing at the path.
    NotFound {
        /// The group that the path would belong to.
        group: RouteGroup,
    },
    /// The path supports other methods.
    OtherMethod {
        /// These methods, as `Allow` lists them.
        allowed: String,
        /// The row of one of these methods.
        other: &'static Row,
    },
}

/// Finds the route of a request.
pub(crate) fn find(method: &Method, path: &str) -> Result<Route, NoRoute> {
    // The service drops the body of a response to HEAD.
    let method = match method.as_str() {
        "HEAD" => "GET",
        other => other,
    };
    let path = if path.is_empty() { "/" } else { path };
    let mut at_path = rows(path).filter_map(|row| row.route(path));
    if let Some(route) = at_path.find(|route| route.row.method == method) {
        return Ok(route);
    }
    let others: Vec<&Row> = rows(path)
        .filter_map(|row| Some(row.route(path)?.row))
        .collect();
    match others.last() {
        Some(other) => Err(NoRoute::OtherMethod {
            allowed: allowed(&others),
            other,
        }),
        None => Err(NoRoute::NotFound {
            group: match path.starts_with(API) {
                true => RouteGroup::Api,
                false => RouteGroup::Pages,
            },
        }),
    }
}

/// The methods of the rows of a path, as `Allow` lists them.
fn allowed(rows: &[&Row]) -> String {
    let has = |method: &str| rows.iter().any(|row| row.method == method);
    let listed = ALLOWED.iter().filter(|(method, _)| has(method));
    listed.map(|(_, names)| *names).chain(["OPTIONS"]).collect()
}

#[cfg(all(test, feature = "pages"))]
mod tests {
    use super::*;

    const ID: &str = "bcdfghjklm";

    fn allow(path: &str) -> String {
        match find(&Method::OPTIONS, path) {
            Err(NoRoute::OtherMethod { allowed, .. }) => allowed,
            _ => panic!("{path}"),
        }
    }

    #[test]
    fn each_path_supports_its_methods() {
        for (path, methods) in [
            ("/", "GET, HEAD, OPTIONS"),
            ("", "GET, HEAD, OPTIONS"),
            (
                &format!("/api/posts/{ID}"),
                "GET, HEAD, PUT, PATCH, DELETE, OPTIONS",
            ),
            ("/api/keys", "POST, OPTIONS"),
            ("/write", "GET, HEAD, POST, OPTIONS"),
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
