//! Clients that send all of a body, however large, before they read the answer. A server that closes
//! the connection meanwhile resets it, and the answer is lost; Rocket does that.

use std::net::SocketAddr;

use handbill::{Handbill, MemoryStore};
use handbill_tests::mount;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const BYTES: usize = 8 * 1024 * 1024;

/// A service, and the headers that get a request to it as far as the body.
async fn service() -> (Handbill, String) {
    let handbill = Handbill::new("https://example.org", MemoryStore::new()).expect("an address");
    let issued = handbill.keys().issue(None).await.expect("a key");
    let key = issued.key.expose();
    let headers = format!("Host: localhost\r\nContent-Type: application/json\r\nX-Api-Key: {key}");
    (handbill, headers)
}

/// That a body announced, and one in chunks, is answered once it was sent whole.
async fn hold(app: SocketAddr, headers: &str) {
    let part = vec![b' '; BYTES / 8];
    let chunk = [format!("{:x}\r\n", part.len()).as_bytes(), &part, b"\r\n"].concat();
    let announced = (format!("Content-Length: {BYTES}"), part);
    let chunked = ("Transfer-Encoding: chunked".to_owned(), chunk);
    for (length, part) in [announced, chunked] {
        let mut stream = TcpStream::connect(app).await.expect("it listens");
        let head = format!("POST /api/posts HTTP/1.1\r\n{headers}\r\n{length}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.expect("sent");
        for _ in 0..8 {
            let sent = stream.write_all(&part).await;
            sent.unwrap_or_else(|error| panic!("{length}: {error} while sending"));
        }
        let mut status = [0; 12];
        let read = stream.read_exact(&mut status).await;
        read.unwrap_or_else(|error| panic!("{length}: {error} instead of an answer"));
        assert_eq!(&status, b"HTTP/1.1 413", "{length}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn are_answered_by_axum() {
    let (handbill, headers) = service().await;
    hold(mount::in_axum("/", handbill).await, &headers).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn are_answered_by_hyper() {
    let (handbill, headers) = service().await;
    hold(mount::in_hyper("/", handbill).await, &headers).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn are_answered_by_poem() {
    let (handbill, headers) = service().await;
    hold(mount::in_poem("/", handbill).await, &headers).await;
}
