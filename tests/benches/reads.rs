//! `GET /api/posts/{id}` and a list of 20 posts, as a share of a bare hyper server that answers the
//! same bytes: each server on one core, the client on another.
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
use handbill_tests::load::{get, key_header, median, publish_note, throughput};
use handbill_tests::program::{self, Program};
use handbill_tests::wire::{Answer, Connection};
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

const ROUNDS: usize = 3;
const DURATION: Duration = Duration::from_secs(4);
const CLIENTS: usize = 32;
const POSTS: usize = 40;
const BODY_BYTES: usize = 1000;
/// Names the file of the answer, where this program runs as the bare server.
const BARE: &str = "HANDBILL_BENCH_BARE";

#[tokio::main(flavor = "current_thread")]
async fn main() {
    if let Some(answer) = std::env::var_os(BARE) {
        return serve_bare(Path::new(&answer)).await;
    }
    program::path();
    let cores = core_affinity::get_core_ids().unwrap();
    assert!(
        cores.len() > 1,
        "the server and the client need a core each"
    );
    assert!(core_affinity::set_for_current(cores[1]));

    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let database = format!("sqlite://{}", folder.path().join("reads.db").display());
    let arguments = ["--rate-limits", "off", "--database", &database];
    let log = std::fs::File::create(folder.path().join("log")).unwrap();
    let program = Program::start_under(&["taskset", "-c", "0"], &arguments, Stdio::from(log)).await;
    let id = publish(program.address).await;
    let cases = [
        ("one post", format!("/api/posts/{id}")),
        ("20 posts", "/api/posts?per_page=20".to_owned()),
    ];
    for (name, path) in cases {
        let request = get(&path);
        let answer = Connection::open(program.address)
            .await
            .unwrap()
            .send(&request)
            .await
            .unwrap();
        let file = folder.path().join("answer.json");
        std::fs::write(&file, record(&answer)).unwrap();
        let (mut bare, bare_address) = start_bare(&file).await;
        let requests = Arc::new(vec![request]);
        let mut shares = Vec::new();
        for round in 1..=ROUNDS {
            let reference =
                throughput(bare_address, CLIENTS, DURATION, Arc::clone(&requests), 200).await;
            let ours = throughput(
                program.address,
                CLIENTS,
                DURATION,
                Arc::clone(&requests),
                200,
            )
            .await;
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
}

/// Publishes some posts and returns the identifier of one.
async fn publish(address: SocketAddr) -> String {
    let mut connection = Connection::open(address).await.unwrap();
    let key = key_header(&mut connection).await;
    let mut id = String::new();
    for seed in 0..POSTS {
        let created = connection
            .send(&publish_note(&key, seed, BODY_BYTES))
            .await
            .unwrap();
        id = created.json()["id"].as_str().unwrap().to_owned();
    }
    id
}

/// An answer as the bare server reads it: the headers that are not hyper's own, and the body.
fn record(answer: &Answer) -> String {
    let headers = answer
        .headers
        .iter()
        .filter(|(name, _)| *name != http::header::DATE);
    let headers: Vec<_> = headers
        .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
        .collect();
    let body = str::from_utf8(&answer.body).unwrap();
    serde_json::json!({ "headers": headers, "body": body }).to_string()
}

async fn start_bare(answer: &Path) -> (tokio::process::Child, SocketAddr) {
    use tokio::io::{AsyncBufReadExt, BufReader};

    let mut child = tokio::process::Command::new("taskset")
        .args(["-c", "0"])
        .arg(std::env::current_exe().unwrap())
        .env(BARE, answer)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .await
        .unwrap();
    (child, line.trim().parse().unwrap())
}

async fn serve_bare(answer: &Path) {
    let answer: serde_json::Value =
        serde_json::from_slice(&std::fs::read(answer).unwrap()).unwrap();
    let mut template = http::Response::builder();
    for header in answer["headers"].as_array().unwrap() {
        template = template.header(header[0].as_str().unwrap(), header[1].as_str().unwrap());
    }
    let body = Bytes::from(answer["body"].as_str().unwrap().to_owned());
    let template = Arc::new(template.body(body).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap());
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        let template = Arc::clone(&template);
        tokio::spawn(async move {
            let answer = service_fn(|_| {
                let response = template.as_ref().clone().map(Full::new);
                async { Ok::<_, Infallible>(response) }
            });
            // A client that is gone ends its connection in an error.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), answer)
                .await;
        });
    }
}
