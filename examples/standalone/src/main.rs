//! Handbill as a program of its own: the service under hyper, on SQLite unless told otherwise.

mod keys;
mod options;
mod request_body;
mod server;

use std::error::Error;
use std::io::IsTerminal;
use std::process::ExitCode;

use handbill::{Handbill, KeyRequests, MemoryStore, PostgresStore, RateLimits, SqliteStore, Store};
use tokio::net::TcpListener;

use options::{Command, Database, Options};

/// Requests are many small allocations, freed by another thread than made them as often as not.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let options = match options::read() {
        Ok(options) => options,
        Err(exit) => return exit,
    };
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .init();
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(Into::into)
        .and_then(|runtime| runtime.block_on(run(options)));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("handbill: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: Options) -> Result<(), Box<dyn Error>> {
    match &options.database {
        Database::Memory => {
            if options.command.is_some() {
                return Err(
                    "keys in memory are known to one process alone; name a database".into(),
                );
            }
            serve(&options, MemoryStore::new()).await
        }
        Database::Sqlite(path) => {
            let store = SqliteStore::open(path).await?;
            let outcome = run_on(&options, store.clone()).await;
            store.close().await;
            outcome
        }
        Database::Postgres(address) => {
            let store = PostgresStore::open(address.expose()).await?;
            let outcome = run_on(&options, store.clone()).await;
            store.close().await;
            outcome
        }
    }
}

async fn run_on(options: &Options, store: impl Store) -> Result<(), Box<dyn Error>> {
    match &options.command {
        None => serve(options, store).await,
        Some(Command::Keys { command }) => keys::run(command, store).await,
    }
}

async fn serve(options: &Options, store: impl Store) -> Result<(), Box<dyn Error>> {
    let address = &options.listen;
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| format!("could not listen on {address}: {error}"))?;
    let own_url = format!("http://{}", listener.local_addr()?);
    let base_url = options.base_url.as_deref().unwrap_or(&own_url);
    let rate_limits = if options.rate_limits.is_on() {
        RateLimits::default()
    } else {
        RateLimits::off()
    };
    let key_requests = if options.key_requests.is_open() {
        KeyRequests::Open
    } else {
        KeyRequests::Closed
    };
    let handbill = Handbill::new(base_url, store)?
        .with_rate_limits(&rate_limits)
        .with_key_requests(key_requests)
        .with_trusted_proxies(options.trusted_proxies.clone());
    server::run(listener, &own_url, handbill).await
}
