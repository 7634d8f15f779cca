//! What was acknowledged survives the end of the program, however sudden.
//!
//! The program is killed while clients create, change and delete posts, and started again on the
//! same database; then each post must be as it was acknowledged, or as the one change that was
//! under way would have made it. `HANDBILL_KILLS` says how often.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use handbill_tests::load::{get, post_json, prose};
use handbill_tests::program::Program;
use handbill_tests::wire::{Answer, Connection};
use rand::RngExt;
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection as _, SqliteConnection};
use tokio::sync::Notify;

const DEFAULT_KILLS: u64 = 5;
const CLIENTS: u64 = 16;
/// Live posts that a client keeps, about.
const POSTS: usize = 10;
const TAGS: u64 = 7;

/// What a post says: title, body and tags follow from one number, so that a half-done change shows.
type State = u64;

fn title(state: State) -> String {
    format!("State {state}")
}

fn body(state: State) -> String {
    // From one page of the database to several.
    prose(state as usize, 100 + (state as usize * 977) % 6_000)
}

fn tag(state: State) -> String {
    format!("tag {}", state % TAGS)
}

fn content(state: State) -> String {
    json!({ "title": title(state), "body": body(state), "tags": [tag(state)] }).to_string()
}

/// The state of a post as the program shows it, whole.
fn state_of(post: &Value) -> State {
    let title = post["title"].as_str().unwrap();
    let state = title.strip_prefix("State ").unwrap().parse().unwrap();
    assert_eq!(post["body"], body(state), "the body beside {title:?}");
    assert_eq!(post["tags"], json!([tag(state)]), "the tags of {title:?}");
    state
}

struct Known {
    id: String,
    token: String,
    state: State,
}

/// A write whose answer has not come.
enum UnderWay {
    Creation(State),
    /// Of the last post.
    Change(State),
    /// Of the last post.
    Deletion,
}

struct Client {
    number: u64,
    key: String,
    next: State,
    posts: Vec<Known>,
    gone: Vec<String>,
    under_way: Option<UnderWay>,
}

/// Counts answers, and tells when there were enough.
struct Count {
    left: AtomicU64,
    enough: Notify,
}

impl Count {
    fn one(&self) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.enough.notify_one();
        }
    }
}

impl Client {
    /// Writes until the program is gone.
    async fn run(mut self, address: SocketAddr, count: Arc<Count>) -> Self {
        let Ok(mut connection) = Connection::open(address).await else {
            return self;
        };
        loop {
            let write = self.choose();
            let request = self.request(&write);
            self.under_way = Some(write);
            let Ok(answer) = connection.send(&request).await else {
                return self;
            };
            self.acknowledged(&answer);
            count.one();
        }
    }

    fn choose(&mut self) -> UnderWay {
        let mut random = rand::rng();
        self.next += CLIENTS;
        let full = self.posts.len() >= POSTS;
        let chance = random.random_range(0..10);
        if self.posts.is_empty() || (!full && chance < 6) {
            return UnderWay::Creation(self.next);
        }
        let (at, last) = (
            random.random_range(0..self.posts.len()),
            self.posts.len() - 1,
        );
        self.posts.swap(at, last);
        match chance {
            9 => UnderWay::Deletion,
            _ => UnderWay::Change(self.next),
        }
    }

    fn request(&self, write: &UnderWay) -> Vec<u8> {
        match write {
            UnderWay::Creation(state) => {
                let headers = format!(
                    "X-Api-Key: {}\r\nIdempotency-Key: state-{state}\r\n",
                    self.key
                );
                post_json("/api/posts", &headers, &content(*state))
            }
            UnderWay::Change(state) => {
                let post = self.posts.last().unwrap();
                let (id, token, content) = (&post.id, &post.token, content(*state));
                format!(
                    "PUT /api/posts/{id} HTTP/1.1\r\nHost: localhost\r\nX-Edit-Token: {token}\r\n\
                     Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{content}",
                    content.len()
                )
                .into_bytes()
            }
            UnderWay::Deletion => {
                let Known { id, token, .. } = self.posts.last().unwrap();
                format!(
                    "DELETE /api/posts/{id} HTTP/1.1\r\nHost: localhost\r\n\
                     X-Edit-Token: {token}\r\n\r\n"
                )
                .into_bytes()
            }
        }
    }

    fn acknowledged(&mut self, answer: &Answer) {
        let status = answer.status.as_u16();
        match self.under_way.take().unwrap() {
            UnderWay::Creation(state) => {
                assert_eq!(status, 201);
                let created = answer.json();
                self.posts.push(Known {
                    id: created["id"].as_str().unwrap().to_owned(),
                    token: created["edit_token"].as_str().unwrap().to_owned(),
                    state,
                });
            }
            UnderWay::Change(state) => {
                assert_eq!(status, 200);
                let shown = state_of(&answer.json());
                assert_eq!(shown, state);
                self.posts.last_mut().unwrap().state = state;
            }
            UnderWay::Deletion => {
                assert_eq!(status, 204);
                self.gone.push(self.posts.pop().unwrap().id);
            }
        }
    }

    /// Finds out what became of the write that was under way.
    async fn settle(&mut self, connection: &mut Connection) {
        let Some(write) = self.under_way.take() else {
            return;
        };
        if matches!(write, UnderWay::Creation(_)) {
            // Made now, or made before and answered now: there is one post in either case.
            let request = self.request(&write);
            self.under_way = Some(write);
            let answer = connection.send(&request).await.unwrap();
            return self.acknowledged(&answer);
        }
        let post = self.posts.last_mut().unwrap();
        let answer = read(connection, &post.id).await;
        match (write, answer.status.as_u16()) {
            (UnderWay::Deletion, 410) => self.gone.push(self.posts.pop().unwrap().id),
            (UnderWay::Change(state), 200) => {
                let shown = state_of(&answer.json());
                assert!(
                    shown == state || shown == post.state,
                    "state {shown} after {}, with {state} under way",
                    post.state
                );
                post.state = shown;
            }
            (_, status) => assert_eq!((status, state_of(&answer.json())), (200, post.state)),
        }
    }

    /// That each of its posts is as it was acknowledged.
    async fn check(&mut self, connection: &mut Connection) {
        for post in &self.posts {
            let answer = read(connection, &post.id).await;
            assert_eq!(answer.status, 200, "post {}", post.id);
            assert_eq!(state_of(&answer.json()), post.state, "post {}", post.id);
        }
        for id in self.gone.drain(..) {
            assert_eq!(read(connection, &id).await.status, 410, "post {id}");
        }
    }
}

async fn read(connection: &mut Connection, id: &str) -> Answer {
    let request = get(&format!("/api/posts/{id}"));
    connection.send(&request).await.unwrap()
}

/// That the lists hold what is there, each post once.
async fn check_lists(connection: &mut Connection, clients: &[Client]) {
    let posts = clients.iter().flat_map(|client| &client.posts);
    let mut known: Vec<_> = posts.map(|post| (post.id.clone(), post.state)).collect();
    known.sort_unstable();
    let mut listed = Vec::new();
    for number in 1.. {
        let page = get(&format!(
            "/api/posts?page={number}&per_page=50&include=body"
        ));
        let page = connection.send(&page).await.unwrap().json();
        assert_eq!(page["total"], known.len());
        let posts = page["posts"].as_array().unwrap();
        if posts.is_empty() {
            break;
        }
        listed.extend(posts.iter().map(|post| {
            let id = post["id"].as_str().unwrap().to_owned();
            (id, state_of(post))
        }));
    }
    listed.sort_unstable();
    assert_eq!(listed, known);
    for number in 0..TAGS {
        let tagged = known.iter().filter(|(_, state)| state % TAGS == number);
        let page = get(&format!("/api/posts?tag=tag+{number}&per_page=50"));
        let page = connection.send(&page).await.unwrap().json();
        let tagged = tagged.count();
        assert_eq!(page["total"], tagged, "the total of tag {number}");
        assert_eq!(page["posts"].as_array().unwrap().len(), tagged.min(50));
    }
}

async fn start(database: &str) -> Program {
    let arguments = ["--rate-limits", "off", "--database", database];
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_handbill"));
    command.args(["--listen", "127.0.0.1:0"]).args(arguments);
    command.stderr(std::process::Stdio::null());
    Program::spawn(command).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_survives_kills() {
    let kills = std::env::var("HANDBILL_KILLS").map_or(DEFAULT_KILLS, |kills| {
        kills.parse().expect("HANDBILL_KILLS is a number")
    });
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("posts.db");
    let database = format!("sqlite://{}", path.display());

    let mut program = start(&database).await;
    let mut connection = Connection::open(program.address).await.unwrap();
    let key = connection
        .send(&post_json("/api/keys", "", "{}"))
        .await
        .unwrap();
    let key = key.json()["api_key"].as_str().unwrap().to_owned();
    let mut clients: Vec<_> = (0..CLIENTS)
        .map(|number| Client {
            number,
            key: key.clone(),
            next: number,
            posts: Vec::new(),
            gone: Vec::new(),
            under_way: None,
        })
        .collect();

    let mut writes = 0;
    for kill in 1..=kills {
        let some = rand::rng().random_range(50..400);
        writes += some;
        let count = Arc::new(Count {
            left: AtomicU64::new(some),
            enough: Notify::new(),
        });
        let running: Vec<_> = clients
            .drain(..)
            .map(|client| tokio::spawn(client.run(program.address, Arc::clone(&count))))
            .collect();
        count.enough.notified().await;
        program.kill().await;
        for client in running {
            clients.push(client.await.unwrap());
        }

        program = start(&database).await;
        connection = Connection::open(program.address).await.unwrap();
        clients.sort_by_key(|client| client.number);
        for client in &mut clients {
            client.settle(&mut connection).await;
            client.check(&mut connection).await;
        }
        check_lists(&mut connection, &clients).await;
        if kill % 100 == 0 || kill == kills {
            println!("{kill} kills, {writes} acknowledged writes: nothing is lost");
        }
    }
    assert!(program.stop().await.success());
    assert_eq!(integrity(&path).await, "ok");
}

async fn integrity(path: &Path) -> String {
    let options = SqliteConnectOptions::new().filename(path);
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::query_scalar("PRAGMA integrity_check")
        .fetch_one(&mut connection)
        .await
        .unwrap()
}
