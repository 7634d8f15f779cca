//! When memory for responses is short, the clients that hold the most lose theirs, and the others don't
//! notice it.

use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use handbill::{Draft, Limits, MemoryStore};
use handbill_tests::load::{get, post_json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;
use tokio::time::sleep;
use turmoil::net::TcpStream;

use crate::network::{Stop, add_server, block_on, connect, network, open, service};

const SECOND: Duration = Duration::from_secs(1);
/// The characters of the post that all read, and its bytes.
const LENGTH: usize = 250_000;
const BYTES: usize = 4 * LENGTH;
/// Networks of slow readers, and the connections of each: all that a network may have under way. 64 readers
/// hold all that there may be.
const NETWORKS: u32 = 9;
const CONNECTIONS: usize = 16;
/// When the slow readers hold all that they can.
const BEGIN: Duration = Duration::from_secs(5);
/// How many large responses the other client reads, one a second.
const RESPONSES: usize = 5;
/// What slow readers read at once: 20 KiB a second, which is more than clients must.
const PIECE: usize = 1024;

/// What slow readers send.
#[derive(Clone)]
struct Attack {
    /// A request of a large response, maybe with others.
    begin: Vec<u8>,
    /// What follows after they have received a part of the response.
    rest: Vec<u8>,
}

impl Attack {
    async fn run(&self) -> io::Result<()> {
        let mut stream = connect().await?;
        stream.write_all(&self.begin).await?;
        let mut received = Vec::new();
        read_piece(&mut stream, PIECE, &mut received).await?;
        if !received.starts_with(b"HTTP/1.1 200 ") {
            return Ok(());
        }
        stream.write_all(&self.rest).await?;
        loop {
            read_piece(&mut stream, PIECE, &mut received).await?;
        }
    }

    /// All connections of a network attack again as often as the program refuses or closes them.
    fn repeat(&self) -> JoinSet<()> {
        let mut attacks = JoinSet::new();
        for _ in 0..CONNECTIONS {
            let attack = self.clone();
            attacks.spawn_local(async move {
                loop {
                    let _ = attack.run().await;
                    sleep(SECOND / 2).await;
                }
            });
        }
        attacks
    }
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

/// Reads so many bytes slowly.
async fn read_slowly(stream: &mut TcpStream, piece: usize, bytes: usize) -> io::Result<Vec<u8>> {
    let mut all = Vec::new();
    while all.len() < bytes {
        read_piece(stream, piece, &mut all).await?;
    }
    Ok(all)
}

/// Another client reads a large response again and again, beside slow readers. `attack` gets the path.
fn simulate(attack: impl FnOnce(&str) -> Attack) {
    let mut limits = Limits::default();
    limits.body = LENGTH;
    let handbill = service(MemoryStore::new()).with_limits(limits);
    let handbill = handbill.with_cache_bytes(0);
    let draft = Draft::new().body("\u{1F389}".repeat(LENGTH));
    let post = block_on(handbill.posts().create(draft)).unwrap();
    let source = format!("/p/{}.md", post.id.as_str());
    let (read, attack) = (get(&source), attack(&source));

    let mut network = network(0, SECOND / 100);
    let mut sim = network.max_message_latency(SECOND / 100).build();
    add_server(&mut sim, 400, &Stop::default(), || handbill.clone());
    for number in 0..NETWORKS {
        let attack = attack.clone();
        sim.host(format!("slow-{number}"), move || {
            let attack = attack.clone();
            async move {
                // The simulated network panics if too many connections wait to be accepted.
                sleep(SECOND / 4 * (number + 1)).await;
                attack.repeat().join_all().await;
                Ok(())
            }
        });
    }
    let completed = Rc::new(Cell::new(0));
    let complete = || {
        let completed = Rc::clone(&completed);
        move || completed.set(completed.get() + 1)
    };

    // Reads slowly too, and holds less.
    let (done, request) = (complete(), read.clone());
    sim.client("patient", async move {
        let mut stream = connect().await?;
        stream.write_all(&request).await?;
        let received = read_slowly(&mut stream, 4 * PIECE, BYTES).await?;
        assert!(received.starts_with(b"HTTP/1.1 200 "));
        done();
        Ok(())
    });

    // Changes a post, reads the response to that slowly, and becomes a network of slow readers, too.
    let token = format!("X-Edit-Token: {}\r\n", post.edit.token.expose());
    let path = format!("/api/posts/{}", post.id.as_str());
    let change = post_json(&path, &token, r#"{"title":"Changed"}"#);
    let change = [b"PATCH", &change["POST".len()..]].concat();
    let done = complete();
    sim.client("changes", async move {
        let mut stream = connect().await?;
        stream.write_all(&change).await?;
        let received = read_slowly(&mut stream, 4 * PIECE, 4 * PIECE).await?;
        assert!(received.starts_with(b"HTTP/1.1 200 "));
        let _readers = attack.repeat();
        read_slowly(&mut stream, 4 * PIECE, 2 * BYTES - 4 * PIECE).await?;
        done();
        Ok(())
    });

    let done = complete();
    sim.client("other", async move {
        sleep(BEGIN).await;
        for _ in 0..RESPONSES {
            assert_eq!(open().await?.status_of(&read).await?, 200);
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
    simulate(|source| Attack {
        begin: get(source),
        rest: Vec::new(),
    });
}

/// The server reads the second request before the response to the first was sent.
#[test]
fn a_request_that_waits_behind_a_response_does_not_protect_its_slow_reader() {
    simulate(|source| Attack {
        begin: format!("GET {source} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n")
            .into(),
        rest: [b"x", &*get(source)].concat(),
    });
}
