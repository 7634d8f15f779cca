//! Traces reach a collector, with what happened and without a secret.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

use handbill_tests::load::{get, post_json};
use handbill_tests::program::Program;
use handbill_tests::wire::{Connection, TestResponse};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;
use tokio::sync::mpsc;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// Accepts exports, and returns the head and the body of each.
async fn collect(listener: TcpListener, exports: mpsc::UnboundedSender<(String, Vec<u8>)>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(receive(stream, exports.clone()));
    }
}

async fn receive(
    mut stream: TcpStream,
    exports: mpsc::UnboundedSender<(String, Vec<u8>)>,
) -> std::io::Result<()> {
    let mut received = Vec::new();
    loop {
        let end = received.windows(4).position(|end| end == b"\r\n\r\n");
        let Some(end) = end else {
            if stream.read_buf(&mut received).await? == 0 {
                return Ok(());
            }
            continue;
        };
        let head = String::from_utf8_lossy(&received[..end]).to_lowercase();
        let length = head.split("content-length: ").nth(1).unwrap_or("0");
        let length: usize = length.lines().next().unwrap_or("0").parse().unwrap();
        while received.len() < end + 4 + length {
            stream.read_buf(&mut received).await?;
        }
        let body = received[end + 4..end + 4 + length].to_vec();
        received.drain(..end + 4 + length);
        let _ = exports.send((head, body));
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            .await?;
    }
}

async fn send(program: &Program, request: &[u8]) -> TestResponse {
    let mut connection = Connection::open(program.address).await.unwrap();
    connection.send(request).await.unwrap()
}

fn has(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[tokio::test]
async fn a_trace_goes_from_the_proxy_to_the_store_and_has_no_secret() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let (tell, mut exports) = mpsc::unbounded_channel();
    tokio::spawn(collect(listener, tell));

    let mut command = Command::new(env!("CARGO_BIN_EXE_handbill"));
    command
        .args(["--listen", "127.0.0.1:0", "--database", "memory:"])
        .args(["--trusted-proxies", "127.0.0.1"])
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint);
    let program = Program::spawn(command).await;
    let key = send(&program, &post_json("/api/keys", "", "{}"))
        .await
        .json();
    let key = key["api_key"].as_str().unwrap().to_owned();
    let headers = format!("X-Api-Key: {key}\r\ntraceparent: 00-{TRACE}-00f067aa0ba902b7-01\r\n");
    let created = send(
        &program,
        &post_json("/api/posts", &headers, r#"{"body":"x"}"#),
    )
    .await;
    assert_eq!(created.status, 201);
    let token = created.json()["edit_token"].as_str().unwrap().to_owned();
    send(&program, &get(&format!("/e/{token}"))).await;
    send(&program, &get(&format!("/api/posts?token={token}"))).await;
    assert!(program.stop().await.success());

    let mut spans = Vec::new();
    while let Ok((head, body)) = exports.try_recv() {
        assert!(head.starts_with("post /v1/traces http/1.1"), "{head}");
        spans.extend(body);
    }
    let trace: Vec<_> = (0..32)
        .step_by(2)
        .map(|at| u8::from_str_radix(&TRACE[at..at + 2], 16).unwrap())
        .collect();
    assert!(has(&spans, &trace), "the span of the proxy is the parent");
    for part in [
        "service.name",
        "handbill",
        "POST /api/posts",
        "http.route",
        "/e/{edit_token}",
        "store",
        "insert_post",
    ] {
        assert!(has(&spans, part.as_bytes()), "{part}");
    }
    for secret in [&token, &key[3..]] {
        assert!(!has(&spans, secret.as_bytes()));
    }
}

#[tokio::test]
async fn a_collector_that_is_away_stops_nothing() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", taken.local_addr().unwrap());
    drop(taken);
    let mut command = Command::new(env!("CARGO_BIN_EXE_handbill"));
    command
        .args(["--listen", "127.0.0.1:0", "--database", "memory:"])
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint);
    let program = Program::spawn(command).await;
    for _ in 0..100 {
        assert_eq!(send(&program, &get("/")).await.status, 200);
    }
    assert!(program.stop().await.success());
}
