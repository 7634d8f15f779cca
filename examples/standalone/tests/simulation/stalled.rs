//! A client that stalls loses its connection in time, also if the network never says that it is gone.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use handbill::{Draft, Handbill, MemoryStore};
use handbill_tests::load::{get, post_json};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{sleep, timeout};
use turmoil::IpVersion;
use turmoil::net::TcpStream;

use crate::for_each_seed;
use crate::network::{SERVER, Stop, add_server, block_on, connect, network, open, service};

const TICK: Duration = Duration::from_millis(50);
const LATENCY: Duration = Duration::from_millis(10);
const SECOND: Duration = Duration::from_secs(1);
/// What the server allows for an idle connection with the next head, for a body, and for a response besides
/// the time for its length.
const LIMIT: Duration = Duration::from_secs(30);
/// The bytes per second that a client must read.
const LEAST_RATE: usize = 16 * 1024;
/// More than the network holds.
pub(super) const RESPONSE: usize = 1_800_000;

/// Where a client stalls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stall {
    Head,
    Body,
    Reading,
    Idle,
}

/// A client that stalls, or takes very long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Staller {
    stall: Stall,
    /// How much of the head or of the body is sent at once.
    part: f64,
    /// After each pause, the client sends one more byte, or reads `bytes`.
    pause: Option<Duration>,
    bytes: usize,
}

impl Staller {
    pub(super) fn random(random: &mut StdRng) -> Self {
        let stalls = [Stall::Head, Stall::Body, Stall::Reading, Stall::Idle];
        let stall = *stalls.choose(random).unwrap();
        let pause = match stall {
            Stall::Reading => SECOND,
            _ => SECOND * random.random_range(1..29),
        };
        Self {
            stall,
            part: random.random(),
            pause: random.random_bool(0.5).then_some(pause),
            bytes: random.random_range(1..LEAST_RATE / 2),
        }
    }

    /// The time that this client may have the connection.
    fn limit(&self) -> Duration {
        match self.stall {
            Stall::Reading => LIMIT + SECOND * (RESPONSE / LEAST_RATE) as u32,
            _ => LIMIT,
        }
    }

    /// Stalls until the connection ends; returns what was received.
    pub(super) async fn run(self, api_key: &str) -> turmoil::Result<Vec<u8>> {
        let body = format!(r#"{{"body":"{}"}}"#, "x".repeat(1_000));
        let creation = post_json("/api/posts", api_key, &body);
        let head = creation.len() - body.len();
        // Not so much that the rest can be sent within the limit.
        let part = |length: usize| (self.part * (length - 40) as f64) as usize;
        let (request, at_once) = match self.stall {
            Stall::Head => (creation, 1 + part(head)),
            Stall::Body => (creation, head + part(body.len())),
            Stall::Reading => whole_and(get("/api/posts?include=body"), &[]),
            Stall::Idle => whole_and(get("/healthz"), &creation),
        };
        let (begin, rest) = request.split_at(at_once);

        let mut stream = connect().await?;
        stream.write_all(begin).await?;
        let mut received = Vec::new();
        match (self.stall, self.pause) {
            (Stall::Reading, Some(pause)) => {
                read_slowly(&mut stream, self.bytes, pause, &mut received).await;
            }
            // Nothing tells a client that neither reads nor writes.
            (Stall::Reading, None) => sleep(self.limit() + SECOND).await,
            (_, None) => drop(stream.read_to_end(&mut received).await),
            (_, Some(pause)) => {
                for byte in rest {
                    let read = stream.read_to_end(&mut received);
                    if timeout(pause, read).await.is_ok() {
                        break;
                    }
                    let _ = stream.write_all(&[*byte]).await;
                }
            }
        }
        Ok(received)
    }
}

/// A whole request and what follows it, and the length of the former.
fn whole_and(whole: Vec<u8>, next: &[u8]) -> (Vec<u8>, usize) {
    ([&whole, next].concat(), whole.len())
}

/// Reads so many bytes after each pause, until the connection ends.
async fn read_slowly(stream: &mut TcpStream, bytes: usize, pause: Duration, all: &mut Vec<u8>) {
    loop {
        let mut part = stream.take(bytes as u64);
        // turmoil 0.7 can lose the end of a stream of which all segments are unread.
        match timeout(LIMIT, part.read_to_end(all)).await {
            Ok(Ok(1..)) => sleep(pause).await,
            _ => break,
        }
    }
}

/// A service whose list with bodies is a response of 1.8 MB, and an API key as a header.
pub(super) fn service_with_posts() -> (Handbill, String) {
    let handbill = service(MemoryStore::new());
    for number in 0..18 {
        let body = format!("{number} {}", "word ".repeat(19_999));
        block_on(handbill.posts().create(Draft::new().body(body))).unwrap();
    }
    let key = block_on(handbill.keys().issue(None, None)).unwrap().key;
    (handbill, format!("X-Api-Key: {}\r\n", key.expose()))
}

/// A network may have one connection, which the seed's client takes. Another client of this network tries
/// to get it.
fn simulate(seed: u64, handbill: &Handbill, api_key: &str) -> turmoil::Result {
    let mut random = StdRng::seed_from_u64(seed);
    let staller = Staller::random(&mut random);
    // From then on the network loses what the client and the server send.
    let lost_at = random
        .random_bool(0.5)
        .then(|| SECOND.mul_f64(random.random_range(0.3..3.0)));
    let course = format!("{staller:?}, lost: {lost_at:?}");

    let mut sim = network(seed, TICK)
        .max_message_latency(LATENCY)
        // All hosts are of one network.
        .ip_version(IpVersion::V6)
        .build();
    add_server(&mut sim, 4, &Stop::default(), || handbill.clone());
    let (received, api_key) = (Rc::new(RefCell::default()), api_key.to_owned());
    let receive = Rc::clone(&received);
    sim.client("staller", async move {
        receive.replace(staller.run(&api_key).await?);
        Ok(())
    });
    let served = Rc::new(Cell::new(None));
    let serve = Rc::clone(&served);
    sim.client("next", async move {
        let request = get("/healthz");
        let status = loop {
            sleep(SECOND / 4).await;
            if let Ok(status) = open().await?.status_of(&request).await {
                break status;
            }
        };
        assert_eq!(status, 200);
        serve.set(turmoil::sim_elapsed());
        Ok(())
    });

    loop {
        let have_ended = sim.step()?;
        let is_lost = lost_at.is_some_and(|at| at < sim.elapsed());
        if is_lost {
            sim.partition("staller", SERVER);
        }
        // A lost client may never end.
        if have_ended || (is_lost && served.get().is_some()) {
            break;
        }
        if served.get().is_none() && sim.elapsed() > staller.limit() + SECOND {
            return Err(format!("the connection is still open: {course}").into());
        }
    }
    if served.get() < Some(LIMIT) {
        return Err(format!("the connection was closed at {served:?}: {course}").into());
    }
    if lost_at.is_none() {
        let received = received.take();
        let is_expected = match staller.stall {
            Stall::Head => received.is_empty(),
            Stall::Body => received.starts_with(b"HTTP/1.1 400 "),
            Stall::Reading => received.len() < RESPONSE,
            Stall::Idle => received.starts_with(b"HTTP/1.1 200 "),
        };
        if !is_expected {
            let received = String::from_utf8_lossy(&received);
            return Err(format!("the client received {received:?}: {course}").into());
        }
    }
    Ok(())
}

#[test]
fn a_client_that_stalls_loses_its_connection_in_time() {
    let (handbill, api_key) = service_with_posts();
    for_each_seed(50, |seed| simulate(seed, &handbill, &api_key));
}

#[test]
fn a_client_that_reads_at_the_least_rate_gets_all() {
    let (handbill, _) = service_with_posts();
    let mut sim = network(0, TICK).max_message_latency(LATENCY).build();
    add_server(&mut sim, 1, &Stop::default(), || handbill.clone());
    sim.client("reader", async {
        let mut stream = connect().await?;
        let request = "GET /api/posts?include=body HTTP/1.1\r\nHost: localhost\r\n\
                       Connection: close\r\n\r\n";
        stream.write_all(request.as_bytes()).await?;
        let mut all = Vec::new();
        read_slowly(&mut stream, LEAST_RATE, SECOND, &mut all).await;
        assert!(all.len() > RESPONSE, "{} bytes", all.len());
        Ok(())
    });
    sim.run().unwrap();
}
