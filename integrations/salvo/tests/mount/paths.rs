//! Handbill's place in an app: its paths begin at the mount, and it serves nothing else.

use std::convert::Infallible;

use handbill_salvo::RequestBody;
use http::{Method, StatusCode};
use salvo::{Router, handler};
use tower::service_fn;

use crate::{app_with, get, handbill, home, publish, request, send, with_catcher};

/// A service that returns the address that it received.
fn echo() -> Router {
    handbill_salvo::router(service_fn(
        |request: http::Request<RequestBody>| async move {
            Ok::<_, Infallible>(http::Response::new(request.uri().to_string()))
        },
    ))
}

#[tokio::test]
async fn the_service_sees_paths_relative_to_the_mount_as_they_were_sent() {
    for (below_mount, seen) in [
        ("", "/"),
        ("?page=2", "/?page=2"),
        ("/", "/"),
        ("/?page=2", "/?page=2"),
        ("/p/bcdfghjklm", "/p/bcdfghjklm"),
        ("/p/bcdfghjklm/", "/p/bcdfghjklm/"),
        ("//p", "//p"),
        ("/p//x", "/p//x"),
        ("/p/%2F", "/p/%2F"),
        ("/p/%FF", "/p/%FF"),
        ("/p/%61", "/p/%61"),
        ("/p/%C3%A9?tag=%2F%FF&x", "/p/%C3%A9?tag=%2F%FF&x"),
        ("/../a/b", "/../a/b"),
    ] {
        let path = format!("/a/b{below_mount}");
        let nested = Router::with_path("a").push(Router::with_path("b").push(echo()));
        for app in [
            Router::with_path("a/b").push(echo()),
            Router::new().push(nested),
            Router::with_path("{any}/b").push(echo()),
        ] {
            assert_eq!(get(app, &path).await.body, seen, "{path}");
        }
        if below_mount.starts_with('/') {
            let response = get(echo(), below_mount).await;
            assert_eq!(response.body, seen, "{below_mount} at the root");
        }
    }
}

/// If Salvo ever matches such paths otherwise, change the sentences in the crate's documentation.
#[tokio::test]
async fn salvo_ignores_empty_segments_and_decodes_the_others() {
    let app = || Router::with_path("blog").push(echo());
    assert_eq!(get(app(), "//blog/p").await.body, "//blog/p");
    assert_eq!(get(app(), "/%62log/p").await.body, "/p");
}

#[tokio::test]
async fn the_scheme_and_host_of_an_absolute_address_are_preserved() {
    let app = Router::with_path("blog").push(echo());
    let seen = get(app, "http://example.org/blog/p?x").await;
    assert_eq!(seen.body, "http://example.org/p?x");
}

#[tokio::test]
async fn the_apps_own_routes_and_error_pages_still_work() {
    for own in ["/", "/blog/about"] {
        let page = get(app_with(handbill("/blog")), own).await;
        assert_eq!(page.body, "the app's own page");
    }
    let app = || with_catcher(app_with(handbill("/blog")));
    for nowhere in ["/nowhere", "/blogs"] {
        let response = get(app(), nowhere).await;
        assert_eq!(response.body, "the app's own words", "{nowhere}");
    }
}

#[tokio::test]
async fn no_catcher_replaces_our_responses() {
    for (method, path, status, code) in [
        ("GET", "/blog/api/nowhere", 404, "not_found"),
        ("PUT", "/blog/api/keys", 405, "method_not_allowed"),
        ("BREW", "/blog/api/posts", 405, "method_not_allowed"),
        ("POST", "/blog/api/posts", 415, "unsupported_media_type"),
        ("GET", "/blog/api/keys/current", 401, "missing_api_key"),
    ] {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let app = with_catcher(app_with(handbill("/blog")));
        let response = send(app, request(method, path)).await;
        assert_eq!(response.status, status, "{path}");
        assert_eq!(response.problem(), code, "{path}");
    }
}

#[tokio::test]
async fn an_error_without_a_body_stays_without_one() {
    let refuse = service_fn(|_: http::Request<RequestBody>| async {
        let response = http::Response::builder().status(StatusCode::IM_A_TEAPOT);
        Ok::<_, Infallible>(response.body(String::new()).unwrap())
    });
    let response = get(with_catcher(handbill_salvo::router(refuse)), "/").await;
    assert_eq!(response.status, StatusCode::IM_A_TEAPOT);
    assert_eq!(response.body, "");
}

#[tokio::test]
async fn at_the_root_handbill_comes_last() {
    #[handler]
    async fn own() -> &'static str {
        "the app's own page"
    }

    let handbill = handbill("");
    let id = publish(&handbill).await;
    let app = || {
        Router::new()
            .push(Router::with_path("api/own").get(own))
            .push(handbill_salvo::router(handbill.clone()))
    };
    assert_eq!(get(app(), "/api/own").await.body, "the app's own page");
    for ours in ["/".to_owned(), "/api/posts".to_owned(), format!("/p/{id}")] {
        assert_eq!(get(app(), &ours).await.status, StatusCode::OK, "{ours}");
    }
    assert_eq!(get(app(), "/api/nowhere").await.problem(), "not_found");
    let with_home = Router::new().get(home).push(app());
    assert_eq!(get(with_home, "/api/nowhere").await.problem(), "not_found");
}
