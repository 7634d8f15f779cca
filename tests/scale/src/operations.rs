//! The operations. Valgrind runs this program with one of them, which is repeated on one thread.
//!
//! The service has SQLite behind it and its default settings. The connection is that of the program, in memory, with
//! the default log.

use std::future::pending;
use std::hint::black_box;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::pin::{Pin, pin};
use std::sync::Mutex;

use handbill::{ApiKey, ClientAddr, CreatedPost, Draft, Handbill, TrustedProxies};
use handbill_sql::SqliteStore;
use handbill_standalone::server::{self, Clients, Listener};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, ETAG, HOST, IF_NONE_MATCH};
use http::{HeaderValue, Method, Request};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::runtime::{Builder, Runtime};
use tower::Service;

pub(crate) const LAYERS: [&str; 2] = ["service", CONNECTION];
const CONNECTION: &str = "connection";

const WARM_UPS: usize = 5;
/// Together, these are as many creations and wrong keys as the default rates allow at once.
pub(crate) const REPETITIONS: usize = 25;

const ADDRESS: &str = "http://localhost";
const LOCAL: ClientAddr = ClientAddr(IpAddr::V4(Ipv4Addr::LOCALHOST));
const BUFFER: usize = 64 * 1024;
/// The post of the benchmark.
const BODY: &str = include_str!("../../benches/table/post.md");
const TAGS: [&str; 2] = ["notes", "harbour"];

/// One kind of request.
#[derive(Clone, Copy)]
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    /// The status of the response.
    status: u16,
    /// The request of a repetition.
    request: fn(&Site, usize) -> Request<String>,
}

pub(crate) const OPERATIONS: [Operation; 8] = [
    Operation {
        name: "warm read",
        status: 200,
        request: |site, _| read(&site.posts, 0),
    },
    Operation {
        name: "304",
        status: 304,
        request: |site, _| {
            let mut request = read(&site.posts, 0);
            let etag = site.etag.clone();
            request.headers_mut().insert(IF_NONE_MATCH, etag);
            request
        },
    },
    Operation {
        name: "cold read",
        status: 200,
        request: |site, number| read(&site.posts, 1 + number),
    },
    Operation {
        name: "page",
        status: 200,
        request: |site, _| get(format!("/p/{}", site.posts[0].id)),
    },
    Operation {
        name: "list of 20",
        status: 200,
        request: |_, _| get("/api/posts".to_owned()),
    },
    Operation {
        name: "creation",
        status: 201,
        request: |site, number| create(&site.key, number),
    },
    Operation {
        name: "update",
        status: 200,
        request: |site, number| {
            let CreatedPost { id, edit, .. } = &site.posts[0];
            let token = ("x-edit-token", edit.token.expose());
            write(Method::PUT, format!("/api/posts/{id}"), token, number)
        },
    },
    Operation {
        name: "wrong key",
        status: 401,
        request: |site, number| create(&site.revoked_key, number),
    },
];

/// What requests name.
struct Site {
    posts: Vec<CreatedPost>,
    /// The entity tag of the first post.
    etag: HeaderValue,
    key: ApiKey,
    revoked_key: ApiKey,
}

/// Sends the request of an operation again and again. Before each, a read makes the cache ask SQLite for changes if
/// that is due, which it is every 50 ms.
pub(crate) fn repeat(layer: &str, operation: &str) {
    let named = |known: &&Operation| known.name == operation;
    let operation = OPERATIONS.iter().find(named).unwrap();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (mut handbill, site) = runtime.block_on(open(&folder.path().join("posts.db")));
    let requests = (0..WARM_UPS + REPETITIONS).map(|number| (operation.request)(&site, number));
    let warm_read = || read(&site.posts, 0);
    if layer == CONNECTION {
        let _log = handbill_standalone::start_log(runtime.handle()).unwrap();
        let (mut client, server) = duplex(BUFFER);
        let clients = Clients::new(handbill, TrustedProxies::default()).unwrap();
        let listener = Single(Mutex::new(Some(server)));
        runtime.spawn(server::run(listener, clients, 1, pending()));
        let mut response = Vec::with_capacity(BUFFER);
        for (number, request) in requests.enumerate() {
            let warm_read = as_text(&warm_read());
            runtime.block_on(exchange(&mut client, &warm_read, &mut response));
            let request = as_text(&request);
            run(
                number,
                &runtime,
                pin!(exchange(&mut client, &request, &mut response)),
            );
            let status = format!("HTTP/1.1 {} ", operation.status);
            assert!(response.starts_with(status.as_bytes()));
        }
    } else {
        for (number, request) in requests.enumerate() {
            runtime.block_on(call(&mut handbill, warm_read(), 200));
            run(
                number,
                &runtime,
                pin!(call(&mut handbill, request, operation.status)),
            );
        }
    }
}

async fn call(handbill: &mut Handbill, request: Request<String>, status: u16) {
    let Ok(response) = handbill.call(request).await;
    assert_eq!(response.status(), status);
}

/// The response must be whole when its first bytes are there. Otherwise the next one does not begin with a status.
async fn exchange(client: &mut DuplexStream, request: &str, response: &mut Vec<u8>) {
    client.write_all(request.as_bytes()).await.unwrap();
    response.clear();
    client.read_buf(response).await.unwrap();
}

fn run(number: usize, runtime: &Runtime, future: Pin<&mut dyn Future<Output = ()>>) {
    match number < WARM_UPS {
        true => runtime.block_on(future),
        false => measured(runtime, future),
    }
}

/// Runs what valgrind counts. It finds this function on the stack by its name, so a call must not be the last that this
/// function does.
#[inline(never)]
fn measured(runtime: &Runtime, future: Pin<&mut dyn Future<Output = ()>>) {
    runtime.block_on(future);
    black_box(());
}

/// The service, which has no post in memory: they were written over another connection to the database.
async fn open(file: &Path) -> (Handbill, Site) {
    let store = SqliteStore::open(file).await.unwrap();
    let handbill = Handbill::new(ADDRESS, store.clone()).unwrap();
    let mut posts = Vec::new();
    for number in 0..=WARM_UPS + REPETITIONS {
        let draft = Draft::new().title(title(number)).body(BODY).tags(TAGS);
        posts.push(handbill.posts().create(draft).await.unwrap());
    }
    let keys = handbill.keys();
    let key = keys.issue(None, None).await.unwrap().key;
    let revoked = keys.issue(None, None).await.unwrap();
    keys.revoke(revoked.record.id).await.unwrap();
    store.close().await;

    let store = SqliteStore::open(file).await.unwrap().cached();
    let mut handbill = Handbill::new(ADDRESS, store).unwrap();
    let Ok(response) = handbill.call(read(&posts, 0)).await;
    let site = Site {
        posts,
        etag: response.headers()[ETAG].clone(),
        key,
        revoked_key: revoked.key,
    };
    (handbill, site)
}

fn title(number: usize) -> String {
    format!("Note {number:03}")
}

fn get(path: String) -> Request<String> {
    let request = Request::get(path)
        .extension(LOCAL)
        .header(HOST, "localhost");
    request.body(String::new()).unwrap()
}

fn read(posts: &[CreatedPost], number: usize) -> Request<String> {
    get(format!("/api/posts/{}", posts[number].id))
}

/// A request with a post that no other repetition writes.
fn write(
    method: Method,
    path: String,
    (name, secret): (&str, &str),
    number: usize,
) -> Request<String> {
    let title = title(WARM_UPS + REPETITIONS + 1 + number);
    let body = json!({ "title": title, "body": BODY, "tags": TAGS }).to_string();
    let request = Request::builder().method(method).uri(path);
    let request = request
        .extension(LOCAL)
        .header(HOST, "localhost")
        .header(name, secret)
        .header(CONTENT_TYPE, "application/json")
        .header(CONTENT_LENGTH, body.len());
    request.body(body).unwrap()
}

fn create(key: &ApiKey, number: usize) -> Request<String> {
    let key = ("x-api-key", key.expose());
    write(Method::POST, "/api/posts".to_owned(), key, number)
}

/// A request as HTTP/1.1.
fn as_text(request: &Request<String>) -> String {
    let mut text = format!("{} {} HTTP/1.1\r\n", request.method(), request.uri());
    for (name, value) in request.headers() {
        text += &format!("{name}: {}\r\n", value.to_str().unwrap());
    }
    text + "\r\n" + request.body()
}

/// Accepts this stream, and then no other one.
struct Single(Mutex<Option<DuplexStream>>);

impl Listener for Single {
    type Stream = DuplexStream;

    async fn accept(&self) -> io::Result<(DuplexStream, ClientAddr)> {
        let stream = self.0.lock().unwrap().take();
        match stream {
            Some(stream) => Ok((stream, LOCAL)),
            None => pending().await,
        }
    }
}
