//! Load: a number of clients, each of which sends one request after the other for a while.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use handbill_tests::wire::Connection;
use rand::rngs::SmallRng;
use rand::{RngExt, make_rng};
use tokio::task::JoinSet;

/// Writes a client's next request into an empty buffer. Each client brings its own random numbers.
pub(crate) type Requests = Arc<dyn Fn(&mut SmallRng, &mut Vec<u8>) + Send + Sync>;

/// The same request again and again.
pub(crate) fn always(request: Vec<u8>) -> Requests {
    Arc::new(move |_, buffer| buffer.extend_from_slice(&request))
}

/// One of these requests, at random.
pub(crate) fn any_of(requests: Vec<Vec<u8>>) -> Requests {
    Arc::new(move |random, buffer| {
        buffer.extend_from_slice(&requests[random.random_range(..requests.len())]);
    })
}

/// A `GET` of a path that is made from random numbers.
pub(crate) fn get_any(path: impl Fn(&mut SmallRng) -> String + Send + Sync + 'static) -> Requests {
    Arc::new(move |random, buffer| {
        buffer.extend_from_slice(b"GET ");
        buffer.extend_from_slice(path(random).as_bytes());
        buffer.extend_from_slice(b" HTTP/1.1\r\nHost: localhost\r\n\r\n");
    })
}

/// Clients that all send requests of one kind. They are divided among these servers.
pub(crate) struct Load {
    pub(crate) servers: Vec<SocketAddr>,
    pub(crate) clients: usize,
    pub(crate) requests: Requests,
    /// The status that every response must have.
    pub(crate) status: u16,
}

impl Load {
    /// Requests per second.
    pub(crate) async fn rate(&self, duration: Duration) -> f64 {
        let connections = connect(&self.servers, self.clients).await;
        let started = Instant::now();
        let mut clients = JoinSet::new();
        for mut connection in connections {
            let (requests, status) = (Arc::clone(&self.requests), self.status);
            clients.spawn(async move {
                let (mut random, mut buffer) = (make_rng::<SmallRng>(), Vec::new());
                let mut done = 0_u64;
                // At least once, also on a machine that is too busy to begin in time.
                while done == 0 || started.elapsed() < duration {
                    send(&mut connection, &requests, status, &mut random, &mut buffer).await;
                    done += 1;
                }
                done
            });
        }
        let done: u64 = clients.join_all().await.iter().sum();
        done as f64 / started.elapsed().as_secs_f64()
    }
}

/// Clients of one server that read, and at times create.
pub(crate) struct MixedLoad {
    pub(crate) server: SocketAddr,
    pub(crate) clients: usize,
    pub(crate) reads: Requests,
    pub(crate) creations: Requests,
    /// The share of creations among all requests.
    pub(crate) share_of_creations: f64,
}

/// How long the responses to reads and to creations took.
#[derive(Default)]
pub(crate) struct Latencies {
    pub(crate) reads: Vec<Duration>,
    pub(crate) creations: Vec<Duration>,
}

impl MixedLoad {
    pub(crate) async fn latencies(&self, duration: Duration) -> Latencies {
        let connections = connect(&[self.server], self.clients).await;
        let started = Instant::now();
        let mut clients = JoinSet::new();
        for mut connection in connections {
            let (reads, creations) = (Arc::clone(&self.reads), Arc::clone(&self.creations));
            let share_of_creations = self.share_of_creations;
            clients.spawn(async move {
                let (mut random, mut buffer) = (make_rng::<SmallRng>(), Vec::new());
                let mut latencies = Latencies::default();
                while started.elapsed() < duration {
                    let (requests, status, latencies) = match random.random_bool(share_of_creations)
                    {
                        true => (&creations, 201, &mut latencies.creations),
                        false => (&reads, 200, &mut latencies.reads),
                    };
                    let sent = Instant::now();
                    send(&mut connection, requests, status, &mut random, &mut buffer).await;
                    latencies.push(sent.elapsed());
                }
                latencies
            });
        }
        let mut all = Latencies::default();
        for one in clients.join_all().await {
            all.reads.extend(one.reads);
            all.creations.extend(one.creations);
        }
        all
    }
}

async fn connect(servers: &[SocketAddr], clients: usize) -> Vec<Connection> {
    let mut connections = Vec::new();
    for server in servers.iter().cycle().take(clients) {
        connections.push(Connection::open(*server).await.unwrap());
    }
    connections
}

async fn send(
    connection: &mut Connection,
    requests: &Requests,
    status: u16,
    random: &mut SmallRng,
    buffer: &mut Vec<u8>,
) {
    buffer.clear();
    requests(random, buffer);
    assert_eq!(connection.status_of(buffer).await.unwrap(), status);
}
