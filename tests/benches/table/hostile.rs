//! What another client notices of 100 hostile clients.
//!
//! The program has its default limits. Each hostile client has an address of its own, so that what one
//! client may take limits none of the others.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use handbill::{Draft, Handbill, MemoryStore, Owner};
use handbill_sql::SqliteStore;
use handbill_tests::load::{get, key_header, post_json, prose};
use handbill_tests::wire::{Connection, TestResponse};
use rand::RngExt;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::sleep;
use url::form_urlencoded;

use crate::attack::{Attack, Behaviour, CLIENTS};
use crate::databases::{Databases, sqlite_file};
use crate::figure::with_thousands;
use crate::load::{Requests, always, any_of, get_any};
use crate::plan::Plan;
use crate::post;
use crate::report::Report;
use crate::resources::megabytes;
use crate::rounds::median_micros;
use crate::servers::Profile;

/// Descriptors for the connections of the hostile clients, and for everything else.
const DESCRIPTORS: u64 = 8192;
/// Connections of each client that only holds them: all together more than the 4,096 that the program
/// accepts, so that a new one takes the place of another.
const IDLE: usize = 42;
/// The same where each connection also holds memory.
const HEAVY: usize = 10;
/// Hostile clients that together may hold more than all large responses may take.
const FEW: usize = 9;

/// Posts of each heavy kind.
const HEAVY_POSTS: usize = 50;
/// Short posts of one owner, each with a tag of its own.
const SHORT_POSTS: usize = 20_000;
/// Of these, so many are created at a time.
const WRITERS: usize = 500;
/// The characters of a long post. A post may have 100,000.
const LONG: usize = 95_000;

/// The beginning of a request whose head does not end.
const HEAD: &[u8] = b"GET / HTTP/1.1\r\nX-Slow: ";

/// A key may create 30 posts at once, so the other client uses several.
const KEYS: usize = 40;
/// The pause of the other client after it has created and read a post.
const PAUSE: Duration = Duration::from_millis(10);

/// What the clients of each kind work with.
struct Prepared {
    database: String,
    /// Long posts and posts of wide tables.
    heavy_ids: Vec<String>,
    /// The edit tokens of these, one for each hostile client.
    tokens: Vec<String>,
    /// The headers with the keys of the other client.
    keys: Vec<String>,
    /// The same of the hostile clients.
    hostile_keys: Vec<String>,
    /// The same with keys that the program did not issue.
    wrong_keys: Vec<String>,
    /// The same with keys of the owner of the short posts.
    owner_keys: Vec<String>,
}

/// How long the other client waited.
#[derive(Default)]
struct Waits {
    creations: Vec<Duration>,
    reads: Vec<Duration>,
}

pub(crate) async fn measure(plan: &Plan, databases: &Databases, report: &mut Report) {
    report.table_of(
        "Hostile clients",
        &format!(
            "A client creates a post and reads it, each over a connection of its own, alone and beside \
             {CLIENTS} hostile clients of one kind. Here the program has its default rate limits, and \
             SQLite. Each hostile client has another address and does not wait when it is refused. \
             Those with conflicts or slow bodies, and slow readers, have {HEAVY} connections each; those that are \
             idle or send slow heads, {IDLE}: together more than the program accepts. Slow means \
             one byte a second, or 1 KiB for readers. A preview, a conflict, a wide table and a heavy page \
             have 95,000 characters of Markdown. There are 20,000 short posts of one owner, each with a tag of its own, and \
             a form of many fields is 1 MiB of `&`. *Memory* is the peak, `VmHWM`. Beside the {FEW} slow readers \
             of lists with bodies, which have {HEAVY} connections each, the client reads such a list, too, \
             and never the same again."
        ),
        &[
            "hostile clients",
            "what they get",
            "creation, median",
            "worst",
            "read, median",
            "worst",
            "memory",
        ],
    );
    rlimit::increase_nofile_limit(DESCRIPTORS).unwrap();
    let prepared = prepare(databases).await;
    let (mut alone, mut peak_alone) = (Waits::default(), 0.0_f64);
    let mut rows = Vec::new();
    for (kind, attack) in attacks(&prepared) {
        let database = databases.copy_of_sqlite("attacked", &prepared.database);
        let program = Profile::Release.handbill_with_rate_limits(&database).await;
        let mut other = OtherClient {
            server: program.address,
            keys: &prepared.keys,
            created: 0,
            reads_lists: false,
        };
        other.waits(plan.warm_up).await;
        let before = other.waits(plan.hostile_window).await;
        alone.creations.extend(before.creations);
        alone.reads.extend(before.reads);
        peak_alone = peak_alone.max(megabytes(&program, "VmHWM:"));

        other.reads_lists = attack.is_on_large_responses;
        let attack = attack.start(program.address).await;
        sleep(plan.warm_up).await;
        attack.take_outcome();
        let waits = other.waits(plan.hostile_window).await;
        let outcome = attack.take_outcome();
        let peak = megabytes(&program, "VmHWM:");
        drop(attack);
        assert!(program.stop().await.success());
        databases.remove_sqlite(&database);
        rows.push(row(kind, &outcome, &waits, peak));
    }
    report.row(&row("none", "", &alone, peak_alone));
    for row in rows {
        report.row(&row);
    }
}

fn row(kind: &str, outcome: &str, waits: &Waits, peak: f64) -> String {
    let millis = |micros: f64| format!("{} ms", with_thousands(micros / 1e3));
    let [creations, reads] = [&waits.creations, &waits.reads].map(|waits| {
        let worst = waits.iter().max().unwrap().as_secs_f64() * 1e6;
        format!("{} | {}", millis(median_micros(waits)), millis(worst))
    });
    format!("{kind} | {outcome} | {creations} | {reads} | {peak:.1} MB")
}

/// Writes the posts and the keys.
async fn prepare(databases: &Databases) -> Prepared {
    let database = databases.sqlite("prepared");
    let program = Profile::Release.handbill(&database).await;
    let mut connection = Connection::open(program.address).await.unwrap();
    let key = key_header(&mut connection, "").await;
    let (mut heavy_ids, mut tokens) = (Vec::new(), Vec::new());
    let tables = std::iter::repeat_n(wide_table(), HEAVY_POSTS);
    for body in tables.chain((0..HEAVY_POSTS).map(|seed| prose(seed, LONG))) {
        let created = connection.send(&create(&key, &body)).await.unwrap();
        assert_eq!(created.status, 201);
        let created = created.json();
        heavy_ids.push(created["id"].as_str().unwrap().to_owned());
        tokens.push(created["edit_token"].as_str().unwrap().to_owned());
    }
    let (mut keys, mut hostile_keys) = (Vec::new(), Vec::new());
    for _ in 0..KEYS {
        keys.push(key_header(&mut connection, "").await);
    }
    for _ in 0..CLIENTS {
        hostile_keys.push(key_header(&mut connection, "").await);
    }
    assert!(program.stop().await.success());
    let owner_keys = add_short_posts(&database).await;

    let elsewhere = Handbill::new("https://example.org", MemoryStore::new()).unwrap();
    let mut wrong_keys = Vec::new();
    for _ in 0..CLIENTS {
        let issued = elsewhere.keys().issue(None, None).await.unwrap();
        wrong_keys.push(format!("X-Api-Key: {}\r\n", issued.key.expose()));
    }
    Prepared {
        database,
        heavy_ids,
        tokens,
        keys,
        hostile_keys,
        wrong_keys,
        owner_keys,
    }
}

/// Creates the short posts, and a key of their owner for each hostile client.
async fn add_short_posts(database: &str) -> Vec<String> {
    let store = SqliteStore::open(sqlite_file(database)).await.unwrap();
    let handbill = Handbill::new("https://example.org", store.clone()).unwrap();
    let owner: Owner = "crowd".parse().unwrap();
    let numbers: Vec<_> = (0..SHORT_POSTS).collect();
    for numbers in numbers.chunks(WRITERS) {
        let creations = numbers.iter().map(|number| {
            let draft = Draft::new()
                .body("Short.")
                .tags(["all".to_owned(), format!("t{number}")])
                .owner(owner.clone());
            let handbill = handbill.clone();
            async move { handbill.posts().create(draft).await.map(drop) }
        });
        let creations: JoinSet<_> = creations.collect();
        for created in creations.join_all().await {
            created.unwrap();
        }
    }
    let mut keys = Vec::new();
    for _ in 0..CLIENTS {
        let issued = handbill.keys().issue(None, Some(owner.clone())).await;
        keys.push(format!("X-Api-Key: {}\r\n", issued.unwrap().key.expose()));
    }
    store.close().await;
    keys
}

/// All kinds of hostile clients.
fn attacks(prepared: &Prepared) -> Vec<(&'static str, Attack)> {
    let pages = prepared.heavy_ids.iter().map(|id| get(&format!("/p/{id}")));
    let pages = any_of(pages.collect());
    let lists = get_any(|random| {
        let per_page: u32 = random.random_range(1..=50);
        let page: u32 = random.random_range(1..=3);
        format!("/api/posts?include=body&per_page={per_page}&page={page}")
    });
    let table = wide_table();
    let tables = prepared.hostile_keys.iter().map(|key| create(key, &table));
    let unfinished = prepared.hostile_keys.iter().map(|key| unfinished(key));
    let own_lists = prepared.owner_keys.iter().map(|key| {
        let lists = (0..HEAVY_POSTS).map(|number| own_list(key, number));
        any_of(lists.collect())
    });
    let conflicts = prepared.tokens.iter().map(|token| conflict(token));
    let wrong = prepared.wrong_keys.iter().map(|key| create(key, "Text."));
    let busy = |requests| attack(Behaviour::Busy, 1, requests);
    vec![
        ("previews", busy(all(preview()))),
        (
            "conflicts",
            attack(Behaviour::Busy, HEAVY, conflicts.map(always).collect()),
        ),
        ("wide tables", busy(tables.map(always).collect())),
        ("lists with bodies", busy(vec![lists.clone(); CLIENTS])),
        ("heavy pages", busy(vec![pages.clone(); CLIENTS])),
        (
            "slow heads",
            attack(Behaviour::SendsSlowly, IDLE, all(HEAD.to_vec())),
        ),
        (
            "slow bodies",
            attack(
                Behaviour::SendsSlowly,
                HEAVY,
                unfinished.map(always).collect(),
            ),
        ),
        (
            "slow readers",
            attack(Behaviour::ReadsSlowly, HEAVY, vec![pages; CLIENTS]),
        ),
        (
            "slow readers of lists with bodies, in nine networks",
            Attack {
                is_on_large_responses: true,
                ..attack(Behaviour::ReadsSlowly, HEAVY, vec![lists; FEW])
            },
        ),
        ("tags", busy(all(get("/tags")))),
        ("lists of an owner's tags", busy(own_lists.collect())),
        ("forms of many fields", busy(all(many_fields()))),
        ("sitemaps", busy(all(get("/sitemap.xml")))),
        ("wrong keys", busy(wrong.map(always).collect())),
        ("key requests", busy(all(post_json("/api/keys", "", "")))),
        (
            "idle connections",
            attack(Behaviour::Idle, IDLE, all(Vec::new())),
        ),
    ]
}

fn attack(behaviour: Behaviour, connections: usize, requests: Vec<Requests>) -> Attack {
    Attack {
        behaviour,
        connections,
        requests,
        is_on_large_responses: false,
    }
}

/// The same request for all clients.
fn all(request: Vec<u8>) -> Vec<Requests> {
    vec![always(request); CLIENTS]
}

fn create(key: &str, body: &str) -> Vec<u8> {
    post_json("/api/posts", key, &json!({ "body": body }).to_string())
}

/// A creation with 1 MiB, of which the last 1,024 bytes are missing.
fn unfinished(key: &str) -> Vec<u8> {
    let mut request = post_json("/api/posts", key, &" ".repeat(1024 * 1024));
    request.truncate(request.len() - 1024);
    request
}

fn preview() -> Vec<u8> {
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.append_pair("action", "preview");
    let form = form.append_pair("body", &prose(0, LONG)).finish();
    submit("/write", &form)
}

/// A form that was opened before the post became what it is.
fn conflict(token: &str) -> Vec<u8> {
    let form = format!(
        "revision=7&lines=0123456789ab&body={}",
        "y+".repeat(LONG / 2)
    );
    submit(&format!("/e/{token}"), &form)
}

fn submit(path: &str, form: &str) -> Vec<u8> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n",
        form.len()
    );
    (head + form).into_bytes()
}

fn own_list(key: &str, number: usize) -> Vec<u8> {
    let path = format!("/api/keys/current/posts?tag=t{number}");
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{key}\r\n").into_bytes()
}

/// A form of 1 MiB that has as many fields.
fn many_fields() -> Vec<u8> {
    submit("/write", &"&".repeat(1024 * 1024))
}

/// A table whose rows are short: filled up, its HTML is almost as long as it may be.
fn wide_table() -> String {
    let head = format!("{}|\n{}|\n", "|a".repeat(100), "|-".repeat(100));
    let row = format!("{}|\n", "|x".repeat(65));
    let rows = (LONG - head.len()) / row.len();
    head + &row.repeat(rows)
}

/// The client that the hostile ones disturb.
struct OtherClient<'a> {
    server: SocketAddr,
    keys: &'a [String],
    created: usize,
    /// Whether it reads a list with bodies instead of the post. Each post changes the list.
    reads_lists: bool,
}

impl OtherClient<'_> {
    async fn waits(&mut self, duration: Duration) -> Waits {
        let (started, mut waits) = (Instant::now(), Waits::default());
        while waits.reads.is_empty() || started.elapsed() < duration {
            let key = &self.keys[self.created % self.keys.len()];
            let request = post::create("", key, self.created as u64);
            self.created += 1;
            let (created, waited) = self.send(&request).await;
            assert_eq!(created.status, 201);
            waits.creations.push(waited);

            let request = match self.reads_lists {
                true => get("/api/posts?include=body&per_page=50"),
                false => {
                    let created = created.json();
                    get(&format!("/api/posts/{}", created["id"].as_str().unwrap()))
                }
            };
            let (read, waited) = self.send(&request).await;
            assert_eq!(read.status, 200);
            waits.reads.push(waited);
            sleep(PAUSE).await;
        }
        waits
    }

    /// The response, and the time that it took to connect and to get it.
    async fn send(&self, request: &[u8]) -> (TestResponse, Duration) {
        let begun = Instant::now();
        let mut connection = Connection::open(self.server).await.unwrap();
        let response = connection.send(request).await.unwrap();
        (response, begun.elapsed())
    }
}
