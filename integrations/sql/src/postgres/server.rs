//! A server, and how to connect to it: with TLS or in plain text, as `sslmode` says.
//!
//! It guarantees the meaning that libpq gives each mode. sqlx treats `allow` as `disable`, does not verify
//! anything with `require` even if there is a root certificate, and does not say whether a connection
//! with `prefer` has TLS.

use sqlx::postgres::{PgConnectOptions, PgSslMode};
use sqlx::{ConnectOptions, Error, PgConnection};

use crate::tls::{PlainTextReport, is_tls_error};

/// Settings of each connection to PostgreSQL. The server caches the plans of prepared statements: a
/// plan that was made while the tables were small would scan them when they have grown. No statement
/// is worth compiling. Without `lock_timeout`, a statement whose caller has gone would wait for its lock
/// all the same and need a connection of the server until then. It is shorter than the time limit of a call,
/// which then knows that nothing was done. Bars (`bars.rs`) rely on `READ COMMITTED`, which need not be the
/// default of the database.
const SETTINGS: [(&str, &str); 4] = [
    ("enable_seqscan", "off"),
    ("jit", "off"),
    ("lock_timeout", "4s"),
    ("default_transaction_isolation", "read committed"),
];
// Behind a pooler, which may reject settings of connections, transactions begin with the same ones.
pub(super) const BEGIN: &str =
    "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '4s'";
pub(super) const BEGIN_READING: &str =
    "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; SET LOCAL lock_timeout = '4s'";

/// How to reach a server.
#[derive(Clone)]
pub(super) struct Server {
    pub(super) options: PgConnectOptions,
    /// Whether a pooler in transaction mode may run each transaction on another connection. Then
    /// statements are not prepared in advance, and each runs in an explicit transaction.
    pub(super) pooled: bool,
    report: PlainTextReport,
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
            report: PlainTextReport::default(),
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
        self.connect_by(async |options| options.connect().await)
            .await
    }

    /// Connects by a function, with TLS or in plain text. The function does not choose between them.
    pub(super) async fn connect_by<T>(
        &self,
        connect: impl AsyncFn(PgConnectOptions) -> sqlx::Result<T>,
    ) -> sqlx::Result<T> {
        let with = |mode| connect(self.options.clone().ssl_mode(mode));
        let in_plain_text = async || {
            self.report_plain_text().await?;
            with(PgSslMode::Disable).await
        };
        match self.options.get_ssl_mode() {
            PgSslMode::Disable => in_plain_text().await,
            PgSslMode::Allow => match in_plain_text().await {
                Err(error) if is_rejected(&error) => with(PgSslMode::Require).await,
                outcome => outcome,
            },
            PgSslMode::Prefer => match with(PgSslMode::Require).await {
                Err(error) if is_tls_error(&error) || is_rejected(&error) => in_plain_text().await,
                outcome => outcome,
            },
            mode => with(mode).await,
        }
    }

    /// Reports once that others on the network can read a connection: a server that only pretends to be PostgreSQL gets
    /// the password, but no connection.
    async fn report_plain_text(&self) -> sqlx::Result<()> {
        if is_unix_socket(&self.options) {
            return Ok(());
        }
        let (host, port) = (self.options.get_host(), self.options.get_port());
        self.report.once(host, port).await
    }
}

fn is_unix_socket(options: &PgConnectOptions) -> bool {
    options.get_socket().is_some() || options.get_host().starts_with('/')
}

/// Whether the server rejects connections that have TLS, or that have none.
fn is_rejected(error: &Error) -> bool {
    // invalid_authorization_specification
    error
        .as_database_error()
        .is_some_and(|error| error.code().as_deref() == Some("28000"))
}
