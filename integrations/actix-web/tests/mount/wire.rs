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

use crate::{app_with, handbill, publish};

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

fn headers<'a>(response: &'a str, name: &str) -> Vec<&'a str> {
    let (head, _) = response.split_once("\r\n\r\n").unwrap();
    let fields = head.lines().filter_map(|line| line.split_once(": "));
    fields
        .filter(|(field, _)| *field == name)
        .map(|(_, value)| value)
        .collect()
}

#[actix_web::test]
async fn head_has_the_headers_of_get_and_no_body() {
    let address = serve(app_with(&handbill("/blog")));
    let get = request(address, "GET /blog/api/posts", "").await;
    let head = request(address, "HEAD /blog/api/posts", "").await;
    for name in ["content-length", "content-type", "etag", "cache-control"] {
        assert_eq!(headers(&get, name).len(), 1, "{name}");
        assert_eq!(headers(&head, name), headers(&get, name), "{name}");
    }
    assert!(head.ends_with("\r\n\r\n"), "{head}");
}

#[actix_web::test]
async fn a_response_without_content_has_no_length() {
    let handbill = handbill("/blog");
    let id = publish(&handbill).await;
    let address = serve(app_with(&handbill));

    let post = format!("/blog/api/posts/{id}");
    let read = request(address, &format!("GET {post}"), "").await;
    let etag = headers(&read, "etag")[0];
    let condition = format!("if-none-match: {etag}\r\n");
    let unchanged = request(address, &format!("GET {post}"), &condition).await;
    let unchanged_head = request(address, &format!("HEAD {post}"), &condition).await;
    let options = request(address, &format!("OPTIONS {post}"), "").await;
    for (response, status) in [
        (&unchanged, "304"),
        (&unchanged_head, "304"),
        (&options, "204"),
    ] {
        assert_eq!(response.split(' ').nth(1), Some(status), "{response}");
        assert!(headers(response, "content-length").is_empty(), "{response}");
        assert!(
            headers(response, "transfer-encoding").is_empty(),
            "{response}"
        );
        assert!(response.ends_with("\r\n\r\n"), "{response}");
    }
    assert_eq!(headers(&unchanged, "etag"), [etag]);
}

#[actix_web::test]
async fn a_content_length_that_is_too_large_is_refused_before_the_body_arrives() {
    let address = serve(app_with(&handbill("/blog")));
    let headers = "content-type: application/json\r\ncontent-length: 1048577\r\n";
    let response = request(address, "POST /blog/api/keys", headers).await;
    assert!(response.starts_with("HTTP/1.1 413 "), "{response}");
    assert!(
        response.contains(r#""code":"body_too_large""#),
        "{response}"
    );
}

#[actix_web::test]
async fn a_chunked_body_is_refused_as_soon_as_it_is_too_large() {
    let address = serve(app_with(&handbill("/blog")));
    let head = "POST /blog/api/keys HTTP/1.1\r\nhost: example.org\r\nconnection: close\r\n\
                content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let chunk = format!("100001\r\n{}\r\n0\r\n\r\n", " ".repeat(1024 * 1024 + 1));
    let response = exchange(address, format!("{head}{chunk}").as_bytes()).await;
    assert!(response.starts_with("HTTP/1.1 413 "), "{response}");
    assert!(
        response.contains(r#""code":"body_too_large""#),
        "{response}"
    );
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
