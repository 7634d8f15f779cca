//! Handbill's place in an app: its paths begin at the mount, and it serves nothing else.

use std::convert::Infallible;

use http::{Method, StatusCode};
use poem::{Endpoint, EndpointExt, IntoResponse, Response, Route, get};
use tower::service_fn;

use crate::{app_with, handbill, home, publish, send_empty};

/// A service that returns the address that it received.
fn echo() -> impl Endpoint<Output = Response> + 'static {
    handbill_poem::endpoint(service_fn(|request: http::Request<_>| async move {
        Ok::<_, Infallible>(http::Response::new(request.uri().to_string()))
    }))
}

#[tokio::test]
async fn the_service_sees_paths_relative_to_the_mount_as_they_were_sent() {
    let at_root = Route::new().nest("/", echo());
    let below = Route::new().nest("/a/b", echo());
    let twice_nested = Route::new().nest("/a", Route::new().nest("/b", echo()));
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
        ("/p/%C3%A9?tag=%2F%FF&x", "/p/%C3%A9?tag=%2F%FF&x"),
        ("/../a/b", "/../a/b"),
    ] {
        let uri = format!("/a/b{below_mount}");
        for app in [&below, &twice_nested] {
            assert_eq!(send_empty(app, Method::GET, &uri).await.body, seen, "{uri}");
        }
        if below_mount.starts_with('/') {
            let response = send_empty(&at_root, Method::GET, below_mount).await;
            assert_eq!(response.body, seen, "{below_mount} at the root");
        }
    }
}

#[tokio::test]
async fn the_scheme_and_host_of_an_absolute_address_are_preserved() {
    let app = Route::new().nest("/blog", echo());
    let seen = send_empty(&app, Method::GET, "http://example.org/blog/p?x").await;
    assert_eq!(seen.body, "http://example.org/p?x");
}

/// The only kind of path below the mount that never reaches Handbill. If poem ever passes it on,
/// remove the sentence in the crate's documentation.
#[tokio::test]
async fn poem_itself_refuses_percent_encoded_bytes_that_are_not_utf_8() {
    let app = Route::new().nest("/blog", echo());
    let refused = send_empty(&app, Method::GET, "/blog/p/%FF").await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn at_the_root_handbill_has_the_index_and_the_app_its_other_routes() {
    let app = Route::new()
        .at("/", get(home))
        .at("/about", get(home))
        .at("/api/own", get(home))
        .nest("/", handbill_poem::endpoint(handbill("")));
    for own in ["/about", "/api/own"] {
        assert_eq!(
            send_empty(&app, Method::GET, own).await.body,
            "the app's own page"
        );
    }
    let id = publish(&app, "").await;
    for ours in ["/".to_owned(), "/api/posts".to_owned(), format!("/p/{id}")] {
        let response = send_empty(&app, Method::GET, &ours).await;
        assert_eq!(response.status, StatusCode::OK, "{ours}");
        assert_ne!(response.body, "the app's own page", "{ours}");
    }
    let nowhere = send_empty(&app, Method::GET, "/api/nowhere").await;
    assert_eq!(nowhere.problem(), "not_found");
}

#[tokio::test]
async fn the_apps_own_routes_and_not_found_page_still_work() {
    let app = app_with(handbill("/blog"))
        .at("/blog/about", get(home))
        .catch_error(|_: poem::error::NotFoundError| async {
            "the app's own 404".with_status(StatusCode::NOT_FOUND)
        });
    for own in ["/", "/blog/about"] {
        assert_eq!(
            send_empty(&app, Method::GET, own).await.body,
            "the app's own page"
        );
    }
    for nowhere in ["/nowhere", "/blogs", "/%62log", "//blog"] {
        let response = send_empty(&app, Method::GET, nowhere).await;
        assert_eq!(response.body, "the app's own 404", "{nowhere}");
    }
    let ours = send_empty(&app, Method::GET, "/blog/api/nowhere").await;
    assert_eq!(ours.status, StatusCode::NOT_FOUND);
    assert_eq!(ours.problem(), "not_found");
}

#[tokio::test]
async fn no_error_handler_of_the_app_replaces_our_responses() {
    let app = app_with(handbill("/blog"))
        .catch_all_error(|_| async { "the app's own words".with_status(StatusCode::IM_A_TEAPOT) });
    let brew = Method::from_bytes(b"BREW").unwrap();
    for (method, path, status, code) in [
        (Method::GET, "/blog/api/nowhere", 404, "not_found"),
        (Method::PUT, "/blog/api/keys", 405, "method_not_allowed"),
        (brew, "/blog/api/posts", 405, "method_not_allowed"),
        (
            Method::POST,
            "/blog/api/posts",
            415,
            "unsupported_media_type",
        ),
        (
            Method::GET,
            "/blog/api/keys/current",
            401,
            "missing_api_key",
        ),
    ] {
        let response = send_empty(&app, method, path).await;
        assert_eq!(response.status, status, "{path}");
        assert_eq!(response.problem(), code, "{path}");
    }
    let own = send_empty(&app, Method::GET, "/nowhere").await;
    assert_eq!(own.body, "the app's own words");
}
