//! Cross-origin access by scripts (Fetch Standard, CORS protocol).

use super::{App, Call, Created, Kind, Mount};

async fn api(app: &App, post: &Created) -> Vec<String> {
    app.paths(post, |address| address.kind == Kind::Api).await
}

pub(super) fn from_elsewhere(app: &App, method: &str, path: &str) -> Call {
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

/// Preflights for the API succeed and list the methods of the address and every request header that
/// the API uses.
pub async fn preflights_for_the_api_succeed(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    for path in api(&app, &post).await {
        let response = preflight(&app, &path).await;
        response
            .expect_status(204)
            .expect_header("access-control-allow-origin", "*");
        let methods = response.header("access-control-allow-methods");
        let allowed = response.header("allow");
        assert_eq!(methods, allowed, "{response}: the methods that are allowed");
        let headers = response.header("access-control-allow-headers");
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
            assert!(headers.contains(&name), "{response}: {name} in {headers:?}");
        }
    }
}

/// Other origins may read API responses, including errors, and the relevant headers.
pub async fn api_responses_may_be_read_from_other_origins(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    for path in api(&app, &post).await {
        for method in ["GET", "HEAD", "PUT"] {
            let response = from_elsewhere(&app, method, &path).await;
            response.expect_header("access-control-allow-origin", "*");
            let exposed = response.header("access-control-expose-headers");
            let exposed = exposed.unwrap_or_default().to_lowercase();
            for name in ["etag", "link", "location", "retry-after"] {
                assert!(exposed.contains(name), "{response}: {name} in {exposed}");
            }
        }
    }
}

/// Other origins may not read pages, some of which show secrets.
pub async fn pages_may_not_be_read_from_other_origins(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    for page in app.paths(&post, |address| address.kind.is_page()).await {
        for method in ["GET", "OPTIONS"] {
            let response = from_elsewhere(&app, method, &page).await;
            response.expect_no_header("access-control-allow-origin");
        }
    }
}

/// A host can switch CORS off.
pub async fn a_host_can_switch_cors_off(mount: &Mount) {
    let (app, post) = App::and_post(mount).await;
    let app = app.set(|service| service.with_cors(false)).await;
    for path in api(&app, &post).await {
        for call in [preflight(&app, &path), from_elsewhere(&app, "GET", &path)] {
            let response = call.await;
            let mut names = response.headers.keys().map(|name| name.as_str());
            let is_said = names.any(|name| name.starts_with("access-control-"));
            assert!(!is_said, "{response}: {:?}", response.headers);
        }
    }
}
