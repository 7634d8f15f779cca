//! The server: accepts connections, as many as there is room for, and stops gracefully.
//!
//! `listener` sets what the system does with connections, `connection` serves one, `shares` limits what one client
//! may take and says who loses first, `budget` counts bodies, `observed` counts and logs
//! requests, `request_body` and `stream` notice clients that do not send, do not read or have gone, `connection_limit`
//! raises the limit on open files and closes a connection for each new one at the limit, and `activity` tells it which.

mod activity;
mod budget;
mod connection;
mod connection_limit;
mod listener;
mod observed;
mod request_body;
mod shares;
mod stream;

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use handbill_example_shared::stop_signal;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

pub use connection::Clients;
pub(crate) use connection_limit::max_connections;
pub use listener::Listener;
pub(crate) use listener::{Address, Sockets};

use crate::log::Warning;
use crate::metrics::Closed;
use connection_limit::ConnectionLimit;
use shares::{ShareLimits, Shares};

/// The time limit for each of these: an idle connection together with the head of its next request, a
/// whole request body, and a client that does not read its response.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(30);
/// The time limit for the requests under way when the program stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(27);
/// How long connections stay open for a request that is on its way when the program stops.
const LINGER: Duration = Duration::from_secs(1);
/// The pause after a connection could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves until `stop`, then finishes the requests under way. A second signal ends these at once.
///
/// # Errors
/// If the program cannot listen to signals.
pub async fn run(
    listener: impl Listener,
    clients: Clients,
    max_connections: usize,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let mut stop = pin!(stop);
    let limit = ConnectionLimit::new(max_connections);
    let most = max_connections as u64;
    let shares = Shares::new(ShareLimits {
        // One more than the limit, for the new connection that waits until another one is closed.
        of_all: most + 1,
        of_network: (most / 4).max(1),
        of_block: (most / 2).max(1),
    });
    let connections = GracefulShutdown::new();
    let clients = Arc::new(clients);
    let metrics = &clients.metrics;
    metrics.set_max_connections(max_connections);
    let mut warning = Warning::default();
    // Ends when this is dropped.
    let mut background = JoinSet::new();
    background.spawn(Arc::clone(&clients).close_slow_readers());
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "could not accept a connection");
                sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let mut share = shares.share(clients.connected_by(peer), None);
        if !share.take(1) {
            // Closed at once, so that no other connection is closed for it.
            metrics.closed(Closed::OfNetwork);
            warning
                .say("a network has all connections that it may have, so its new ones are closed");
            continue;
        }
        if limit.is_reached() {
            metrics.closed(Closed::AtLimit);
            warning.say("the limit on connections is reached, so one is closed for each new one");
        }
        let permit = tokio::select! {
            // The permit first: a connection that was accepted is served.
            biased;
            permit = limit.acquire() => permit,
            () = &mut stop => break,
        };
        let connection = clients.connect(stream, peer, &permit.activity);
        let connection = connections.watch(connection);
        let metrics = Arc::clone(metrics);
        tokio::spawn(async move {
            let _open = metrics.connection();
            tokio::select! {
                // The connection first: it reads what has arrived before it may be closed.
                biased;
                // An error here means that the client left or was too slow.
                _ = connection => {}
                () = permit.activity.closing() => {}
            }
            // The share first: a connection that waits for the permit may be of the same network.
            drop(share);
            drop(permit);
        });
    }
    let second_signal = stop_signal()?;
    drop(listener);
    let finish = async {
        let _ = timeout(LINGER, limit.close_all()).await;
        connections.shutdown().await;
    };
    tokio::select! {
        () = finish => {}
        () = sleep(STOP_TIMEOUT) => tracing::warn!("some requests did not finish in time"),
        () = second_signal => tracing::warn!("a second signal ended the requests under way"),
    }
    Ok(())
}
