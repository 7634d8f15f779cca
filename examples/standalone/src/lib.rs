//! Handbill as a program of its own: the service under hyper, on SQLite unless the options say
//! otherwise.
//!
//! [`main`] is the program, and [`server`] its sockets, which the simulation also runs on a network of its own.

mod client;
mod command;
mod database;
mod database_url;
mod log;
mod metrics;
mod options;
#[cfg(feature = "otlp")]
mod otlp;
mod serve;
pub mod server;
mod systemd;
mod terminal;
mod usage;
mod webhooks;

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use handbill_example_shared::stop_signal;
use tokio::runtime::{Handle, Runtime};
use tokio::time::timeout;

use command::{Command, DatabaseCommand};
use database::Database;
use options::Options;
use terminal::printable;

/// The time limit for closing the database. Together with the requests under way, it must not take longer
/// than the 30 seconds that operators wait before they kill a program.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// The error of a command that a signal ended.
const STOPPED: &str = "stopped by a signal";

/// Runs the program with the arguments and the environment of the process.
pub fn main() -> ExitCode {
    let options = match usage::options() {
        Ok(options) => options,
        Err(exit) => return exit,
    };
    match &options.command {
        Some(Command::Remote(command)) => command::remote::main(command),
        Some(Command::Manual(command)) => exit(command::manual::run(command)),
        Some(Command::Database(_) | Command::Inspect(_)) | None => match options.check() {
            Ok(()) => exit(start(&options)),
            Err(reason) => usage::refuse(&reason),
        },
    }
}

/// Starts the log on standard error, as the options are by default. The queued lines are written when the value is
/// dropped.
///
/// # Errors
/// If the environment has invalid options.
pub fn start_log(runtime: &Handle) -> Result<impl Sized + use<>, Box<dyn Error>> {
    let options = Options::try_parse_from(["handbill"])?;
    log::start(&options, runtime)
}

/// Says what has failed.
fn exit(outcome: Result<(), impl Into<Box<dyn Error>>>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("handbill: {}", printable(with_sources(&*error.into())));
            ExitCode::FAILURE
        }
    }
}

fn start(options: &Options) -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::new()?;
    let log = log::start(options, runtime.handle())?;
    usage::warn_of_unknown_variables();
    let outcome = runtime.block_on(run(options));
    // Writes the lines that are still queued.
    drop(log);
    // Rendering that still runs is abandoned: its clients have gone.
    runtime.shutdown_background();
    outcome
}

/// Serves, or runs a command on the database.
async fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let command = match &options.command {
        Some(Command::Inspect(command)) => {
            return tokio::select! {
                outcome = command::inspect(command, options) => outcome,
                () = stop_signal()? => Err(STOPPED.into()),
            };
        }
        Some(Command::Database(command)) => Some(command),
        _ => None,
    };
    if let Some(DatabaseCommand::Import(import)) = command {
        import.check_source()?;
    }
    let database = Database::open(options, command).await?;
    let outcome = match command {
        None => serve::serve(options, &database).await,
        // It stops by itself, when its table has all posts that it created.
        Some(command @ DatabaseCommand::Import(import)) if import.from.is_dir() => {
            command::run(command, options, &database).await
        }
        // Whatever a command has begun is dropped: unfinished files are removed.
        Some(command) => tokio::select! {
            outcome = command::run(command, options, &database) => outcome,
            () = stop_signal()? => Err(STOPPED.into()),
        },
    };
    if timeout(CLOSE_TIMEOUT, database.close).await.is_err() {
        tracing::warn!("the database did not close in time");
    }
    outcome
}

/// An error and its sources, in one line. Some errors, those of sqlx among them, print their source themselves.
fn with_sources(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let text = error.to_string();
        if !line.ends_with(&text) {
            line.extend([": ", &text]);
        }
        source = error.source();
    }
    line
}
