//! What the example apps have in common: their options, the service that these describe, and how they
//! begin and end. An app of your own calls `Handbill::new` itself, with its own settings and its own
//! store.

use std::error::Error;
use std::io::Write;
use std::net::SocketAddr;

use clap::{Parser, ValueEnum};
use handbill::{Handbill, MemoryStore, RateLimits, SqliteStore};

/// A small app with Handbill mounted at /blog.
#[derive(Debug, Parser)]
pub struct Options {
    /// The address to listen on; port 0 is any free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    #[arg(long, value_enum, default_value_t = Switch::On, help = "Whether clients are held to rates")]
    rate_limits: Switch,
    /// Where posts are kept: sqlite://FILE [default: in memory]
    #[arg(long, value_name = "URL", value_parser = sqlite_file)]
    database: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Switch {
    On,
    Off,
}

impl Options {
    /// The options that the program was started with; bad ones end it.
    pub fn read() -> Self {
        Self::parse()
    }

    /// The service at this public address.
    ///
    /// # Errors
    /// Where the database can't be opened, or the address is none.
    pub async fn handbill(&self, base_url: &str) -> Result<Handbill, Box<dyn Error + Send + Sync>> {
        let handbill = match &self.database {
            None => Handbill::new(base_url, MemoryStore::new())?,
            Some(file) => Handbill::new(base_url, SqliteStore::open(file).await?)?,
        };
        Ok(match self.rate_limits {
            Switch::On => handbill,
            Switch::Off => handbill.with_rate_limits(RateLimits::off()),
        })
    }
}

/// Says on standard output that the app accepts connections, and where.
pub fn listening(address: SocketAddr) {
    let mut stdout = std::io::stdout();
    // Whoever started the app may not listen: that is no reason to stop.
    let _ = writeln!(stdout, "listening on http://{address}").and_then(|()| stdout.flush());
}

/// Comes when the program is to stop: SIGTERM or Ctrl-C.
///
/// # Errors
/// Where signals can't be listened to.
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

/// Comes when the program is to stop: Ctrl-C.
///
/// # Errors
/// None here.
#[cfg(not(unix))]
pub fn stop_signal() -> std::io::Result<impl Future<Output = ()> + Send> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

fn sqlite_file(url: &str) -> Result<String, String> {
    match url.strip_prefix("sqlite://") {
        Some(file) if !file.is_empty() => Ok(file.to_owned()),
        _ => Err("a database is sqlite://FILE".to_owned()),
    }
}
