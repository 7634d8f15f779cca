//! What a store tells of itself, beside that it works.

use std::time::Duration;

/// How a store is that works: what `GET /healthz` shows. By default there is nothing to tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    replicas: Vec<Replica>,
}

impl Health {
    /// Adds a replica, after those that are there.
    #[must_use]
    pub fn with_replica(mut self, replica: Replica) -> Self {
        self.replicas.push(replica);
        self
    }

    /// The replicas that the store may read from; none for a store that has none.
    pub fn replicas(&self) -> &[Replica] {
        &self.replicas
    }
}

/// A copy of the database that a store may read from, as it was when the store last looked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replica {
    address: String,
    state: ReplicaState,
    lag_bytes: Option<u64>,
    lag: Option<Duration>,
}

impl Replica {
    /// A replica whose lag is unknown. Its address is shown to everybody: it is put together out of
    /// host and port, so that nobody hands over a URL, with the password in it.
    pub fn new(host: &str, port: u16, state: ReplicaState) -> Self {
        // A colon would make it unclear where the port begins (RFC 3986, section 3.2.2).
        let address = if host.contains(':') && !host.starts_with('[') {
            format!("[{host}]:{port}")
        } else {
            format!("{host}:{port}")
        };
        Self {
            address,
            state,
            lag_bytes: None,
            lag: None,
        }
    }

    /// How many bytes of the primary's log it has not replayed.
    #[must_use]
    pub fn with_lag_bytes(mut self, bytes: u64) -> Self {
        self.lag_bytes = Some(bytes);
        self
    }

    /// How far behind the primary it is in time. Shown in whole milliseconds.
    #[must_use]
    pub fn with_lag(mut self, lag: Duration) -> Self {
        self.lag = Some(lag);
        self
    }

    /// Where it is, as `host:port`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Whether it is read from.
    pub fn state(&self) -> ReplicaState {
        self.state
    }

    /// How many bytes of the primary's log it has not replayed, if that is known.
    pub fn lag_bytes(&self) -> Option<u64> {
        self.lag_bytes
    }

    /// How far behind the primary it is, if that is known.
    pub fn lag(&self) -> Option<Duration> {
        self.lag
    }
}

/// Whether a replica is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplicaState {
    /// It is read from.
    Up,
    /// It answers, and is too far behind to be read from.
    Lagging,
    /// It does not answer.
    Down,
}
