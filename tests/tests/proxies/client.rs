//! A client that speaks HTTPS, as from any address of this machine.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use handbill_tests::load::{get, post_json};
use handbill_tests::wire::{Connection, TestResponse};
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

pub(crate) type HttpsConnection = Connection<TlsStream<TcpStream>>;

#[derive(Clone)]
pub(crate) struct Client {
    port: u16,
    tls: TlsConnector,
    from: Ipv4Addr,
}

impl Client {
    /// A client that trusts this authority alone.
    pub(crate) fn new(port: u16, authority: &Path) -> Self {
        let mut roots = RootCertStore::empty();
        let authority = CertificateDer::from_pem_file(authority).unwrap();
        roots.add(authority).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        Self {
            port,
            tls: TlsConnector::from(Arc::new(config)),
            from: Ipv4Addr::LOCALHOST,
        }
    }

    /// The same client at 127.0.0.`last`.
    pub(crate) fn at(&self, last: u8) -> Self {
        let from = Ipv4Addr::new(127, 0, 0, last);
        Self {
            from,
            ..self.clone()
        }
    }

    pub(crate) async fn stream(&self) -> io::Result<TlsStream<TcpStream>> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::new(IpAddr::V4(self.from), 0))?;
        let stream = socket.connect((Ipv4Addr::LOCALHOST, self.port).into());
        let stream = stream.await?;
        stream.set_nodelay(true)?;
        let name = "localhost".try_into().expect("a name");
        self.tls.connect(name, stream).await
    }

    pub(crate) async fn connect(&self) -> io::Result<HttpsConnection> {
        Ok(Connection::over(self.stream().await?))
    }

    /// Sends a request on a connection of its own.
    pub(crate) async fn send(&self, request: &[u8]) -> TestResponse {
        let mut connection = self.connect().await.unwrap();
        connection.send(request).await.unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> TestResponse {
        self.send(&get(path)).await
    }

    /// Requests an API key of the site at this path, and returns the header line that sends it.
    pub(crate) async fn key_header(&self, path: &str) -> String {
        let request = post_json(&format!("{path}/api/keys"), "", "");
        let issued = self.send(&request).await.json();
        format!("X-Api-Key: {}\r\n", issued["api_key"].as_str().unwrap())
    }
}
