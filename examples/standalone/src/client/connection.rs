//! One connection to a server, which carries one request after the other.

use std::time::Duration;

use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{Failure, Request, Response, ServerUrl, tls};

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
    let stream = timeout(CONNECT_TIMEOUT, tls::connect(server.host(), stream)).await;
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
