//! What the operator says, in options or in the environment.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::{ContextKind, ErrorKind};
use clap::{Parser, Subcommand, ValueEnum};
use handbill::{InvalidTrustedProxy, TrustedProxies};

/// A publishing service for short web posts.
#[derive(Debug, Parser)]
#[command(name = "handbill", version)]
pub(crate) struct Options {
    /// The address to listen on; port 0 is any free one
    #[arg(
        long,
        value_name = "ADDR",
        env = "HANDBILL_LISTEN",
        default_value = "127.0.0.1:8080"
    )]
    pub(crate) listen: String,
    /// The public address that links are printed with [default: http:// and the address bound]
    #[arg(long, value_name = "URL", env = "HANDBILL_BASE_URL")]
    pub(crate) base_url: Option<String>,
    /// Where posts are kept: sqlite://FILE, postgres://USER:PASSWORD@HOST/DATABASE, or memory:
    #[arg(
        long,
        value_name = "URL",
        env = "HANDBILL_DATABASE_URL",
        default_value = "sqlite://handbill.db",
        value_parser = Database::parse,
        hide_env_values = true,
        global = true
    )]
    pub(crate) database: Database,
    /// A standby of PostgreSQL to read from as well; can be given again, or several with spaces
    #[arg(
        long = "database-replica",
        value_name = "URL",
        env = "HANDBILL_DATABASE_REPLICA",
        value_parser = Addresses::parse,
        hide_env_values = true
    )]
    replicas: Vec<Addresses>,
    /// Whether posts of PostgreSQL are kept in memory; other instances' changes then show within 1 s
    #[arg(long, value_enum, env = "HANDBILL_POST_CACHE", default_value_t = PostCache::On)]
    pub(crate) post_cache: PostCache,
    /// Whether whoever asks gets an API key
    #[arg(long, value_enum, env = "HANDBILL_KEY_REQUESTS", default_value_t = KeyRequests::Open)]
    pub(crate) key_requests: KeyRequests,
    /// Whether clients are held to rates
    #[arg(long, value_enum, env = "HANDBILL_RATE_LIMITS", default_value_t = RateLimits::On)]
    pub(crate) rate_limits: RateLimits,
    /// Proxies in front, whose X-Forwarded-For is believed: addresses and networks, with commas
    #[arg(
        long,
        value_name = "LIST",
        env = "HANDBILL_TRUSTED_PROXIES",
        default_value = "",
        hide_default_value = true,
        value_parser = trusted_proxies
    )]
    pub(crate) trusted_proxies: TrustedProxies,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Manage API keys, also while the service runs
    Keys {
        #[command(subcommand)]
        command: KeysCommand,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Issue a key and print it, this once
    Issue {
        /// What the key is for
        #[arg(long)]
        label: Option<String>,
    },
    /// List the keys in force: id, issued, last used, label
    List,
    /// Revoke a key
    Revoke {
        /// The key's id, as `keys list` shows it
        id: String,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum PostCache {
    On,
    Off,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum KeyRequests {
    Open,
    Closed,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum RateLimits {
    On,
    Off,
}

/// Where posts are kept.
#[derive(Clone, Debug)]
pub(crate) enum Database {
    Memory,
    Sqlite(PathBuf),
    /// The address, which is nobody's to see.
    Postgres(Address),
}

/// An address that may hold a password.
#[derive(Clone)]
pub(crate) struct Address(String);

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Address(..)")
    }
}

impl Address {
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

/// Addresses with white space between them, where no address has any.
#[derive(Clone, Debug)]
struct Addresses(Vec<Address>);

impl Addresses {
    /// Never says what it was given.
    fn parse(list: &str) -> Result<Self, String> {
        let addresses = list
            .split_whitespace()
            .map(|url| match Database::parse(url) {
                Ok(Database::Postgres(address)) => Ok(address),
                _ => Err("a replica is postgres://USER:PASSWORD@HOST/DATABASE".to_owned()),
            });
        addresses.collect::<Result<_, _>>().map(Self)
    }
}

impl Options {
    pub(crate) fn replicas(&self) -> impl Iterator<Item = &Address> {
        self.replicas.iter().flat_map(|addresses| &addresses.0)
    }
}

impl PostCache {
    pub(crate) const fn is_on(self) -> bool {
        matches!(self, Self::On)
    }
}

impl KeyRequests {
    pub(crate) const fn is_open(self) -> bool {
        matches!(self, Self::Open)
    }
}

impl RateLimits {
    pub(crate) const fn is_on(self) -> bool {
        matches!(self, Self::On)
    }
}

impl Database {
    /// Never says what it was given, since such an address may hold a password.
    fn parse(url: &str) -> Result<Self, String> {
        if url == "memory:" {
            return Ok(Self::Memory);
        }
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(Self::Postgres(Address(url.to_owned())));
        }
        match url
            .strip_prefix("sqlite://")
            .or_else(|| url.strip_prefix("sqlite:"))
        {
            Some("") => Err("sqlite:// needs the name of a file".to_owned()),
            Some(path) if path.contains('?') => Err("sqlite:// takes no parameters".to_owned()),
            Some(path) => Ok(Self::Sqlite(path.into())),
            None => Err("a database is sqlite://FILE, postgres://… or memory:".to_owned()),
        }
    }
}

fn trusted_proxies(list: &str) -> Result<TrustedProxies, InvalidTrustedProxy> {
    let named = list.split(',').map(str::trim);
    TrustedProxies::new(named.filter(|proxy| !proxy.is_empty()))
}

/// The options, or how to exit: with help and success, or with one line and failure.
pub(crate) fn read() -> Result<Options, ExitCode> {
    Options::try_parse().map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            ExitCode::from(u8::from(error.use_stderr()) * 2)
        }
        _ => {
            eprintln!("handbill: {}; see --help", one_line(&error));
            ExitCode::from(2)
        }
    })
}

fn one_line(error: &clap::Error) -> String {
    // clap repeats a value that was refused, which may hold a password; its reason does not.
    if let (ErrorKind::ValueValidation, Some(reason)) = (error.kind(), error.source()) {
        let option = error.get(ContextKind::InvalidArg);
        return option.map_or_else(
            || reason.to_string(),
            |option| format!("{option}: {reason}"),
        );
    }
    let message = error.render().to_string();
    let line = message.lines().next().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}
