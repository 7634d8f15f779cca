//! An axum app with its own page and middleware, and Handbill mounted at /blog.
//!
//! axum uses tower, so the router accepts the service as it is: see `app`. The blog looks like the rest
//! of the shop: see `look`. Its metrics are among those of the shop: see `metrics`. Slow clients are limited: see
//! `server`.

mod look;
mod metrics;
mod server;

use std::error::Error;
use std::net::SocketAddr;
use std::time::Instant;

use axum::Router;
use axum::extract::{ConnectInfo, MatchedPath, Request};
use axum::middleware::{self, Next};
use axum::response::{Html, Response};
use axum::routing::get;
use handbill::{ClientAddr, Handbill, RoutePattern};
use handbill_example_shared::{Options, listening, stop_signal};
use metrics::Metrics;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let options = Options::read();
    let listener = TcpListener::bind(options.listen).await?;
    let address = listener.local_addr()?;
    // Handbill uses this address for links. Behind a proxy, use the public https address.
    let handbill = options.handbill(&format!("http://{address}/blog")).await?;

    let metrics = Metrics::new(handbill.clone())?;
    let app = app(handbill, metrics);
    let stop = stop_signal()?;
    listening(address);
    server::serve(listener, app, server::Limits::default(), stop).await;
    Ok(())
}

fn app(handbill: Handbill, metrics: Metrics) -> Router {
    Router::new()
        .route("/", get(home))
        .route("/shop.css", get(look::style))
        .route("/metrics", get(metrics::show).with_state(metrics.clone()))
        .nest_service("/blog", handbill.with_frame(look::frame))
        .fallback(get(not_found))
        .layer(middleware::map_request(tell_client))
        .layer(middleware::from_fn_with_state(metrics, metrics::count))
        .layer(middleware::from_fn(log))
}

async fn home() -> Html<String> {
    let main = "<h1>Welcome</h1><p>Read the news on <a href=\"/blog\">our blog</a>.</p>";
    Html(look::document("en", "Welcome", "", main))
}

async fn not_found() -> (axum::http::StatusCode, &'static str) {
    (
        axum::http::StatusCode::NOT_FOUND,
        "The shop has no such page.\n",
    )
}

/// Passes the client's address to Handbill, which limits rates per client.
async fn tell_client(
    ConnectInfo(client): ConnectInfo<SocketAddr>,
    mut request: Request,
) -> Request {
    request.extensions_mut().insert(ClientAddr(client.ip()));
    request
}

/// Logs routes, not paths: Handbill's paths and queries can contain secrets.
async fn log(request: Request, next: Next) -> Response {
    let (started, method) = (Instant::now(), request.method().clone());
    let own = request.extensions().get::<MatchedPath>().cloned();
    let response = next.run(request).await;
    let blog = response.extensions().get::<RoutePattern>();
    let route = match (blog, &own) {
        (Some(RoutePattern(pattern)), _) => pattern,
        (None, Some(path)) => path.as_str(),
        (None, None) => "-",
    };
    let (status, micros) = (response.status().as_u16(), started.elapsed().as_micros());
    eprintln!("{method} {route} {status} {micros} µs");
    response
}
