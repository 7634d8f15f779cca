//! Parses the address of a database as users write it.
//!
//! Errors never repeat the address, because it may contain a password.

use sqlx::ConnectOptions;
use sqlx::mysql::{MySqlConnectOptions, MySqlSslMode};
use url::Url;

const FORM: &str = "the address of a MySQL or MariaDB database is mysql://USER:PASSWORD@HOST:PORT/DATABASE, with \
    special characters in user and password percent-encoded";

const PARAMETERS: &str = "the address of the MySQL database has a parameter that is not one of sslmode, sslrootcert, \
    sslcert, sslkey and socket";
const SSL_MODES: &str = "sslmode in the address of the MySQL database is disable, prefer, require, verify-ca or \
    verify-full";

pub(super) fn parse(address: &str) -> Result<MySqlConnectOptions, &'static str> {
    let url = Url::parse(address).map_err(|_| FORM)?;
    // sqlx has other names of parameters.
    let mut server = url.clone();
    server.set_query(None);
    let mut options = MySqlConnectOptions::from_url(&server).map_err(|_| FORM)?;
    if !matches!(url.scheme(), "mysql" | "mariadb") || options.get_database().is_none() {
        return Err(FORM);
    }
    // sqlx takes the brackets of an IPv6 address for a part of it, and root where there is no user.
    let host = options.get_host().trim_matches(['[', ']']).to_owned();
    options = options.host(&host);
    if url.username().is_empty() {
        options = options.username("");
    }
    let mut mode = MySqlSslMode::Preferred;
    for (name, value) in url.query_pairs() {
        options = match &*name {
            "sslmode" => {
                mode = ssl_mode(&value)?;
                options
            }
            "sslrootcert" => options.ssl_ca(&*value),
            "sslcert" => options.ssl_client_cert(&*value),
            "sslkey" => options.ssl_client_key(&*value),
            "socket" => options.socket(&*value),
            _ => return Err(PARAMETERS),
        };
    }
    let has_root = url.query_pairs().any(|(name, _)| name == "sslrootcert");
    if has_root && matches!(mode, MySqlSslMode::Required) {
        mode = MySqlSslMode::VerifyCa;
    }
    // The store sets the mode itself, and sqlx would log whole statements that take longer than a second.
    Ok(options
        .ssl_mode(mode)
        .pipes_as_concat(false)
        .no_engine_substitution(false)
        .disable_statement_logging())
}

/// By the names of libpq, as for PostgreSQL.
fn ssl_mode(name: &str) -> Result<MySqlSslMode, &'static str> {
    Ok(match name {
        "disable" => MySqlSslMode::Disabled,
        "prefer" => MySqlSslMode::Preferred,
        "require" => MySqlSslMode::Required,
        "verify-ca" => MySqlSslMode::VerifyCa,
        "verify-full" => MySqlSslMode::VerifyIdentity,
        _ => return Err(SSL_MODES),
    })
}
