//! How it ends.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use futures_util::future::try_join_all;
use handbill::{Draft, Handbill, Store, Timestamp};
use handbill_sql::SqliteStore;
use handbill_tests::load::{get, post_json};
use handbill_tests::program::Program;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::Command;

use crate::place::{Place, command, new_key, send};

/// Sends the first part of a creation, and waits until the program reads its body; returns the rest.
async fn begin_creation(program: &Program) -> (TcpStream, Vec<u8>) {
    let key = new_key(program).await;
    let headers = format!("X-Api-Key: {}\r\nExpect: 100-continue\r\n", key);
    let request = post_json("/api/posts", &headers, r#"{"body":"Half, and the rest."}"#);
    let (half, rest) = request.split_at(request.len() - 10);
    let mut stream = TcpStream::connect(program.address).await.unwrap();
    stream.write_all(half).await.unwrap();
    let mut asked = [0; 25];
    stream.read_exact(&mut asked).await.unwrap();
    assert_eq!(&asked, b"HTTP/1.1 100 Continue\r\n\r\n");
    (stream, rest.to_vec())
}

/// Waits until the program accepts no more connections.
async fn is_stopping(address: SocketAddr) {
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_signal_lets_the_request_under_way_finish() {
    let (place, program) = Place::started().await;
    let address = program.address;
    let (mut stream, rest) = begin_creation(&program).await;

    let stopping = tokio::spawn(program.stop());
    is_stopping(address).await;
    assert!(!stopping.is_finished());
    stream.write_all(&rest).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    assert_eq!(stopping.await.unwrap().code(), Some(0));
    let created: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();

    let program = place.start(&[]).await;
    let list = send(&program, &get("/api/posts")).await.json();
    assert_eq!(list["posts"][0]["id"], created["id"]);
}

#[tokio::test]
async fn a_second_signal_ends_the_request_under_way() {
    let (place, program) = Place::started().await;
    let (address, id) = (program.address, program.id().to_string());
    let (_stream, _rest) = begin_creation(&program).await;

    let stopping = tokio::spawn(program.stop());
    is_stopping(address).await;
    let killed = Command::new("kill").arg(id).status().await;
    assert!(killed.unwrap().success());
    assert_eq!(stopping.await.unwrap().code(), Some(0));
    assert!(place.log().contains("a second signal"), "{}", place.log());
}

#[tokio::test]
async fn ctrl_c_stops_it_too() {
    let place = Place::new();
    let mut child = command(place.0.path())
        .args(["--listen", "127.0.0.1:0", "--database", "memory:"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut line = [0; 28];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut line).await.unwrap();
    assert_eq!(&line, b"handbill listening on http:/");
    let id = child.id().unwrap().to_string();
    let killed = Command::new("kill").args(["-INT", &id]).status().await;
    assert!(killed.unwrap().success());
    assert_eq!(child.wait().await.unwrap().code(), Some(0));
}

#[tokio::test]
async fn instances_that_are_killed_when_posts_are_due_publish_each_one_once() {
    const POSTS: u32 = 1_000;
    let place = Place::new();
    let store = SqliteStore::open(place.file("posts.db")).await.unwrap();
    let handbill = Handbill::new("http://localhost", store.clone()).unwrap();
    let handbill = handbill.with_tasks(false);
    let posts = handbill.posts();
    let later = |seconds| Timestamp::from(SystemTime::now() + Duration::from_secs(seconds));
    let draft = || Draft::new().body("x").publish_at(later(3_600));
    let created = (0..POSTS).map(|_| posts.create(draft()));
    try_join_all(created).await.unwrap();
    // What an instance does to a post is a change in here.
    let outbox = store.outbox().unwrap();
    outbox.add_listener("audit").await.unwrap();
    let database = rusqlite::Connection::open(place.file("posts.db")).unwrap();
    let soon = later(1).as_micros();
    let due = "UPDATE handbill_posts SET publish_at = ?1, due_at = ?1";
    assert_eq!(database.execute(due, [soon]).unwrap(), POSTS as usize);
    let mut instances = Vec::new();
    for _ in 0..3 {
        instances.push(place.start(&[]).await);
    }
    let waiting = async || store.list_due(POSTS).await.unwrap().len();
    for (left, instance) in [999, 700, 400].into_iter().zip(instances) {
        while waiting().await > left {}
        instance.kill().await;
    }
    let last = place.start(&[]).await;
    while waiting().await > 0 {}
    last.stop().await;
    let once = "SELECT COUNT(*) FROM handbill_posts WHERE visibility = 'public' AND revision = 2";
    let once: u32 = database.query_row(once, [], |row| row.get(0)).unwrap();
    let changes = outbox.listeners().await.unwrap()[0].waiting;
    assert_eq!((once, changes), (POSTS, POSTS.into()));
}
