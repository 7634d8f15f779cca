//! Where connections come from, and the settings of each.

use std::sync::Arc;

use sqlx::mysql::{MySqlConnectOptions, MySqlRow, MySqlSslMode};
use sqlx::{ConnectOptions, MySqlConnection, MySqlPool, Row as _};

use super::statement::execute;
use crate::backoff::Away;
use crate::connections::{self, acquire};
use crate::tls::{PlainTextReport, is_tls_error};

/// Without the strict mode, the server would cut texts that are too long. Lists and bars rely on `READ COMMITTED`. A
/// statement that waits for a lock of others gives up before its caller does.
const SETTINGS: &str = "
SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', time_zone = '+00:00', autocommit = 1,
  innodb_lock_wait_timeout = 3;
SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;
SET NAMES utf8mb4 COLLATE utf8mb4_bin";
/// On a node of Galera, each statement waits until the node has applied what others have acknowledged: reads (1),
/// updates and deletions (2), and insertions (4).
const WAIT_FOR_OTHER_NODES: &str = "SET SESSION wsrep_sync_wait = 7";
const SERVER: &str = "
SHOW VARIABLES WHERE Variable_name IN ('wsrep_on', 'max_allowed_packet', 'innodb_flush_log_at_trx_commit')";

/// What a server always takes as one statement, beside the longest post.
const PACKET_RESERVE: usize = 64 * 1024;

#[derive(Clone)]
pub(super) struct Source {
    from: From,
    /// Whether the server is a node of Galera.
    is_galera: bool,
    /// The longest post that the server takes, in bytes.
    pub(super) max_size: usize,
    pub(super) away: Arc<Away>,
}

#[derive(Clone)]
pub(super) enum From {
    Address(Box<MySqlConnectOptions>, PlainTextReport),
    /// The host's pool, which opens another connection in the place of each one that is taken out.
    Pool(MySqlPool),
}

impl Source {
    /// Asks the server what it is.
    pub(super) async fn new(from: From) -> sqlx::Result<Self> {
        let mut connection = from.connect().await?;
        let (mut is_galera, mut max_packet) = (false, 0_usize);
        for row in sqlx::query(SERVER).fetch_all(&mut connection).await? {
            let value = text(&row, 1)?;
            match &*text(&row, 0)? {
                "wsrep_on" => is_galera = value == "ON",
                "max_allowed_packet" => max_packet = value.parse().unwrap_or_default(),
                _ if value != "1" => tracing::warn!(
                    "innodb_flush_log_at_trx_commit is {value}: a power cut loses writes of the last second that Handbill \
                     has acknowledged"
                ),
                _ => {}
            }
        }
        Ok(Self {
            from,
            is_galera,
            max_size: max_packet.saturating_sub(PACKET_RESERVE),
            away: Arc::default(),
        })
    }
}

/// Some servers have names and values of settings and tables as bytes.
pub(super) fn text(row: &MySqlRow, column: usize) -> sqlx::Result<String> {
    let bytes: &[u8] = row.try_get_unchecked(column)?;
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

impl connections::Source for Source {
    type Connection = MySqlConnection;

    async fn connect(&self) -> sqlx::Result<MySqlConnection> {
        let mut connection = self.from.connect().await?;
        execute(&mut connection, SETTINGS).await?;
        if self.is_galera {
            execute(&mut connection, WAIT_FOR_OTHER_NODES).await?;
        }
        Ok(connection)
    }
}

impl From {
    async fn connect(&self) -> sqlx::Result<MySqlConnection> {
        match self {
            Self::Pool(pool) => Ok(acquire(pool).await?.detach()),
            Self::Address(options, report) => connect(options, report).await,
        }
    }
}

/// sqlx does not say whether a connection with `prefer` has TLS. So this tries both ways.
async fn connect(
    options: &MySqlConnectOptions,
    report: &PlainTextReport,
) -> sqlx::Result<MySqlConnection> {
    let with = |mode| {
        let options = options.clone().ssl_mode(mode);
        async move { options.connect().await }
    };
    let in_plain_text = async || {
        report.once(options.get_host(), options.get_port()).await?;
        with(MySqlSslMode::Disabled).await
    };
    match options.get_ssl_mode() {
        _ if options.get_socket().is_some() => with(MySqlSslMode::Disabled).await,
        MySqlSslMode::Disabled => in_plain_text().await,
        MySqlSslMode::Preferred => match with(MySqlSslMode::Required).await {
            Err(error) if is_tls_error(&error) => in_plain_text().await,
            outcome => outcome,
        },
        mode => with(mode).await,
    }
}
