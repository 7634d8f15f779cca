//! The program under hours of mixed load: creations, changes, deletions, revoked keys, clients that
//! stall, and restarts. Its memory, its descriptors and its write-ahead log must not grow, and each request gets a
//! response in time. `tests/soak.sh` runs it and prints a row for each sixtieth of the time.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test stops where it can't go on"
)]

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use handbill_tests::load::{get, median, post_json};
use handbill_tests::program::Program;
use handbill_tests::wire::{Connection, TestResponse};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

const CLIENTS: usize = 16;
/// Clients that send the beginning of a request, and then nothing more.
const STALLING: usize = 8;
/// Live posts of a client; beyond it, it deletes one for each that it creates.
const POSTS: usize = 50;
/// A client revokes its key after so many creations, and asks for another one.
const CREATIONS_PER_KEY: u32 = 100;
/// A response that takes longer has failed.
const LONGEST_RESPONSE: Duration = Duration::from_secs(10);
const SAMPLES: u32 = 60;
const RESTART_EVERY: u32 = 10;
/// How much more the last quarter may have than the second one, or than a value that is always fine.
const GROWTH: f64 = 1.5;

/// What the program holds at a moment.
struct Sample {
    memory_mib: f64,
    descriptors: f64,
    log_mib: f64,
}

#[derive(Clone)]
struct Soak {
    address: watch::Receiver<SocketAddr>,
    until: Instant,
    requests: Arc<AtomicU64>,
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes as many seconds as HANDBILL_SOAK says"]
async fn nothing_grows_under_a_long_load() {
    let seconds = std::env::var("HANDBILL_SOAK").map_or(3_600, |text| text.parse().unwrap());
    let duration = Duration::from_secs(seconds);
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().join("posts.db");
    let mut program = start(&file).await;
    let (address, addresses) = watch::channel(program.address);
    let soak = Soak {
        address: addresses,
        until: Instant::now() + duration,
        requests: Arc::default(),
    };
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        clients.spawn(soak.clone().write_and_read());
    }
    for _ in 0..STALLING {
        clients.spawn(soak.clone().stall());
    }

    println!("| time, s | requests | memory, MiB | descriptors | log, MiB |");
    println!("|---|---|---|---|---|");
    let mut samples = Vec::new();
    for number in 1..=SAMPLES {
        sleep(duration / SAMPLES).await;
        let sample = Soak::sample(program.id(), &file);
        println!(
            "| {} | {} | {:.1} | {} | {:.1} |",
            seconds * u64::from(number) / u64::from(SAMPLES),
            soak.requests.load(Ordering::Relaxed),
            sample.memory_mib,
            sample.descriptors,
            sample.log_mib,
        );
        samples.push(sample);
        if number % RESTART_EVERY == 0 && number < SAMPLES {
            assert!(program.stop().await.success());
            program = start(&file).await;
            address.send_replace(program.address);
        }
    }
    clients.join_all().await;
    assert!(program.stop().await.success());

    let quarter = samples.len() / 4;
    let has_grown = |what: &str, fine: f64, of: fn(&Sample) -> f64| {
        let middle = |samples: &[Sample]| median(&samples.iter().map(of).collect::<Vec<_>>());
        let (before, after) = (
            middle(&samples[quarter..2 * quarter]),
            middle(&samples[3 * quarter..]),
        );
        let most = before.max(fine) * GROWTH;
        assert!(after <= most, "{what}: {before}, then {after}");
    };
    has_grown("memory", 32.0, |sample| sample.memory_mib);
    has_grown("descriptors", 32.0, |sample| sample.descriptors);
    has_grown("write-ahead log", 64.0, |sample| sample.log_mib);
}

async fn start(file: &Path) -> Program {
    let database = format!("sqlite://{}", file.display());
    Program::start(&["--rate-limits", "off", "--database", &database]).await
}

/// What a client holds of a post.
struct Known {
    id: String,
    edit_token: String,
}

impl Soak {
    fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }

    fn sample(process: u32, file: &Path) -> Sample {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let memory = status.lines().find(|line| line.starts_with("VmRSS:"));
        let memory: f64 = memory
            .unwrap()
            .split_whitespace()
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();
        let descriptors = std::fs::read_dir(format!("/proc/{process}/fd")).unwrap();
        let log = PathBuf::from(format!("{}-wal", file.display())).metadata();
        Sample {
            memory_mib: memory / 1024.0,
            descriptors: descriptors.count() as f64,
            log_mib: log.map_or(0, |log| log.len()) as f64 / f64::from(1 << 20),
        }
    }

    /// Creates, reads, changes, lists and deletes.
    async fn write_and_read(self) {
        let mut connection = None;
        let (mut key, mut creations) = (String::new(), 0);
        let mut posts: Vec<Known> = Vec::new();
        while !self.is_over() {
            if creations % CREATIONS_PER_KEY == 0 {
                let revoked = format!(
                    "DELETE /api/keys/current HTTP/1.1\r\nHost: a\r\nX-Api-Key: {key}\r\n\r\n"
                );
                self.send(&mut connection, revoked.as_bytes()).await;
                let issued = post_json("/api/keys", "", "{}");
                let Some(issued) = self.send(&mut connection, &issued).await else {
                    continue;
                };
                key = issued.json()["api_key"].as_str().unwrap().to_owned();
                creations = 1;
            }
            let chance = rand::random_range(0..10);
            let known = posts.get(rand::random_range(0..=POSTS));
            match (chance, known.or(posts.last())) {
                (0..2, _) | (_, None) => {
                    let body = format!(
                        "{{\"body\":\"# Post\\n\\n{}\",\"tags\":\"a,b\"}}",
                        "text ".repeat(100)
                    );
                    let create = post_json("/api/posts", &format!("X-Api-Key: {key}\r\n"), &body);
                    let created = self.send(&mut connection, &create).await;
                    creations += 1;
                    if let Some(created) = created.filter(|created| created.status == 201) {
                        let text = |name: &str| created.json()[name].as_str().unwrap().to_owned();
                        posts.push(Known {
                            id: text("id"),
                            edit_token: text("edit_token"),
                        });
                    }
                    if posts.len() > POSTS {
                        let Known { id, edit_token } = posts.swap_remove(0);
                        let delete = format!(
                            "DELETE /api/posts/{id} HTTP/1.1\r\nHost: a\r\nX-Edit-Token: {edit_token}\r\n\r\n"
                        );
                        self.send(&mut connection, delete.as_bytes()).await;
                    }
                }
                (2, Some(post)) => {
                    let path = format!("/api/posts/{}", post.id);
                    let headers = format!("X-Edit-Token: {}\r\n", post.edit_token);
                    let change = post_json(
                        &path,
                        &headers,
                        &format!("{{\"title\":\"{}\"}}", rand::random::<u32>()),
                    );
                    let change = [b"PATCH", change.strip_prefix(b"POST").unwrap()].concat();
                    self.send(&mut connection, &change).await;
                }
                (3, _) => {
                    self.send(&mut connection, &get("/api/posts?tag=a")).await;
                }
                (4, Some(post)) => {
                    self.send(&mut connection, &get(&format!("/p/{}", post.id)))
                        .await;
                }
                (_, Some(post)) => {
                    self.send(&mut connection, &get(&format!("/api/posts/{}", post.id)))
                        .await;
                }
            }
        }
    }

    /// `None` while the program restarts.
    async fn send(
        &self,
        connection: &mut Option<Connection>,
        request: &[u8],
    ) -> Option<TestResponse> {
        let mut open = match connection.take() {
            Some(open) => open,
            None => {
                let address = *self.address.borrow();
                match Connection::open(address).await {
                    Ok(open) => open,
                    Err(_) => {
                        sleep(Duration::from_millis(20)).await;
                        return None;
                    }
                }
            }
        };
        let response = timeout(LONGEST_RESPONSE, open.send(request)).await;
        let response = response.expect("a response in time").ok()?;
        assert!(!response.status.is_server_error(), "{response:?}");
        self.requests.fetch_add(1, Ordering::Relaxed);
        *connection = Some(open);
        Some(response)
    }

    /// Sends the beginning of a request again and again, and waits until the program gives up.
    async fn stall(self) {
        while !self.is_over() {
            let address = *self.address.borrow();
            let Ok(mut stream) = TcpStream::connect(address).await else {
                sleep(Duration::from_millis(20)).await;
                continue;
            };
            let _ = stream
                .write_all(b"POST /api/posts HTTP/1.1\r\nHost: a\r\nX-")
                .await;
            while !self.is_over() && stream.readable().await.is_ok() {
                if !matches!(stream.try_read(&mut [0; 512]), Ok(1..)) {
                    break;
                }
            }
        }
    }
}
