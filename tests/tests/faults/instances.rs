//! The instances, and a client's connections to them.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use handbill_tests::wire::{Connection, TestResponse};
use rand::RngExt;
use tokio::time::{sleep, timeout};

/// The number of instances on one database.
pub(crate) const INSTANCES: usize = 2;
/// The timeout of a request. The program promises a response far sooner.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How long an idle connection may be reused: less than the program's own limit.
const MAX_IDLE: Duration = Duration::from_secs(10);
/// The pause of a client that no instance accepts.
const PAUSE: Duration = Duration::from_millis(20);

/// The addresses of the instances; `None` for an instance that is down.
#[derive(Clone)]
pub(crate) struct Addresses(Arc<Mutex<Vec<Option<SocketAddr>>>>);

impl Addresses {
    /// Those of instances that are not started yet.
    pub(crate) fn new(instances: usize) -> Self {
        Self(Arc::new(Mutex::new(vec![None; instances])))
    }

    pub(crate) fn set(&self, instance: usize, address: Option<SocketAddr>) {
        self.0.lock().unwrap()[instance] = address;
    }

    pub(crate) fn of(&self, instance: usize) -> Option<SocketAddr> {
        self.0.lock().unwrap()[instance]
    }
}

/// The outcome of a request.
pub(crate) struct Outcome {
    pub(crate) instance: usize,
    /// `None` if the connection ended before the response did.
    pub(crate) response: Option<TestResponse>,
    pub(crate) took: Duration,
}

/// A client's connections. Each request goes to any instance, or to the next one if that is down.
pub(crate) struct Way {
    addresses: Addresses,
    connections: Vec<Option<Idle>>,
}

struct Idle {
    connection: Connection,
    since: Instant,
}

impl Way {
    pub(crate) fn new(addresses: Addresses) -> Self {
        let instances = addresses.0.lock().unwrap().len();
        Self {
            addresses,
            connections: (0..instances).map(|_| None).collect(),
        }
    }

    /// Sends a request to an instance that accepts connections.
    pub(crate) async fn send(&mut self, request: &[u8]) -> Outcome {
        let instances = self.connections.len();
        let first = rand::rng().random_range(0..instances);
        loop {
            for instance in (first..instances).chain(0..first) {
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
        let response = timeout(TIMEOUT, connection.send(request)).await;
        let response = response.expect("a response, or the end of the connection, within a minute");
        let took = sent.elapsed();
        if response.is_ok() {
            self.connections[instance] = Some(Idle::now(connection));
        }
        Outcome {
            instance,
            response: response.ok(),
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
