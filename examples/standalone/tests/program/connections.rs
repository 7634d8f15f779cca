//! How many connections there may be, and what they may take.

use std::fs::File;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use handbill_tests::load::{get, post_json, publish};
use handbill_tests::program::Program;
use handbill_tests::wire::Connection;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::process::Command;
use tokio::task::JoinSet;

use crate::place::{Place, command, connect, new_key, send};

const MEBIBYTE: usize = 1024 * 1024;

/// A connection from 127.0.0.`network`.
async fn stream_from(network: u8, program: &Program) -> TcpStream {
    let own = IpAddr::from(Ipv4Addr::new(127, 0, 0, network));
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new(own, 0)).unwrap();
    socket.connect(program.address).await.unwrap()
}

async fn connect_from(network: u8, program: &Program) -> Connection {
    Connection::over(stream_from(network, program).await)
}

/// Whether a new connection from this network gets a response.
async fn is_served(network: u8, program: &Program) -> bool {
    let mut connection = connect_from(network, program).await;
    connection.status_of(&get("/healthz")).await.is_ok()
}

/// One connection from each network. They are known to be open: each got a response.
async fn open(networks: impl IntoIterator<Item = u8>, program: &Program) -> Vec<Connection> {
    let mut open = Vec::new();
    for network in networks {
        let mut connection = connect_from(network, program).await;
        let status = connection.status_of(&get("/healthz")).await;
        assert_eq!(status.unwrap(), 200);
        open.push(connection);
    }
    open
}

#[tokio::test]
async fn a_network_has_a_quarter_of_all_connections_and_others_are_served_at_once() {
    let place = Place::new();
    let program = place.start(&["--max-connections", "8"]).await;
    let mut idle = open([1, 1], &program).await;
    for _ in 0..20 {
        assert!(!is_served(1, &program).await);
    }
    open([2, 3, 4, 5], &program).await;
    drop(idle.pop());
    // The program learns of that a moment later.
    while !is_served(1, &program).await {
        tokio::task::yield_now().await;
    }
    assert!(program.stop().await.success());
    let log = place.log();
    let warnings = log.matches("all connections that it may have").count();
    assert_eq!(warnings, 1, "{log}");
}

#[tokio::test]
async fn at_the_limit_the_connection_that_waited_for_its_client_the_longest_is_closed() {
    let place = Place::new();
    let mut command = place.command(&["--listen", "127.0.0.1:0", "--database", "memory:"]);
    command.env("HANDBILL_MAX_CONNECTIONS", "3");
    let program = Program::spawn(command).await;
    let mut connections = open([1, 2, 3], &program).await;
    let request = get("/healthz");
    assert_eq!(connections[0].status_of(&request).await.unwrap(), 200);
    assert!(is_served(4, &program).await);
    let closed = connections[1].status_of(&request).await;
    assert!(closed.is_err(), "{closed:?}");
    for still_open in [0, 2] {
        let status = connections[still_open].status_of(&request).await;
        assert_eq!(status.unwrap(), 200);
    }
    assert!(program.stop().await.success());
    let log = place.log();
    let warnings = log.matches("the limit on connections is reached").count();
    assert_eq!(warnings, 1, "{log}");
}

#[tokio::test]
async fn a_trusted_proxy_may_have_all_connections() {
    let place = Place::new();
    let arguments = ["--max-connections", "8", "--trusted-proxies", "127.0.0.1"];
    let program = place.start(&arguments).await;
    open([1; 8], &program).await;
}

/// Starts the program with limits that the shell's `ulimit` sets.
async fn start_with_limits(place: &Place, ulimit: &str) -> Program {
    let program = command(place.0.path());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{ulimit} && exec \"$@\""), "sh"]);
    shell.arg(program.as_std().get_program());
    shell.args(["--listen", "127.0.0.1:0", "--database", &place.database()]);
    shell
        .env_clear()
        .stderr(File::create(place.0.path().join("log")).unwrap());
    Program::spawn(shell).await
}

#[tokio::test]
async fn the_soft_limit_on_open_files_is_raised() {
    let place = Place::new();
    let program = start_with_limits(&place, "ulimit -Sn 64").await;
    open([1; 100], &program).await;
}

#[tokio::test]
async fn connections_leave_descriptors_for_everything_else() {
    let place = Place::new();
    let program = start_with_limits(&place, "ulimit -n 128").await;
    // Each network has all that it may.
    let _idle = open([[1; 16], [2; 16], [3; 16]].concat(), &program).await;
    assert!(!is_served(3, &program).await);
    assert!(is_served(4, &program).await);
    // Then the log is complete.
    assert!(program.stop().await.success());
    let log = place.log();
    let says = "leaves room for 64 connections, not 4096";
    assert!(
        log.contains(says) && !log.contains("could not accept"),
        "{log}"
    );
}

#[tokio::test]
async fn a_head_may_have_32_kib_and_a_body_1_mib() {
    let (_place, program) = Place::started().await;
    let long = "x".repeat(33 * 1024);
    let header = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: {long}\r\n\r\n");
    for head in [header.into_bytes(), get(&format!("/{long}"))] {
        assert_eq!(send(&program, &head).await.status, 431);
    }
    let fits = "x".repeat(30 * 1024);
    let path = format!("/api/posts?unknown={fits}");
    assert_eq!(send(&program, &get(&path)).await.status, 200);

    let key = key(&program).await;
    let body = format!(r#"{{"body":"{}"}}"#, "x".repeat(100_000));
    let body = body.clone() + &" ".repeat(MEBIBYTE - body.len());
    let request = post_json("/api/posts", &key, &body);
    assert_eq!(send(&program, &request).await.status, 201);
}

/// A new key, as a header.
async fn key(program: &Program) -> String {
    let issued = new_key(program).await;
    format!("X-Api-Key: {}\r\n", issued)
}

#[tokio::test]
async fn request_bodies_of_one_client_take_a_bounded_part_of_memory() {
    let place = Place::new();
    let program = place.start(&["--rate-limits", "off"]).await;
    let key = key(&program).await;
    let head = format!(
        "POST /api/posts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{key}\
         Content-Length: {MEBIBYTE}\r\n\r\n"
    );
    let unfinished = [head.as_bytes(), &vec![b' '; MEBIBYTE - 1]].concat();
    let mut responses = JoinSet::new();
    // One client may have 16 MiB under way.
    for _ in 0..20 {
        let mut stream = stream_from(1, &program).await;
        stream.write_all(&unfinished).await.unwrap();
        responses.spawn(async move { Connection::over(stream).send(b"").await });
    }
    let refused = responses.join_next().await.unwrap().unwrap().unwrap();
    assert_eq!(refused.status, 429);
    assert!(refused.headers.contains_key("x-request-id"), "{refused:?}");
    assert_eq!(refused.headers["retry-after"], "1");
    assert_eq!(refused.json()["code"], "too_many_requests");

    let large = format!(r#"{{"body":"{}"}}"#, "x".repeat(90_000));
    for (network, body) in [(2, large.as_str()), (1, r#"{"body":"Small."}"#)] {
        let mut connection = connect_from(network, &program).await;
        let created = connection
            .status_of(&post_json("/api/posts", &key, body))
            .await;
        assert_eq!(created.unwrap(), 201);
    }
}

/// The beginning of a creation, without its last byte.
fn unfinished(key: &str, length: usize) -> Vec<u8> {
    let body = format!(r#"{{"body":"{}"}}"#, "x".repeat(90_000));
    let body = body.clone() + &" ".repeat(length - body.len());
    let mut request = post_json("/api/posts", key, &body);
    request.pop();
    request
}

#[tokio::test]
async fn unfinished_bodies_of_17_networks_do_not_take_the_memory_of_others() {
    let place = Place::new();
    let program = place.start(&["--rate-limits", "off"]).await;
    let key = key(&program).await;
    // Its client has been sending for the longest, and holds little.
    let mut patient = stream_from(100, &program).await;
    let request = unfinished(&key, 100_000);
    patient.write_all(&request).await.unwrap();

    // Almost all that a network may have, and together more than all may.
    let request = unfinished(&key, MEBIBYTE);
    let mut turned_away = JoinSet::new();
    for network in 1..=17 {
        for _ in 0..16 {
            let (mut stream, request) = (stream_from(network, &program).await, request.clone());
            turned_away.spawn(async move {
                let _ = stream.write_all(&request).await;
                let _ = stream.read(&mut [0]).await;
            });
        }
    }
    turned_away.join_next().await.unwrap().unwrap();

    let mut further = Vec::new();
    for network in 20..80 {
        let mut stream = stream_from(network, &program).await;
        let _ = stream.write_all(&unfinished(&key, 150_000)).await;
        further.push(stream);
        let mut other = connect_from(101, &program).await;
        let body = format!(r#"{{"body":"{}"}}"#, "x".repeat(40_000));
        let status = other.status_of(&post_json("/api/posts", &key, &body)).await;
        assert_eq!(status.unwrap(), 201);
    }
    let created = Connection::over(patient).status_of(b" ").await;
    assert_eq!(created.unwrap(), 201);
}

#[tokio::test]
async fn responses_to_one_client_take_a_bounded_part_of_memory() {
    let place = Place::new();
    let program = place.start(&["--rate-limits", "off"]).await;
    publish(program.address, "", 20, 90_000).await;
    let request = get("/api/posts?include=body");
    let length = send(&program, &request).await.body.len();
    assert!(length > MEBIBYTE, "{length} bytes");
    // One client may have 16 MiB under way, besides what the sockets hold.
    let mut unread = Vec::new();
    let mut refused = connect_from(1, &program).await;
    while refused.status_of(&request).await.unwrap() != 429 {
        let mut stream = stream_from(1, &program).await;
        stream.write_all(&request).await.unwrap();
        unread.push(stream);
    }
    let mut other = connect_from(2, &program).await;
    assert_eq!(other.status_of(&request).await.unwrap(), 200);
    let mut small = connect(&program).await;
    assert_eq!(small.status_of(&get("/healthz")).await.unwrap(), 200);
    drop(unread);
    while refused.status_of(&request).await.unwrap() != 200 {
        tokio::task::yield_now().await;
    }
}
