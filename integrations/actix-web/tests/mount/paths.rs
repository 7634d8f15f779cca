//! Handbill's place in an app: its paths begin at the scope, and it serves nothing else.

use std::convert::Infallible;

use actix_web::http::Method;
use actix_web::test::TestRequest;
use actix_web::web::{self, ServiceConfig};
use handbill_actix_web::RequestBody;
use tower::service_fn;

use crate::{app_with, get, handbill, publish, send};

/// An app with a service in these scopes that returns the address that it received.
fn echo(scopes: &[&str]) -> impl FnOnce(&mut ServiceConfig) {
    let service = service_fn(|request: http::Request<RequestBody>| async move {
        Ok::<_, Infallible>(http::Response::new(request.uri().to_string()))
    });
    let mut scopes = scopes.iter().rev();
    let innermost = web::scope(scopes.next().unwrap());
    let innermost = innermost.service(handbill_actix_web::service(service));
    let scope = scopes.fold(innermost, |inner, scope| web::scope(scope).service(inner));
    move |app| {
        app.service(scope);
    }
}

#[actix_web::test]
async fn the_service_sees_paths_relative_to_the_scope_as_they_were_sent() {
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
        for scopes in [&["/a/b"][..], &["/a", "/b"], &["/{any}/b"], &["", "/a/b"]] {
            let response = get(echo(scopes), &path).await;
            assert_eq!(response.body, seen, "{path} in {scopes:?}");
        }
        if below_mount.starts_with('/') {
            let response = get(echo(&[""]), below_mount).await;
            assert_eq!(response.body, seen, "{below_mount} at the root");
        }
    }
}

/// If actix-web ever matches such a path otherwise, change the sentence in the crate's documentation.
#[actix_web::test]
async fn a_scope_that_is_written_differently_is_another_path() {
    assert_eq!(get(echo(&["/a"]), "/%61/p").await.body, "/%61/p");
    let blog = handbill("/blog");
    let missing = get(app_with(&blog), "/%62log/api/posts").await;
    assert_eq!(missing.problem(), "not_found");
}

#[actix_web::test]
async fn the_scheme_and_host_of_an_absolute_address_are_preserved() {
    let seen = get(echo(&["/blog"]), "http://example.org/blog/p?x").await;
    assert_eq!(seen.body, "http://example.org/p?x");
}

#[actix_web::test]
async fn the_apps_own_routes_and_not_found_page_still_work() {
    let blog = handbill("/blog");
    for own in ["/", "/blog/about"] {
        let page = get(app_with(&blog), own).await;
        assert_eq!(page.body, "the app's own page");
    }
    for nowhere in ["/nowhere", "/blogs", "//blog"] {
        let response = get(app_with(&blog), nowhere).await;
        assert_eq!(response.body, "the app's own 404", "{nowhere}");
    }
    let ours = get(app_with(&blog), "/blog/api/nowhere").await;
    assert_eq!((ours.status, &*ours.problem()), (404, "not_found"));
}

#[actix_web::test]
async fn at_the_root_handbill_comes_last() {
    let handbill = handbill("");
    let id = publish(&handbill).await;
    let app = || {
        let service = handbill_actix_web::service(handbill.clone());
        move |app: &mut ServiceConfig| {
            app.route("/api/own", web::get().to(async || "the app's own page"))
                .service(service);
        }
    };
    assert_eq!(get(app(), "/api/own").await.body, "the app's own page");
    for ours in ["/".to_owned(), "/api/posts".to_owned(), format!("/p/{id}")] {
        assert_eq!(get(app(), &ours).await.status, 200, "{ours}");
    }
    assert_eq!(get(app(), "/api/nowhere").await.problem(), "not_found");
}

#[actix_web::test]
async fn every_method_reaches_the_service() {
    let blog = handbill("/blog");
    for (method, path, status, code) in [
        ("GET", "/blog/api/nowhere", 404, "not_found"),
        ("PUT", "/blog/api/keys", 405, "method_not_allowed"),
        ("BREW", "/blog/api/posts", 405, "method_not_allowed"),
        ("POST", "/blog/api/posts", 415, "unsupported_media_type"),
        ("GET", "/blog/api/keys/current", 401, "missing_api_key"),
    ] {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let request = TestRequest::with_uri(path).method(method);
        let response = send(app_with(&blog), request).await;
        assert_eq!(response.status, status, "{path}");
        assert_eq!(response.problem(), code, "{path}");
    }
}
