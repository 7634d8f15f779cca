//! The server: accepts connections, as many as there is room for, and stops gracefully.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use handbill_example_shared::stop_signal;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};

use crate::connection::Clients;
use crate::shares::{Network, Shares};

/// The time limit for the requests under way when the program stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(27);
/// The pause after a connection could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// The least time between two warnings that connections wait or are closed.
const WARNING_PAUSE: Duration = Duration::from_secs(60);

/// Serves until `stop`, then finishes the requests under way. A second signal ends these at once.
pub(crate) async fn run(
    listener: TcpListener,
    own_url: &str,
    clients: Clients,
    max_connections: usize,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let mut stop = pin!(stop);
    // A closed standard output is no reason to stop.
    let mut stdout = io::stdout();
    let _ = writeln!(stdout, "handbill listening on {own_url}").and_then(|()| stdout.flush());

    let permits = Arc::new(Semaphore::new(max_connections));
    let shares = Shares::new(max_connections, (max_connections / 4).max(1));
    let connections = GracefulShutdown::new();
    let mut warning = Warning::default();
    loop {
        if permits.available_permits() == 0 {
            warning.say("the limit on connections is reached, so new ones wait");
        }
        let accepted = async {
            // Without a permit, connections wait in the queue of the system.
            let permit = Arc::clone(&permits).acquire_owned().await;
            (permit, listener.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut stop => break,
        };
        let (stream, client): (_, SocketAddr) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "could not accept a connection");
                sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let network = Network::of(client.ip());
        let mut share = shares.share((!clients.are_proxied_by(client.ip())).then_some(network));
        if !share.take(1) {
            // Closed at once, so that it does not take a permit from other clients.
            warning.say("a network has a quarter of all connections, so its new ones are closed");
            continue;
        }
        let connection = connections.watch(clients.connect(stream, client.ip()));
        tokio::spawn(async move {
            // An error here means that the client left or was too slow.
            let _ = connection.await;
            // In this order: the next connection needs both.
            drop(share);
            drop(permit);
        });
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

/// A warning that clients cause, and that is logged only so often.
#[derive(Default)]
struct Warning {
    said: Option<Instant>,
}

impl Warning {
    fn say(&mut self, text: &str) {
        if self.said.is_none_or(|said| said.elapsed() > WARNING_PAUSE) {
            tracing::warn!("{text}");
            self.said = Some(Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use handbill::{Draft, MemoryStore, TrustedProxies};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpSocket, TcpStream};
    use tokio::sync::oneshot;
    use tokio::time::timeout;

    use super::*;

    const PAUSE: Duration = Duration::from_secs(20);

    /// Serves until `stop`; returns the server's address and what it returns.
    async fn start(
        handbill: handbill::Handbill,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> (SocketAddr, tokio::task::JoinHandle<io::Result<()>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let clients = Clients::new(handbill, TrustedProxies::default());
        let server = run(listener, "http://localhost", clients, 100, stop);
        (address, tokio::spawn(server))
    }

    fn handbill() -> handbill::Handbill {
        handbill::Handbill::new("http://localhost", MemoryStore::new()).unwrap()
    }

    /// Sends the request, and then one more byte after each pause until the connection is closed.
    async fn send_slowly(request: &str) -> String {
        let handbill = handbill();
        let key = handbill.keys().issue(None, None).await.unwrap().key;
        let (address, _server) = start(handbill, pending()).await;
        let mut client = TcpStream::connect(address).await.unwrap();

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

    /// Reads a response of 1.8 MB in pieces, with a pause after each; returns how much of it arrives.
    async fn read_in_pieces(bytes: usize, pause: Duration) -> usize {
        let handbill = handbill();
        for number in 0..18 {
            let body = format!("{number} {}", "word ".repeat(19_999));
            let posts = handbill.posts();
            posts.create(Draft::new().body(body)).await.unwrap();
        }
        let (address, _server) = start(handbill, pending()).await;
        let socket = TcpSocket::new_v4().unwrap();
        // Otherwise the system takes most of the response.
        socket.set_recv_buffer_size(16 * 1024).unwrap();
        let mut client = socket.connect(address).await.unwrap();
        let request = "GET /api/posts?include=body HTTP/1.1\r\nHost: localhost\r\n\
                       Connection: close\r\n\r\n";
        client.write_all(request.as_bytes()).await.unwrap();
        let (mut all, mut piece) = (0, vec![0; bytes]);
        while let Ok(read @ 1..) = client.read(&mut piece).await {
            all += read;
            sleep(pause).await;
        }
        all
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_is_cut_off_and_one_with_the_least_rate_is_not() {
        const RESPONSE: usize = 1_800_000;
        let second = Duration::from_secs(1);
        let slow = read_in_pieces(4 * 1024, second).await;
        assert!(slow < RESPONSE, "{slow} bytes");
        let patient = read_in_pieces(20 * 1024, second).await;
        assert!(patient > RESPONSE, "{patient} bytes");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_stalls_does_not_keep_the_server_from_stopping() {
        let handbill = handbill();
        let key = handbill.keys().issue(None, None).await.unwrap().key;
        let (stop, stopped) = oneshot::channel::<()>();
        let stopped = async { drop(stopped.await) };
        let (address, server) = start(handbill, stopped).await;
        let mut client = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "POST /api/posts HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: {}\r\n\
             Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n",
            key.expose()
        );
        client.write_all(head.as_bytes()).await.unwrap();
        let mut asked = [0; 25];
        client.read_exact(&mut asked).await.unwrap();

        let began = Instant::now();
        stop.send(()).unwrap();
        server.await.unwrap().unwrap();
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "{:?}",
            began.elapsed()
        );
    }
}
