//! A server with limits for an axum app. `axum::serve` has none, so a few slow clients could occupy it. Copy this file.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::connect_info::ConnectInfo;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::serve::Listener;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

/// What a client may take.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// The most connections at a time. More wait until one ends.
    pub(crate) connections: u32,
    /// How long the head of a request may take, and how long a connection may be idle.
    pub(crate) head: Duration,
    /// How long a request may take until its response begins: its body, and what the app does.
    pub(crate) request: Duration,
    /// How long a connection lasts. A response that is not read a `request` later is cut off.
    pub(crate) connection: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1000,
            head: Duration::from_secs(10),
            request: Duration::from_secs(30),
            connection: Duration::from_secs(300),
        }
    }
}

/// Serves an app until `stop` completes, and then until the requests that are under way have their responses.
pub(crate) async fn serve(
    mut listener: TcpListener,
    app: Router,
    limits: Limits,
    stop: impl Future<Output = ()>,
) {
    let app = app.layer(middleware::from_fn_with_state(limits, limit_time));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.head);
    // A head that arrives at once may be a little longer.
    http.max_headers(100).max_buf_size(32 * 1024);
    let free = Arc::new(Semaphore::new(limits.connections as usize));
    let (running, stopped) = watch::channel(());
    let mut stop = pin!(stop);
    loop {
        let next = async {
            (
                free.clone().acquire_owned().await,
                Listener::accept(&mut listener).await,
            )
        };
        let (permit, (stream, client)) = tokio::select! {
            next = next => next,
            () = &mut stop => break,
        };
        let app = app
            .clone()
            .layer(Extension::<ConnectInfo<SocketAddr>>(ConnectInfo(client)));
        let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(app));
        let mut stopped = stopped.clone();
        tokio::spawn(async move {
            let mut connection = pin!(connection);
            tokio::select! {
                _ = connection.as_mut() => return drop(permit),
                () = sleep(limits.connection) => {}
                _ = stopped.changed() => {}
            }
            connection.as_mut().graceful_shutdown();
            // What is not read by then is lost.
            let _ = timeout(limits.request, connection).await;
            drop(permit);
        });
    }
    drop((listener, running));
    // All connections have ended.
    let _ = free.acquire_many(limits.connections).await;
}

async fn limit_time(State(limits): State<Limits>, request: Request, next: Next) -> Response {
    let response = timeout(limits.request, next.run(request)).await;
    response.unwrap_or_else(|_| StatusCode::REQUEST_TIMEOUT.into_response())
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;
    use tokio::sync::oneshot;

    use super::*;

    const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    /// An app whose clock moves on when it waits, with room for one connection, and how to stop it.
    async fn start() -> (SocketAddr, oneshot::Sender<()>, impl Future) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = Router::new().fallback(async |body: String| body);
        let limits = Limits {
            connections: 1,
            ..Limits::default()
        };
        let (stop, stopped) = oneshot::channel();
        let server = serve(listener, app, limits, async { drop(stopped.await) });
        (address, stop, tokio::spawn(server))
    }

    /// All that the server sends to a client that sends this and then waits.
    async fn response(address: SocketAddr, sent: &[u8]) -> String {
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(sent).await.unwrap();
        let mut response = String::new();
        client.read_to_string(&mut response).await.unwrap();
        response
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_waits_makes_room_for_the_next_one() {
        let (address, _stop, _server) = start().await;
        let body = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf";
        let long = format!("GET / HTTP/1.1\r\nHost: x\r\nA: {}", "a".repeat(40_000));
        for (sent, status) in [
            (&b""[..], ""),
            (b"GET / HT", ""),
            (body, "HTTP/1.1 408 "),
            (REQUEST, "HTTP/1.1 200 "),
            (long.as_bytes(), "HTTP/1.1 431 "),
            (REQUEST, "HTTP/1.1 200 "),
        ] {
            let response = response(address, sent).await;
            assert!(response.starts_with(status), "{response}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_is_under_way_gets_its_response() {
        let (address, stop, server) = start().await;
        let mut client = TcpStream::connect(address).await.unwrap();
        let (head, body) = (
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n",
            "Hello",
        );
        client.write_all(head.as_bytes()).await.unwrap();
        tokio::task::yield_now().await;
        stop.send(()).unwrap();
        client.write_all(body.as_bytes()).await.unwrap();
        let mut response = String::new();
        client.read_to_string(&mut response).await.unwrap();
        assert!(response.ends_with("\r\n\r\nHello"), "{response}");
        server.await;
    }
}
