//! Tests over a socket, where the exact bytes matter.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};

use handbill::ClientAddr;
use handbill_poem::RequestBody;
use poem::listener::TcpAcceptor;
use poem::{Endpoint, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tower::service_fn;

use crate::{app_with, handbill, publish};

/// Serves on a free port for as long as the test runs.
async fn serve(app: impl Endpoint + 'static) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let acceptor = TcpAcceptor::from_tokio(listener).unwrap();
    tokio::spawn(Server::new_with_acceptor(acceptor).run(app));
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

fn header<'a>(response: &'a str, name: &str) -> Option<&'a str> {
    let (head, _) = response.split_once("\r\n\r\n").unwrap();
    let mut fields = head.lines().filter_map(|line| line.split_once(": "));
    fields
        .find(|(field, _)| *field == name)
        .map(|(_, value)| value)
}

#[tokio::test]
async fn the_client_address_is_that_of_the_connection() {
    let client = service_fn(|request: http::Request<RequestBody>| async move {
        let client = request.extensions().get::<ClientAddr>();
        Ok::<_, Infallible>(http::Response::new(format!("{client:?}")))
    });
    let address = serve(handbill_poem::endpoint(client)).await;
    let forged = "x-forwarded-for: 192.0.2.7\r\nx-real-ip: 192.0.2.7\r\n";
    let response = request(address, "GET /", forged).await;
    assert!(
        response.ends_with("\r\n\r\nSome(ClientAddr(127.0.0.1))"),
        "{response}"
    );
}

#[tokio::test]
async fn head_has_the_headers_of_get_and_no_body() {
    let address = serve(app_with(handbill("/blog"))).await;
    let get = request(address, "GET /blog/api/posts", "").await;
    let head = request(address, "HEAD /blog/api/posts", "").await;
    for name in ["content-length", "content-type", "etag", "cache-control"] {
        assert!(header(&get, name).is_some(), "{name}");
        assert_eq!(header(&head, name), header(&get, name), "{name}");
    }
    assert!(head.ends_with("\r\n\r\n"), "{head}");
}

#[tokio::test]
async fn a_response_without_content_has_no_length() {
    let app = app_with(handbill("/blog"));
    let id = publish(&app, "/blog").await;
    let address = serve(app).await;

    let line = format!("GET /blog/api/posts/{id}");
    let read = request(address, &line, "").await;
    let etag = header(&read, "etag").unwrap();
    let unchanged = request(address, &line, &format!("if-none-match: {etag}\r\n")).await;
    let options = request(address, &format!("OPTIONS /blog/api/posts/{id}"), "").await;
    for (response, status) in [(&unchanged, "304"), (&options, "204")] {
        assert_eq!(response.split(' ').nth(1), Some(status), "{response}");
        assert_eq!(header(response, "content-length"), None, "{response}");
        assert_eq!(header(response, "transfer-encoding"), None, "{response}");
        assert!(response.ends_with("\r\n\r\n"), "{response}");
    }
    assert_eq!(header(&unchanged, "etag"), Some(etag));
}

#[tokio::test]
async fn a_content_length_that_is_too_large_is_refused_before_the_body_arrives() {
    let address = serve(app_with(handbill("/blog"))).await;
    let headers = "content-type: application/json\r\ncontent-length: 1048577\r\n";
    let response = request(address, "POST /blog/api/keys", headers).await;
    assert!(response.starts_with("HTTP/1.1 413 "), "{response}");
    assert!(
        response.contains(r#""code":"body_too_large""#),
        "{response}"
    );
}

#[tokio::test]
async fn a_chunked_body_is_refused_as_soon_as_it_is_too_large() {
    let address = serve(app_with(handbill("/blog"))).await;
    let head = "POST /blog/api/keys HTTP/1.1\r\nhost: example.org\r\nconnection: close\r\n\
                content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let chunk = format!("100001\r\n{}", " ".repeat(1024 * 1024 + 1));
    let response = exchange(address, format!("{head}{chunk}").as_bytes()).await;
    assert!(response.starts_with("HTTP/1.1 413 "), "{response}");
    assert!(
        response.contains(r#""code":"body_too_large""#),
        "{response}"
    );
}
