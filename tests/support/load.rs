//! A load: several clients, each of which sends one request after the other.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::wire::Connection;

/// The requests per second that these clients complete. Every response must have the status
/// `expected`. Each client sends the requests in turn and starts with a different one. If there are
/// several servers, each client uses one of them.
pub async fn throughput(
    servers: &[SocketAddr],
    clients: usize,
    duration: Duration,
    requests: &Arc<Vec<Vec<u8>>>,
    expected: u16,
) -> f64 {
    let done = Arc::new(AtomicU64::new(0));
    let mut tasks = Vec::new();
    let mut connections = Vec::new();
    for address in servers.iter().cycle().take(clients) {
        connections.push(
            Connection::open(*address)
                .await
                .expect("the program listens"),
        );
    }
    let started = Instant::now();
    for (client, mut connection) in connections.into_iter().enumerate() {
        let (done, requests) = (Arc::clone(&done), Arc::clone(requests));
        tasks.push(tokio::spawn(async move {
            let mut next = client * 7919;
            while started.elapsed() < duration {
                let request = &requests[next % requests.len()];
                let status = connection.status_of(request).await.expect("a response");
                assert_eq!(status, expected);
                done.fetch_add(1, Ordering::Relaxed);
                next += 1;
            }
        }));
    }
    for task in tasks {
        task.await.expect("a client that completes");
    }
    done.load(Ordering::Relaxed) as f64 / started.elapsed().as_secs_f64()
}

/// The median of at least three values.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// Ordinary Markdown of about this many bytes, different for each seed.
pub fn prose(seed: usize, bytes: usize) -> String {
    const WORDS: [&str; 16] = [
        "harbour",
        "*lantern*",
        "window",
        "`ferry`",
        "paper",
        "**north**",
        "salt",
        "garden",
        "[map](https://example.org/map)",
        "river",
        "stone",
        "letter",
        "evening",
        "bridge",
        "clock",
        "willow",
    ];
    let mut text = format!("# Note {seed}\n\n");
    let mut state = seed as u64;
    while text.len() < bytes {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        text.push_str(WORDS[(state >> 60) as usize]);
        text.push_str(if (state >> 40).is_multiple_of(13) {
            ".\n\n"
        } else {
            " "
        });
    }
    text
}

/// Requests an API key and returns the header line that sends it.
pub async fn key_header(connection: &mut Connection, mount: &str) -> String {
    let issued = connection
        .send(&post_json(&format!("{mount}/api/keys"), "", ""))
        .await
        .expect("a response")
        .json();
    format!(
        "X-Api-Key: {}\r\n",
        issued["api_key"].as_str().expect("a key")
    )
}

/// A request that publishes a note of about this many bytes, different for each seed.
pub fn publish_note(key_header: &str, mount: &str, seed: usize, bytes: usize) -> Vec<u8> {
    let post = serde_json::json!({
        "title": format!("Note {seed}"), "body": prose(seed, bytes), "tags": "notes, harbour",
    });
    post_json(&format!("{mount}/api/posts"), key_header, &post.to_string())
}

/// Publishes this many notes of this size, at a service without rate limits, and returns the id of
/// the last one. `mount` is the path of the mount, or empty.
pub async fn publish(address: SocketAddr, mount: &str, posts: usize, bytes: usize) -> String {
    let mut connection = Connection::open(address)
        .await
        .expect("the program listens");
    let key = key_header(&mut connection, mount).await;
    let mut id = String::new();
    for seed in 0..posts {
        let request = publish_note(&key, mount, seed, bytes);
        let created = connection.send(&request).await.expect("a response").json();
        created["id"].as_str().expect("an id").clone_into(&mut id);
    }
    id
}

/// A `POST` request with JSON.
pub fn post_json(path: &str, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}\
         Content-Length: {}\r\n\r\n{body}",
        body.len(),
    )
    .into_bytes()
}

/// A `GET` request.
pub fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes()
}
