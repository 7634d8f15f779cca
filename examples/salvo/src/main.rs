//! An app with its own pages, login and middleware, and Handbill mounted at /blog.

use std::error::Error;
use std::time::Duration;

use handbill_example_shared::{Options, listening, stop_signal};
use salvo::catcher::Catcher;
use salvo::conn::tcp::TcpAcceptor;
use salvo::http::StatusCode;
use salvo::http::header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE};
use salvo::writing::Text;
use salvo::{Depot, FlowCtrl, Request, Response, Router, Server, Service, handler};
use tokio::net::TcpListener;

#[handler]
async fn home() -> Text<&'static str> {
    Text::Html(
        r#"<!doctype html><title>An app</title><p>An app, and <a href="/blog">its blog</a>."#,
    )
}

#[handler]
async fn admin() -> &'static str {
    "Only users with the app's password can read this.\n"
}

/// `admin` and `letmein`, as browsers send them.
const CREDENTIALS: &str = "Basic YWRtaW46bGV0bWVpbg==";

/// The app's own login. It is independent of the blog's credentials.
#[handler]
async fn login(request: &Request, response: &mut Response, flow: &mut FlowCtrl) {
    let given = request.headers().get(AUTHORIZATION);
    if given.is_none_or(|given| given != CREDENTIALS) {
        let challenge = HeaderValue::from_static("Basic realm=\"app\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        response.status_code(StatusCode::UNAUTHORIZED);
        flow.skip_rest();
    }
}

/// A header on every response of the app and of the blog.
#[handler]
async fn served_by(
    request: &mut Request,
    depot: &mut Depot,
    response: &mut Response,
    flow: &mut FlowCtrl,
) {
    flow.call_next(request, depot, response).await;
    let name = HeaderValue::from_static("an app");
    response.headers_mut().insert("x-served-by", name);
}

#[handler]
async fn not_found(response: &mut Response, flow: &mut FlowCtrl) {
    if response.status_code == Some(StatusCode::NOT_FOUND) {
        response.render("The app has no such page.\n");
        flow.skip_rest();
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let options = Options::read();
    let listener = TcpListener::bind(options.listen).await?;
    let address = listener.local_addr()?;

    let handbill = options.handbill(&format!("http://{address}/blog")).await?;
    let routes = Router::with_hoop(served_by)
        .get(home)
        .push(Router::with_path("admin").hoop(login).get(admin))
        .push(Router::with_path("blog").push(handbill_salvo::router(handbill)));
    let app = Service::new(routes).catcher(Catcher::default().hoop(not_found));

    let server = Server::new(TcpAcceptor::try_from(listener)?);
    let handle = server.handle();
    let stop = stop_signal()?;
    tokio::spawn(async move {
        stop.await;
        handle.stop_graceful(Duration::from_secs(30));
    });
    listening(address);
    server.try_serve(app).await?;
    Ok(())
}
