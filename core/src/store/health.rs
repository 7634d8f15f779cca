//! The state of a store's replicas, for health checks and the host's log.

use std::time::Duration;

/// The state of a store that works. The default has no replicas.
///
/// `GET /readyz` and `/healthz` show the number of replicas and the state of each. Addresses and lags are
/// for the host alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    replicas: Vec<Replica>,
}

impl Health {
    /// Adds a replica at the end.
    #[must_use]
    pub fn with_replica(mut self, replica: Replica) -> Self {
        self.replicas.push(replica);
        self
    }

    /// The replicas that the store may read from.
    pub fn replicas(&self) -> &[Replica] {
        &self.replicas
    }
}

/// A copy of the database that a store may read from, as it was at the store's last check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replica {
    address: String,
    state: ReplicaState,
    lag_bytes: Option<u64>,
    lag: Option<Duration>,
}

impl Replica {
    /// A replica whose lag is unknown. Its address is logged, so it is made of host and port: a URL might
    /// contain a password.
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

    /// Sets how many bytes of the primary's log the replica has not replayed.
    #[must_use]
    pub fn with_lag_bytes(mut self, bytes: u64) -> Self {
        self.lag_bytes = Some(bytes);
        self
    }

    /// Sets how far the replica is behind the primary in time.
    #[must_use]
    pub fn with_lag(mut self, lag: Duration) -> Self {
        self.lag = Some(lag);
        self
    }

    /// The address, as `host:port`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Whether the store reads from it.
    pub fn state(&self) -> ReplicaState {
        self.state
    }

    /// How many bytes of the primary's log the replica has not replayed, if that is known.
    pub fn lag_bytes(&self) -> Option<u64> {
        self.lag_bytes
    }

    /// How far the replica is behind the primary in time, if that is known.
    pub fn lag(&self) -> Option<Duration> {
        self.lag
    }
}

/// Whether the store reads from a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplicaState {
    /// The store reads from it.
    Up,
    /// It responds, but is too far behind.
    Lagging,
    /// It does not respond, or is not a standby of the primary.
    Down,
}
