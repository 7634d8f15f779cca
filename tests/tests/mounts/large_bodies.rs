//! Clients that send a whole body, however large, before they read the response. If a server closes
//! the connection first, the client loses the response. Rocket does that.

use std::io;
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
        let head = format!("POST /api/posts HTTP/1.1\r\n{headers}\r\n{length}\r\n\r\n");
        let mut status = send(app, &head, &part).await;
        // The service waits half a second for more of a refused body. On a busy machine, a client may
        // pause for longer.
        for _ in 0..5 {
            if status.is_err() {
                status = send(app, &head, &part).await;
            }
        }
        let status = status.unwrap_or_else(|error| panic!("{length}: {error}"));
        assert_eq!(&status, b"HTTP/1.1 413", "{length}");
    }
}

/// Sends the head and eight parts, and only then reads the beginning of the response.
async fn send(app: SocketAddr, head: &str, part: &[u8]) -> io::Result<[u8; 12]> {
    let mut stream = TcpStream::connect(app).await?;
    stream.write_all(head.as_bytes()).await?;
    for _ in 0..8 {
        stream.write_all(part).await?;
    }
    let mut status = [0; 12];
    stream.read_exact(&mut status).await?;
    Ok(status)
}

#[tokio::test(flavor = "multi_thread")]
async fn actix_web_responds_to_them() {
    let (handbill, headers) = service().await;
    hold(mount::in_actix_web("/", handbill).await, &headers).await;
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

#[tokio::test(flavor = "multi_thread")]
async fn salvo_responds_to_them() {
    let (handbill, headers) = service().await;
    hold(mount::in_salvo("/", handbill).await, &headers).await;
}
