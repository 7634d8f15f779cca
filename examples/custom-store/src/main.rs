//! A small app with Handbill mounted at `/blog`, over a store of its own that keeps everything in
//! one [redb](https://docs.rs/redb) file. What a store has to do is said by `handbill::Store`; how
//! this one does it begins in `store.rs`.

mod change;
mod lists;
mod place;
mod read;
mod record;
mod store;
mod tables;
#[cfg(test)]
mod tests;
mod writer;

use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::{Next, from_fn};
use axum::response::{Html, Response};
use axum::routing::get;
use clap::{Parser, ValueEnum};
use handbill::{ClientAddr, Handbill, RateLimits};
use handbill_example_shared::{listening, stop_signal};
use tokio::net::TcpListener;

use crate::store::RedbStore;

/// A small app with Handbill mounted at /blog, over a redb file.
#[derive(Debug, Parser)]
struct Options {
    /// The address to listen on; port 0 is any free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// The file that keeps posts and keys, made when absent
    #[arg(long, value_name = "FILE", default_value = "handbill.redb")]
    database: PathBuf,
    #[arg(long, value_enum, default_value_t = Switch::On, help = "Whether clients are held to rates")]
    rate_limits: Switch,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Switch {
    On,
    Off,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();

    // Bound before anything else, since Handbill prints links with the port that was given.
    let listener = TcpListener::bind(options.listen).await?;
    let address = listener.local_addr()?;

    let store = RedbStore::open(&options.database)?;
    let handbill = Handbill::new(&format!("http://{address}/blog"), store)?;
    let handbill = match options.rate_limits {
        Switch::On => handbill,
        Switch::Off => handbill.with_rate_limits(&RateLimits::off()),
    };

    let app = Router::new()
        .route("/", get(home))
        .nest_service("/blog", handbill)
        .layer(from_fn(tell_client_address))
        .into_make_service_with_connect_info::<SocketAddr>();

    listening(address);
    // Requests under way are finished, and the file is closed, when the program is asked to stop.
    axum::serve(listener, app)
        .with_graceful_shutdown(stop_signal()?)
        .await?;
    Ok(())
}

async fn home() -> Html<&'static str> {
    Html("<!doctype html><title>An app</title><p>An app, and <a href=\"/blog\">its posts</a>.</p>")
}

/// Handbill counts rates for each client; only who accepts connections knows these apart.
async fn tell_client_address(
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    request.extensions_mut().insert(ClientAddr(peer.ip()));
    next.run(request).await
}
