//! Connections: accepted, held to time limits, logged, and finished before the program ends.

use std::convert::Infallible;
use std::error::Error;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use handbill::{ClientAddr, Handbill, RoutePattern};
use handbill_example_shared::stop_signal;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulShutdown;
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, timeout};

use crate::client_stream::{ClientStream, HeadWait};
use crate::log::{Answered, Log};
use crate::request_body::RequestBody;

/// How long a client may leave what it was sent unread.
const READ_PATIENCE: Duration = Duration::from_secs(30);
/// How long requests that are under way may take once the program is to end.
const STOP_PATIENCE: Duration = Duration::from_secs(30);
/// The pause after a connection could not be accepted, mostly for want of descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves until a signal says to stop, then finishes the requests that are under way.
pub(crate) async fn run(
    listener: TcpListener,
    own_url: &str,
    handbill: Handbill,
    log: &'static Log,
) -> Result<(), Box<dyn Error>> {
    let mut stop = std::pin::pin!(stop_signal()?);
    // Whoever started the program may not listen: that is no reason to stop.
    let mut stdout = std::io::stdout();
    let _ = writeln!(stdout, "handbill listening on {own_url}").and_then(|()| stdout.flush());

    let connections = GracefulShutdown::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, client)) => serve(stream, client, handbill.clone(), log, &connections),
                Err(error) => {
                    tracing::warn!(%error, "could not accept a connection");
                    sleep(ACCEPT_PAUSE).await;
                }
            },
            () = &mut stop => break,
        }
    }
    drop(listener);
    if timeout(STOP_PATIENCE, connections.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("some requests did not finish in time");
    }
    Ok(())
}

fn serve(
    stream: TcpStream,
    client: SocketAddr,
    handbill: Handbill,
    log: &'static Log,
    connections: &GracefulShutdown,
) {
    // Both only make things better: where the system has them not, all works without.
    let _ = stream.set_nodelay(true);
    #[cfg(target_os = "linux")]
    let _ = SockRef::from(&stream).set_tcp_user_timeout(Some(READ_PATIENCE));

    let stream = ClientStream::new(stream);
    let wait = stream.head_wait();
    let service = service_fn(move |request| {
        answer(handbill.clone(), log, client, Arc::clone(&wait), request)
    });
    let connection = http1::Builder::new()
        // Whoever has sent all may say so before the answer comes: it is no reason to give up. And
        // nobody has to look for it.
        .half_close(true)
        .serve_connection(TokioIo::new(stream), service);
    let connection = connections.watch(connection);
    // A connection ends in an error whenever a client is gone: that is nobody's fault here.
    tokio::spawn(async move { connection.await.ok() });
}

/// Answers a request and logs one line: never its path or query, which may hold a token.
fn answer(
    handbill: Handbill,
    log: &'static Log,
    client: SocketAddr,
    wait: Arc<HeadWait>,
    request: http::Request<Incoming>,
) -> impl Future<Output = Result<http::Response<Full<Bytes>>, Infallible>> {
    wait.is_over();
    let started = Instant::now();
    let method = request.method().clone();
    let request = request.map(RequestBody::new);
    let client = ClientAddr(client.ip());
    async move {
        let (response, route) = handbill.answer(Some(client), request).await;
        let answered = Instant::now();
        log.answered(&Answered {
            method: &method,
            route: route.map_or("-", |RoutePattern(pattern)| pattern),
            status: response.status().as_u16(),
            micros: (answered - started).as_micros() as u64,
        });
        wait.begins(answered);
        Ok(response)
    }
}
