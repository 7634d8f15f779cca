//! An app with its own pages, login and middleware, and Handbill mounted at /blog.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use handbill::SignedIn;
use handbill_example_shared::{Options, listening, stop_signal};
use poem::error::{InternalServerError, NotFoundError};
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
    "Only users with the app's password can read this.\n"
}

/// Whether a request has the app's own login.
fn is_admin(request: &Request) -> bool {
    let given = request.headers().typed_get::<Authorization<Basic>>();
    given.is_some_and(|given| (given.username(), given.password()) == ("admin", "letmein"))
}

async fn login(page: Arc<impl Endpoint>, request: Request) -> poem::Result<Response> {
    if is_admin(&request) {
        return Ok(page.call(request).await?.into_response());
    }
    let refused = StatusCode::UNAUTHORIZED.with_header("www-authenticate", "Basic realm=\"app\"");
    Ok(refused.into_response())
}

/// Tells the blog who is logged in, so that the admin writes and edits without its keys and private links.
async fn sign_in(mut request: Request) -> poem::Result<Request> {
    if is_admin(&request) {
        let owner = "admin".parse().map_err(InternalServerError)?;
        request.set_data(SignedIn::new(owner));
    }
    Ok(request)
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
        .nest("/blog", handbill_poem::endpoint(handbill).before(sign_in))
        .catch_error(not_found)
        .with(SetHeader::new().overriding("x-served-by", "an app"));

    let stop = stop_signal()?;
    listening(address);
    Server::new_with_acceptor(TcpAcceptor::from_tokio(listener)?)
        .run_with_graceful_shutdown(app, stop, Some(Duration::from_secs(30)))
        .await?;
    Ok(())
}
