//! The simulated network, with the server on it.

use std::cell::Cell;
use std::io::{self, IoSlice};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use handbill::{ClientAddr, Handbill, RateLimits, Store, TrustedProxies};
use handbill_standalone::server::{self, Clients, Listener};
use handbill_tests::wire::Connection;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::runtime;
use tokio::sync::Notify;
use turmoil::net::{TcpListener, TcpStream};
use turmoil::{Builder, Sim};

/// The name of the server's host.
pub(super) const SERVER: &str = "server";
const PORT: u16 = 80;
/// A stream holds this many segments of this length that the receiver has not read: 64 KiB.
const SEGMENTS: usize = 64;
const SEGMENT: usize = 1024;

/// A network whose random events depend on the seed alone.
pub(super) fn network(seed: u64, tick: Duration) -> Builder {
    let mut network = Builder::new();
    network
        .rng_seed(seed)
        .tick_duration(tick)
        .simulation_duration(Duration::from_secs(3600))
        .tcp_capacity(SEGMENTS)
        .enable_random_order()
        // The server listens to signals.
        .enable_tokio_io();
    network
}

/// How to stop the server gracefully, and when it has stopped.
#[derive(Clone, Default)]
pub(super) struct Stop {
    begin: Rc<Notify>,
    ended: Rc<Cell<Option<Duration>>>,
}

impl Stop {
    pub(super) fn begin(&self) {
        self.begin.notify_waiters();
    }

    /// The time of the simulation when the server had stopped.
    pub(super) fn ended(&self) -> Option<Duration> {
        self.ended.get()
    }
}

/// The service without rates, since these use the real clock.
pub(super) fn service(store: impl Store) -> Handbill {
    let handbill = Handbill::new("http://localhost", store).unwrap();
    handbill.with_rate_limits(RateLimits::off())
}

/// Adds the host of the server, which starts `service` each time that it boots. The server listens when this
/// returns.
pub(super) fn add_server<'a>(
    network: &mut Sim<'a>,
    max_connections: usize,
    stop: &Stop,
    service: impl Fn() -> Handbill + 'a,
) {
    let stop = stop.clone();
    network.host(SERVER, move || {
        let clients = Clients::new(service(), TrustedProxies::default()).unwrap();
        let stop = stop.clone();
        async move {
            let all_addresses = match turmoil::lookup(SERVER) {
                IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
                IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
            };
            let listener = Simulated(TcpListener::bind((all_addresses, PORT)).await?);
            server::run(listener, clients, max_connections, stop.begin.notified()).await?;
            stop.ended.set(turmoil::sim_elapsed());
            Ok(())
        }
    });
    network.step().unwrap();
}

/// Connects to the server. This takes until the server accepts the connection.
pub(super) async fn connect() -> io::Result<TcpStream> {
    TcpStream::connect((SERVER, PORT)).await
}

/// Connects to the server, for whole requests.
pub(super) async fn open() -> io::Result<Connection<TcpStream>> {
    Ok(Connection::over(connect().await?))
}

/// Runs what the host's own code does, outside of the simulation.
pub(super) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut runtime = runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().unwrap();
    runtime.block_on(future)
}

/// Accepts connections of the simulated network.
struct Simulated(TcpListener);

impl Listener for Simulated {
    type Stream = Segmented;

    async fn accept(&self) -> io::Result<(Segmented, ClientAddr)> {
        let (stream, client) = self.0.accept().await?;
        Ok((Segmented(stream), ClientAddr(client.ip())))
    }
}

/// Sends short segments. The simulated network counts segments, whatever their length, so that a large
/// response would never wait for the client.
pub(crate) struct Segmented(TcpStream);

impl AsyncWrite for Segmented {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let segment = &bytes[..bytes.len().min(SEGMENT)];
        Pin::new(&mut self.0).poll_write(context, segment)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let first = slices.iter().find(|slice| !slice.is_empty());
        self.poll_write(context, first.map_or(&[], |slice| slice))
    }

    /// As the system's stream. Otherwise hyper copies each body.
    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

impl AsyncRead for Segmented {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}
