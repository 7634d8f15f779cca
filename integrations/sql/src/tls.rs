//! What servers with TLS have in common.

use std::io::ErrorKind;
use std::sync::Arc;

use tokio::net::lookup_host;
use tokio::sync::OnceCell;

/// Whether there is no TLS, or it failed: the server has none, or this program, or the certificate is not
/// valid. A retry would fail, too.
pub(crate) fn is_tls_error(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Tls(_) => true,
        // This is how rustls reports a failed handshake.
        sqlx::Error::Io(error) => error.kind() == ErrorKind::InvalidData,
        _ => false,
    }
}

/// Whether a connection to a server in plain text was reported, or needs no report.
#[derive(Clone, Default)]
pub(crate) struct PlainTextReport(Arc<OnceCell<()>>);

impl PlainTextReport {
    /// Reports once that others on the network can read a connection. It is reported before anything is sent.
    pub(crate) async fn once(&self, host: &str, port: u16) -> sqlx::Result<()> {
        let reported = self.0.get_or_try_init(|| report_plain_text(host, port));
        reported.await.copied()
    }
}

/// Reports that others on the network can read a connection, unless it is to this machine.
async fn report_plain_text(host: &str, port: u16) -> sqlx::Result<()> {
    let mut addresses = lookup_host((host, port)).await?;
    if !addresses.all(|address| address.ip().to_canonical().is_loopback()) {
        tracing::warn!(
            host,
            port,
            "connecting to the database in plain text: others on the network can read and change what is sent, the \
             password too; see sslmode",
        );
    }
    Ok(())
}
