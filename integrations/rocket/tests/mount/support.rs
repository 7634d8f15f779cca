//! A Rocket app on its own socket, and a client that sends exact bytes.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Mutex;

use bytes::Bytes;
use handbill::{ClientAddr, Handbill, MemoryStore, RateLimits};
use handbill_rocket::RequestBody;
use http_body_util::{BodyExt, Full};
use rocket::config::{Config, LogLevel};
use rocket::fairing::AdHoc;
use rocket::tokio::io::{AsyncReadExt, AsyncWriteExt};
use rocket::tokio::net::TcpStream;
use rocket::tokio::sync::oneshot;
use rocket::{Build, Rocket};
use tower::Service;

pub(crate) const BASE_URL: &str = "https://example.org/blog";

/// An app without routes on a free port, without a log.
pub(crate) fn app() -> Rocket<Build> {
    rocket::custom(Config {
        address: Ipv4Addr::LOCALHOST.into(),
        port: 0,
        log_level: LogLevel::Off,
        ..Config::debug_default()
    })
}

pub(crate) fn handbill() -> Handbill {
    Handbill::new(BASE_URL, MemoryStore::new())
        .expect("the address is valid")
        .with_rate_limits(RateLimits::off())
}

/// A service that returns a description of each request: a line with method and address, a line per
/// header, the client's address, and the body or its error.
pub(crate) fn mirror() -> impl Service<
    http::Request<RequestBody>,
    Response = http::Response<Full<Bytes>>,
    Error = Infallible,
    Future: Send,
> + Clone
+ Send
+ Sync {
    tower::service_fn(|request: http::Request<RequestBody>| async {
        let (parts, body) = request.into_parts();
        let mut seen = format!("{} {}\n", parts.method, parts.uri);
        for (name, value) in &parts.headers {
            seen += &format!("{name}: {}\n", value.as_bytes().escape_ascii());
        }
        if let Some(ClientAddr(address)) = parts.extensions.get() {
            seen += &format!("from {address}\n");
        }
        seen += &match body.collect().await {
            Ok(body) => format!("a body of {} bytes", body.to_bytes().len()),
            Err(error) => format!("no body: {error}"),
        };
        Ok(http::Response::new(Full::from(seen)))
    })
}

/// Starts an app and returns its address.
pub(crate) async fn launch(app: Rocket<Build>) -> SocketAddr {
    let (sender, receiver) = oneshot::channel();
    let sender = Mutex::new(Some(sender));
    let app = app.attach(AdHoc::on_liftoff("address", move |rocket| {
        let address = SocketAddr::new(rocket.config().address, rocket.config().port);
        let sender = sender.lock().expect("no thread panicked").take();
        sender.map(|sender| sender.send(address));
        Box::pin(async {})
    }));
    rocket::tokio::spawn(app.launch());
    receiver.await.expect("the app starts")
}

/// A response as it was received.
#[derive(Debug)]
pub(crate) struct TestResponse {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl TestResponse {
    /// All values of a header, in their order.
    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        let same = self.headers.iter().filter(|(other, _)| other == name);
        same.map(|(_, value)| value.as_str()).collect()
    }

    /// The value of a header that appears at most once.
    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let values = self.all(name);
        assert!(values.len() < 2, "{name}: {values:?}");
        values.first().copied()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).expect("the body is JSON")
    }

    #[track_caller]
    pub(crate) fn assert_problem(&self, status: u16, code: &str) {
        assert_eq!(self.status, status, "{self:?}");
        let content_type = self.header("content-type");
        assert_eq!(content_type, Some("application/problem+json"), "{self:?}");
        assert_eq!(self.json()["code"], code);
    }
}

/// Opens a connection and sends the head of a request. The server closes the connection after the
/// response.
pub(crate) async fn begin(address: SocketAddr, head: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let head = head.replace('\n', "\r\n");
    let head = format!("{head}\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await.expect("sent");
    stream
}

/// All bytes of the response to a request.
pub(crate) async fn send_raw(address: SocketAddr, head: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let mut stream = begin(address, head).await;
    // A server that refuses a body early need not read all of it.
    let _ = stream.write_all(body.as_ref()).await;
    let mut response = Vec::new();
    let _ = stream.read_to_end(&mut response).await;
    response
}

/// A response, if its head is complete.
pub(crate) fn parse(response: &[u8]) -> Option<TestResponse> {
    let text = String::from_utf8_lossy(response);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let (status, headers) = head.split_once("\r\n")?;
    let status = status.split(' ').nth(1)?.parse().ok()?;
    let header = |line: &str| {
        let (name, value) = line.split_once(": ")?;
        Some((name.to_ascii_lowercase(), value.to_owned()))
    };
    Some(TestResponse {
        status,
        headers: headers.split("\r\n").map(header).collect::<Option<_>>()?,
        body: body.to_owned(),
    })
}

/// The response to a request whose head describes its body.
pub(crate) async fn send(address: SocketAddr, head: &str, body: impl AsRef<[u8]>) -> TestResponse {
    let response = send_raw(address, head, body).await;
    parse(&response).expect("a response")
}

/// The response to a request with a body and its `Content-Length`.
pub(crate) async fn send_sized(address: SocketAddr, head: &str, body: &str) -> TestResponse {
    let length = body.len();
    send(address, &format!("{head}\nContent-Length: {length}"), body).await
}

pub(crate) async fn get(address: SocketAddr, path: &str) -> TestResponse {
    send(address, &format!("GET {path} HTTP/1.1"), "").await
}
