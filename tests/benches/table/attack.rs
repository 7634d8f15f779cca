//! Hostile clients, each with an address of its own. They run on a thread of their own, so that another
//! client does not wait for their turns.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use handbill_tests::wire::Connection;
use rand::make_rng;
use rand::rngs::SmallRng;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::figure::with_thousands;
use crate::load::Requests;

pub(crate) const CLIENTS: usize = 100;

/// The pause between the bytes of a client that sends slowly, and between the reads of a slow reader.
const PAUSE: Duration = Duration::from_secs(1);
/// What a slow reader reads at once.
const PIECE: usize = 1024;
/// What the system may hold of a response that a slow reader has not read; Linux doubles it.
const RECEIVE_BUFFER: u32 = 4096;

/// What a hostile client does with each of its connections.
#[derive(Clone, Copy)]
pub(crate) enum Behaviour {
    /// Sends one request after the other.
    Busy,
    /// Sends a request that is not whole, and then slowly more of it.
    SendsSlowly,
    /// Sends a request, and reads the response slowly.
    ReadsSlowly,
    /// Sends nothing.
    Idle,
}

/// Hostile clients of one kind.
pub(crate) struct Attack {
    pub(crate) behaviour: Behaviour,
    /// Connections of each client.
    pub(crate) connections: usize,
    /// The requests of each client.
    pub(crate) requests: Vec<Requests>,
    /// Whether the client that they disturb reads large responses.
    pub(crate) is_on_large_responses: bool,
}

/// Hostile clients at work, until this is dropped.
pub(crate) struct Running {
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    outcome: Mutex<Outcome>,
    /// A permit for each client that has opened its connections.
    begun: Semaphore,
}

/// What the hostile clients get.
struct Outcome {
    since: Instant,
    statuses: BTreeMap<u16, u64>,
    /// Connections that the program closed.
    closed: u64,
    /// Connections that are open now.
    open: usize,
}

/// A hostile client, as each of its connections sees it.
#[derive(Clone)]
struct Hostile {
    server: SocketAddr,
    address: SocketAddr,
    behaviour: Behaviour,
    requests: Requests,
    shared: Arc<Shared>,
}

impl Attack {
    /// Starts the clients and waits until each has opened its connections.
    pub(crate) async fn start(self, server: SocketAddr) -> Running {
        let shared = Arc::new(Shared {
            outcome: Mutex::new(Outcome {
                since: Instant::now(),
                statuses: BTreeMap::new(),
                closed: 0,
                open: 0,
            }),
            begun: Semaphore::new(0),
        });
        let number = self.requests.len();
        let (stop, stopped) = oneshot::channel();
        let of_clients = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.enable_all().build().unwrap();
            runtime.block_on(async {
                let clients = self.clients(server, &of_clients);
                let _ = stopped.await;
                drop(clients);
            });
        });
        let all = shared.begun.acquire_many(number as u32);
        all.await.unwrap().forget();
        Running {
            shared,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    fn clients(self, server: SocketAddr, shared: &Arc<Shared>) -> JoinSet<()> {
        let mut clients = JoinSet::new();
        for (network, requests) in (1..).zip(self.requests) {
            let hostile = Hostile {
                server,
                address: (Ipv4Addr::new(127, 1, network, 1), 0).into(),
                behaviour: self.behaviour,
                requests,
                shared: Arc::clone(shared),
            };
            clients.spawn(hostile.attack(self.connections));
        }
        clients
    }
}

impl Running {
    /// What the clients got since the last call.
    pub(crate) fn take_outcome(&self) -> String {
        let mut outcome = self.shared.outcome.lock().unwrap();
        let seconds = outcome.since.elapsed().as_secs_f64();
        let rate = |number: u64| with_thousands(number as f64 / seconds);
        let statuses = std::mem::take(&mut outcome.statuses).into_iter();
        let mut parts: Vec<String> = statuses
            .map(|(status, number)| format!("{status}: {}/s", rate(number)))
            .collect();
        let closed = std::mem::take(&mut outcome.closed);
        if closed > 0 {
            parts.push(format!("closed: {}/s", rate(closed)));
        }
        parts.push(format!("{} connections", outcome.open));
        outcome.since = Instant::now();
        parts.join(", ")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        // The next measurement begins without them.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Hostile {
    async fn attack(self, connections: usize) {
        let mut attacks = JoinSet::new();
        for _ in 0..connections {
            // All at once would not fit into the queue of the system.
            let stream = self.connect().await;
            attacks.spawn(self.clone().attack_over(stream));
        }
        self.shared.begun.add_permits(1);
        attacks.join_all().await;
    }

    async fn attack_over(self, mut stream: TcpStream) {
        let mut random = make_rng::<SmallRng>();
        loop {
            self.shared.outcome.lock().unwrap().open += 1;
            let ended = match self.behaviour {
                Behaviour::Busy => self.be_busy(stream, &mut random).await,
                _ => self.be_slow(stream, &mut random).await,
            };
            {
                let mut outcome = self.shared.outcome.lock().unwrap();
                outcome.open -= 1;
                outcome.closed += u64::from(ended.is_err());
            }
            stream = self.connect().await;
        }
    }

    async fn connect(&self) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(self.address).unwrap();
        if let Behaviour::ReadsSlowly = self.behaviour {
            socket.set_recv_buffer_size(RECEIVE_BUFFER).unwrap();
        }
        socket.connect(self.server).await.unwrap()
    }

    async fn be_busy(&self, stream: TcpStream, random: &mut SmallRng) -> io::Result<()> {
        let (mut connection, mut request) = (Connection::over(stream), Vec::new());
        loop {
            request.clear();
            (self.requests)(random, &mut request);
            let status = connection.status_of(&request).await?;
            self.count(status);
        }
    }

    async fn be_slow(&self, mut stream: TcpStream, random: &mut SmallRng) -> io::Result<()> {
        let mut request = Vec::new();
        (self.requests)(random, &mut request);
        stream.write_all(&request).await?;
        let mut piece = [0; PIECE];
        let mut read = match self.behaviour {
            Behaviour::SendsSlowly => loop {
                tokio::select! {
                    read = stream.read(&mut piece) => break read,
                    () = sleep(PAUSE) => stream.write_all(b"x").await?,
                }
            },
            _ => stream.read(&mut piece).await,
        }?;
        self.count(status_of(&piece[..read])?);
        while read > 0 && matches!(self.behaviour, Behaviour::ReadsSlowly) {
            sleep(PAUSE).await;
            read = stream.read(&mut piece).await?;
        }
        Ok(())
    }

    fn count(&self, status: u16) {
        let mut outcome = self.shared.outcome.lock().unwrap();
        *outcome.statuses.entry(status).or_default() += 1;
    }
}

/// The status of the response that begins so.
fn status_of(response: &[u8]) -> io::Result<u16> {
    let digits = response
        .get(9..12)
        .and_then(|digits| str::from_utf8(digits).ok());
    let status = digits.and_then(|digits| digits.parse().ok());
    status.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}
