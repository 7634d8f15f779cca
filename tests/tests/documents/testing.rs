//! A test of an app that contains Handbill, as the guide shows it.

use std::error::Error;

use axum::Router;
use axum::extract::Request;
use axum::middleware::map_request;
use handbill::{Handbill, MemoryStore, PageRequest, RateLimits, SignedIn};
use tower::ServiceExt;

/// The app: its login is a cookie with the name of the user.
fn your_app(handbill: Handbill) -> Router {
    let sign_in = async |mut request: Request| {
        let cookie = request.headers().get("cookie");
        let cookie = cookie.and_then(|cookie| cookie.to_str().ok());
        let user = cookie.and_then(|cookie| cookie.strip_prefix("session="));
        if let Some(owner) = user.and_then(|user| user.parse().ok()) {
            request.extensions_mut().insert(SignedIn::new(owner));
        }
        request
    };
    Router::new()
        .nest_service("/blog", handbill)
        .layer(map_request(sign_in))
}

#[tokio::test]
async fn a_user_publishes_a_post() -> Result<(), Box<dyn Error>> {
    let handbill = Handbill::new("https://example.org/blog", MemoryStore::new())?;
    let handbill = handbill.with_rate_limits(RateLimits::off());
    let app = your_app(handbill.clone());

    let form = Request::post("/blog/write")
        .header("cookie", "session=alice")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("title=Hello&body=Some+*Markdown*.".to_owned())?;
    let response = app.oneshot(form).await?;
    assert_eq!(response.status(), 303);

    let posts = handbill.posts().list(PageRequest::new(1, 20)?).await?;
    let post = &posts.posts[0].summary;
    assert_eq!(post.title.as_deref(), Some("Hello"));
    assert_eq!(post.owner, Some("alice".parse()?));
    Ok(())
}
