//! Tests over a socket, where the exact bytes matter.

use std::net::SocketAddr;

use salvo::conn::tcp::TcpAcceptor;
use salvo::{Router, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::{app_with, handbill, publish};

/// Serves on a free port for as long as the test runs.
async fn serve(app: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let acceptor = TcpAcceptor::try_from(listener).unwrap();
    tokio::spawn(Server::new(acceptor).serve(app));
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

#[tokio::test]
async fn head_has_the_headers_of_get_and_no_body() {
    let address = serve(app_with(handbill("/blog"))).await;
    let get = request(address, "GET /blog/api/posts", "").await;
    let head = request(address, "HEAD /blog/api/posts", "").await;
    for name in ["content-length", "content-type", "etag", "cache-control"] {
        assert_eq!(headers(&get, name).len(), 1, "{name}");
        assert_eq!(headers(&head, name), headers(&get, name), "{name}");
    }
    assert!(head.ends_with("\r\n\r\n"), "{head}");
}

#[tokio::test]
async fn a_response_without_content_has_no_length() {
    let handbill = handbill("/blog");
    let id = publish(&handbill).await;
    let address = serve(app_with(handbill)).await;

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
    let chunk = format!("100001\r\n{}\r\n0\r\n\r\n", " ".repeat(1024 * 1024 + 1));
    let response = exchange(address, format!("{head}{chunk}").as_bytes()).await;
    assert!(response.starts_with("HTTP/1.1 413 "), "{response}");
    assert!(
        response.contains(r#""code":"body_too_large""#),
        "{response}"
    );
}
