//! The two instances, and a client's way to them.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use handbill_tests::wire::{Answer, Connection};
use rand::RngExt;
use tokio::time::{sleep, timeout};

pub(crate) const INSTANCES: usize = 2;
/// After which a client counts a request as never answered. No answer may take that long: what the
/// program promises is far less.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a connection may lie idle and be used again: less than the program lets it.
const MAX_IDLE: Duration = Duration::from_secs(10);
/// What a client waits for when no instance takes its connection.
const PAUSE: Duration = Duration::from_millis(20);

/// Where the instances listen; nowhere while one is down.
#[derive(Clone, Default)]
pub(crate) struct Addresses(Arc<Mutex<[Option<SocketAddr>; INSTANCES]>>);

impl Addresses {
    pub(crate) fn set(&self, instance: usize, address: Option<SocketAddr>) {
        self.0.lock().unwrap()[instance] = address;
    }

    pub(crate) fn of(&self, instance: usize) -> Option<SocketAddr> {
        self.0.lock().unwrap()[instance]
    }
}

/// What came of a request.
pub(crate) struct Outcome {
    pub(crate) instance: usize,
    /// None where the connection ended before the answer did.
    pub(crate) answer: Option<Answer>,
    pub(crate) took: Duration,
}

/// One client's connections: each request goes to any instance, and to the next one where that does
/// not listen.
pub(crate) struct Way {
    addresses: Addresses,
    connections: [Option<Idle>; INSTANCES],
}

struct Idle {
    connection: Connection,
    since: Instant,
}

impl Way {
    pub(crate) fn new(addresses: Addresses) -> Self {
        Self {
            addresses,
            connections: [const { None }; INSTANCES],
        }
    }

    /// Sends a request to an instance that listens.
    pub(crate) async fn send(&mut self, request: &[u8]) -> Outcome {
        let first = rand::rng().random_range(0..INSTANCES);
        loop {
            for instance in (first..INSTANCES).chain(0..first) {
                if self.connect(instance).await {
                    return self.send_to(instance, request).await;
                }
            }
            sleep(PAUSE).await;
        }
    }

    async fn connect(&mut self, instance: usize) -> bool {
        self.connections[instance].take_if(|idle| idle.since.elapsed() > MAX_IDLE);
        if self.connections[instance].is_none()
            && let Some(address) = self.addresses.of(instance)
        {
            let opened = Connection::open(address).await.ok();
            self.connections[instance] = opened.map(Idle::now);
        }
        self.connections[instance].is_some()
    }

    async fn send_to(&mut self, instance: usize, request: &[u8]) -> Outcome {
        let sent = Instant::now();
        let mut connection = self.connections[instance].take().unwrap().connection;
        let answer = timeout(PATIENCE, connection.send(request)).await;
        let answer = answer.expect("an answer, or the end of the connection, within a minute");
        let took = sent.elapsed();
        if answer.is_ok() {
            self.connections[instance] = Some(Idle::now(connection));
        }
        Outcome {
            instance,
            answer: answer.ok(),
            took,
        }
    }
}

impl Idle {
    fn now(connection: Connection) -> Self {
        let since = Instant::now();
        Self { connection, since }
    }
}
