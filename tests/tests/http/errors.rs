//! Which error comes first, and what each address says to a method that it does not take.

use serde_json::json;

use crate::app::{App, Call, NO_POST, NO_TOKEN};

/// A fault of a request, one a stage of the order in which requests are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Path,
    Method,
    MediaType,
    Credential,
    Json,
    Fields,
}

const ORDER: [Fault; 6] = [
    Fault::Path,
    Fault::Method,
    Fault::MediaType,
    Fault::Credential,
    Fault::Json,
    Fault::Fields,
];

/// A request with these faults and no others.
fn request(
    app: &App,
    faults: &[Fault],
    path: &str,
    method: &str,
    credential: (&str, &str),
) -> Call {
    let has = |fault| faults.contains(&fault);
    let path = if has(Fault::Path) {
        format!("{path}/")
    } else {
        path.to_owned()
    };
    let call = app.call(if has(Fault::Method) { "QUERY" } else { method }, &path);
    let (name, secret) = credential;
    let call = call.header(
        name,
        if has(Fault::Credential) {
            NO_TOKEN
        } else {
            secret
        },
    );
    let body = match (has(Fault::Json), has(Fault::Fields)) {
        (true, _) => r#"{"title": 1, "title": 2"#,
        (false, true) => r#"{"body": " ", "title": 1}"#,
        (false, false) => r#"{"body": "x"}"#,
    };
    call.body(
        if has(Fault::MediaType) {
            "text/plain"
        } else {
            "application/json"
        },
        body,
    )
}

#[tokio::test]
async fn of_several_faults_the_earliest_is_answered() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    for (path, method, credential, wrong) in [
        (
            "/api/posts",
            "POST",
            ("x-api-key", &*app.key),
            "invalid_api_key",
        ),
        (
            &*post.path(),
            "PUT",
            ("x-edit-token", &*post.token),
            "invalid_edit_token",
        ),
        (
            &*post.path(),
            "PATCH",
            ("x-edit-token", &*post.token),
            "invalid_edit_token",
        ),
    ] {
        for combination in 1_u32..1 << ORDER.len() {
            let faults: Vec<_> = (0..ORDER.len())
                .filter(|n| combination & 1 << n != 0)
                .map(|n| ORDER[n])
                .collect();
            let code = match faults[0] {
                Fault::Path => "not_found",
                Fault::Method => "method_not_allowed",
                Fault::MediaType => "unsupported_media_type",
                Fault::Credential => wrong,
                Fault::Json => "invalid_json",
                Fault::Fields => "invalid_post",
            };
            let answer = request(&app, &faults, path, method, credential).await;
            let found = answer.problem(code);
            assert_eq!(found["code"], code, "{method} {path} {faults:?}");
        }
    }
    assert_eq!(app.read(&post).await["body"], "x");
    assert_eq!(app.get("/api/posts").await.ok()["total"], 1);
}

#[tokio::test]
async fn a_credential_is_asked_for_before_the_body_is_looked_at() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    let large = "x".repeat(2 << 20);
    for (method, path, code) in [
        ("POST", "/api/posts", "missing_api_key"),
        ("PUT", &*post.path(), "missing_edit_token"),
        ("PATCH", &*post.path(), "missing_edit_token"),
        (
            "PUT",
            &*format!("/api/posts/{NO_POST}"),
            "missing_edit_token",
        ),
    ] {
        let call = app
            .call(method, path)
            .body("application/json", large.clone());
        call.await.problem(code);
    }
    let unknown = app.call("PUT", &format!("/api/posts/{NO_POST}"));
    let unknown = unknown
        .header("x-edit-token", NO_TOKEN)
        .body("application/json", large);
    unknown.await.problem("not_found");
}

#[tokio::test]
async fn every_other_path_is_not_found() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    let id = &post.id;
    for path in [
        "//",
        "/api",
        "/api/",
        "/api/posts/",
        "//api/posts",
        "/api//posts",
        "/API/posts",
        "/api/posts/%2F",
        "/api/posts/%00",
        "/api/posts/..",
        "/api/posts/bcdfghjkl%00",
        "/api/posts/bcdfghjk%2F",
        "/api/posts/aaaaaaaaaa",
        "/api/posts;x=y",
        "/api/keys/other",
        "/openapi.json/",
        "/healthz/",
        "/keys/",
        "/p/",
        "/e/",
        "/e",
        "/style.css/x",
        &format!("/api/posts/{id}/"),
        &format!("/api/posts/{id}%20"),
        &format!("/api/posts/{}", id.to_uppercase()),
        &format!("/api/posts/%{:x}{}", id.as_bytes()[0], &id[1..]),
        &format!("/api/posts/{id}/edit_token/"),
        &format!("/api/posts/{id}/other"),
        &format!("/p/{id}/"),
        &format!("/e/{}/", post.token),
        &format!("/e/{}", &post.token[1..]),
        &format!("/e/{}0", post.token),
        &format!("/e/{}%00", &post.token[1..]),
        &format!("/{}", "x/".repeat(10_000)),
    ] {
        for method in ["GET", "POST", "OPTIONS", "DELETE", "BREW"] {
            app.call(method, path).await.problem("not_found");
        }
    }
    // The mount point itself answers with and without a slash; here that is the empty path.
    for root in ["/", "/?page=1"] {
        assert_eq!(app.get(root).await.status, 200);
    }
}

#[tokio::test]
async fn each_address_takes_its_methods_and_names_them() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    for (path, methods) in [
        ("/", "GET, HEAD, OPTIONS"),
        ("/api/posts", "GET, HEAD, POST, OPTIONS"),
        (&*post.path(), "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"),
        (&*format!("{}/edit_token", post.path()), "POST, OPTIONS"),
        ("/api/keys", "POST, OPTIONS"),
        ("/api/keys/current", "GET, HEAD, DELETE, OPTIONS"),
        ("/openapi.json", "GET, HEAD, OPTIONS"),
        ("/healthz", "GET, HEAD, OPTIONS"),
        (&*format!("/p/{}", post.id), "GET, HEAD, OPTIONS"),
        (&*post.edit_page(), "GET, HEAD, POST, OPTIONS"),
        ("/keys", "GET, HEAD, POST, OPTIONS"),
        ("/docs/errors", "GET, HEAD, OPTIONS"),
        ("/style.css", "GET, HEAD, OPTIONS"),
    ] {
        let options = app.call("OPTIONS", path).await;
        assert_eq!(options.status, 204, "{path}");
        assert_eq!(options.header("allow"), Some(methods), "{path}");
        let taken: Vec<_> = methods.split(", ").collect();
        for method in [
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW", "get",
        ] {
            let answer = app.call(method, path).await;
            if taken.contains(&method) {
                assert_ne!(answer.status, 405, "{method} {path}");
            } else {
                assert_eq!(answer.status, 405, "{method} {path}");
                assert_eq!(answer.header("allow"), Some(methods));
            }
            if method == "DELETE" && path == post.path() {
                assert_eq!(answer.status, 401, "nothing was deleted");
            }
        }
    }
}

#[tokio::test]
async fn head_is_get_without_the_body() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    for path in [
        "/".to_owned(),
        "/api/posts".to_owned(),
        "/api/posts?page=0".to_owned(),
        post.path(),
        format!("/api/posts/{NO_POST}"),
        "/api/keys/current".to_owned(),
        "/openapi.json".to_owned(),
        "/healthz".to_owned(),
        format!("/p/{}", post.id),
        post.edit_page(),
        "/keys".to_owned(),
        "/docs/errors".to_owned(),
        "/style.css".to_owned(),
        "/nothing".to_owned(),
    ] {
        let (get, head) = (app.get(&path).await, app.call("HEAD", &path).await);
        assert_eq!(head.status, get.status, "{path}");
        assert_eq!(head.headers, get.headers, "{path}");
        assert!(!get.body.is_empty() && head.body.is_empty(), "{path}");
    }
}

#[tokio::test]
async fn scripts_of_other_sites_may_use_the_api() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    let without = app.set(|service| service.with_cors(false));
    for path in [
        "/api/posts",
        &*post.path(),
        "/api/keys/current",
        "/openapi.json",
    ] {
        let from_elsewhere = |app: &App, method| {
            app.call(method, path)
                .header("origin", "https://other.example")
        };
        let preflight = |app: &App| {
            let call = from_elsewhere(app, "OPTIONS");
            let call = call.header("access-control-request-method", "PUT");
            call.header(
                "access-control-request-headers",
                "x-edit-token, content-type",
            )
        };
        let answer = preflight(&app).await;
        assert_eq!(answer.status, 204);
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        let methods = answer.header("access-control-allow-methods");
        assert_eq!(methods, answer.header("allow"));
        let headers = answer
            .header("access-control-allow-headers")
            .unwrap()
            .to_lowercase();
        let headers: Vec<_> = headers.split(", ").collect();
        for name in [
            "content-type",
            "x-api-key",
            "x-edit-token",
            "idempotency-key",
            "if-match",
            "if-none-match",
        ] {
            assert!(headers.contains(&name), "{name}");
        }
        for method in ["GET", "HEAD", "BREW"] {
            let answer = from_elsewhere(&app, method).await;
            assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
            let exposed = answer
                .header("access-control-expose-headers")
                .unwrap()
                .to_lowercase();
            for name in ["etag", "link", "location", "retry-after"] {
                assert!(exposed.contains(name), "{name}");
            }
        }
        for answer in [
            preflight(&without).await,
            from_elsewhere(&without, "GET").await,
        ] {
            let mut names = answer.headers.keys().map(|name| name.as_str());
            assert!(
                !names.any(|name| name.starts_with("access-control-")),
                "{path}"
            );
        }
    }
    for page in [
        "/",
        "/keys",
        &*format!("/p/{}", post.id),
        &*post.edit_page(),
    ] {
        let answer = app
            .get(page)
            .header("origin", "https://other.example")
            .await;
        assert_eq!(answer.header("access-control-allow-origin"), None, "{page}");
    }
}

#[tokio::test]
async fn the_service_says_that_it_is_well() {
    let app = App::new().await;
    app.get("/healthz").await.ok();
    let other = app
        .call("DELETE", "/healthz")
        .header("accept", "text/html")
        .await;
    other.problem("method_not_allowed");
}

#[tokio::test]
async fn an_answer_names_its_route_without_what_is_secret() {
    let app = App::new().await;
    let post = app.create_body("x").await;
    for (path, pattern) in [
        (post.edit_page(), Some("/e/{edit_token}")),
        (post.path(), Some("/api/posts/{id}")),
        (format!("/p/{}", post.id), Some("/p/{id}")),
        ("/nothing".to_owned(), None),
    ] {
        for method in ["GET", "BREW"] {
            let answer = app.call(method, &path).await;
            let found = answer.extensions.get::<handbill::RoutePattern>();
            assert_eq!(found.map(|found| found.0), pattern);
        }
    }
}

#[tokio::test]
async fn the_address_of_the_host_is_never_used_for_links() {
    let app = App::new().await;
    let create = app.post(&json!({ "body": "x" }));
    let create = create
        .header("host", "evil.example")
        .header("x-forwarded-host", "evil.example");
    let answer = create.header("forwarded", "host=evil.example").await;
    answer.created();
    assert!(!answer.text().contains("evil.example"));
    let list = app.get("/api/posts").header("host", "evil.example").await;
    assert!(!list.text().contains("evil.example"));
    assert!(!list.header("link").unwrap().contains("evil.example"));
}
