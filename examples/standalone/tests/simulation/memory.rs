//! The memory of requests and responses under way is free in time, also if the network never says that
//! their clients are gone.

use std::time::Duration;

use handbill::{Handbill, MemoryStore};
use handbill_tests::load::{get, post_json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{sleep, timeout};
use turmoil::net::TcpStream;

use crate::network::{SERVER, Stop, add_server, block_on, connect, network, open, service};
use crate::stalled::service_with_posts;

const SECOND: Duration = Duration::from_secs(1);
/// What a client may take for a body, and for a response of which it reads nothing.
const LIMIT: Duration = Duration::from_secs(30);
const MEBIBYTE: usize = 1024 * 1024;

/// A client begins as many requests as its part of memory allows, and vanishes. When the server has noticed
/// that, the client gets `status` for a whole request.
fn simulate(handbill: &Handbill, begin: Vec<u8>, whole: Vec<u8>, status: u16) {
    let mut sim = network(0, SECOND / 20)
        .max_message_latency(SECOND / 100)
        .build();
    add_server(&mut sim, 400, &Stop::default(), || handbill.clone());
    sim.client("client", async move {
        let mut under_way = Vec::new();
        loop {
            let mut stream = connect().await?;
            stream.write_all(&begin).await?;
            match status_line(&mut stream).await {
                Some(line) if line.ends_with(b"429") => break,
                _ => under_way.push(stream),
            }
        }
        // A part is 16 MiB.
        assert!((8..=16).contains(&under_way.len()), "{}", under_way.len());

        turmoil::partition("client", SERVER);
        drop(under_way);
        sleep(LIMIT + SECOND).await;
        turmoil::repair("client", SERVER);
        assert_eq!(open().await?.status_of(&whole).await?, status);
        Ok(())
    });
    sim.run().unwrap();
}

/// The beginning of a response, if there is one soon.
async fn status_line(stream: &mut TcpStream) -> Option<[u8; 12]> {
    let mut line = [0; 12];
    let read = timeout(SECOND, stream.read_exact(&mut line)).await;
    read.ok()?.ok()?;
    Some(line)
}

#[test]
fn what_lost_clients_have_sent_is_free_in_time() {
    let handbill = service(MemoryStore::new());
    let key = block_on(handbill.keys().issue(None, None)).unwrap().key;
    let body = r#"{"body":"Long."}"#.to_owned() + &" ".repeat(MEBIBYTE - 100);
    let headers = format!("X-Api-Key: {}\r\n", key.expose());
    let whole = post_json("/api/posts", &headers, &body);
    let begin = whole[..whole.len() - 1].to_vec();
    simulate(&handbill, begin, whole, 201);
}

#[test]
fn what_lost_clients_have_not_read_is_free_in_time() {
    let (handbill, _) = service_with_posts();
    let request = get("/api/posts?include=body");
    simulate(&handbill, request.clone(), request, 200);
}
