//! Tests over a socket, where the exact bytes matter.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::slice;
use std::task::{Context, Poll};

use actix_web::web::ServiceConfig;
use actix_web::{App, HttpServer};
use bytes::Bytes;
use handbill_actix_web::RequestBody;
use http_body::{Body, Frame};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tower::service_fn;

use crate::{app_with, handbill};

/// Serves on a free port for as long as the test runs.
fn serve(services: impl Fn(&mut ServiceConfig) + Clone + Send + 'static) -> SocketAddr {
    let server = HttpServer::new(move || App::new().configure(services.clone()))
        .workers(1)
        .disable_signals()
        .bind("127.0.0.1:0")
        .unwrap();
    let address = server.addrs()[0];
    actix_web::rt::spawn(server.run());
    address
}

/// Sends these bytes and reads until the server closes the connection.
async fn exchange(address: SocketAddr, sent: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(sent).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    response
}

async fn request(address: SocketAddr, line: &str, headers: &str) -> String {
    let head =
        format!("{line} HTTP/1.1\r\nhost: example.org\r\nconnection: close\r\n{headers}\r\n");
    exchange(address, head.as_bytes()).await
}

/// If actix-web ever passes one of these on, change the list in the crate's documentation.
#[actix_web::test]
async fn actix_web_itself_refuses_what_is_malformed() {
    let address = serve(app_with(&handbill("/blog")));
    for head in [
        "GET /blog HTTP/1.1\r\n\r\n",
        "GET /blog HTTP/1.1\r\nhost: a\r\nhost: a\r\n\r\n",
        "POST /blog HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\n",
    ] {
        let response = exchange(address, head.as_bytes()).await;
        assert!(response.starts_with("HTTP/1.1 400 "), "{response}");
        assert!(!response.contains("problem+json"), "{response}");
    }
}

/// A body of unknown length, in these frames.
struct Frames(slice::Iter<'static, &'static str>);

impl Body for Frames {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let frame = self.0.next().map(|text| Frame::data(Bytes::from(*text)));
        Poll::Ready(frame.map(Ok))
    }
}

#[actix_web::test]
async fn an_empty_frame_does_not_end_a_response() {
    let address = serve(|app| {
        let service = service_fn(async |_: http::Request<RequestBody>| {
            Ok::<_, Infallible>(http::Response::new(Frames(["a", "", "b"].iter())))
        });
        app.service(handbill_actix_web::service(service));
    });
    let response = request(address, "GET /", "").await;
    assert!(
        response.ends_with("\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n"),
        "{response}"
    );
}
