//! The address of a database, as users write it.

use sqlx::postgres::PgConnectOptions;
use url::Url;

use super::connections::Server;

/// What an address may say behind its question mark. Others would be passed over, and logged with
/// what they say, which may be a password under a wrong name.
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

/// The server at an address, or a reason that repeats nothing of it.
pub(super) fn parse(address: &str) -> Result<Server, &'static str> {
    const FORM: &str = "an address of PostgreSQL is postgres://USER:PASSWORD@HOST:PORT/DATABASE, with \
        what is special in user and password percent-encoded";
    let url = Url::parse(address).map_err(|_| FORM)?;
    if !matches!(url.scheme(), "postgres" | "postgresql") {
        return Err(FORM);
    }
    let is_known = |name: &str| PARAMETERS.contains(&name) || name.starts_with("options[");
    if !url.query_pairs().all(|(name, _)| is_known(&name)) {
        return Err("the address of PostgreSQL has a parameter that is not known");
    }
    let shared = url
        .query_pairs()
        .any(|(name, value)| name == STATEMENT_CACHE && value == "0");
    let options: PgConnectOptions = address
        .parse()
        .map_err(|_| "a parameter in the address of PostgreSQL has a value that is not possible")?;
    Ok(Server {
        // No number with a point is ever read, and poolers may not know this setting.
        options: options.extra_float_digits(None),
        shared,
    })
}
