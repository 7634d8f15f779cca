//! Sends requests to one receiver, over HTTP/1.1.

use parking_lot::Mutex;
use std::fmt::Display;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HOST, HeaderValue, USER_AGENT};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::address::is_public;
use crate::url::WebhookUrl;

/// How long one address of a host may take to connect, so that there is time for another one.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// How much of a response is read, so that the connection can carry another request.
const MAX_RESPONSE: usize = 64 * 1024;
/// How long a connection is used, so that a receiver that moves to another address is found.
const MAX_AGE: Duration = Duration::from_secs(60);
const NAME: HeaderValue = HeaderValue::from_static(concat!("handbill/", env!("CARGO_PKG_VERSION")));

/// A sender, with the connections that are open and carry no request.
pub(crate) struct Sender {
    url: WebhookUrl,
    allows_private: bool,
    /// The limit of a request, from the lookup of the name to the end of the response.
    timeout: Duration,
    tls: OnceCell<TlsConnector>,
    idle: Mutex<Vec<Connection>>,
}

struct Connection {
    requests: SendRequest<Full<Bytes>>,
    opened: Instant,
}

impl Sender {
    pub(crate) fn new(url: WebhookUrl, allows_private: bool, timeout: Duration) -> Self {
        Self {
            url,
            allows_private,
            timeout,
            tls: OnceCell::new(),
            idle: Mutex::default(),
        }
    }

    /// A request to the receiver.
    pub(crate) fn request(&self, content_type: &'static str, body: Bytes) -> Request<Full<Bytes>> {
        let mut request = Request::post(self.url.target.clone())
            .body(Full::new(body))
            .unwrap_or_else(|_| unreachable!("its parts are valid"));
        let headers = request.headers_mut();
        headers.insert(HOST, self.url.authority.clone());
        headers.insert(USER_AGENT, NAME);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        request
    }

    /// Sends a request, and returns the status of the response. Follows no redirect.
    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> Result<StatusCode, String> {
        let deadline = Instant::now() + self.timeout;
        let exchange = timeout_at(deadline, self.exchange(request)).await;
        let late = |_| Err(format!("no response within {:?}", self.timeout));
        let (connection, response) = exchange.unwrap_or_else(late)?;
        let (head, body) = response.into_parts();
        // What it has is thrown away.
        let body = Limited::new(body, MAX_RESPONSE).collect();
        if let Ok(Ok(_)) = timeout_at(deadline, body).await {
            self.idle.lock().push(connection);
        }
        Ok(head.status)
    }

    async fn exchange(
        &self,
        request: Request<Full<Bytes>>,
    ) -> Result<(Connection, Response<Incoming>), String> {
        let idle = self.take_idle();
        // The receiver may have closed it meanwhile.
        if let Some(mut connection) = idle
            && let Ok(response) = connection.send(request.clone()).await
        {
            return Ok((connection, response));
        }
        let mut connection = self.connect().await?;
        let response = connection.send(request).await;
        Ok((connection, response.map_err(broken)?))
    }

    fn take_idle(&self) -> Option<Connection> {
        let mut idle = self.idle.lock();
        idle.retain(|connection| {
            !connection.requests.is_closed() && connection.opened.elapsed() < MAX_AGE
        });
        idle.pop()
    }

    async fn connect(&self) -> Result<Connection, String> {
        let stream = self.connect_tcp().await?;
        if !self.url.is_https {
            return over(stream).await;
        }
        let tls = self.tls.get_or_try_init(async || tls()).await?;
        let name = ServerName::try_from(self.url.host.clone());
        let name = name.map_err(|_| "its name is none that a certificate can have".to_owned())?;
        let stream = tls.connect(name, stream).await;
        over(stream.map_err(|error| format!("TLS: {error}"))?).await
    }

    /// Connects to the first address of the host that is allowed and accepts. A name is looked up once, and what is
    /// connected to is what was judged.
    async fn connect_tcp(&self) -> Result<TcpStream, String> {
        let addresses = lookup_host((&*self.url.host, self.url.port)).await;
        let addresses = addresses.map_err(|error| format!("its name was not found: {error}"))?;
        let mut reason = "its name has no address".to_owned();
        for address in addresses {
            match self.connect_to(address).await {
                Ok(stream) => return Ok(stream),
                Err(why) => reason = why,
            }
        }
        Err(reason)
    }

    async fn connect_to(&self, address: SocketAddr) -> Result<TcpStream, String> {
        if !self.allows_private && !is_public(address.ip()) {
            return Err(format!("{} is a private address", address.ip()));
        }
        let connected = timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await;
        let connected = connected.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        let stream = connected.map_err(|error| format!("could not connect: {error}"))?;
        // Small requests are sent at once.
        let _ = stream.set_nodelay(true);
        Ok(stream)
    }
}

impl Connection {
    async fn send(&mut self, request: Request<Full<Bytes>>) -> hyper::Result<Response<Incoming>> {
        self.requests.ready().await?;
        self.requests.send_request(request).await
    }
}

fn broken(error: impl Display) -> String {
    format!("the connection broke: {error}")
}

async fn over(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
) -> Result<Connection, String> {
    let handshake = http1::handshake(TokioIo::new(stream)).await;
    let (requests, connection) = handshake.map_err(broken)?;
    // It ends with the sender. Its errors are those of the requests.
    tokio::spawn(async move {
        let _ = connection.await;
    });
    Ok(Connection {
        requests,
        opened: Instant::now(),
    })
}

/// TLS with the certificate authorities of the system, or of `SSL_CERT_FILE` or `SSL_CERT_DIR`.
fn tls() -> Result<TlsConnector, String> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        return Err(
            "this machine has no certificate authorities (package ca-certificates)".to_owned(),
        );
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("TLS: {error}"))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}
