//! When memory for responses is short, the clients that hold the most lose theirs, and the others don't
//! notice it.

use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use handbill::Draft;
use handbill_tests::load::post_json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use turmoil::net::TcpStream;

use super::network::{Stop, add_server, block_on, connect, network, open};
use super::stalled::{RESPONSE, service_with_posts};

const SECOND: Duration = Duration::from_secs(1);
/// Networks of slow readers, and the connections of each: all that a network may have under way.
const NETWORKS: u32 = 9;
const CONNECTIONS: usize = 8;
/// When the slow readers hold all that they can.
const BEGIN: Duration = Duration::from_secs(10);
/// How many large responses the other client reads, one a second.
const RESPONSES: usize = 20;

/// What slow readers read at once: 20 KiB a second, which is more than clients must.
const PIECE: usize = 1024;
/// A large response.
const READ: &[u8] = b"GET /api/posts?include=body HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Sends a request, and reads slowly until the connection ends or is idle. Returns what was received.
async fn read_slowly(request: &[u8], piece: usize) -> turmoil::Result<Vec<u8>> {
    let mut stream = connect().await?;
    stream.write_all(request).await?;
    let mut received = Vec::new();
    while let Ok(Ok(())) = timeout(30 * SECOND, read_piece(&mut stream, piece, &mut received)).await
    {
    }
    Ok(received)
}

async fn read_piece(stream: &mut TcpStream, piece: usize, all: &mut Vec<u8>) -> io::Result<()> {
    let mut part = vec![0; piece];
    let length = stream.read(&mut part).await?;
    if length == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    all.extend(&part[..length]);
    sleep(SECOND / 20).await;
    Ok(())
}

/// Slow readers that send this as often as the program closes their connections, all from one network.
fn read_slowly_again_and_again(request: &[u8]) -> JoinSet<()> {
    let mut readers = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let request = request.to_owned();
        readers.spawn_local(async move {
            loop {
                let _ = read_slowly(&request, PIECE).await;
            }
        });
    }
    readers
}

/// Another client reads large responses, one after the other, beside slow readers that send this.
fn simulate(request: &[u8]) {
    let (handbill, _) = service_with_posts();
    // Each reader of a list with bodies holds another 1.8 MB, and 36 hold all that there may be.
    let handbill = handbill.with_cache_bytes(0);
    let draft = Draft::new().body("word ".repeat(19_999));
    let post = block_on(handbill.posts().create(draft)).unwrap();

    let mut network = network(0, SECOND / 100);
    let mut sim = network.max_message_latency(SECOND / 100).build();
    add_server(&mut sim, 400, &Stop::default(), || handbill.clone());
    for number in 0..NETWORKS {
        sim.host(format!("slow-{number}"), move || {
            let request = request.to_owned();
            async move {
                // The simulated network panics if too many connections wait to be accepted.
                sleep(SECOND / 2 * number).await;
                read_slowly_again_and_again(&request).join_all().await;
                Ok(())
            }
        });
    }
    let completed = Rc::new(Cell::new(0));
    let complete = || {
        let completed = Rc::clone(&completed);
        move || completed.set(completed.get() + 1)
    };

    let done = complete();
    sim.client("patient", async move {
        let received = read_slowly(READ, 4 * PIECE).await?;
        assert!(received.len() > RESPONSE, "{} bytes", received.len());
        done();
        Ok(())
    });

    let token = format!("X-Edit-Token: {}\r\n", post.edit.token.expose());
    let path = format!("/api/posts/{}", post.id.as_str());
    let change = post_json(&path, &token, r#"{"title":"Changed"}"#);
    let change = [b"PATCH", &change["POST".len()..]].concat();
    let done = complete();
    sim.client("slow-and-changes", async move {
        let _readers = read_slowly_again_and_again(READ);
        sleep(BEGIN / 2).await;
        let mut stream = connect().await?;
        stream.write_all(&change).await?;
        let mut received = Vec::new();
        while received.len() < 2 * 5 * 19_999 {
            read_piece(&mut stream, PIECE, &mut received).await?;
        }
        assert!(received.starts_with(b"HTTP/1.1 200 "));
        done();
        Ok(())
    });

    let done = complete();
    sim.client("other", async move {
        sleep(BEGIN).await;
        for _ in 0..RESPONSES {
            assert_eq!(open().await?.status_of(READ).await?, 200);
            sleep(SECOND).await;
        }
        done();
        Ok(())
    });
    sim.run().unwrap();
    assert_eq!(completed.get(), 3);
}

#[test]
fn slow_readers_in_nine_networks_do_not_take_the_memory_of_others() {
    simulate(READ);
}

#[test]
fn requests_in_a_pipeline_do_not_protect_a_slow_reader() {
    simulate(&READ.repeat(3));
}
