//! Handbill as a program of its own: the service under hyper, on SQLite unless the options say
//! otherwise.

mod activity;
mod archive;
mod backup;
mod command;
mod connection;
mod connection_limit;
mod database;
mod database_url;
mod dates;
mod descriptors;
mod keys;
mod listener;
mod log;
mod markdown;
mod memory;
mod options;
mod posts;
mod progress;
mod server;
mod shares;
#[cfg(test)]
mod simulation;
mod slow_reader;
mod stream;
mod terminal;
mod usage;
mod whole_file;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use handbill::{Handbill, RateLimits};
use handbill_example_shared::stop_signal;
use mimalloc::MiMalloc;
use tokio::runtime::Runtime;
use tokio::time::timeout;

use command::Command;
use connection::Clients;
use database::Database;
use options::{Options, Switch};
use terminal::printable;

/// Requests take a tenth less time than with glibc's allocator, and less memory stays behind.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The time limit for closing the database. Together with the requests under way, it must not take longer
/// than the 30 seconds that operators wait before they kill a program.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// The error of a command that a signal ended.
const STOPPED: &str = "stopped by a signal";

fn main() -> ExitCode {
    let options = match usage::options() {
        Ok(options) => options,
        Err(exit) => return exit,
    };
    let log = log::start();
    let outcome = Runtime::new().map_err(Into::into).and_then(|runtime| {
        let outcome = runtime.block_on(run(&options));
        // Rendering that still runs is abandoned: its clients have gone.
        runtime.shutdown_background();
        outcome
    });
    // Writes the lines that are still queued.
    drop(log);
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("handbill: {}", printable(with_sources(&*error)));
            ExitCode::FAILURE
        }
    }
}

async fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    match &options.command {
        Some(Command::Backup { .. }) => backup::check_is_sqlite(&options.database)?,
        Some(Command::Import(import)) => import.check_source()?,
        _ => {}
    }
    let database = Database::open(options).await?;
    let outcome = match &options.command {
        None => serve(options, &database).await,
        // It stops by itself, when its table has all posts that it created.
        Some(command @ Command::Import(import)) if import.from.is_dir() => {
            run_command(command, options, &database).await
        }
        // Whatever a command has begun is dropped: unfinished files are removed.
        Some(command) => tokio::select! {
            outcome = run_command(command, options, &database) => outcome,
            () = stop_signal()? => Err(STOPPED.into()),
        },
    };
    if timeout(CLOSE_TIMEOUT, database.close()).await.is_err() {
        tracing::warn!("the database did not close in time");
    }
    outcome
}

async fn run_command(
    command: &Command,
    options: &Options,
    database: &Database,
) -> Result<(), Box<dyn Error>> {
    // Where no base URL is set, links begin with the address that the service would listen on.
    let own_url = format!("http://{}", options.listen);
    let base_url = options.base_url.as_ref().unwrap_or(&own_url);
    let handbill = Handbill::new(base_url, Arc::clone(&database.store))?;
    match command {
        Command::Keys { command } => keys::run(command, &handbill).await,
        Command::Posts { command } => posts::run(command, &handbill).await,
        Command::Export {
            markdown: Some(folder),
            ..
        } => markdown::export(folder, &*database.store).await,
        Command::Export { file, .. } => archive::export(file, &handbill).await,
        Command::Import(import) if import.from.is_dir() => {
            markdown::import(import, &handbill).await
        }
        Command::Import(import) => archive::import(import, &handbill).await,
        Command::Backup { file } => backup::run(file, database).await,
    }
}

async fn serve(options: &Options, database: &Database) -> Result<(), Box<dyn Error>> {
    let address = &options.listen;
    let listener = listener::listen(address)
        .await
        .map_err(|error| format!("could not listen on {address}: {error}"))?;
    let own_url = format!("http://{}", listener.local_addr()?);
    let base_url = options.base_url.as_ref().unwrap_or(&own_url);

    let rate_limits = match options.rate_limits {
        Switch::On => RateLimits::default(),
        Switch::Off => RateLimits::off(),
    };
    let handbill = Handbill::new(base_url, Arc::clone(&database.store))?
        .with_name(options.name.as_deref().unwrap_or_default())
        .with_description(options.description.as_deref().unwrap_or_default())
        .with_key_requests(options.key_requests.into())
        .with_trusted_proxies(options.trusted_proxies.clone())
        .with_rate_limits(rate_limits)
        .with_cors(options.cors == Switch::On);
    let clients = Clients::new(handbill, options.trusted_proxies.clone());
    let max_connections = descriptors::max_connections(options.max_connections);
    let stop = stop_signal()?;
    // A closed standard output is no reason to stop.
    let mut stdout = io::stdout();
    let _ = writeln!(stdout, "handbill listening on {own_url}").and_then(|()| stdout.flush());
    server::run(listener, clients, max_connections, stop).await?;
    Ok(())
}

/// An error and its sources, in one line.
fn with_sources(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        line.push_str(&format!(": {error}"));
        source = error.source();
    }
    line
}
