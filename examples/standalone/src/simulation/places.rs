//! A new client gets a place although all are taken, and no request loses its own while the server works
//! on it.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use async_trait::async_trait;
use handbill::{MemoryStore, Post, Store, StoreError, Write};
use handbill_tests::layer::{Layer, Layered};
use handbill_tests::load::{get, post_json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{sleep, timeout};

use super::network::{Stop, add_server, block_on, connect, network, open, service};

const SECOND: Duration = Duration::from_secs(1);
/// When the new client connects.
const BEGIN: Duration = Duration::from_secs(4);
/// Until then it has its response, if it does not wait.
const SOON: Duration = Duration::from_millis(4_500);
/// What the server allows for an idle connection.
const LIMIT: Duration = Duration::from_secs(30);
/// What a creation takes.
const CREATION: Duration = Duration::from_secs(10);

/// What a client does with its place.
#[derive(Clone, Copy)]
enum Holder {
    /// Has its response, and sends nothing more.
    Idle,
    /// Sends a head, one byte a second.
    SendsHead,
    /// Sends a body, one byte a second.
    SendsBody,
    /// Waits for the response to a creation.
    Creates,
}

/// What happened to a holder of a place.
#[derive(Clone, Debug, Default)]
struct Outcome {
    /// When its connection was closed.
    closed: Duration,
    received: String,
}

/// Takes long for each creation.
struct Slow(MemoryStore);

#[async_trait]
impl Layer for Slow {
    fn below(&self) -> &dyn Store {
        &self.0
    }

    async fn insert_post(&self, post: Post) -> Result<Write, StoreError> {
        sleep(CREATION).await;
        self.0.insert_post(post).await
    }
}

impl Holder {
    /// Has a place until the server closes the connection.
    async fn hold(self, creation: Vec<u8>) -> turmoil::Result<Outcome> {
        let (head, body) = (get("/healthz"), creation);
        let begin = match self {
            Self::Idle => &*head,
            Self::SendsHead => &head[..head.len() - 40],
            Self::SendsBody => &body[..body.len() - 40],
            Self::Creates => &*body,
        };
        let mut stream = connect().await?;
        stream.write_all(begin).await?;
        let mut received = Vec::new();
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

/// All places are taken, one after the other, when a new client connects. Returns when that had its
/// response, and what happened to the others.
fn simulate(holders: [Holder; 4]) -> (Duration, Vec<Outcome>) {
    let handbill = service(Layered(Slow(MemoryStore::new())));
    let key = block_on(handbill.keys().issue(None, None)).unwrap().key;
    let key = format!("X-Api-Key: {}\r\n", key.expose());
    let body = format!(r#"{{"body":"{}"}}"#, "x".repeat(100));
    let creation = post_json("/api/posts", &key, &body);

    let mut network = network(0, SECOND / 20);
    let mut sim = network.max_message_latency(SECOND / 100).build();
    add_server(&mut sim, 4, &Stop::default(), || handbill.clone());
    let outcomes = Rc::new(RefCell::new(vec![Outcome::default(); 4]));
    for (number, holder) in holders.into_iter().enumerate() {
        let (outcomes, creation) = (Rc::clone(&outcomes), creation.clone());
        sim.client(format!("holder-{number}"), async move {
            sleep(SECOND * number as u32 / 2).await;
            let outcome = holder.hold(creation).await?;
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

#[test]
fn a_new_client_gets_the_place_of_the_one_that_was_silent_the_longest() {
    let (served, holders) = simulate([Holder::Idle; 4]);
    assert!(served < SOON, "{served:?}");
    assert!(holders[0].closed < SOON, "{holders:?}");
    assert!(
        holders[1..].iter().all(|holder| holder.closed > LIMIT),
        "{holders:?}"
    );
}

#[test]
fn who_sends_slowly_cannot_have_all_places() {
    use Holder::{SendsBody, SendsHead};
    for holders in [[SendsHead; 4], [SendsBody; 4]] {
        let (served, _) = simulate(holders);
        assert!(served < SOON, "{served:?}");
    }
}

#[test]
fn a_request_has_its_place_while_the_server_works_on_it() {
    use Holder::{Creates, Idle};
    let (served, holders) = simulate([Creates, Idle, Idle, Idle]);
    assert!(served < SOON, "{served:?}");
    assert!(holders[0].received.starts_with("HTTP/1.1 201 "));
    assert!(holders[1].closed < SOON, "{holders:?}");

    let (served, holders) = simulate([Creates; 4]);
    assert!(
        (CREATION..CREATION + SECOND).contains(&served),
        "{served:?}"
    );
    for holder in holders {
        assert!(holder.received.starts_with("HTTP/1.1 201 "), "{holder:?}");
    }
}
