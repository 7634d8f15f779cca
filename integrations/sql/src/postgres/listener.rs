//! Tells a cache which posts other instances change, so that cached posts stay valid for longer.
//!
//! It relies on PostgreSQL delivering notifications in the order of the commits. PostgreSQL does not
//! say how far it has come, and some poolers and engines accept `LISTEN` and deliver nothing. So this
//! instance regularly sends itself a heartbeat, on another connection: when the heartbeat arrives, all
//! changes acknowledged before it was sent have arrived, too. Without heartbeats nothing is confirmed.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use handbill::store::{Changes, PostId};
use sqlx::postgres::{PgListener, PgPoolOptions};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::connections::Connections;
use super::failure::Failure;
use super::server::Server;
use crate::backoff::TIMEOUT;

const CHANNEL: &str = "handbill_changes";
const NOTIFY: &str = "SELECT PG_NOTIFY('handbill_changes', $1)";
/// How late a heartbeat may be before the listener reconnects.
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(5);
/// The pause before the listener reconnects, doubled each time.
const MIN_PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_secs(30);

pub(super) struct Listener {
    server: Server,
    connections: Arc<Connections>,
    changes: Changes,
    interval: Duration,
    /// `None` until it is known whether notifications arrive.
    receives: Option<bool>,
}

impl Listener {
    /// `bound` is the age up to which the cache uses a post without a confirmation.
    pub(super) fn new(
        server: Server,
        connections: Arc<Connections>,
        changes: Changes,
        bound: Duration,
    ) -> Self {
        Self {
            server,
            connections,
            changes,
            interval: bound / 2,
            receives: None,
        }
    }

    /// Listens until it is aborted.
    pub(super) async fn run(mut self) {
        let mut pause = MIN_PAUSE;
        loop {
            let Err(failure) = self.listen().await;
            let received = self.receives.replace(false);
            if received == Some(true) {
                pause = MIN_PAUSE;
            }
            if received != Some(false) {
                tracing::info!(
                    "no notifications of other instances' changes, so cached posts are read again \
                     more often: {failure}"
                );
            }
            sleep(pause).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    /// Listens until that fails.
    async fn listen(&mut self) -> Result<Infallible, Failure> {
        let connected = timeout(TIMEOUT, self.connect()).await;
        let mut listener = connected.map_err(|_| Failure::TimedOut)??;
        self.changes.reset();

        let heartbeats = Heartbeats::new();
        // Dropping the set stops the heartbeats.
        let mut sender = JoinSet::new();
        let connections = Arc::clone(&self.connections);
        sender.spawn(heartbeats.clone().send(connections, self.interval));
        Err(self.receive(&mut listener, &heartbeats).await)
    }

    async fn connect(&self) -> sqlx::Result<PgListener> {
        // sqlx's listener takes its connection from a pool.
        let connect = async |options| {
            let pool = PgPoolOptions::new().max_connections(1);
            PgListener::connect_with(&pool.connect_lazy_with(options)).await
        };
        let mut listener = self.server.connect_by(connect).await?;
        listener.eager_reconnect(false);
        listener.listen(CHANNEL).await?;
        Ok(listener)
    }

    /// Forwards notifications to the cache until that fails.
    async fn receive(&mut self, listener: &mut PgListener, heartbeats: &Heartbeats) -> Failure {
        let max_silence = HEARTBEAT_TIMEOUT + 2 * self.interval;
        let mut deadline = Instant::now() + max_silence;
        loop {
            let notification = match timeout_at(deadline, listener.try_recv()).await {
                Ok(Ok(Some(notification))) => notification,
                Ok(Ok(None)) => return Failure::Other("the connection was lost"),
                Ok(Err(error)) => return error.into(),
                // Heartbeats were sent and none came back.
                Err(_) => return Failure::Other("the server delivers no notifications"),
            };
            if let Some(sent_at) = heartbeats.sent_at(notification.payload()) {
                deadline = Instant::now() + max_silence;
                self.changes.confirm_until(sent_at.into_std());
                if self.receives.replace(true) != Some(true) {
                    tracing::info!("receiving notifications of other instances' changes");
                }
            } else if let Ok(id) = notification.payload().parse::<PostId>() {
                self.changes.changed(id);
            }
        }
    }
}

/// Notifications of this instance to itself, which contain when they were sent.
#[derive(Clone)]
struct Heartbeats {
    prefix: String,
    started: Instant,
}

impl Heartbeats {
    fn new() -> Self {
        Self {
            prefix: format!("heartbeat:{:016x}:", rand::random::<u64>()),
            started: Instant::now(),
        }
    }

    /// Sends heartbeats until it is aborted. If one can't be sent, it does not arrive.
    async fn send(self, connections: Arc<Connections>, interval: Duration) {
        loop {
            let heartbeat = format!("{}{}", self.prefix, self.started.elapsed().as_nanos());
            let _ = connections
                .rows(|| sqlx::query(NOTIFY).bind(&heartbeat))
                .await;
            sleep(interval).await;
        }
    }

    /// When this payload was sent, or a moment before, if it is one of these heartbeats.
    fn sent_at(&self, payload: &str) -> Option<Instant> {
        let nanos = payload.strip_prefix(&self.prefix)?.parse().ok()?;
        self.started.checked_add(Duration::from_nanos(nanos))
    }
}
