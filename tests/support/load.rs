//! A load: so many clients, each sending one request after the other for a while.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::wire::Connection;

/// Requests a second that so many clients get through, all of them answered with `expected`. Each
/// client goes through the requests in turn, beginning at another one; of several servers, it talks
/// to one.
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
        connections.push(Connection::open(*address).await.expect("it listens"));
    }
    let started = Instant::now();
    for (client, mut connection) in connections.into_iter().enumerate() {
        let (done, requests) = (Arc::clone(&done), Arc::clone(requests));
        tasks.push(tokio::spawn(async move {
            let mut next = client * 7919;
            while started.elapsed() < duration {
                let request = &requests[next % requests.len()];
                let status = connection.status_of(request).await.expect("an answer");
                assert_eq!(status, expected);
                done.fetch_add(1, Ordering::Relaxed);
                next += 1;
            }
        }));
    }
    for task in tasks {
        task.await.expect("a client that goes through");
    }
    done.load(Ordering::Relaxed) as f64 / started.elapsed().as_secs_f64()
}

/// The middle of three or more values.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// About so many bytes of Markdown such as people write, different for each seed.
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

/// Asks for an API key, and returns the header line that sends it.
pub async fn key_header(connection: &mut Connection, mount: &str) -> String {
    let issued = connection
        .send(&post_json(&format!("{mount}/api/keys"), "", ""))
        .await
        .expect("an answer")
        .json();
    format!(
        "X-Api-Key: {}\r\n",
        issued["api_key"].as_str().expect("a key")
    )
}

/// A request that publishes a note of about so many bytes, different for each seed.
pub fn publish_note(key_header: &str, mount: &str, seed: usize, bytes: usize) -> Vec<u8> {
    let post = serde_json::json!({
        "title": format!("Note {seed}"), "body": prose(seed, bytes), "tags": "notes, harbour",
    });
    post_json(&format!("{mount}/api/posts"), key_header, &post.to_string())
}

/// Publishes so many notes of so many bytes each at a service without limits of rates, and returns
/// the identifier of the last one. `mount` is the path that the service is mounted at, or empty.
pub async fn publish(address: SocketAddr, mount: &str, posts: usize, bytes: usize) -> String {
    let mut connection = Connection::open(address).await.expect("it listens");
    let key = key_header(&mut connection, mount).await;
    let mut id = String::new();
    for seed in 0..posts {
        let request = publish_note(&key, mount, seed, bytes);
        let created = connection.send(&request).await.expect("an answer").json();
        created["id"].as_str().expect("an id").clone_into(&mut id);
    }
    id
}

/// A `POST` of JSON.
pub fn post_json(path: &str, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}\
         Content-Length: {}\r\n\r\n{body}",
        body.len(),
    )
    .into_bytes()
}

/// A `GET`.
pub fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes()
}
