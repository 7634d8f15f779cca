//! A server in front of the program that does to each request what a test says.

use std::fmt::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use handbill_tests::wire::{Connection, TestResponse};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    /// `GET /openapi.json`.
    pub(crate) line: String,
    head: String,
    pub(crate) body: String,
}

/// What to do with a request.
pub(crate) enum Answer {
    /// Let the program respond.
    Pass,
    /// Let the program respond, and replace this text in its response.
    Edit(&'static str, &'static str),
    /// Respond with this status line, these header lines and this body.
    Respond(&'static str, String, String),
    /// Let the program handle it, and close the connection instead of responding.
    Swallow,
    /// Let the program handle it, and never respond.
    Hold,
}

/// A server that lives as long as its runtime.
pub(crate) struct FaultyServer {
    pub(crate) url: String,
    heard: Arc<Mutex<Vec<Heard>>>,
    held: mpsc::UnboundedReceiver<()>,
}

type Decide = dyn Fn(&Heard, usize) -> Answer + Send + Sync;

impl Heard {
    /// The value of a header, by its name in lowercase.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }

    pub(crate) fn is(&self, start: &str) -> bool {
        self.line.starts_with(start)
    }
}

impl FaultyServer {
    /// Starts a server in front of a program. It decides on each request, of which it is told how many were like it,
    /// with the same method and path, before.
    pub(crate) async fn start(
        program: SocketAddr,
        decide: impl Fn(&Heard, usize) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (hold, held) = mpsc::unbounded_channel();
        let (list, decide): (_, Arc<Decide>) = (Arc::clone(&heard), Arc::new(decide));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (list, decide, hold) = (Arc::clone(&list), Arc::clone(&decide), hold.clone());
                tokio::spawn(async move {
                    serve(client, program, &list, &*decide, &hold).await;
                });
            }
        });
        Self { url, heard, held }
    }

    /// All requests so far.
    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap().clone()
    }

    /// Checks that each request was like this.
    pub(crate) fn expect_all(&self, is_right: impl Fn(&Heard) -> bool) {
        assert!(self.heard().iter().all(is_right), "{:?}", self.heard());
    }

    /// The requests whose line begins like this.
    pub(crate) fn heard_of(&self, start: &str) -> Vec<Heard> {
        self.heard()
            .into_iter()
            .filter(|heard| heard.is(start))
            .collect()
    }

    /// Waits until a request is held.
    pub(crate) async fn until_held(&mut self) {
        self.held.recv().await.unwrap();
    }
}

async fn serve(
    mut client: TcpStream,
    program: SocketAddr,
    list: &Mutex<Vec<Heard>>,
    decide: &Decide,
    hold: &mpsc::UnboundedSender<()>,
) {
    while let Some((heard, raw)) = receive(&mut client).await {
        let before = {
            let mut list = list.lock().unwrap();
            let before = list.iter().filter(|other| other.line == heard.line).count();
            list.push(heard.clone());
            before
        };
        let is_head = heard.is("HEAD");
        let response = match decide(&heard, before) {
            Answer::Pass => written(&pass(program, &raw).await, is_head),
            Answer::Edit(from, to) => {
                let mut response = pass(program, &raw).await;
                let body = String::from_utf8(response.body).unwrap();
                assert!(body.contains(from), "{from} in {body}");
                response.body = body.replace(from, to).into_bytes();
                written(&response, is_head)
            }
            Answer::Respond(status, headers, body) => {
                let length = body.len();
                format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\n\r\n{body}")
            }
            Answer::Swallow => {
                pass(program, &raw).await;
                return;
            }
            Answer::Hold => {
                pass(program, &raw).await;
                hold.send(()).unwrap();
                return std::future::pending().await;
            }
        };
        if client.write_all(response.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn pass(program: SocketAddr, raw: &[u8]) -> TestResponse {
    let mut connection = Connection::open(program).await.unwrap();
    connection.send(raw).await.unwrap()
}

fn written(response: &TestResponse, is_head: bool) -> String {
    let mut text = format!("HTTP/1.1 {}\r\n", response.status);
    for (name, value) in &response.headers {
        if is_head || name != http::header::CONTENT_LENGTH {
            write!(text, "{name}: {}\r\n", value.to_str().unwrap()).unwrap();
        }
    }
    if !is_head {
        write!(text, "content-length: {}\r\n", response.body.len()).unwrap();
    }
    text + "\r\n" + str::from_utf8(&response.body).unwrap()
}

/// The next request, also as the bytes that arrived.
async fn receive(client: &mut TcpStream) -> Option<(Heard, Vec<u8>)> {
    let mut raw = Vec::new();
    let end = loop {
        if let Some(at) = raw.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        if client.read_buf(&mut raw).await.ok()? == 0 {
            return None;
        }
    };
    let head = str::from_utf8(&raw[..end]).unwrap().to_owned();
    let line = head.split(" HTTP").next().unwrap().to_owned();
    let mut heard = Heard {
        line,
        head,
        body: String::new(),
    };
    let length = heard
        .header("content-length")
        .map_or(0, |length| length.parse().unwrap());
    while raw.len() < end + length {
        if client.read_buf(&mut raw).await.ok()? == 0 {
            return None;
        }
    }
    heard.body = String::from_utf8(raw[end..].to_vec()).unwrap();
    Some((heard, raw))
}
