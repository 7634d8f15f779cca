//! `--database`: where posts are stored.

use std::fmt;
use std::path::PathBuf;

/// A database, as its URL names it.
#[derive(Clone, Debug)]
pub(crate) enum DatabaseUrl {
    Memory,
    Sqlite(PathBuf),
    MySql(ServerUrl),
    Postgres(ServerUrl),
}

/// The URL of a database on a server. It may hold a password, so `Debug` does not show it.
#[derive(Clone)]
pub(crate) struct ServerUrl(String);

/// URLs of PostgreSQL with white space between them.
#[derive(Clone, Debug)]
pub(crate) struct PostgresUrls(pub(crate) Vec<ServerUrl>);

impl DatabaseUrl {
    /// The errors do not repeat the URL, which may hold a password.
    pub(crate) fn parse(url: &str) -> Result<Self, String> {
        if url == "memory:" {
            return Ok(Self::Memory);
        }
        if let Some(url) = ServerUrl::of_postgres(url) {
            return Ok(Self::Postgres(url));
        }
        if url.starts_with("mysql://") || url.starts_with("mariadb://") {
            return Ok(Self::MySql(ServerUrl(url.to_owned())));
        }
        let path = url.strip_prefix("sqlite://");
        match path.or_else(|| url.strip_prefix("sqlite:")) {
            Some("") => Err("sqlite:// needs the name of a file".to_owned()),
            Some(path) if path.contains('?') => Err("sqlite:// takes no parameters".to_owned()),
            Some(path) => Ok(Self::Sqlite(path.into())),
            None => {
                Err("a database is sqlite://FILE, postgres://…, mysql://… or memory:".to_owned())
            }
        }
    }
}

impl ServerUrl {
    fn of_postgres(url: &str) -> Option<Self> {
        let is_postgres = url.starts_with("postgres://") || url.starts_with("postgresql://");
        is_postgres.then(|| Self(url.to_owned()))
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerUrl(..)")
    }
}

impl PostgresUrls {
    /// The errors do not repeat the URLs, which may hold passwords.
    pub(crate) fn parse(list: &str) -> Result<Self, String> {
        let urls: Option<_> = list
            .split_whitespace()
            .map(ServerUrl::of_postgres)
            .collect();
        urls.map(Self)
            .ok_or_else(|| "a replica is postgres://USER:PASSWORD@HOST/DATABASE".to_owned())
    }
}
