//! What those who watch it see.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;

use handbill_tests::load::{get, post_json};
use handbill_tests::program::Program;
use handbill_tests::wire::{Connection, TestResponse};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::place::{Place, create, new_key, send};

/// A program with an address for metrics, which its log names.
pub(crate) async fn watched(place: &Place, arguments: &[&str]) -> (Program, SocketAddr) {
    let metrics = ["--metrics-listen", "127.0.0.1:0"];
    let program = place.start(&[&metrics, arguments].concat()).await;
    (program, metrics_address(place).await)
}

/// The address of the metrics, as soon as it is in the log.
pub(crate) async fn metrics_address(place: &Place) -> SocketAddr {
    loop {
        let log = place.log();
        let address = log.split("metrics are at http://").nth(1);
        if let Some((address, _)) = address.and_then(|rest| rest.split_once("/metrics")) {
            return address.parse().unwrap();
        }
        tokio::task::yield_now().await;
    }
}

pub(crate) async fn ask(address: SocketAddr, path: &str) -> TestResponse {
    let mut connection = Connection::open(address).await.unwrap();
    connection.send(&get(path)).await.unwrap()
}

async fn metrics(address: SocketAddr) -> String {
    let response = ask(address, "/metrics").await;
    assert_eq!(response.status, 200);
    let kind = &response.headers["content-type"];
    assert_eq!(kind, "text/plain; version=0.0.4; charset=utf-8");
    String::from_utf8(response.body).unwrap()
}

/// The value of a metric with its labels.
fn value(metrics: &str, name: &str) -> f64 {
    let mut lines = metrics.lines();
    let line = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let line = line.unwrap_or_else(|| panic!("there is no {name} in {metrics}"));
    line.parse().unwrap()
}

#[tokio::test]
async fn metrics_count_requests_changes_problems_and_caches() {
    let place = Place::new();
    let (program, address) = watched(&place, &[]).await;
    let key = new_key(&program).await;
    let created = create(&program, &key).await.json();
    let path = format!("/api/posts/{}", created["id"].as_str().unwrap());
    for _ in 0..3 {
        assert_eq!(send(&program, &get(&path)).await.status, 200);
    }
    let secret = format!("/e/{}", created["edit_token"].as_str().unwrap());
    send(&program, &get(&secret)).await;
    send(&program, &get("/nowhere")).await;
    let long = ["X".repeat(2000).into_bytes(), get("/livez")[3..].to_vec()].concat();
    send(&program, &long).await;

    let metrics = metrics(address).await;
    let requests = "http_server_request_duration_seconds_count";
    let count = |labels: &str| value(&metrics, &format!("{requests}{{{labels}}}"));
    let read = r#"method="GET",route="/api/posts/{id}",status="200""#;
    assert_eq!(count(read), 3.0);
    assert_eq!(
        count(r#"method="POST",route="/api/posts",status="201""#),
        1.0
    );
    assert_eq!(count(r#"method="GET",route="-",status="404""#), 1.0);
    assert_eq!(count(r#"method="-",route="/livez",status="405""#), 1.0);
    for (name, expected) in [
        ("handbill_posts_created_total", 1.0),
        ("handbill_posts_changed_total", 0.0),
        ("handbill_keys_issued_total", 1.0),
        (r#"handbill_problems_total{code="not_found"}"#, 1.0),
        (r#"handbill_problems_total{code="gone"}"#, 0.0),
        (r#"handbill_cache_hits_total{cache="responses"}"#, 2.0),
        ("handbill_store_up", 1.0),
        ("handbill_store_writes_waiting", 0.0),
        ("handbill_indexed_posts_total", 0.0),
        ("http_server_active_requests", 0.0),
        ("handbill_connections_max", 4096.0),
        (r#"handbill_connections_closed_total{reason="limit"}"#, 0.0),
    ] {
        assert_eq!(value(&metrics, name), expected, "{name}");
    }
    for name in [
        "process_cpu_seconds_total",
        "process_resident_memory_bytes",
        "process_open_fds",
        "process_max_fds",
        "process_start_time_seconds",
        "handbill_store_batches_total",
        r#"handbill_cache_bytes{cache="responses"}"#,
    ] {
        assert!(value(&metrics, name) > 0.0, "{name}");
    }
    for secret in [&key, &secret[3..]] {
        assert!(!metrics.contains(secret));
    }
}

#[tokio::test]
async fn metrics_are_at_their_own_address_alone() {
    let place = Place::new();
    let (program, address) = watched(&place, &[]).await;
    assert_eq!(send(&program, &get("/metrics")).await.status, 404);
    assert_eq!(ask(address, "/").await.status, 404);
    assert_eq!(ask(address, "/api/posts").await.status, 404);
    assert_eq!(ask(address, "/livez").await.status, 200);
    assert_eq!(ask(address, "/readyz").await.status, 200);
}

/// Scrapers that send nothing, and one that does not read its response.
#[tokio::test]
async fn slow_scrapers_hold_up_neither_the_service_nor_another_scraper() {
    let place = Place::new();
    let (program, address) = watched(&place, &[]).await;
    let mut slow = Vec::new();
    for _ in 0..8 {
        let mut connection = TcpStream::connect(address).await.unwrap();
        let requests = get("/metrics").repeat(100);
        connection.write_all(&requests).await.unwrap();
        slow.push(connection);
        slow.push(TcpStream::connect(address).await.unwrap());
    }
    assert_eq!(send(&program, &get("/")).await.status, 200);
    drop(slow.pop());
    assert!(metrics(address).await.contains("handbill_store_up 1"));
}

#[tokio::test]
async fn an_address_for_metrics_that_is_taken_is_named() {
    let place = Place::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = place
        .run(&["--listen", "127.0.0.1:0", "--metrics-listen", &address])
        .await;
    assert!(!output.status.success());
    let error = crate::place::stderr(&output);
    let expected = format!("handbill: could not listen on {address}: ");
    assert!(error.starts_with(&expected), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

#[tokio::test]
async fn while_it_stops_load_balancers_are_told_and_clients_still_served() {
    let place = Place::new();
    let (program, address) = watched(&place, &["--stop-delay", "60"]).await;
    let (service, id) = (program.address, program.id());
    assert_eq!(ask(service, "/readyz").await.status, 200);
    let stopping = tokio::spawn(program.stop());
    while ask(service, "/readyz").await.status == 200 {}
    for address in [service, address] {
        assert_eq!(ask(address, "/readyz").await.status, 503);
        assert_eq!(ask(address, "/livez").await.status, 200);
    }
    assert_eq!(ask(service, "/").await.status, 200);
    let key = post_json("/api/keys", "", "{}");
    let mut connection = Connection::open(service).await.unwrap();
    assert_eq!(connection.send(&key).await.unwrap().status, 201);
    drop(connection);

    // A second signal ends the delay.
    handbill_tests::program::signal(id, "TERM").await;
    assert_eq!(stopping.await.unwrap().code(), Some(0));
}

/// The names of metrics in a text.
fn names_in(text: &str) -> BTreeSet<&str> {
    let is_other = |letter: char| !(letter.is_ascii_alphanumeric() || letter == '_');
    let words = text.split(is_other);
    let prefixes = ["handbill_", "http_server_", "process_"];
    words
        .filter(|word| prefixes.iter().any(|prefix| word.starts_with(prefix)))
        .collect()
}

/// Those that need a replica of PostgreSQL, or an app with a durable listener on the same database.
const OF_OTHERS: [&str; 5] = [
    "handbill_replica_up",
    "handbill_replica_lag_bytes",
    "handbill_replica_lag_seconds",
    "handbill_listener_waiting_changes",
    "handbill_listener_oldest_change_seconds",
];

/// An option with which there are all metrics of the program.
const WEBHOOK: [&str; 2] = ["--webhook", "https://receiver.example/hook"];

/// The table of the guide for operators has all metrics, and no other.
#[tokio::test]
async fn the_guide_lists_the_metrics_that_there_are() {
    let place = Place::new();
    let (program, address) = watched(&place, &WEBHOOK).await;
    send(&program, &get("/")).await;
    let metrics = metrics(address).await;
    let types = metrics
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "));
    let mut printed: BTreeSet<_> = types.filter_map(|rest| rest.split(' ').next()).collect();
    printed.extend(OF_OTHERS);
    let guide = include_str!("../../../../docs/operating.md");
    let (_, table) = guide.split_once("| metric | what it tells |").unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    assert_eq!(names_in(table), printed);
}

#[tokio::test]
async fn dashboard_and_alerts_ask_for_metrics_that_there_are() {
    let place = Place::new();
    let (program, address) = watched(&place, &WEBHOOK).await;
    send(&program, &get("/")).await;
    let metrics = metrics(address).await;
    let mut printed = names_in(&metrics);
    printed.extend(OF_OTHERS);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging");
    for file in ["prometheus/handbill.rules.yml", "grafana/handbill.json"] {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let asked = names_in(&text);
        assert!(asked.len() > 10, "{file}: {asked:?}");
        let unknown: Vec<_> = asked.difference(&printed).collect();
        assert!(unknown.is_empty(), "{file}: {unknown:?}");
    }
}
