//! Handbill as a program of its own: the service under hyper, on SQLite unless told otherwise.

mod client_stream;
mod keys;
mod log;
mod options;
mod request_body;
mod server;

use std::error::Error;
use std::num::NonZero;
use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::Duration;

use handbill::{Handbill, KeyRequests, MemoryStore, PostgresStore, RateLimits, SqliteStore, Store};
use tokio::net::TcpListener;
use tokio::runtime::Builder;

use log::{Events, Log};
use options::{Command, Database, Options};

/// Requests are many small allocations, freed by another thread than made them as often as not.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How far what one instance shows may be behind the changes of another: less than this. The options'
/// help says it, too.
const POST_CACHE_BOUND: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let options = match options::read() {
        Ok(options) => options,
        Err(exit) => return exit,
    };
    let outcome = Log::start().map_err(Into::into).and_then(|log| {
        let events = tracing_subscriber::fmt().with_writer(Events(log));
        events.with_ansi(false).with_target(false).init();
        let outcome = run_to_end(options, log);
        log.flush();
        outcome
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("handbill: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run_to_end(options: Options, log: &'static Log) -> Result<(), Box<dyn Error>> {
    // On one core there is nobody to share the work with, and sharing costs.
    let mut runtime = match available_parallelism() {
        Ok(NonZero::<usize>::MIN) => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    runtime.enable_all().build()?.block_on(run(options, log))
}

async fn run(options: Options, log: &'static Log) -> Result<(), Box<dyn Error>> {
    let is_postgres = matches!(options.database, Database::Postgres(_));
    if !is_postgres && options.replicas().next().is_some() {
        return Err("--database-replica: only a database of PostgreSQL has replicas".into());
    }
    match &options.database {
        Database::Memory => {
            if options.command.is_some() {
                return Err(
                    "keys in memory are known to one process alone; name a database".into(),
                );
            }
            serve(&options, MemoryStore::new(), log).await
        }
        Database::Sqlite(path) => {
            let store = SqliteStore::open(path).await?;
            let outcome = run_on(&options, store.clone(), log).await;
            store.close().await;
            outcome
        }
        Database::Postgres(address) => {
            let store = PostgresStore::open(address.expose()).await?;
            let outcome = run_on_postgres(&options, store.clone(), log).await;
            store.close().await;
            outcome
        }
    }
}

async fn run_on_postgres(
    options: &Options,
    store: PostgresStore,
    log: &'static Log,
) -> Result<(), Box<dyn Error>> {
    if options.command.is_some() {
        return run_on(options, store, log).await;
    }
    let store = options
        .replicas()
        .try_fold(store, |store, replica| store.with_replica(replica.expose()))?;
    if options.post_cache.is_on() {
        run_on(options, store.cached(POST_CACHE_BOUND), log).await
    } else {
        run_on(options, store, log).await
    }
}

async fn run_on(
    options: &Options,
    store: impl Store,
    log: &'static Log,
) -> Result<(), Box<dyn Error>> {
    match &options.command {
        None => serve(options, store, log).await,
        Some(Command::Keys { command }) => keys::run(command, store).await,
    }
}

async fn serve(
    options: &Options,
    store: impl Store,
    log: &'static Log,
) -> Result<(), Box<dyn Error>> {
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
    server::run(listener, &own_url, handbill, log).await
}
