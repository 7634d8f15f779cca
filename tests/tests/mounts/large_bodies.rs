//! Clients that send a whole body, however large, before they read the response. If a server closes
//! the connection first, the client loses the response. Rocket does that.

use std::net::SocketAddr;

use handbill::{Handbill, MemoryStore};
use handbill_tests::mount;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const BYTES: usize = 8 * 1024 * 1024;

/// A service, and the headers that make it read the body.
async fn service() -> (Handbill, String) {
    let handbill = Handbill::new("https://example.org", MemoryStore::new()).expect("an address");
    let issued = handbill.keys().issue(None, None).await.expect("a key");
    let key = issued.key.expose();
    let headers = format!("Host: localhost\r\nContent-Type: application/json\r\nX-Api-Key: {key}");
    (handbill, headers)
}

/// Checks that a body with a length and a chunked body get a response after they were sent
/// completely.
async fn hold(app: SocketAddr, headers: &str) {
    let part = vec![b' '; BYTES / 8];
    let chunk = [format!("{:x}\r\n", part.len()).as_bytes(), &part, b"\r\n"].concat();
    let announced = (format!("Content-Length: {BYTES}"), part);
    let chunked = ("Transfer-Encoding: chunked".to_owned(), chunk);
    for (length, part) in [announced, chunked] {
        let mut stream = TcpStream::connect(app).await.expect("the program listens");
        let head = format!("POST /api/posts HTTP/1.1\r\n{headers}\r\n{length}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.expect("sent");
        for _ in 0..8 {
            let sent = stream.write_all(&part).await;
            sent.unwrap_or_else(|error| panic!("{length}: {error} while sending"));
        }
        let mut status = [0; 12];
        let read = stream.read_exact(&mut status).await;
        read.unwrap_or_else(|error| panic!("{length}: {error} instead of a response"));
        assert_eq!(&status, b"HTTP/1.1 413", "{length}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn axum_responds_to_them() {
    let (handbill, headers) = service().await;
    hold(mount::in_axum("/", handbill).await, &headers).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hyper_responds_to_them() {
    let (handbill, headers) = service().await;
    hold(mount::in_hyper("/", handbill).await, &headers).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn poem_responds_to_them() {
    let (handbill, headers) = service().await;
    hold(mount::in_poem("/", handbill).await, &headers).await;
}
