//! TLS: rustls with ring, as for connections to PostgreSQL, and the certificate authorities of the system.

use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// Begins TLS with a server that proves to be this host.
pub(super) async fn connect(host: &str, stream: TcpStream) -> Result<TlsStream<TcpStream>, String> {
    let name = ServerName::try_from(host.to_owned());
    let name = name.map_err(|_| format!("{host} is not a name that a certificate can have"))?;
    let connector = TlsConnector::from(Arc::new(config()?));
    let connected = connector.connect(name, stream).await;
    connected.map_err(|error| format!("TLS: {error}"))
}

fn config() -> Result<ClientConfig, String> {
    // Reads the file or folder of SSL_CERT_FILE or SSL_CERT_DIR, if one of them is set.
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        return Err(
            "this machine has no certificate authorities; install them (package ca-certificates), or name a \
             file of them in SSL_CERT_FILE"
                .to_owned(),
        );
    }
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("TLS: {error}"))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}
