//! One connection to a server, which carries one request after the other.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::{Failure, Request, Response, ServerUrl};

/// How long each address of a host may take to connect, and TLS to begin.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a request and its response may take together.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);
/// No response of a Handbill server is as long: a post has at most 100,000 characters unless its host says otherwise,
/// and 1 MiB of HTML.
const MAX_RESPONSE: usize = 16 * 1024 * 1024;

pub(super) struct Connection(SendRequest<Full<bytes::Bytes>>);

impl Connection {
    pub(super) async fn open(server: &ServerUrl) -> super::Result<Self> {
        let opened = open(server).await;
        opened.map_err(|reason| Failure::unreachable(server, &reason))
    }

    pub(super) fn is_open(&self) -> bool {
        !self.0.is_closed()
    }

    /// Sends a request and reads the whole response.
    pub(super) async fn send(
        &mut self,
        server: &ServerUrl,
        request: &Request,
    ) -> super::Result<Response> {
        let exchange = timeout(RESPONSE_TIMEOUT, self.exchange(server, request)).await;
        exchange.unwrap_or_else(|_| {
            let reason = format!("no response within {} seconds", RESPONSE_TIMEOUT.as_secs());
            Err(Failure::broken(server, &reason))
        })
    }

    async fn exchange(&mut self, server: &ServerUrl, request: &Request) -> super::Result<Response> {
        let broken = |error: hyper::Error| Failure::broken(server, &error.to_string());
        self.0.ready().await.map_err(broken)?;
        let response = self.0.send_request(request.clone()).await;
        let (head, body) = response.map_err(broken)?.into_parts();
        let body = Limited::new(body, MAX_RESPONSE).collect().await;
        let body = body.map_err(|error| match error.is::<LengthLimitError>() {
            true => Failure::unreadable("a response of less than 16 MiB"),
            false => Failure::broken(server, &error.to_string()),
        })?;
        Ok(Response {
            status: head.status,
            headers: head.headers,
            body: body.to_bytes(),
        })
    }
}

async fn open(server: &ServerUrl) -> Result<Connection, String> {
    let stream = connect(server).await?;
    if !server.is_https() {
        return over(stream).await;
    }
    let stream = timeout(CONNECT_TIMEOUT, begin_tls(server.host(), stream)).await;
    over(stream.map_err(|_| "TLS did not begin in time")??).await
}

/// Connects to the first address of the host that accepts.
async fn connect(server: &ServerUrl) -> Result<TcpStream, String> {
    let addresses = tokio::net::lookup_host((server.host(), server.port())).await;
    let addresses = addresses.map_err(|error| error.to_string())?;
    let mut reason = "its name has no address".to_owned();
    for address in addresses {
        match timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                // Small requests are sent at once.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Ok(Err(error)) => reason = error.to_string(),
            Err(_) => reason = "it did not accept a connection in time".to_owned(),
        }
    }
    Err(reason)
}

async fn over(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
) -> Result<Connection, String> {
    let handshake = http1::handshake(TokioIo::new(stream)).await;
    let (sender, connection) = handshake.map_err(|error| error.to_string())?;
    // It ends with the sender. Its errors are those of the requests.
    tokio::spawn(async move {
        let _ = connection.await;
    });
    Ok(Connection(sender))
}

/// Begins TLS with a server that proves to be this host.
async fn begin_tls(host: &str, stream: TcpStream) -> Result<TlsStream<TcpStream>, String> {
    let name = ServerName::try_from(host.to_owned());
    let name = name.map_err(|_| format!("{host} is not a name that a certificate can have"))?;
    let connector = TlsConnector::from(Arc::new(tls_config()?));
    let connected = connector.connect(name, stream).await;
    connected.map_err(|error| format!("TLS: {error}"))
}

/// rustls with ring, as for connections to PostgreSQL, and the certificate authorities of the system.
fn tls_config() -> Result<ClientConfig, String> {
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
