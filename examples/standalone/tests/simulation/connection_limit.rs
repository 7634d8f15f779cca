//! At the limit on connections a new client is served, and a request that the server works on loses nothing.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use async_trait::async_trait;
use handbill::store::{self, Decorated, Decorator, NewChange, StoreError, Write};
use handbill::{Handbill, MemoryStore, Store};
use handbill_tests::load::{get, post_json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{sleep, timeout};

use crate::network::{Stop, add_server, block_on, connect, network, open, service};
use crate::stalled::{RESPONSE, service_with_posts};

const SECOND: Duration = Duration::from_secs(1);
/// When the new client connects.
const BEGIN: Duration = Duration::from_secs(4);
/// Until then it has its response, if it does not wait.
const SOON: Duration = Duration::from_millis(4_500);
/// What the server allows for an idle connection.
const LIMIT: Duration = Duration::from_secs(30);
/// What a change takes.
const CHANGE: Duration = Duration::from_secs(10);
const UNSENT: usize = 40;

/// What a client does with its connection.
#[derive(Clone, Copy)]
enum Holder {
    /// Has its response, and sends nothing more.
    Idle,
    /// Sends a head, one byte a second.
    SendsHead,
    /// Sends a body, one byte a second.
    SendsBody,
    /// Sends the end of a refused body together with a request that it never ends.
    SendsRefusedBodyLate,
    /// Waits for the response to a creation, whose body it sends in two parts.
    Creates,
    /// Sends further creations before it has the response to the first.
    CreatesInPipeline,
    /// Waits for the response to a change whose body the server does not read.
    Revokes,
    /// Reads a large response, slowly.
    Reads,
}

/// What happened to a connection.
#[derive(Clone, Debug, Default)]
struct Outcome {
    closed: Duration,
    received: String,
}

/// Takes long for each change.
struct Slow(MemoryStore);

#[async_trait]
impl Decorator for Slow {
    fn inner(&self) -> &dyn Store {
        &self.0
    }

    async fn write(
        &self,
        write: Write,
        change: Option<NewChange>,
    ) -> Result<store::Outcome, StoreError> {
        if change.is_some() {
            sleep(CHANGE).await;
        }
        self.0.write(write, change).await
    }
}

impl Holder {
    /// Has a connection until the server closes it.
    async fn hold(self, key: &str) -> turmoil::Result<Outcome> {
        let read = get("/healthz");
        let body = format!(r#"{{"body":"{}"}}"#, "x".repeat(100));
        let creation = post_json("/api/posts", key, &body);
        let (most, rest) = creation.split_at(creation.len() - UNSENT);
        let mut stream = connect().await?;
        match self {
            Self::Idle => stream.write_all(&read).await?,
            Self::SendsHead => stream.write_all(&read[..read.len() - UNSENT]).await?,
            Self::SendsBody => stream.write_all(most).await?,
            Self::SendsRefusedBodyLate => {
                let refused = post_json("/nothing", "", "x");
                stream.write_all(&refused[..refused.len() - 1]).await?;
                sleep(SECOND / 10).await;
                let form = "POST /write HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\
                     Content-Type: application/x-www-form-urlencoded\r\n\r\n";
                stream.write_all(&[b"x", form.as_bytes()].concat()).await?;
            }
            Self::Creates => {
                stream.write_all(most).await?;
                sleep(SECOND / 10).await;
                stream.write_all(rest).await?;
            }
            Self::CreatesInPipeline => stream.write_all(&creation.repeat(5)).await?,
            Self::Revokes => {
                let revocation = post_json("/api/keys/current", key, "{}");
                let revocation = [b"DELETE", &revocation["POST".len()..]].concat();
                stream.write_all(&revocation).await?;
            }
            Self::Reads => {
                let read = get("/api/posts?include=body");
                stream.write_all(&read).await?;
            }
        }
        let mut received = Vec::new();
        if let Self::Reads = self {
            let mut part = vec![0; 4096];
            loop {
                let length = stream.read(&mut part).await?;
                received.extend(&part[..length]);
                if length == 0 {
                    break;
                }
                sleep(SECOND / 20).await;
            }
        }
        while timeout(SECOND, stream.read_to_end(&mut received))
            .await
            .is_err()
        {
            if let Self::SendsHead | Self::SendsBody = self {
                stream.write_all(b"x").await?;
            }
        }
        Ok(Outcome {
            closed: turmoil::sim_elapsed().unwrap_or_default(),
            received: String::from_utf8(received)?,
        })
    }
}

/// All connections were opened, one after the other, when a new client connects. Returns when that had its
/// response, and what happened to the others.
fn simulate(handbill: &Handbill, holders: [Holder; 4]) -> (Duration, Vec<Outcome>) {
    let key = block_on(handbill.keys().issue(None, None)).unwrap().key;
    let key = format!("X-Api-Key: {}\r\n", key.expose());

    let mut network = network(0, SECOND / 20);
    let mut sim = network.max_message_latency(SECOND / 100).build();
    add_server(&mut sim, 4, &Stop::default(), || handbill.clone());
    let outcomes = Rc::new(RefCell::new(vec![Outcome::default(); 4]));
    for (number, holder) in holders.into_iter().enumerate() {
        let (outcomes, key) = (Rc::clone(&outcomes), key.clone());
        sim.client(format!("holder-{number}"), async move {
            sleep(SECOND * number as u32 / 2).await;
            let outcome = holder.hold(&key).await?;
            outcomes.borrow_mut()[number] = outcome;
            Ok(())
        });
    }
    let served = Rc::new(RefCell::default());
    let serve = Rc::clone(&served);
    sim.client("new", async move {
        sleep(BEGIN).await;
        assert_eq!(open().await?.status_of(&get("/healthz")).await?, 200);
        serve.replace(turmoil::sim_elapsed().unwrap_or_default());
        Ok(())
    });
    sim.run().unwrap();
    (served.take(), outcomes.take())
}

fn slow_service() -> Handbill {
    service(Decorated(Slow(MemoryStore::new())))
}

#[test]
fn the_connection_that_waited_for_its_client_the_longest_is_closed() {
    let (served, holders) = simulate(&slow_service(), [Holder::Idle; 4]);
    assert!(served < SOON, "{served:?}");
    assert!(holders[0].closed < SOON, "{holders:?}");
    assert!(
        holders[1..].iter().all(|holder| holder.closed > LIMIT),
        "{holders:?}"
    );
}

#[test]
fn slow_senders_cannot_hold_all_connections() {
    use Holder::{SendsBody, SendsHead, SendsRefusedBodyLate};
    for holders in [[SendsHead; 4], [SendsBody; 4], [SendsRefusedBodyLate; 4]] {
        let (served, _) = simulate(&slow_service(), holders);
        assert!(served < SOON, "{served:?}");
    }
}

#[test]
fn a_request_that_the_server_works_on_gets_its_response() {
    use Holder::{Creates, Idle, Revokes};
    for (holder, status) in [(Creates, "201"), (Revokes, "204")] {
        let (served, holders) = simulate(&slow_service(), [holder, Idle, Idle, Idle]);
        assert!(served < SOON, "{served:?}");
        let received = &holders[0].received;
        assert!(received.starts_with(&format!("HTTP/1.1 {status} ")));
        assert!(holders[1].closed < SOON, "{holders:?}");
    }
}

#[test]
fn if_the_server_works_for_all_clients_the_first_response_ends_its_connection() {
    for holder in [Holder::Creates, Holder::CreatesInPipeline] {
        let (served, holders) = simulate(&slow_service(), [holder; 4]);
        assert!((CHANGE..CHANGE + SECOND).contains(&served), "{served:?}");
        assert!(holders[0].received.contains("\r\nconnection: close\r\n"));
        for holder in holders {
            assert!(holder.received.starts_with("HTTP/1.1 201 "), "{holder:?}");
        }
    }
}

#[test]
fn a_client_that_reads_slowly_gets_its_whole_response() {
    use Holder::{Idle, Reads};
    let (handbill, _) = service_with_posts();
    let (served, holders) = simulate(&handbill, [Reads, Idle, Idle, Idle]);
    assert!(served < SOON, "{served:?}");
    assert!(holders[0].received.len() > RESPONSE);
    assert!(holders[1].closed < SOON, "{holders:?}");
}
