//! `--database`: where posts are stored.

use std::fmt;
use std::path::PathBuf;

/// A database, as its URL names it.
#[derive(Clone, Debug)]
pub(crate) enum DatabaseUrl {
    Memory,
    Sqlite(PathBuf),
    Postgres(PostgresUrl),
}

/// The URL of a PostgreSQL server. It may hold a password, so `Debug` does not show it.
#[derive(Clone)]
pub(crate) struct PostgresUrl(String);

/// URLs with white space between them.
#[derive(Clone, Debug)]
pub(crate) struct PostgresUrls(pub(crate) Vec<PostgresUrl>);

impl DatabaseUrl {
    /// The errors do not repeat the URL, which may hold a password.
    pub(crate) fn parse(url: &str) -> Result<Self, String> {
        if url == "memory:" {
            return Ok(Self::Memory);
        }
        if let Some(url) = PostgresUrl::parse(url) {
            return Ok(Self::Postgres(url));
        }
        let path = url.strip_prefix("sqlite://");
        match path.or_else(|| url.strip_prefix("sqlite:")) {
            Some("") => Err("sqlite:// needs the name of a file".to_owned()),
            Some(path) if path.contains('?') => Err("sqlite:// takes no parameters".to_owned()),
            Some(path) => Ok(Self::Sqlite(path.into())),
            None => Err("a database is sqlite://FILE, postgres://… or memory:".to_owned()),
        }
    }
}

impl PostgresUrl {
    fn parse(url: &str) -> Option<Self> {
        let is_postgres = url.starts_with("postgres://") || url.starts_with("postgresql://");
        is_postgres.then(|| Self(url.to_owned()))
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PostgresUrl(..)")
    }
}

impl PostgresUrls {
    /// The errors do not repeat the URLs, which may hold passwords.
    pub(crate) fn parse(list: &str) -> Result<Self, String> {
        let urls: Option<_> = list.split_whitespace().map(PostgresUrl::parse).collect();
        urls.map(Self)
            .ok_or_else(|| "a replica is postgres://USER:PASSWORD@HOST/DATABASE".to_owned())
    }
}
