//! The options of the example apps, and how they start and stop. Your own app calls `Handbill::new`
//! itself, with its own settings and store.

use std::error::Error;
use std::io::Write;
use std::net::SocketAddr;

use clap::{Parser, ValueEnum};
use handbill::{Handbill, MemoryStore, RateLimits};
use handbill_sql::SqliteStore;

/// A small app with Handbill mounted at /blog.
#[derive(Debug, Parser)]
pub struct Options {
    /// The address to listen on; port 0 selects any free port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    #[arg(long, value_enum, default_value_t = Switch::On, help = "Limit the rate of requests")]
    rate_limits: Switch,
    /// The database: sqlite://FILE [default: in memory]
    #[arg(long, value_name = "URL", value_parser = sqlite_file)]
    database: Option<String>,
}

/// Whether rates are limited.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Switch {
    /// They are.
    On,
    /// They are not.
    Off,
}

impl From<Switch> for RateLimits {
    fn from(switch: Switch) -> Self {
        match switch {
            Switch::On => Self::default(),
            Switch::Off => Self::off(),
        }
    }
}

impl Options {
    /// The options of the command line. Invalid options end the program.
    pub fn read() -> Self {
        Self::parse()
    }

    /// The service at this public address.
    ///
    /// # Errors
    /// If the database can't be opened, or the address is not valid.
    pub async fn handbill(&self, base_url: &str) -> Result<Handbill, Box<dyn Error + Send + Sync>> {
        let handbill = match &self.database {
            None => Handbill::new(base_url, MemoryStore::new())?,
            Some(file) => Handbill::new(base_url, SqliteStore::open(file).await?.cached())?,
        };
        Ok(handbill.with_rate_limits(self.rate_limits.into()))
    }
}

/// Prints the address on standard output, when the app accepts connections.
pub fn listening(address: SocketAddr) {
    let mut stdout = std::io::stdout();
    // The app runs even if nothing reads its output.
    let _ = writeln!(stdout, "listening on http://{address}").and_then(|()| stdout.flush());
}

/// Completes on SIGTERM or Ctrl-C, when the program must stop.
///
/// # Errors
/// If the program can't listen to signals.
#[cfg(unix)]
pub fn stop_signal() -> std::io::Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Completes on Ctrl-C, when the program must stop.
///
/// # Errors
/// Never on this system.
#[cfg(not(unix))]
pub fn stop_signal() -> std::io::Result<impl Future<Output = ()> + Send> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

fn sqlite_file(url: &str) -> Result<String, String> {
    match url.strip_prefix("sqlite://") {
        Some(file) if !file.is_empty() => Ok(file.to_owned()),
        _ => Err("the database must be sqlite://FILE".to_owned()),
    }
}
