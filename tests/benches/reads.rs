//! `GET /api/posts/{id}`, a list of 20 posts and a post's page, as a share of a bare hyper server that
//! answers the same bytes: each server on one core, the client on another. And how long a post's page
//! takes to its first byte, as a share of the same post's JSON.
//!
//! `cargo bench -p handbill-tests --bench reads`

#![expect(clippy::unwrap_used, reason = "a benchmark stops where it can't go on")]

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use handbill_tests::load::{get, median, publish, throughput};
use handbill_tests::program::{self, Program};
use handbill_tests::wire::Connection;
use handbill_tests::{pinned, recorded};
use http::Response;
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

const ROUNDS: usize = 3;
const DURATION: Duration = Duration::from_secs(4);
const CLIENTS: usize = 32;
/// Reads whose time to the first byte is taken.
const READS: usize = 20_000;
const POSTS: usize = 40;
const BODY_BYTES: usize = 1000;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    if let Some(answer) = pinned::to_serve() {
        return serve_bare(recorded::read(Path::new(&answer))).await;
    }
    program::path();
    pinned::client_on_its_own_core();

    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let database = format!("sqlite://{}", folder.path().join("reads.db").display());
    let arguments = ["--rate-limits", "off", "--database", &database];
    let log = std::fs::File::create(folder.path().join("log")).unwrap();
    let program = Program::start_under(&["taskset", "-c", "0"], &arguments, Stdio::from(log)).await;
    let id = publish(program.address, "", POSTS, BODY_BYTES).await;
    let cases = [
        ("one post", format!("/api/posts/{id}")),
        ("20 posts", "/api/posts?per_page=20".to_owned()),
        ("post page", format!("/p/{id}")),
    ];
    for (name, path) in cases {
        let request = get(&path);
        let mut connection = Connection::open(program.address).await.unwrap();
        let answer = connection.send(&request).await.unwrap();
        let file = folder.path().join("answer.json");
        recorded::write(&answer, &file);
        let (mut bare, bare_address) = pinned::start(file.to_str().unwrap()).await;
        let requests = Arc::new(vec![request]);
        let rate = async |address| {
            let requests = Arc::clone(&requests);
            throughput(address, CLIENTS, DURATION, requests, 200).await
        };
        let mut shares = Vec::new();
        for round in 1..=ROUNDS {
            let reference = rate(bare_address).await;
            let ours = rate(program.address).await;
            shares.push(ours / reference);
            println!(
                "{name}, round {round}: bare hyper {reference:.0}, handbill {ours:.0} a second \
                 ({:.2}), {} bytes",
                ours / reference,
                answer.body.len(),
            );
        }
        bare.kill().await.unwrap();
        println!("{name}: {:.2} of bare hyper", median(&shares));
    }
    print_first_bytes(program.address, &id).await;
}

/// The time to the first byte of a post's page and of its JSON, read in turn.
async fn print_first_bytes(address: SocketAddr, id: &str) {
    let mut connection = Connection::open(address).await.unwrap();
    let requests = [format!("/p/{id}"), format!("/api/posts/{id}")].map(|path| get(&path));
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..READS {
        for (request, times) in requests.iter().zip(&mut times) {
            let waited = connection.first_byte_of(request).await.unwrap();
            times.push(waited.as_secs_f64() * 1e6);
        }
    }
    let [page, json] = times.map(|times| median(&times));
    println!(
        "time to the first byte, one client: page {page:.1} µs, JSON {json:.1} µs ({:.2})",
        page / json
    );
}

async fn serve_bare(answer: Response<Bytes>) {
    let answer = Arc::new(answer);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    pinned::listening(listener.local_addr().unwrap());
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        let answer = Arc::clone(&answer);
        tokio::spawn(async move {
            let service = service_fn(|_| {
                let response = answer.as_ref().clone().map(Full::new);
                async { Ok::<_, Infallible>(response) }
            });
            // A client that is gone ends its connection in an error.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}
