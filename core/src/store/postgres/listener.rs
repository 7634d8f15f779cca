//! Hearing which posts other instances change, so that those in memory need not be read again.
//!
//! The server delivers notifications in the order of their commits, to whoever listens. It does not
//! say how far it has come, and some poolers and engines take `LISTEN` and deliver nothing. So this
//! instance notifies itself at short intervals, by another connection than it listens on: when such a
//! beat comes back, all that was acknowledged before it was sent has come, too. Where no beats come,
//! nothing is taken for heard.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgListener, PgPoolOptions};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep, timeout_at};

use super::connections::{Connections, PATIENCE, Server};
use super::failure::Failure;
use crate::id::PostId;
use crate::store::Changes;

const CHANNEL: &str = "handbill_changes";
const BEAT: &str = "SELECT PG_NOTIFY('handbill_changes', $1)";
/// How long no beat may come, beyond the time between two, before the connection is given up.
const MOST_SILENCE: Duration = Duration::from_secs(5);
/// The pause before another connection is made, doubled each time.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// Listens for as long as it is there.
#[derive(Debug)]
pub(super) struct Listener(AbortHandle);

impl Listener {
    /// Tells a cache of what changes, often enough for what it keeps to be used beyond this bound.
    pub(super) fn start(
        server: Server,
        connections: Arc<Connections>,
        changes: Changes,
        bound: Duration,
    ) -> Self {
        let listening = Listening {
            server,
            connections,
            changes,
            interval: bound / 2,
            hears: None,
        };
        Self(tokio::spawn(listening.run()).abort_handle())
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.abort();
    }
}

struct Listening {
    server: Server,
    connections: Arc<Connections>,
    changes: Changes,
    interval: Duration,
    /// None until it is known.
    hears: Option<bool>,
}

impl Listening {
    async fn run(mut self) {
        let mut pause = FIRST_PAUSE;
        loop {
            let Err(failure) = self.listen().await;
            let heard = self.hears.replace(false);
            if heard == Some(true) {
                pause = FIRST_PAUSE;
            }
            if heard != Some(false) {
                tracing::info!(
                    %failure,
                    "what other instances change is not heard of: posts are read again more often"
                );
            }
            sleep(pause).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    /// Listens until that fails.
    async fn listen(&mut self) -> Result<Infallible, Failure> {
        // A listener of sqlx takes its connection from a pool.
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .acquire_timeout(PATIENCE)
            .connect_lazy_with(self.server.options.clone());
        let mut listener = PgListener::connect_with(&pool).await?;
        listener.eager_reconnect(false);
        listener.listen(CHANNEL).await?;
        self.changes.reset();

        let beats = Beats::new();
        let connections = Arc::clone(&self.connections);
        // As long as this is there, they are sent.
        let mut sender = JoinSet::new();
        sender.spawn(beats.clone().send(connections, self.interval));
        Err(self.hear(&mut listener, &beats).await)
    }

    /// Passes on what is heard.
    async fn hear(&mut self, listener: &mut PgListener, beats: &Beats) -> Failure {
        let most_silence = MOST_SILENCE + 2 * self.interval;
        let mut silent_until = Instant::now() + most_silence;
        loop {
            let heard = match timeout_at(silent_until, listener.try_recv()).await {
                Ok(Ok(Some(notification))) => notification,
                Ok(Ok(None)) => return Failure::Lost,
                Ok(Err(error)) => return error.into(),
                Err(_) => return Failure::Silent,
            };
            if let Some(sent_at) = beats.sent_at(heard.payload()) {
                silent_until = Instant::now() + most_silence;
                self.changes.confirm_until(sent_at.into_std());
                if self.hears.replace(true) != Some(true) {
                    tracing::info!("what other instances change is heard of");
                }
            } else if let Some(id) = heard.payload().parse::<PostId>().ok() {
                self.changes.changed(id);
            }
        }
    }
}

/// Notifications of this instance to itself, which say when they were sent.
#[derive(Clone)]
struct Beats {
    prefix: String,
    begun: Instant,
}

impl Beats {
    fn new() -> Self {
        Self {
            prefix: format!("beat:{:016x}:", rand::random::<u64>()),
            begun: Instant::now(),
        }
    }

    /// Sends one after the other. One that fails is one that does not come back.
    async fn send(self, connections: Arc<Connections>, interval: Duration) {
        loop {
            let beat = format!("{}{}", self.prefix, self.begun.elapsed().as_nanos());
            let _ = connections.rows(|| sqlx::query(BEAT).bind(&beat)).await;
            sleep(interval).await;
        }
    }

    /// When this was sent, or a moment before, if it is one of them.
    fn sent_at(&self, payload: &str) -> Option<Instant> {
        let nanos = payload.strip_prefix(&self.prefix)?.parse().ok()?;
        self.begun.checked_add(Duration::from_nanos(nanos))
    }
}
