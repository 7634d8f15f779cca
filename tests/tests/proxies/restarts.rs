//! Restarts under load. Each request gets its response.

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use handbill_tests::load::{get, post_json};
use handbill_tests::program::Program;
use handbill_tests::server::free_port;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::process::Command;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::client::{Client, HttpsConnection};
use crate::handbill::Service;
use crate::page::block;
use crate::proxy::{Kind, Proxy};

const CLIENTS: usize = 8;
const RESTARTS: usize = 3;
/// Responses before the first restart, and between two of them.
const BETWEEN: u64 = 200;

/// What clients got.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    requests: u64,
    refused: u64,
    slowest: Duration,
}

/// Clients that read and create until they are told to stop.
struct Load {
    clients: JoinSet<()>,
    tally: watch::Sender<Tally>,
    stop: watch::Sender<bool>,
}

impl Load {
    async fn begin(client: &Client) -> Self {
        let key = client.key_header("").await;
        let create = post_json("/api/posts", &key, r#"{"title":"A post","body":"Text."}"#);
        let created = client.send(&create).await.json();
        let read = get(&format!("/p/{}", created["id"].as_str().unwrap()));
        let requests = [(read, 200), (get("/"), 200), (create, 201)];

        let (tally, _) = watch::channel(Tally::default());
        let (stop, stopped) = watch::channel(false);
        let mut clients = JoinSet::new();
        for number in 0..CLIENTS {
            let (client, tally, stopped) = (client.clone(), tally.clone(), stopped.clone());
            let mut requests = requests.clone();
            requests.rotate_left(number % 3);
            clients.spawn(async move {
                let mut requests = requests.iter().cycle();
                let mut connection = None;
                while !*stopped.borrow() {
                    let (request, expected) = requests.next().unwrap();
                    let sent = Instant::now();
                    let status = send(&client, &mut connection, request).await;
                    let took = sent.elapsed();
                    let is_refused = !matches!(status, Ok(status) if status == *expected);
                    if is_refused {
                        connection = None;
                        let _ = writeln!(io::stderr(), "refused: {status:?}, after {took:?}");
                    }
                    tally.send_modify(|tally| {
                        tally.requests += 1;
                        tally.refused += u64::from(is_refused);
                        tally.slowest = tally.slowest.max(took);
                    });
                }
            });
        }
        Self {
            clients,
            tally,
            stop,
        }
    }

    /// Waits for so many more responses.
    async fn go_on(&self) {
        let mut tally = self.tally.subscribe();
        let until = tally.borrow().requests + BETWEEN;
        let reached = tally.wait_for(|tally| tally.requests >= until).await;
        reached.unwrap();
    }

    async fn end(mut self, what: &str) {
        self.stop.send_replace(true);
        while let Some(client) = self.clients.join_next().await {
            client.unwrap();
        }
        let tally = *self.tally.borrow();
        let (requests, refused, slowest) = (tally.requests, tally.refused, tally.slowest);
        // Not `println!`: the test harness captures it.
        let line = format!("{what}: {requests} requests, {refused} refused, slowest {slowest:.2?}");
        let said = writeln!(io::stderr(), "{line}");
        said.expect("a standard error");
        assert_eq!(refused, 0, "{line}");
    }
}

/// The status of the response, on a connection that stays open until the proxy says that it closes it.
async fn send(
    client: &Client,
    open: &mut Option<HttpsConnection>,
    request: &[u8],
) -> io::Result<u16> {
    let mut connection = match open.take() {
        Some(connection) => connection,
        None => client.connect().await?,
    };
    let response = connection.send(request).await?;
    let ends = response.headers.get("connection");
    if ends.is_none_or(|ends| !ends.as_bytes().eq_ignore_ascii_case(b"close")) {
        *open = Some(connection);
    }
    Ok(response.status.as_u16())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_behind_each_proxy_refuses_no_request() {
    for kind in Kind::installed() {
        let mut proxy = Proxy::new(kind);
        let base_url = proxy.origin();
        let arguments = ["--base-url", &base_url, "--rate-limits", "off"];
        let (mut service, address) = Service::at_a_port(proxy.folder(), &arguments).await;
        proxy.start("whole", &[("127.0.0.1:8080", &address)]).await;
        let load = Load::begin(&proxy.client()).await;
        for _ in 0..2 * RESTARTS {
            load.go_on().await;
            service.restart().await;
        }
        load.go_on().await;
        load.end(&format!("restarts behind {}", kind.name())).await;
    }
}

/// The instances have no socket that stays open: each one refuses connections while it restarts.
#[tokio::test(flavor = "multi_thread")]
async fn a_rolling_restart_of_two_instances_behind_haproxy_refuses_no_request() {
    if !Kind::Haproxy.is_installed() {
        return;
    }
    let mut proxy = Proxy::new(Kind::Haproxy);
    let ports = [free_port(), free_port()];
    let base_url = proxy.origin();
    let mut instances = Vec::new();
    for port in ports {
        instances.push(Some(instance(port, &base_url, proxy.folder()).await));
    }

    // The frontend of one instance, with the backend of two.
    let whole = block("haproxy", "whole");
    let (frontend, _) = whole.split_once("\nbackend handbill").unwrap();
    let backend = block("haproxy", "two")
        .replace("10.0.0.11:8080", &format!("127.0.0.1:{}", ports[0]))
        .replace("10.0.0.12:8080", &format!("127.0.0.1:{}", ports[1]));
    let settings = [frontend, "\n", &backend].concat();
    proxy.start_with(&settings).await;

    let load = Load::begin(&proxy.client()).await;
    for _ in 0..RESTARTS {
        for (number, name) in ["one", "two"].into_iter().enumerate() {
            load.go_on().await;
            // As the page says: only when haproxy counts the other one in again.
            for server in ["one", "two"] {
                until_up(proxy.folder(), server).await;
            }
            let stopped = instances[number].take().unwrap().stop().await;
            assert!(stopped.success(), "{name}: {stopped}");
            instances[number] = Some(instance(ports[number], &base_url, proxy.folder()).await);
        }
    }
    load.go_on().await;
    load.end("a rolling restart of two instances").await;
}

/// An instance as on a machine without systemd, which stops as the page says.
async fn instance(port: u16, base_url: &str, folder: &Path) -> Program {
    let mut command = Command::new(handbill_tests::program::path());
    command.args(["--listen", &format!("127.0.0.1:{port}")]);
    let database = format!("sqlite://{}", folder.join("posts.db").display());
    command.args(["--database", &database, "--base-url", base_url]);
    command.args(["--trusted-proxies", "127.0.0.1", "--rate-limits", "off"]);
    command.args(["--stop-delay", &stop_delay()]);
    command
        .env_remove("RUST_LOG")
        .stderr(std::process::Stdio::null());
    Program::spawn(command).await
}

/// The delay that the page gives the instances.
fn stop_delay() -> String {
    let page = include_str!("../../../docs/operating.md");
    let (_, rest) = page.split_once("\nHANDBILL_STOP_DELAY=").unwrap();
    rest.lines().next().unwrap().to_owned()
}

/// Waits until haproxy sends requests to this server.
async fn until_up(folder: &Path, server: &str) {
    let start = format!("handbill,{server},");
    loop {
        let socket = UnixStream::connect(folder.join("admin.sock"));
        let mut socket = socket.await.unwrap();
        socket.write_all(b"show stat\n").await.unwrap();
        let mut stats = String::new();
        socket.read_to_string(&mut stats).await.unwrap();
        let mut lines = stats.lines();
        let line = lines.find(|line| line.starts_with(&start)).unwrap();
        if line.split(',').any(|field| field == "UP") {
            return;
        }
        tokio::task::yield_now().await;
    }
}
