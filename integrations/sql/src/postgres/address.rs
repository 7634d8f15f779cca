//! Parses the address of a database as users write it.
//!
//! Errors never repeat the address, because it may contain a password.

use sqlx::ConnectOptions;
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use url::Url;

use super::server::Server;

/// The parameters that an address may have. sqlx ignores other parameters and logs them with their
/// values, which may be a password under a misspelt name.
const PARAMETERS: [&str; 15] = [
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "password",
    "port",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "ssl-mode",
    "ssl-root-cert",
    "statement-cache-capacity",
    "user",
];
const ROOT_CERTIFICATE: [&str; 2] = ["sslrootcert", "ssl-root-cert"];
const STATEMENT_CACHE: &str = "statement-cache-capacity";

pub(super) fn parse(address: &str) -> Result<Server, &'static str> {
    const FORM: &str = "the address of a PostgreSQL database is \
        postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters in user and password \
        percent-encoded";
    let url = Url::parse(address).map_err(|_| FORM)?;
    if !matches!(url.scheme(), "postgres" | "postgresql") {
        return Err(FORM);
    }
    let is_known = |name: &str| PARAMETERS.contains(&name) || name.starts_with("options[");
    if !url.query_pairs().all(|(name, _)| is_known(&name)) {
        return Err("the address of the PostgreSQL database has an unknown parameter");
    }
    let pooled = url
        .query_pairs()
        .any(|(name, value)| name == STATEMENT_CACHE && value == "0");
    let mut options: PgConnectOptions = address.parse().map_err(
        |_| "a parameter in the address of the PostgreSQL database has an invalid value",
    )?;
    // sqlx takes the brackets of an IPv6 address for a part of it.
    let host = options.get_host().trim_matches(['[', ']']).to_owned();
    options = options.host(&host);
    let verifies = url
        .query_pairs()
        .any(|(name, _)| ROOT_CERTIFICATE.contains(&&*name));
    if verifies && matches!(options.get_ssl_mode(), PgSslMode::Require) {
        options = options.ssl_mode(PgSslMode::VerifyCa);
    }
    // sqlx would log whole statements that take longer than a second.
    options = options.disable_statement_logging();
    // No column is a floating-point number, and poolers may not know this setting.
    Ok(Server::new(options.extra_float_digits(None), pooled))
}
