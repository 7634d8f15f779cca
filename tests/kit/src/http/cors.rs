//! What scripts of other sites may do (Fetch Standard, CORS protocol).

use super::{App, Call, Created, Mount};

fn api(post: &Created) -> [String; 6] {
    [
        "/api/posts".to_owned(),
        post.path(),
        format!("{}/edit_token", post.path()),
        "/api/keys".to_owned(),
        "/api/keys/current".to_owned(),
        "/openapi.json".to_owned(),
    ]
}

fn from_elsewhere(app: &App, method: &str, path: &str) -> Call {
    app.call(method, path)
        .header("origin", "https://other.example")
}

fn preflight(app: &App, path: &str) -> Call {
    from_elsewhere(app, "OPTIONS", path)
        .header("access-control-request-method", "PUT")
        .header(
            "access-control-request-headers",
            "x-edit-token, content-type",
        )
}

/// Preflights for the API are answered: the methods of the address, and every request header that
/// the API knows (contract, section 3).
pub async fn preflights_for_the_api_succeed(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app.create_body("x").await;
    for path in api(&post) {
        let answer = preflight(&app, &path).await;
        answer
            .expect_status(204)
            .expect_header("access-control-allow-origin", "*");
        let methods = answer.header("access-control-allow-methods");
        let allowed = answer.header("allow");
        assert_eq!(methods, allowed, "{answer}: the methods that are allowed");
        let headers = answer.header("access-control-allow-headers");
        let headers = headers.unwrap_or_default().to_lowercase();
        let headers: Vec<_> = headers.split(", ").collect();
        for name in [
            "content-type",
            "x-api-key",
            "x-edit-token",
            "idempotency-key",
            "if-match",
            "if-none-match",
        ] {
            assert!(headers.contains(&name), "{answer}: {name} in {headers:?}");
        }
    }
}

/// What the API responses may be read from elsewhere, errors too, with the headers that matter
/// (contract, section 3).
pub async fn api_responses_may_be_read_from_other_origins(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app.create_body("x").await;
    for path in api(&post) {
        for method in ["GET", "HEAD", "PUT"] {
            let answer = from_elsewhere(&app, method, &path).await;
            answer.expect_header("access-control-allow-origin", "*");
            let exposed = answer.header("access-control-expose-headers");
            let exposed = exposed.unwrap_or_default().to_lowercase();
            for name in ["etag", "link", "location", "retry-after"] {
                assert!(exposed.contains(name), "{answer}: {name} in {exposed}");
            }
        }
    }
}

/// The pages are no API: what they show, secrets on some of them, other sites' scripts do not see.
pub async fn pages_may_not_be_read_from_other_origins(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app.create_body("x").await;
    for page in ["/", "/keys", &*post.page(), &*post.edit_page()] {
        for method in ["GET", "OPTIONS"] {
            let answer = from_elsewhere(&app, method, page).await;
            answer.expect_no_header("access-control-allow-origin");
        }
    }
}

/// A host can switch CORS off (contract, section 3).
pub async fn a_host_can_switch_cors_off(mount: &Mount) {
    let app = App::new(mount).await;
    let post = app.create_body("x").await;
    let app = app.set(|service| service.with_cors(false)).await;
    for path in api(&post) {
        for call in [preflight(&app, &path), from_elsewhere(&app, "GET", &path)] {
            let answer = call.await;
            let mut names = answer.headers.keys().map(|name| name.as_str());
            let is_said = names.any(|name| name.starts_with("access-control-"));
            assert!(!is_said, "{answer}: {:?}", answer.headers);
        }
    }
}
