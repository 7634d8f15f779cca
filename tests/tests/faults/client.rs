//! One client of the fleet, and its part of the ledger: what the service acknowledged for its
//! posts.

use std::sync::Arc;
use std::time::Duration;

use handbill_tests::load::{get, post_json};
use handbill_tests::wire::TestResponse;
use rand::RngExt;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::sleep;

use super::instances::{Addresses, Outcome, Way};
use super::post::{State, content, state_of};
use super::tally::Tally;

/// The approximate number of live posts of a client.
const POSTS: usize = 10;
/// How long a client waits after a 503. This is far less than `Retry-After` says, because the tests
/// measure when the service is back.
pub(crate) const PAUSE: Duration = Duration::from_millis(100);

/// The response to a creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Created {
    pub(crate) id: String,
    pub(crate) token: String,
}

/// A live post.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) created: Created,
    pub(crate) state: State,
    /// The instance that acknowledged this state.
    by: usize,
}

/// A creation that can be repeated, and its response.
#[derive(Debug)]
pub(crate) struct Keyed {
    pub(crate) state: State,
    pub(crate) created: Created,
}

#[derive(Clone, Copy, Debug)]
enum Write {
    Creation {
        state: State,
        keyed: bool,
    },
    /// Of the last post.
    Change(State),
    /// Of the last post.
    Deletion,
}

#[derive(Debug)]
pub(crate) struct Client {
    clients: u64,
    api_key: Arc<str>,
    next: State,
    pub(crate) posts: Vec<Known>,
    /// Posts deleted since the last check.
    pub(crate) gone: Vec<String>,
    /// Creations with a key since the last check.
    pub(crate) keyed: Vec<Keyed>,
    /// Creations without a key and with unknown outcome: they exist once, or not at all.
    pub(crate) unknown: Vec<State>,
}

impl Client {
    pub(crate) fn new(number: u64, clients: u64, api_key: Arc<str>) -> Self {
        Self {
            clients,
            api_key,
            next: number,
            posts: Vec::new(),
            gone: Vec::new(),
            keyed: Vec::new(),
            unknown: Vec::new(),
        }
    }

    /// Writes and reads until a stop is requested, and then completes its current request.
    pub(crate) async fn run(
        mut self,
        addresses: Addresses,
        tally: watch::Sender<Tally>,
        stop: watch::Receiver<bool>,
    ) -> Self {
        let mut way = Way::new(addresses);
        while !*stop.borrow() {
            let write = self.choose();
            self.carry_out(write, &mut way, &tally).await;
            if let Some(post) = self.posts.last() {
                self.look(post, &mut way, &tally).await;
            }
        }
        self
    }

    fn choose(&mut self) -> Write {
        let mut random = rand::rng();
        self.next += self.clients;
        let state = self.next;
        let full = self.posts.len() >= POSTS;
        let chance = random.random_range(0..10);
        if self.posts.is_empty() || (!full && chance < 6) {
            let keyed = random.random();
            return Write::Creation { state, keyed };
        }
        let at = random.random_range(0..self.posts.len());
        let last = self.posts.len() - 1;
        self.posts.swap(at, last);
        match chance {
            9 => Write::Deletion,
            _ => Write::Change(state),
        }
    }

    fn request(&self, write: Write) -> Vec<u8> {
        match write {
            Write::Creation { state, keyed } => self.creation(state, keyed),
            Write::Change(state) => {
                let Created { id, token } = &self.posts.last().unwrap().created;
                let content = content(state);
                format!(
                    "PUT /api/posts/{id} HTTP/1.1\r\nHost: localhost\r\nX-Edit-Token: {token}\r\n\
                     Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{content}",
                    content.len()
                )
                .into_bytes()
            }
            Write::Deletion => {
                let Created { id, token } = &self.posts.last().unwrap().created;
                format!(
                    "DELETE /api/posts/{id} HTTP/1.1\r\nHost: localhost\r\n\
                     X-Edit-Token: {token}\r\n\r\n"
                )
                .into_bytes()
            }
        }
    }

    pub(crate) fn creation(&self, state: State, keyed: bool) -> Vec<u8> {
        let mut headers = format!("X-Api-Key: {}\r\n", self.api_key);
        if keyed {
            headers += &format!("Idempotency-Key: state-{state}\r\n");
        }
        post_json("/api/posts", &headers, &content(state))
    }

    /// Makes a change and repeats it until it is acknowledged. It does not repeat a creation
    /// without a key, because that could create two posts.
    async fn carry_out(&mut self, write: Write, way: &mut Way, tally: &watch::Sender<Tally>) {
        let request = self.request(write);
        let mut repeated = false;
        loop {
            let Outcome {
                instance,
                response,
                took,
            } = way.send(&request).await;
            tally.send_modify(|tally| tally.slowest = tally.slowest.max(took));
            match response {
                Some(response) if response.status != 503 => {
                    match self.note(write, repeated, instance, &response) {
                        Ok(()) => tally.send_modify(|tally| tally.acknowledge(instance)),
                        Err(words) => tally.send_modify(|tally| tally.go_wrong(words)),
                    }
                    return;
                }
                response => tally.send_modify(|tally| refused(tally, instance, response)),
            }
            if let Write::Creation {
                state,
                keyed: false,
            } = write
            {
                self.unknown.push(state);
                return sleep(PAUSE).await;
            }
            repeated = true;
            sleep(PAUSE).await;
            if self.posts.len() > 1 {
                self.look(&self.posts[0], way, tally).await;
            }
        }
    }

    /// Records an acknowledged change in the ledger.
    fn note(
        &mut self,
        write: Write,
        repeated: bool,
        by: usize,
        response: &TestResponse,
    ) -> Result<(), String> {
        match (write, response.status.as_u16()) {
            (Write::Creation { state, keyed }, 201) => {
                let created = created(&response.json());
                if keyed {
                    let created = created.clone();
                    self.keyed.push(Keyed { state, created });
                }
                self.posts.push(Known { created, state, by });
            }
            (Write::Change(state), 200) => {
                let post = self.posts.last_mut().unwrap();
                (post.state, post.by) = (state, by);
                let shown = state_of(&response.json())?;
                if shown != state {
                    return Err(format!("{state} was sent, and {shown} acknowledged"));
                }
            }
            (Write::Deletion, status) if status == 204 || (repeated && status == 410) => {
                self.gone.push(self.posts.pop().unwrap().created.id);
            }
            (_, status) => {
                let body = String::from_utf8_lossy(&response.body);
                return Err(format!("{write:?} returned {status}: {body}"));
            }
        }
        Ok(())
    }

    /// Reads one of its posts that is not being changed.
    async fn look(&self, post: &Known, way: &mut Way, tally: &watch::Sender<Tally>) {
        let id = &post.created.id;
        let outcome = way.send(&get(&format!("/api/posts/{id}"))).await;
        tally.send_modify(|tally| tally.slowest = tally.slowest.max(outcome.took));
        let instance = outcome.instance;
        match outcome.response {
            Some(response) if response.status != 503 => tally.send_modify(|tally| {
                tally.read[instance] += 1;
                // The other instance may be slightly behind.
                if instance == post.by {
                    compare(tally, post, &response);
                }
            }),
            response => tally.send_modify(|tally| refused(tally, instance, response)),
        }
    }
}

pub(crate) fn created(response: &Value) -> Created {
    let text = |name: &str| response[name].as_str().unwrap_or_default().to_owned();
    Created {
        id: text("id"),
        token: text("edit_token"),
    }
}

/// Checks that a post is as it was acknowledged.
pub(crate) fn compare(tally: &mut Tally, known: &Known, response: &TestResponse) {
    let (id, state) = (&known.created.id, known.state);
    if response.status != 200 {
        return tally.lose(format!("post {id} is {}, not {state}", response.status));
    }
    match state_of(&response.json()) {
        Ok(shown) if shown == state => {}
        Ok(shown) => tally.lose(format!("post {id} is {shown}, not {state}")),
        Err(words) => tally.go_wrong(format!("post {id}: {words}")),
    }
}

fn refused(tally: &mut Tally, instance: usize, response: Option<TestResponse>) {
    let Some(response) = response else {
        tally.cut += 1;
        return;
    };
    tally.refused[instance] += 1;
    let seconds = response.headers.get("retry-after");
    let seconds = seconds.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if seconds.is_none() {
        tally.go_wrong("503 without Retry-After".to_owned());
    }
}
