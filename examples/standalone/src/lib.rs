//! Handbill as a program of its own: the service under hyper, on SQLite unless the options say
//! otherwise.
//!
//! [`main`] is the program, and [`server`] its sockets, which the simulation also runs on a network of its own.

mod command;
mod database;
mod database_url;
mod log;
mod options;
pub mod server;
mod terminal;
mod usage;

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use handbill::{Handbill, RateLimits};
use handbill_example_shared::stop_signal;
use tokio::runtime::Runtime;
use tokio::time::timeout;

use command::Command;
use database::Database;
use options::{Options, Switch};
use server::Clients;
use terminal::printable;

/// The time limit for closing the database. Together with the requests under way, it must not take longer
/// than the 30 seconds that operators wait before they kill a program.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// The same for listeners.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);
/// The error of a command that a signal ended.
const STOPPED: &str = "stopped by a signal";

/// Runs the program with the arguments and the environment of the process.
pub fn main() -> ExitCode {
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
    if let Some(command) = &options.command {
        command::check(command, options)?;
    }
    let database = Database::open(options).await?;
    let outcome = match &options.command {
        None => serve(options, &database).await,
        // It stops by itself, when its table has all posts that it created.
        Some(command @ Command::Import(import)) if import.from.is_dir() => {
            command::run(command, options, &database).await
        }
        // Whatever a command has begun is dropped: unfinished files are removed.
        Some(command) => tokio::select! {
            outcome = command::run(command, options, &database) => outcome,
            () = stop_signal()? => Err(STOPPED.into()),
        },
    };
    if timeout(CLOSE_TIMEOUT, database.close()).await.is_err() {
        tracing::warn!("the database did not close in time");
    }
    outcome
}

async fn serve(options: &Options, database: &Database) -> Result<(), Box<dyn Error>> {
    let address = &options.listen;
    let listener = server::listen(address)
        .await
        .map_err(|error| format!("could not listen on {address}: {error}"))?;
    let own_url = format!("http://{}", listener.local_addr()?);
    let base_url = options.base_url.as_ref().unwrap_or(&own_url);

    let rate_limits = match options.rate_limits {
        Switch::On => RateLimits::default(),
        Switch::Off => RateLimits::off(),
    };
    let style = match &options.style {
        Some(file) => read_style(file)?,
        None => String::new(),
    };
    let mut handbill = Handbill::new(base_url, Arc::clone(&database.store))?
        .with_name(options.name.as_deref().unwrap_or_default())
        .with_description(options.description.as_deref().unwrap_or_default())
        .with_key_requests(options.key_requests.into())
        .with_rate_limits(rate_limits)
        .with_cors(options.cors == Switch::On)
        .with_style(&style)
        .with_footer(options.footer.as_deref().unwrap_or_default());
    if let Some(contact) = &options.contact {
        handbill = handbill.with_contact(contact.clone());
    }
    let clients = Clients::new(handbill.clone(), options.trusted_proxies.clone());
    let max_connections = server::max_connections(options.max_connections);
    let stop = stop_signal()?;
    // A closed standard output is no reason to stop.
    let mut stdout = io::stdout();
    let _ = writeln!(stdout, "handbill listening on {own_url}").and_then(|()| stdout.flush());
    server::run(listener, clients, max_connections, stop).await?;
    if !matches!(timeout(FLUSH_TIMEOUT, handbill.flush()).await, Ok(Ok(()))) {
        tracing::warn!("the listeners did not hear of all changes in time");
    }
    Ok(())
}

/// The operator's style sheet.
fn read_style(file: &Path) -> Result<String, String> {
    let failed = |error| format!("could not read the style sheet {}: {error}", file.display());
    fs::read_to_string(file).map_err(failed)
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
