//! The options, from the command line or the environment.

use std::path::PathBuf;

use clap::{Parser, ValueEnum, value_parser};
use handbill::host::Contact;
use handbill::{Handbill, MemoryStore, ParseError, TrustedProxies};
use handbill_webhooks::WebhookUrl;
use tracing_subscriber::filter::{LevelFilter, Targets};

use crate::command::Command;
use crate::database_url::{DatabaseUrl, PostgresUrls, ServerUrl};
use crate::log::{self, Format};
use crate::server::Address;
use crate::webhooks::WebhookUrls;

/// A publishing service for short web posts.
#[derive(Debug, Parser)]
#[command(name = "handbill", version)]
pub(crate) struct Options {
    /// The address to listen on: HOST:PORT, where port 0 is any free one, or unix:/PATH. Sockets that systemd passes on
    /// come first
    #[arg(long, value_name = "ADDR", env = "HANDBILL_LISTEN")]
    #[arg(default_value = "127.0.0.1:8080")]
    pub(crate) listen: Address,
    /// The public address that links begin with [default: http:// and the address bound]
    #[arg(long, value_name = "URL", env = "HANDBILL_BASE_URL", value_parser = web_address)]
    pub(crate) base_url: Option<String>,
    /// The name of the site [default: the host of the base URL]
    #[arg(long, value_name = "TEXT", env = "HANDBILL_NAME")]
    pub(crate) name: Option<String>,
    /// What the site is about, in one sentence
    #[arg(long, value_name = "TEXT", env = "HANDBILL_DESCRIPTION")]
    pub(crate) description: Option<String>,
    /// A style sheet that follows those of the pages
    #[arg(long, value_name = "FILE", env = "HANDBILL_STYLE")]
    pub(crate) style: Option<PathBuf>,
    /// A line of text for the footer of each page
    #[arg(long, value_name = "TEXT", env = "HANDBILL_FOOTER")]
    pub(crate) footer: Option<String>,
    /// The contact for readers, also to report a post: an https: or mailto: address
    #[arg(long, value_name = "URL", env = "HANDBILL_CONTACT")]
    pub(crate) contact: Option<Contact>,
    /// Where posts are stored: sqlite://FILE, postgres://USER:PASSWORD@HOST/DATABASE, mysql://… (MySQL and
    /// MariaDB), or memory:. Give a password by the environment: other users of the machine can see options
    #[arg(long, value_name = "URL", value_parser = DatabaseUrl::parse, default_value = "sqlite://handbill.db")]
    #[arg(env = "HANDBILL_DATABASE_URL", hide_env_values = true)]
    pub(crate) database: DatabaseUrl,
    /// A PostgreSQL standby to read from as well; repeat the option, or separate several with spaces
    #[arg(long = "database-replica", value_name = "URL", value_parser = PostgresUrls::parse)]
    #[arg(env = "HANDBILL_DATABASE_REPLICA", hide_env_values = true)]
    replicas: Vec<PostgresUrls>,
    /// Whether to cache the posts of a database server in memory; other instances' changes then show within 1 s
    #[arg(long, value_enum, env = "HANDBILL_POST_CACHE", default_value_t = Switch::On)]
    pub(crate) post_cache: Switch,
    /// Whether every client that asks gets an API key
    #[arg(long, value_enum, env = "HANDBILL_KEY_REQUESTS", default_value_t = KeyRequests::Open)]
    pub(crate) key_requests: KeyRequests,
    /// Whether to limit the rate of each client's requests; an IPv6 /48 has 16 times the limit of a /64
    #[arg(long, value_enum, env = "HANDBILL_RATE_LIMITS", default_value_t = Switch::On)]
    pub(crate) rate_limits: Switch,
    /// Whether scripts of other sites may use the API and read feeds and posts (CORS)
    #[arg(long, value_enum, env = "HANDBILL_CORS", default_value_t = Switch::On)]
    pub(crate) cors: Switch,
    /// Whether readers can search for words of posts
    #[arg(long, value_enum, env = "HANDBILL_SEARCH", default_value_t = Switch::On)]
    pub(crate) search: Switch,
    /// Whether agents can publish, find and edit at /mcp, by the Model Context Protocol
    #[arg(long, value_enum, env = "HANDBILL_MCP", default_value_t = Switch::Off)]
    pub(crate) mcp: Switch,
    /// The address of a program that each event is sent to; repeat the option, or separate several with spaces or
    /// commas. Give one with a secret in its path by the environment: other users of the machine can see options
    #[arg(
        long = "webhook",
        value_name = "URL",
        env = "HANDBILL_WEBHOOKS",
        value_parser = WebhookUrls::parse,
        hide_env_values = true
    )]
    webhooks: Vec<WebhookUrls>,
    /// The file with the secrets of webhooks, which are made at the first start
    /// [default: handbill-webhooks.secrets beside the SQLite file, or else here]
    #[arg(long, value_name = "FILE", env = "HANDBILL_WEBHOOK_SECRETS")]
    pub(crate) webhook_secrets: Option<PathBuf>,
    /// Whether webhooks and the hub may be on this machine or in a private network
    #[arg(long, value_enum, env = "HANDBILL_WEBHOOK_PRIVATE", default_value_t = Switch::Off)]
    pub(crate) webhook_private: Switch,
    /// The WebSub hub that is told of new posts in the feeds, which name it
    #[arg(long, value_name = "URL", env = "HANDBILL_HUB")]
    pub(crate) hub: Option<WebhookUrl>,
    /// How many connections may be open; from one network (IPv4 address, IPv6 /64) a quarter of these, from
    /// an IPv6 /48 a half [default: 4096, or what the limit on open files leaves room for]
    #[arg(long, value_name = "N", env = "HANDBILL_MAX_CONNECTIONS")]
    #[arg(value_parser = value_parser!(u32).range(1..))]
    pub(crate) max_connections: Option<u32>,
    /// Proxies whose X-Forwarded-For is trusted: addresses and networks, separated by commas
    #[arg(long, value_name = "LIST", env = "HANDBILL_TRUSTED_PROXIES")]
    #[arg(default_value = "", hide_default_value = true, value_parser = trusted_proxies)]
    pub(crate) trusted_proxies: TrustedProxies,
    /// What is logged: error, warn, info, debug or trace, also for parts, as in warn,handbill_sql=debug
    /// [default: RUST_LOG, or else info]
    #[arg(long, value_name = "FILTER", env = "HANDBILL_LOG", value_parser = log::filter)]
    log: Option<Targets>,
    /// How a line of the log is written
    #[arg(long, value_enum, env = "HANDBILL_LOG_FORMAT", default_value_t = Format::Text)]
    pub(crate) log_format: Format,
    /// Whether the line of each request in the log has the address of its client
    #[arg(long, value_enum, env = "HANDBILL_LOG_CLIENTS", default_value_t = Switch::Off)]
    pub(crate) log_clients: Switch,
    /// A second address, for /metrics in the text format of Prometheus, and /livez and /readyz. Let only those reach it
    /// who watch the program
    #[arg(long, value_name = "ADDR", env = "HANDBILL_METRICS_LISTEN", value_parser = host_and_port)]
    pub(crate) metrics_listen: Option<String>,
    /// For how many seconds after SIGTERM new connections are still accepted, while /readyz is 503: as long as your
    /// load balancer needs to notice
    #[arg(long, value_name = "SECONDS", env = "HANDBILL_STOP_DELAY")]
    #[arg(default_value_t = 0, value_parser = value_parser!(u64).range(..=60))]
    pub(crate) stop_delay: u64,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum KeyRequests {
    Open,
    Closed,
}

impl From<KeyRequests> for handbill::KeyRequests {
    fn from(policy: KeyRequests) -> Self {
        match policy {
            KeyRequests::Open => Self::Open,
            KeyRequests::Closed => Self::Closed,
        }
    }
}

impl Options {
    pub(crate) fn replicas(&self) -> impl Iterator<Item = &ServerUrl> {
        self.replicas.iter().flat_map(|urls| &urls.0)
    }

    pub(crate) fn webhooks(&self) -> impl Iterator<Item = &WebhookUrl> {
        self.webhooks.iter().flat_map(|urls| &urls.0)
    }

    /// The base URL, or else the address that the service would listen on.
    pub(crate) fn links_begin_with(&self) -> String {
        let base_url = self.base_url.clone();
        base_url.unwrap_or_else(|| self.listen.url())
    }

    /// Refuses replicas of a database that has none, tools for agents if they were not built, and what is no base URL.
    pub(crate) fn check(&self) -> Result<(), String> {
        let is_postgres = matches!(self.database, DatabaseUrl::Postgres(_));
        if !is_postgres && self.replicas().next().is_some() {
            return Err("--database-replica: only a database of PostgreSQL has replicas".into());
        }
        if self.mcp == Switch::On && !cfg!(feature = "mcp") {
            return Err("--mcp on: this program was built without its feature mcp".into());
        }
        let base_url = self.base_url.as_deref();
        let handbill = base_url.map(|url| Handbill::new(url, MemoryStore::new()));
        let checked = handbill.transpose().map(drop);
        checked.map_err(|error| error.to_string())
    }

    /// What is logged. An invalid `RUST_LOG` counts as absent, since it may be meant for other
    /// programs.
    pub(crate) fn log(&self) -> Targets {
        let of_rust = || log::filter(&std::env::var("RUST_LOG").ok()?).ok();
        let filter = self.log.clone().or_else(of_rust);
        let filter = filter.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
        // The library of the tools for agents logs their results, which have edit tokens. No filter shows them.
        let default = filter.default_level().unwrap_or(LevelFilter::OFF);
        let others = filter
            .into_iter()
            .filter(|(part, _)| !part.starts_with("rmcp"));
        let others = others.collect::<Targets>().with_default(default);
        others.with_target("rmcp", LevelFilter::OFF)
    }
}

fn host_and_port(address: &str) -> Result<String, &'static str> {
    match address.parse() {
        Ok(Address::Tcp(address)) => Ok(address),
        Ok(Address::Unix(_)) | Err(_) => {
            Err("expected HOST:PORT, such as 127.0.0.1:9090 or [::1]:9090")
        }
    }
}

fn web_address(url: &str) -> Result<String, &'static str> {
    if url.starts_with("http://") || url.starts_with("https://") {
        return Ok(url.to_owned());
    }
    Err("expected http:// or https:// and a host, such as https://example.org/blog")
}

fn trusted_proxies(list: &str) -> Result<TrustedProxies, ParseError> {
    let proxies = list.split(',').map(str::trim);
    TrustedProxies::new(proxies.filter(|proxy| !proxy.is_empty()))
}
