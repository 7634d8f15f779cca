//! An axum app with Handbill at /blog. Durable listeners keep an audit and a search index of the app in step with it.

mod audit;
mod search;

use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::map_request;
use axum::routing::get;
use clap::Parser;
use handbill::{ClientAddr, Handbill};
use handbill_example_shared::{Switch, listening, stop_signal};
use handbill_sql::SqliteStore;
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
use tokio::net::TcpListener;
use tokio::time::timeout;

/// How long a clean stop waits for the listeners.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(20);

/// A small app with Handbill mounted at /blog, which keeps an audit and a search index.
#[derive(Debug, Parser)]
struct Options {
    /// The address to listen on; port 0 selects any free port
    #[arg(long, default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// The file of the posts and of the app's own tables, created if it is missing
    #[arg(long, default_value = "posts.db")]
    database: PathBuf,
    #[arg(long, value_enum, default_value_t = Switch::On, help = "Limit the rate of requests")]
    rate_limits: Switch,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let options = Options::parse();
    let listener = TcpListener::bind(options.listen).await?;
    let address = listener.local_addr()?;
    let store = SqliteStore::open(&options.database).await?.cached();
    let store = Arc::new(store);
    let pool = open(&options).await?;

    let base_url = format!("http://{address}/blog");
    let service = || Handbill::new(&base_url, Arc::clone(&store));
    let handbill = service()?.with_rate_limits(options.rate_limits.into());
    let handbill = audit::listen(handbill, &pool)?;
    let handbill = search::listen(handbill, service()?, &pool)?;

    let app = Router::new()
        .route("/audit", get(audit::show))
        .route("/search", get(search::find))
        .with_state(pool.clone())
        .nest_service("/blog", handbill.clone())
        .layer(map_request(tell_client))
        .into_make_service_with_connect_info::<SocketAddr>();
    let stop = stop_signal()?;
    listening(address);
    axum::serve(listener, app)
        .with_graceful_shutdown(stop)
        .await?;
    // What is left over is delivered after the next start.
    let _ = timeout(FLUSH_TIMEOUT, handbill.flush()).await;
    handbill.end_deliveries().await;
    drop(handbill);
    pool.close().await;
    Ok(())
}

/// The app's own connections, with its tables. The file is in WAL mode, as Handbill sets it.
async fn open(options: &Options) -> sqlx::Result<SqlitePool> {
    let file = SqliteConnectOptions::new()
        .filename(&options.database)
        .journal_mode(SqliteJournalMode::Wal);
    let pool = SqlitePool::connect_with(file).await?;
    audit::create_table(&pool).await?;
    search::create_table(&pool).await?;
    Ok(pool)
}

/// Passes the client's address to Handbill, which limits rates per client.
async fn tell_client(
    ConnectInfo(client): ConnectInfo<SocketAddr>,
    mut request: Request,
) -> Request {
    request.extensions_mut().insert(ClientAddr(client.ip()));
    request
}
