//! The sockets that it listens on: IPv6, Unix sockets, and those that systemd passes on.

use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::Stdio;

use handbill_tests::load::{get, post_json};
use handbill_tests::program::{Program, signal};
use handbill_tests::wire::{Connection, TestResponse};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::process::{Child, Command};

use crate::place::{Place, create, new_key, send, stderr};

/// Starts the program, and returns its first line.
async fn start(mut command: Command) -> (Child, String) {
    let mut child = command
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).await.unwrap();
    (child, line)
}

async fn ask(socket: &Path, request: &[u8]) -> TestResponse {
    let stream = UnixStream::connect(socket).await.unwrap();
    Connection::over(stream).send(request).await.unwrap()
}

#[tokio::test]
async fn it_listens_on_ipv6() {
    let place = Place::new();
    let program =
        Program::spawn(place.command(&["--listen", "[::1]:0", "--database", "memory:"])).await;
    assert!(program.address.is_ipv6());
    assert_eq!(send(&program, &get("/livez")).await.status, 200);
}

#[tokio::test]
async fn it_listens_on_a_unix_socket_and_leaves_none_behind() {
    let place = Place::new();
    let socket = place.file("handbill.sock");
    let listen = format!("unix:{}", socket.display());
    let arguments = ["--listen", &listen, "--database", "memory:"];
    for kills in [true, false] {
        let (mut child, line) = start(place.command(&arguments)).await;
        assert_eq!(line, format!("handbill listening on {listen}\n"));
        assert_eq!(ask(&socket, &get("/livez")).await.status, 200);

        let output = place.run(&["--listen", &listen]).await;
        assert!(
            stderr(&output).contains("could not listen on unix:"),
            "{output:?}"
        );

        if kills {
            child.kill().await.unwrap();
            assert!(socket.exists(), "the next start removes it");
        } else {
            signal(child.id().unwrap(), "TERM").await;
            assert!(child.wait().await.unwrap().success());
            assert!(!socket.exists());
        }
    }
    std::fs::write(&socket, "not a socket").unwrap();
    let output = place.run(&["--listen", &listen]).await;
    assert!(
        stderr(&output).contains("could not listen on unix:"),
        "{output:?}"
    );
    assert_eq!(std::fs::read(&socket).unwrap(), b"not a socket");
}

#[tokio::test]
async fn a_stopping_instance_leaves_the_socket_of_its_successor() {
    let place = Place::new();
    let socket = place.file("handbill.sock");
    let listen = format!("unix:{}", socket.display());
    let arguments = ["--listen", &listen, "--database", "memory:"];
    let (mut first, _) = start(place.command(&arguments)).await;
    let mut request = UnixStream::connect(&socket).await.unwrap();
    let head = b"POST /api/keys HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n";
    request.write_all(head).await.unwrap();
    // It has accepted the connection when it responds to a later one.
    assert_eq!(ask(&socket, &get("/livez")).await.status, 200);
    signal(first.id().unwrap(), "TERM").await;
    while socket.exists() {
        tokio::task::yield_now().await;
    }
    let (_second, line) = start(place.command(&arguments)).await;
    assert_eq!(line, format!("handbill listening on {listen}\n"));
    drop(request);
    assert!(first.wait().await.unwrap().success());
    assert_eq!(ask(&socket, &get("/livez")).await.status, 200);
}

/// A proxy at a Unix socket is on this machine, so it is trusted as 127.0.0.1.
#[tokio::test]
async fn a_proxy_at_a_unix_socket_says_who_its_clients_are() {
    let place = Place::new();
    let socket = place.file("handbill.sock");
    let listen = format!("unix:{}", socket.display());
    let arguments = ["--listen", &listen, "--database", "memory:"];
    let trusted = [&arguments[..], &["--trusted-proxies", "127.0.0.1"]].concat();
    let (_child, _) = start(place.command(&trusted)).await;
    let request_key = async |client: &str| {
        let client = format!("X-Forwarded-For: {client}\r\n");
        let request = post_json("/api/keys", &client, "{}");
        ask(&socket, &request).await.status.as_u16()
    };
    while request_key("192.0.2.1").await == 201 {}
    assert_eq!(request_key("192.0.2.1").await, 429);
    assert_eq!(request_key("192.0.2.2").await, 201);
}

/// The program as systemd starts it, with this socket.
fn activated(place: &Place, socket: &TcpListener) -> Command {
    let mut command = Command::new("sh");
    let pass_on = r#"exec 3<&0; export LISTEN_PID=$$ LISTEN_FDS=1; exec "$0" "$@""#;
    command.args(["-c", pass_on, env!("CARGO_BIN_EXE_handbill")]);
    command.args(["--database", &place.database(), "--rate-limits", "off"]);
    command.current_dir(place.0.path()).env_remove("RUST_LOG");
    let socket = OwnedFd::from(socket.try_clone().unwrap());
    command.stdin(Stdio::from(socket)).stderr(Stdio::null());
    command
}

#[tokio::test]
async fn a_restart_with_a_socket_of_systemd_refuses_no_request() {
    const CLIENTS: usize = 8;
    const RESTARTS: usize = 5;
    let place = Place::new();
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let mut program = Program::spawn(activated(&place, &socket)).await;
    assert_eq!(program.address, address);
    let key = new_key(&program).await;

    let (stop, stopped) = tokio::sync::watch::channel(false);
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let (stopped, key) = (stopped.clone(), key.clone());
            tokio::spawn(async move {
                let mut requests = 0_u32;
                while !*stopped.borrow() {
                    let (request, status) = match client % 2 {
                        0 => (get("/api/posts"), 200),
                        _ => {
                            let key = format!("X-Api-Key: {key}\r\n");
                            (post_json("/api/posts", &key, r#"{"body":"x"}"#), 201)
                        }
                    };
                    let mut connection = Connection::open(address).await.unwrap();
                    let response = connection.send(&request).await.unwrap();
                    assert_eq!(response.status, status, "{response:?}");
                    requests += 1;
                }
                requests
            })
        })
        .collect();
    for _ in 0..RESTARTS {
        // Some requests arrive in between, and wait for the next program.
        for _ in 0..20 {
            create(&program, &key).await;
        }
        assert!(program.stop().await.success());
        program = Program::spawn(activated(&place, &socket)).await;
    }
    stop.send(true).unwrap();
    for client in clients {
        assert!(client.await.unwrap() > 0);
    }
}

#[tokio::test]
async fn systemd_hears_when_it_is_ready_lives_and_stops() {
    let place = Place::new();
    let path = place.file("notify");
    let notices = UnixDatagram::bind(&path).unwrap();
    let next = || {
        let mut notice = [0; 100];
        let len = notices.recv(&mut notice).unwrap();
        String::from_utf8_lossy(&notice[..len]).trim().to_owned()
    };
    let database = place.database();
    let mut command = place.command(&["--listen", "127.0.0.1:0", "--database", &database]);
    command
        .env("NOTIFY_SOCKET", &path)
        .env("WATCHDOG_USEC", "100000");
    let program = Program::spawn(command).await;
    assert_eq!(next(), "READY=1");
    let key = new_key(&program).await;

    // Another process locks the file: a reason to wait, not to start the program again.
    let other = rusqlite::Connection::open(place.file("posts.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let address = program.address;
    let hanging = tokio::spawn(async move {
        let key = format!("X-Api-Key: {key}\r\n");
        let request = post_json("/api/posts", &key, r#"{"body":"x"}"#);
        let mut connection = Connection::open(address).await.unwrap();
        connection.send(&request).await.unwrap().status
    });
    for _ in 0..5 {
        assert_eq!(next(), "WATCHDOG=1");
        tokio::task::yield_now().await;
    }
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(hanging.await.unwrap(), 201);

    let stopping = tokio::spawn(program.stop());
    while next() != "STOPPING=1" {
        tokio::task::yield_now().await;
    }
    assert!(stopping.await.unwrap().success());
}
