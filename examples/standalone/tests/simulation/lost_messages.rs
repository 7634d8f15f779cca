//! What was acknowledged is there, exactly once, whatever the network and the server's host do. Clients
//! repeat each request until they have its response.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use handbill::{Draft, Handbill, Owner, PageRequest, PostId};
use handbill_tests::load::{get, post_json};
use handbill_tests::wire::{Connection, TestResponse};
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};
use tokio::time::{sleep, timeout};
use turmoil::Sim;
use turmoil::net::TcpStream;

use crate::delayed::database;
use crate::for_each_seed;
use crate::network::{SERVER, Stop, add_server, block_on, network, open, service};

const CLIENTS: [&str; 3] = ["anna", "ben", "carla"];
/// How many things each client does.
const TASKS: usize = 10;
/// How long the network and the server's host fail.
const FAULTS: Duration = Duration::from_secs(10);
/// What was sent may arrive and be done until then, after the clients have ended.
const LAST_ARRIVALS: Duration = Duration::from_secs(7);
const TICK: Duration = Duration::from_millis(20);

/// What the clients know, and what they did.
#[derive(Debug, Default)]
struct Known {
    /// The posts of each client, by identifier: the acknowledged body and number of revisions, or None if the
    /// deletion was acknowledged.
    posts: BTreeMap<String, Option<(String, u64)>>,
    /// What was appended to the post that all clients change.
    appended: Vec<String>,
    tally: Tally,
    /// Each request and response, for a failure.
    course: String,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    /// Requests that were sent again.
    repetitions: u32,
    /// Changes and deletions that an earlier attempt had made.
    made_before: u32,
    crashes: u32,
    stops: u32,
}

type SharedKnown = Rc<RefCell<Known>>;

struct Client {
    name: &'static str,
    random: StdRng,
    /// A header.
    api_key: String,
    /// The post that all clients change.
    common: String,
    connection: Option<Connection<TcpStream>>,
    known: SharedKnown,
    /// Posts that this client alone changes.
    own: Vec<OwnPost>,
}

struct OwnPost {
    id: String,
    etag: String,
    text: String,
}

impl Client {
    async fn work(mut self) {
        for task in 0..TASKS {
            sleep(Duration::from_millis(self.random.random_range(0..1_000))).await;
            let text = format!("{}-{task:02}", self.name);
            let own = (0..self.own.len()).choose(&mut self.random);
            match (self.random.random_range(0..10), own) {
                (0..3, _) | (_, None) => self.create(text).await,
                (3..5, Some(own)) => self.change(own, text).await,
                (5, Some(own)) => self.delete(own).await,
                (6, Some(own)) => self.read(own).await,
                (_, Some(_)) => self.append(&text).await,
            }
        }
    }

    async fn create(&mut self, text: String) {
        let headers = format!("{}Idempotency-Key: {text}\r\n", self.api_key);
        let body = format!(r#"{{"body":"{text}"}}"#);
        let request = post_json("/api/posts", &headers, &body);
        let (created, _) = self.send(&format!("create {text}"), &request).await;
        assert_eq!(created.status, 201);
        let id = created.json()["id"].as_str().unwrap().to_owned();
        self.own.push(OwnPost {
            id: id.clone(),
            etag: tag(&created),
            text: text.clone(),
        });
        let posts = &mut self.known.borrow_mut().posts;
        let other = posts.insert(id, Some((text, 1)));
        assert_eq!(other, None, "two creations have one identifier");
    }

    async fn change(&mut self, own: usize, text: String) {
        let OwnPost { id, etag, .. } = &self.own[own];
        let (id, patch) = (id.clone(), self.patch(id, etag, &text));
        let (changed, is_repeated) = self.send(&format!("change {text}"), &patch).await;
        let changed = match changed.status.as_u16() {
            // An earlier attempt has made the change.
            412 if is_repeated => {
                self.known.borrow_mut().tally.made_before += 1;
                self.get(&id).await
            }
            status => {
                assert_eq!(status, 200);
                changed
            }
        };
        assert_eq!(changed.json()["body"], *text);
        let posts = &mut self.known.borrow_mut().posts;
        let (body, revision) = posts.get_mut(&id).unwrap().as_mut().unwrap();
        text.clone_into(body);
        *revision += 1;
        self.own[own].etag = tag(&changed);
        self.own[own].text = text;
    }

    async fn delete(&mut self, own: usize) {
        let OwnPost { id, etag, text } = self.own.swap_remove(own);
        let line = format!("DELETE /api/posts/{id} HTTP/1.1\r\nHost: localhost");
        let request = format!("{line}\r\nIf-Match: {etag}\r\n{}\r\n", self.api_key);
        let purpose = format!("delete {text}");
        let (deleted, is_repeated) = self.send(&purpose, request.as_bytes()).await;
        match deleted.status.as_u16() {
            // An earlier attempt has deleted the post.
            410 if is_repeated => self.known.borrow_mut().tally.made_before += 1,
            status => assert_eq!(status, 204),
        }
        self.known.borrow_mut().posts.insert(id, None);
    }

    async fn read(&mut self, own: usize) {
        let id = self.own[own].id.clone();
        let read = self.get(&id).await;
        let own = &self.own[own];
        assert_eq!(tag(&read), own.etag);
        assert_eq!(read.json()["body"], *own.text);
    }

    /// Appends to the post that all clients change, in whatever state it is.
    async fn append(&mut self, text: &str) {
        let common = self.common.clone();
        loop {
            let read = self.get(&common).await;
            let body = read.json()["body"].as_str().unwrap().to_owned();
            if body.contains(text) {
                self.known.borrow_mut().tally.made_before += 1;
                break;
            }
            let patch = self.patch(&common, &tag(&read), &format!("{body} {text}"));
            let (changed, _) = self.send(&format!("append {text}"), &patch).await;
            if changed.status == 200 {
                break;
            }
            assert_eq!(changed.status, 412);
        }
        self.known.borrow_mut().appended.push(text.to_owned());
    }

    fn patch(&self, id: &str, etag: &str, text: &str) -> Vec<u8> {
        let headers = format!("{}If-Match: {etag}\r\n", self.api_key);
        let body = format!(r#"{{"body":"{text}"}}"#);
        let request = post_json(&format!("/api/posts/{id}"), &headers, &body);
        [b"PATCH", &request[4..]].concat()
    }

    async fn get(&mut self, id: &str) -> TestResponse {
        let request = get(&format!("/api/posts/{id}"));
        let (read, _) = self.send("read", &request).await;
        assert_eq!(read.status, 200);
        read
    }

    /// Sends a request until there is a response. Returns whether it was sent more than once, too.
    async fn send(&mut self, purpose: &str, request: &[u8]) -> (TestResponse, bool) {
        let mut is_repeated = false;
        loop {
            let limit = Duration::from_millis(self.random.random_range(100..3_000));
            let response = timeout(limit, self.attempt(request)).await;
            let outcome = match &response {
                Ok(Ok(response)) => response.status.to_string(),
                Ok(Err(error)) => error.to_string(),
                Err(_) => "no response in time".to_owned(),
            };
            self.record(purpose, &outcome);
            if let Ok(Ok(response)) = response {
                return (response, is_repeated);
            }
            self.connection = None;
            self.known.borrow_mut().tally.repetitions += 1;
            is_repeated = true;
            sleep(Duration::from_millis(self.random.random_range(10..500))).await;
        }
    }

    async fn attempt(&mut self, request: &[u8]) -> io::Result<TestResponse> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            empty => empty.insert(open().await?),
        };
        connection.send(request).await
    }

    fn record(&self, purpose: &str, outcome: &str) {
        let millis = turmoil::sim_elapsed().unwrap_or_default().as_millis();
        let course = &mut self.known.borrow_mut().course;
        let _ = writeln!(course, "{millis:>6} {} {purpose}: {outcome}", self.name);
    }
}

fn tag(response: &TestResponse) -> String {
    response.headers["etag"].to_str().unwrap().to_owned()
}

/// Runs the clients and the faults that the seed selects. Returns what the clients know.
fn simulate(seed: u64) -> turmoil::Result<Known> {
    let mut random = StdRng::seed_from_u64(seed);
    let database = database(random.random());
    let host = service(database.clone());
    let owner: Owner = "everyone".parse()?;
    let key = block_on(host.keys().issue(None, Some(owner.clone())))?.key;
    let common = Draft::new().body("All:").owner(owner);
    let common = block_on(host.posts().create(common))?.id;

    let mut network = network(seed, TICK);
    network.max_message_latency(Duration::from_millis(100));
    let mut sim = network.fail_rate(0.002).build();
    let stop = Stop::default();
    add_server(&mut sim, 64, &stop, || service(database.clone()));
    let known = SharedKnown::default();
    for name in CLIENTS {
        let client = Client {
            name,
            random: StdRng::from_rng(&mut random),
            api_key: format!("X-Api-Key: {}\r\n", key.expose()),
            common: common.to_string(),
            connection: None,
            known: Rc::clone(&known),
            own: Vec::new(),
        };
        sim.client(name, async move {
            client.work().await;
            Ok(())
        });
    }
    let outcome = run(&mut sim, random, &stop, &known);
    drop(sim);
    let known = known.take();
    outcome
        .and_then(|()| block_on(check(&known, common, &host)))
        .map_err(|error| format!("{error}\n{}", known.course))?;
    Ok(known)
}

/// Runs the simulation until all clients have ended, with faults at first.
fn run(sim: &mut Sim<'_>, mut random: StdRng, stop: &Stop, known: &SharedKnown) -> turmoil::Result {
    let (mut next, mut is_down) = (Duration::ZERO, false);
    while sim.elapsed() < FAULTS {
        sim.step()?;
        if sim.elapsed() > next {
            if random.random_ratio(1, 4) {
                let tally = &mut known.borrow_mut().tally;
                is_down = fail_server(sim, is_down, &mut random, stop, tally);
            } else {
                fail_link(sim, &mut random);
            }
            next += Duration::from_millis(random.random_range(20..500));
        }
    }
    sim.set_fail_rate(0.0);
    sim.bounce(SERVER);
    for client in CLIENTS {
        sim.release(client, SERVER);
    }
    while !sim.step()? {}
    let end = sim.elapsed() + LAST_ARRIVALS;
    while sim.elapsed() < end {
        sim.step()?;
    }
    Ok(())
}

/// Stops or crashes the server's host, or boots it. Returns whether it is down.
fn fail_server(
    sim: &mut Sim<'_>,
    is_down: bool,
    random: &mut StdRng,
    stop: &Stop,
    tally: &mut Tally,
) -> bool {
    match random.random_range(0..3) {
        0 if !is_down => {
            tally.stops += 1;
            stop.begin();
        }
        1 if !is_down => {
            tally.crashes += 1;
            sim.crash(SERVER);
        }
        _ => {
            sim.bounce(SERVER);
            return false;
        }
    }
    true
}

/// Changes the link between a client and the server.
fn fail_link(sim: &Sim<'_>, random: &mut StdRng) {
    let client = CLIENTS[random.random_range(0..CLIENTS.len())];
    match random.random_range(0..8) {
        0 => sim.partition(client, SERVER),
        1 => sim.partition_oneway(client, SERVER),
        2 => sim.partition_oneway(SERVER, client),
        3 | 4 => sim.hold(client, SERVER),
        _ => sim.release(client, SERVER),
    }
}

/// Compares what the clients know with what is stored.
async fn check(known: &Known, common: PostId, host: &Handbill) -> turmoil::Result {
    for (id, expected) in &known.posts {
        let stored = host.posts().read(id.parse()?).await.ok();
        let stored = stored.map(|post| (post.body, post.summary.revision.number()));
        if stored != *expected {
            return Err(format!("{id} is {stored:?}, and not {expected:?}").into());
        }
    }
    let total = host.posts().list(PageRequest::new(1, 1)?).await?.total;
    let live = known.posts.values().flatten().count() + 1;
    if total != live as u64 {
        return Err(format!("there are {total} posts, and not {live}").into());
    }
    let common = host.posts().read(common).await?.body;
    let mut stored: Vec<_> = common.split(' ').skip(1).collect();
    let mut acknowledged: Vec<_> = known.appended.iter().collect();
    stored.sort_unstable();
    acknowledged.sort_unstable();
    if stored != acknowledged {
        return Err(format!("to the common post were appended {stored:?}").into());
    }
    Ok(())
}

#[test]
fn what_was_acknowledged_is_there_once_although_messages_are_lost_and_the_server_crashes() {
    for_each_seed(40, |seed| {
        println!("{seed}: {:?}", simulate(seed)?.tally);
        Ok(())
    });
}
