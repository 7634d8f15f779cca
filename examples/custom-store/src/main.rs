//! A small app with Handbill mounted at `/blog`, on a store of its own: one
//! [redb](https://docs.rs/redb) file.

use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::map_request;
use axum::response::Html;
use axum::routing::get;
use clap::Parser;
use handbill::{ClientAddr, Handbill, RateLimits};
use handbill_custom_store::RedbStore;
use handbill_example_shared::{listening, stop_signal};
use tokio::net::TcpListener;

/// A small app with Handbill mounted at /blog, over a redb file.
#[derive(Debug, Parser)]
struct Options {
    /// The address to listen on; port 0 selects any free port
    #[arg(long, default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// The file of posts and keys, created if it is missing
    #[arg(long, default_value = "handbill.redb")]
    database: PathBuf,
    /// Whether to limit the rate of requests per client
    #[arg(long, default_value = "on", value_parser = ["on", "off"])]
    rate_limits: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let options = Options::parse();

    // Bind first, because Handbill's links contain the actual port.
    let listener = TcpListener::bind(options.listen).await?;
    let address = listener.local_addr()?;

    let store = RedbStore::open(&options.database)?;
    let mut handbill = Handbill::new(&format!("http://{address}/blog"), store)?;
    if options.rate_limits == "off" {
        handbill = handbill.with_rate_limits(RateLimits::off());
    }

    let app = Router::new()
        .route("/", get(Html("<a href=\"/blog\">Our blog</a>")))
        .nest_service("/blog", handbill)
        .layer(map_request(tell_client_address))
        .into_make_service_with_connect_info::<SocketAddr>();

    listening(address);
    // Before the program stops, it completes current requests and closes the file.
    axum::serve(listener, app)
        .with_graceful_shutdown(stop_signal()?)
        .await?;
    Ok(())
}

/// Handbill limits rates per client, and only the server knows the client's address.
async fn tell_client_address(peer: ConnectInfo<SocketAddr>, mut request: Request) -> Request {
    request.extensions_mut().insert(ClientAddr(peer.0.ip()));
    request
}
