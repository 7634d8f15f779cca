//! A server, and how to connect to it: with TLS or in plain text, as `sslmode` says.
//!
//! It guarantees the meaning that libpq gives each mode. sqlx treats `allow` as `disable`, does not verify
//! anything with `require` even if there is a root certificate, and does not say whether a connection
//! with `prefer` has TLS.

use std::fmt;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::postgres::{PgConnectOptions, PgSslMode};
use sqlx::{ConnectOptions, Error, PgConnection};
use tokio::net::lookup_host;

/// Settings of each connection to PostgreSQL. The server caches the plans of prepared statements: a
/// plan that was made while the tables were small would scan them when they have grown. No statement
/// is worth compiling. Without `lock_timeout`, a statement whose caller has gone would wait for its lock
/// all the same and need a connection of the server until then. It is shorter than the time limit of a call,
/// which then knows that nothing was done.
const SETTINGS: [(&str, &str); 3] = [
    ("enable_seqscan", "off"),
    ("jit", "off"),
    ("lock_timeout", "4s"),
];
// Behind a pooler, which may reject settings of connections, transactions begin with the same timeout.
pub(super) const BEGIN: &str = "BEGIN; SET LOCAL lock_timeout = '4s'";
pub(super) const BEGIN_READING: &str =
    "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; SET LOCAL lock_timeout = '4s'";

/// How to reach a server.
#[derive(Clone)]
pub(super) struct Server {
    pub(super) options: PgConnectOptions,
    /// Whether a pooler in transaction mode may run each transaction on another connection. Then
    /// statements are not prepared in advance, and each runs in an explicit transaction.
    pub(super) pooled: bool,
    /// Whether a connection in plain text was reported already.
    pub(super) is_reported: Arc<AtomicBool>,
}

impl Server {
    pub(super) fn new(options: PgConnectOptions, pooled: bool) -> Self {
        // There is no TLS on Unix sockets.
        let options = match is_unix_socket(&options) {
            true => options.ssl_mode(PgSslMode::Disable),
            false => options,
        };
        Self {
            options,
            pooled,
            is_reported: Arc::default(),
        }
    }

    /// The same server, known to be PostgreSQL itself.
    pub(super) fn with_settings(self) -> Self {
        // A pooler may reject settings, and no plans are cached behind one.
        if self.pooled {
            return self;
        }
        Self {
            options: self.options.options(SETTINGS),
            ..self
        }
    }

    pub(super) async fn connect(&self) -> sqlx::Result<PgConnection> {
        match self.options.get_ssl_mode() {
            PgSslMode::Disable => self.connect_plain().await,
            PgSslMode::Allow => match self.connect_plain().await {
                Err(error) if is_rejected(&error) => self.connect_with(PgSslMode::Require).await,
                outcome => outcome,
            },
            PgSslMode::Prefer => match self.connect_with(PgSslMode::Require).await {
                Err(error) if is_tls_error(&error) || is_rejected(&error) => {
                    self.connect_plain().await
                }
                outcome => outcome,
            },
            mode => self.connect_with(mode).await,
        }
    }

    /// For sqlx's own connections, which do not know `allow`.
    pub(super) fn options_of_sqlx(&self) -> PgConnectOptions {
        let options = self.options.clone();
        match options.get_ssl_mode() {
            PgSslMode::Allow => options.ssl_mode(PgSslMode::Prefer),
            _ => options,
        }
    }

    async fn connect_with(&self, mode: PgSslMode) -> sqlx::Result<PgConnection> {
        self.options.clone().ssl_mode(mode).connect().await
    }

    /// Connects without TLS, and reports once if others on the network can read that.
    async fn connect_plain(&self) -> sqlx::Result<PgConnection> {
        let connection = self.connect_with(PgSslMode::Disable).await?;
        if !self.is_reported.swap(true, Ordering::Relaxed) && !self.is_on_this_machine().await {
            tracing::warn!(
                host = self.options.get_host(),
                port = self.options.get_port(),
                "the connection to PostgreSQL is in plain text: others on the network can read and \
                 change what it sends; see sslmode",
            );
        }
        Ok(connection)
    }

    async fn is_on_this_machine(&self) -> bool {
        if is_unix_socket(&self.options) {
            return true;
        }
        let addresses = lookup_host((self.options.get_host(), self.options.get_port())).await;
        addresses.is_ok_and(|mut all| all.all(|address| address.ip().to_canonical().is_loopback()))
    }
}

impl fmt::Debug for Server {
    /// Omits the options, which contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("pooled", &self.pooled)
            .finish_non_exhaustive()
    }
}

fn is_unix_socket(options: &PgConnectOptions) -> bool {
    options.get_socket().is_some() || options.get_host().starts_with('/')
}

/// Whether there is no TLS, or it failed: the server has none, or this program, or the certificate is not
/// valid. A retry would fail, too.
pub(super) fn is_tls_error(error: &Error) -> bool {
    match error {
        Error::Tls(_) => true,
        // This is how rustls reports a failed handshake.
        Error::Io(error) => error.kind() == ErrorKind::InvalidData,
        _ => false,
    }
}

/// Whether the server rejects connections that have TLS, or that have none.
fn is_rejected(error: &Error) -> bool {
    // invalid_authorization_specification
    error
        .as_database_error()
        .is_some_and(|error| error.code().as_deref() == Some("28000"))
}
