//! Parses the address of a database as users write it.
//!
//! Errors never repeat the address, because it may contain a password.

use sqlx::postgres::PgConnectOptions;
use url::Url;

use super::connections::Server;

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
    let options: PgConnectOptions = address.parse().map_err(
        |_| "a parameter in the address of the PostgreSQL database has an invalid value",
    )?;
    Ok(Server {
        // No column is a floating-point number, and poolers may not know this setting.
        options: options.extra_float_digits(None),
        pooled,
    })
}
