//! An app that had pages, a login and a header of its own before it got a blog: Handbill is mounted
//! at /blog, and all the rest stays as it was.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use handbill_example_shared::{Options, listening, stop_signal};
use poem::error::NotFoundError;
use poem::http::StatusCode;
use poem::listener::TcpAcceptor;
use poem::middleware::SetHeader;
use poem::web::Html;
use poem::web::headers::HeaderMapExt;
use poem::web::headers::authorization::{Authorization, Basic};
use poem::{Endpoint, EndpointExt, IntoResponse, Request, Response, Route, Server, get, handler};
use tokio::net::TcpListener;

#[handler]
fn home() -> Html<&'static str> {
    Html(r#"<!doctype html><title>An app</title><p>An app, and <a href="/blog">its blog</a>."#)
}

#[handler]
fn admin() -> &'static str {
    "Only who has the app's password reads this.\n"
}

/// The app's own login. The blog has its own credentials, and neither knows of the other's.
async fn login(page: Arc<impl Endpoint>, request: Request) -> poem::Result<Response> {
    let given = request.headers().typed_get::<Authorization<Basic>>();
    if given.is_some_and(|given| (given.username(), given.password()) == ("admin", "letmein")) {
        return Ok(page.call(request).await?.into_response());
    }
    let answer = StatusCode::UNAUTHORIZED.with_header("www-authenticate", "Basic realm=\"app\"");
    Ok(answer.into_response())
}

async fn not_found(_: NotFoundError) -> impl IntoResponse {
    "The app has no such page.\n".with_status(StatusCode::NOT_FOUND)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let options = Options::read();
    let listener = TcpListener::bind(options.listen).await?;
    let address = listener.local_addr()?;

    let handbill = options.handbill(&format!("http://{address}/blog")).await?;
    let app = Route::new()
        .at("/", get(home))
        .at("/admin", get(admin.around(login)))
        .nest("/blog", handbill_poem::endpoint(handbill))
        .catch_error(not_found)
        .with(SetHeader::new().overriding("x-served-by", "an app"));

    let stop = stop_signal()?;
    listening(address);
    Server::new_with_acceptor(TcpAcceptor::from_tokio(listener)?)
        .run_with_graceful_shutdown(app, stop, Some(Duration::from_secs(30)))
        .await?;
    Ok(())
}
