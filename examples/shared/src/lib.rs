//! What the examples have in common: their options, and the service that these describe. An app of
//! your own calls `Handbill::new` itself, with its own settings and its own store.

use std::error::Error;
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
            Switch::Off => handbill.with_rate_limits(&RateLimits::off()),
        })
    }
}

fn sqlite_file(url: &str) -> Result<String, String> {
    match url.strip_prefix("sqlite://") {
        Some(file) if !file.is_empty() => Ok(file.to_owned()),
        _ => Err("a database is sqlite://FILE".to_owned()),
    }
}
