//! The server: accepts connections, limits how slow clients may be, and stops gracefully.

use std::convert::Infallible;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use handbill::{ClientAddr, Handbill};
use handbill_example_shared::stop_signal;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep};
use tower::Service;
use tower_http::timeout::DeadlineBody;

use crate::log;
use crate::stream::ClientStream;

/// The time limit for each of these: an idle connection together with the head of its next request, a
/// whole request body, and a client that does not read its response.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(30);
/// The time limit for the requests under way when the program stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(30);
/// The pause after a connection could not be accepted, usually for lack of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves until a signal, then finishes the requests under way. A second signal ends these at once.
pub(crate) async fn run(
    listener: TcpListener,
    own_url: &str,
    handbill: Handbill,
) -> io::Result<()> {
    let mut stop = pin!(stop_signal()?);
    // A closed standard output is no reason to stop.
    let mut stdout = io::stdout();
    let _ = writeln!(stdout, "handbill listening on {own_url}").and_then(|()| stdout.flush());

    let connections = GracefulShutdown::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, client)) => serve(stream, client, handbill.clone(), &connections),
                Err(error) => {
                    tracing::warn!(%error, "could not accept a connection");
                    sleep(ACCEPT_PAUSE).await;
                }
            },
            () = &mut stop => break,
        }
    }
    let second_signal = stop_signal()?;
    drop(listener);
    tokio::select! {
        () = connections.shutdown() => {}
        () = sleep(STOP_TIMEOUT) => tracing::warn!("some requests did not finish in time"),
        () = second_signal => tracing::warn!("a second signal ended the requests under way"),
    }
    Ok(())
}

fn serve(
    stream: TcpStream,
    client: SocketAddr,
    handbill: Handbill,
    connections: &GracefulShutdown,
) {
    // Both options improve service and are not essential, so errors are ignored.
    let _ = stream.set_nodelay(true);
    // Linux closes the connection of a client that does not read (tcp(7), TCP_USER_TIMEOUT).
    #[cfg(target_os = "linux")]
    let _ = SockRef::from(&stream).set_tcp_user_timeout(Some(CLIENT_TIMEOUT));

    let is_busy = Arc::new(AtomicBool::new(false));
    let stream = ClientStream::new(stream, Arc::clone(&is_busy));
    let service = service_fn(move |request| {
        let (handbill, is_busy) = (handbill.clone(), Arc::clone(&is_busy));
        is_busy.store(true, Ordering::Relaxed);
        async move {
            let response = respond(handbill, client, request).await;
            is_busy.store(false, Ordering::Relaxed);
            response
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(CLIENT_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service);
    let connection = connections.watch(connection);
    // An error here means that the client left or was too slow.
    tokio::spawn(async move { connection.await.ok() });
}

async fn respond(
    mut handbill: Handbill,
    client: SocketAddr,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let received = Instant::now();
    let method = request.method().clone();
    let mut request = request.map(|body| DeadlineBody::new(CLIENT_TIMEOUT, body));
    request.extensions_mut().insert(ClientAddr(client.ip()));
    let response = handbill.call(request).await?;
    log::request(&method, received, &response);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use handbill::{KeyRequests, MemoryStore};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::sync::Notify;
    use tokio::time::timeout;

    use super::*;

    const PAUSE: Duration = Duration::from_secs(20);

    /// Sends the request, and then one more byte after each pause until the connection is closed.
    async fn send_slowly(request: &str) -> String {
        let handbill = Handbill::new("http://localhost", MemoryStore::new()).unwrap();
        let key = handbill.keys().issue(None).await.unwrap().key;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap())
            .await
            .unwrap();
        tokio::spawn(run(listener, "http://localhost", handbill));

        let request = request.replace("{key}", key.expose());
        client.write_all(request.as_bytes()).await.unwrap();
        let mut response = Vec::new();
        for _ in 0..10 {
            if timeout(PAUSE, client.read_to_end(&mut response))
                .await
                .is_ok()
            {
                return String::from_utf8(response).unwrap();
            }
            let _ = client.write_all(b"x").await;
        }
        panic!("the connection is still open");
    }

    /// Notifies when it is dropped.
    struct Dropped(Arc<Notify>);

    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_ends_soon_after_its_client_has_gone() {
        let (begun, ended) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (has_begun, has_ended) = (Arc::clone(&begun), Arc::clone(&ended));
        let never = KeyRequests::decided_by(move |_| {
            let dropped = Dropped(Arc::clone(&ended));
            begun.notify_one();
            async move {
                let _dropped = dropped;
                pending().await
            }
        });
        let handbill = Handbill::new("http://localhost", MemoryStore::new()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let handbill = handbill.with_key_requests(never);
        tokio::spawn(run(listener, "http://localhost", handbill));

        let mut client = TcpStream::connect(address).await.unwrap();
        let request = b"POST /api/keys HTTP/1.1\r\nHost: localhost\r\n\r\n";
        client.write_all(request).await.unwrap();
        has_begun.notified().await;
        drop(client);
        timeout(PAUSE, has_ended.notified()).await.expect("an end");
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_head_ends_the_connection() {
        assert_eq!(send_slowly("GET / HTTP/1.1\r\nX-Slow: ").await, "");
    }

    #[tokio::test(start_paused = true)]
    async fn an_idle_connection_is_closed() {
        let response = send_slowly("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
        assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_body_ends_the_request() {
        let head = "POST /api/posts HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: {key}\r\n\
                    Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n";
        let response = send_slowly(head).await;
        assert!(response.starts_with("HTTP/1.1 400 "), "{response}");
    }
}
