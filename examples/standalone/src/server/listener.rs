//! Accepts connections, and sets what the system does with them.

use std::fmt;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::select_all;
use handbill::ClientAddr;
use listenfd::ListenFd;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio_util::either::Either;

use crate::server::CLIENT_TIMEOUT;

/// Connections that may wait until the program accepts them; the system may allow fewer. With the default of
/// 128, further clients would try again after a second or more.
const BACKLOG: i32 = 4096;
/// What the system may hold of a response that the client has not read; Linux doubles it.
const SEND_BUFFER: usize = 128 * 1024;
/// Whom the clients of a Unix socket count as: they are on this machine.
const LOCAL: ClientAddr = ClientAddr(IpAddr::V4(Ipv4Addr::LOCALHOST));

/// Where connections come from. Tests have a listener on a simulated network.
pub trait Listener {
    /// A connection.
    type Stream: AsyncRead + AsyncWrite + Send + Unpin + 'static;

    /// The next connection, and the address of its client.
    fn accept(&self) -> impl Future<Output = io::Result<(Self::Stream, ClientAddr)>>;
}

/// An address to listen on.
#[derive(Clone, Debug)]
pub(crate) enum Address {
    /// `HOST:PORT`.
    Tcp(String),
    /// The path of a Unix socket.
    Unix(PathBuf),
}

/// The sockets that the program listens on, at least one.
pub(crate) struct Sockets {
    sockets: Vec<Socket>,
    /// Which of them is asked first, so that one with many clients holds up no other one.
    first: AtomicUsize,
}

enum Socket {
    Tcp(TcpListener),
    /// The file, if it is ours, is removed before the socket is closed, and not later: another process may have
    /// replaced it by then.
    Unix {
        _file: Option<SocketFile>,
        socket: UnixListener,
    },
}

/// A file that is removed when this is dropped.
struct SocketFile(PathBuf);

impl FromStr for Address {
    type Err = &'static str;

    fn from_str(address: &str) -> Result<Self, Self::Err> {
        if let Some(path) = address.strip_prefix("unix:") {
            return match path {
                "" => Err("expected unix: and a path, such as unix:/run/handbill.sock"),
                path => Ok(Self::Unix(path.into())),
            };
        }
        let parts = address.rsplit_once(':');
        match parts.map(|(host, port)| (host, port.parse::<u16>())) {
            Some((host, Ok(_))) if !host.is_empty() => Ok(Self::Tcp(address.to_owned())),
            _ => Err("expected HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080, or unix:/PATH"),
        }
    }
}

impl Address {
    /// What links begin with where the options name no base URL: a Unix socket has no address for them.
    pub(crate) fn url(&self) -> String {
        match self {
            Self::Tcp(address) => format!("http://{address}"),
            Self::Unix(_) => "http://localhost".to_owned(),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => f.write_str(address),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl Sockets {
    fn new(sockets: Vec<Socket>) -> Self {
        let first = AtomicUsize::default();
        Self { sockets, first }
    }

    /// The sockets that systemd has passed, if it has (sd_listen_fds(3)).
    pub(crate) fn passed() -> io::Result<Option<Self>> {
        let mut passed = ListenFd::from_env();
        let mut sockets = Vec::new();
        for number in 0..passed.len() {
            // The error tells of a socket of another kind.
            if let Ok(tcp) = passed.take_tcp_listener(number) {
                let Some(tcp) = tcp else { continue };
                tcp.set_nonblocking(true)?;
                sockets.push(Socket::Tcp(TcpListener::from_std(tcp)?));
            } else if let Some(unix) = passed.take_unix_listener(number)? {
                unix.set_nonblocking(true)?;
                let (_file, socket) = (None, UnixListener::from_std(unix)?);
                sockets.push(Socket::Unix { _file, socket });
            }
        }
        Ok((!sockets.is_empty()).then(|| Self::new(sockets)))
    }

    /// Listens on this address.
    pub(crate) async fn bind(address: &Address) -> io::Result<Self> {
        let socket = match address {
            Address::Tcp(address) => {
                let socket = TcpListener::bind(address).await?;
                SockRef::from(&socket).listen(BACKLOG)?;
                Socket::Tcp(socket)
            }
            Address::Unix(path) => {
                remove_left_over(path)?;
                let socket = UnixListener::bind(path)?;
                let _file = Some(SocketFile(path.clone()));
                SockRef::from(&socket).listen(BACKLOG)?;
                Socket::Unix { _file, socket }
            }
        };
        Ok(Self::new(vec![socket]))
    }

    /// The address of each socket, as a URL or with `unix:`.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = io::Result<String>> {
        self.sockets.iter().map(|socket| match socket {
            Socket::Tcp(socket) => Ok(format!("http://{}", socket.local_addr()?)),
            Socket::Unix { socket, .. } => {
                let address = socket.local_addr()?;
                let path = address.as_pathname().unwrap_or(Path::new(""));
                Ok(format!("unix:{}", path.display()))
            }
        })
    }
}

/// Removes the file of a socket that no process listens on any more.
fn remove_left_over(path: &Path) -> io::Result<()> {
    let is_socket = fs::metadata(path).is_ok_and(|file| file.file_type().is_socket());
    let connected = std::os::unix::net::UnixStream::connect(path);
    let is_refused = connected.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
    match is_socket && is_refused {
        true => fs::remove_file(path),
        // Binding says what is wrong.
        false => Ok(()),
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        // A file that is left over is removed at the next start.
        let _ = fs::remove_file(&self.0);
    }
}

impl Listener for Sockets {
    type Stream = Either<TcpStream, UnixStream>;

    async fn accept(&self) -> io::Result<(Self::Stream, ClientAddr)> {
        let first = self.first.fetch_add(1, Ordering::Relaxed) % self.sockets.len();
        let (last, first) = self.sockets.split_at(first);
        let sockets = first.iter().chain(last);
        let (accepted, ..) = select_all(sockets.map(|socket| Box::pin(socket.accept()))).await;
        accepted
    }
}

impl Socket {
    async fn accept(&self) -> io::Result<(Either<TcpStream, UnixStream>, ClientAddr)> {
        match self {
            Self::Tcp(socket) => {
                let (stream, client) = socket.accept().await?;
                set_options(&stream);
                Ok((Either::Left(stream), ClientAddr(client.ip())))
            }
            Self::Unix { socket, .. } => {
                let (stream, _) = socket.accept().await?;
                Ok((Either::Right(stream), LOCAL))
            }
        }
    }
}

/// These options improve service and are not essential, so errors are ignored.
fn set_options(stream: &TcpStream) {
    let _ = stream.set_nodelay(true);
    let _ = SockRef::from(stream).set_send_buffer_size(SEND_BUFFER);
    // Linux closes the connection of a client that does not read (tcp(7), TCP_USER_TIMEOUT).
    #[cfg(target_os = "linux")]
    let _ = SockRef::from(stream).set_tcp_user_timeout(Some(CLIENT_TIMEOUT));
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn listen() -> (Sockets, std::net::SocketAddr) {
        let address = "127.0.0.1:0".parse().unwrap();
        let sockets = Sockets::bind(&address).await.unwrap();
        let Socket::Tcp(socket) = &sockets.sockets[0] else {
            unreachable!("its address is not that of a Unix socket");
        };
        let address = socket.local_addr().unwrap();
        (sockets, address)
    }

    #[cfg(target_os = "linux")] // Elsewhere the limit of the system is not in a file.
    #[tokio::test]
    async fn many_clients_connect_although_none_is_accepted_yet() {
        let (_sockets, address) = listen().await;
        let most = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap();
        let most: usize = most.trim().parse().unwrap();
        let mut clients = Vec::new();
        for _ in 0..most.min(400) {
            clients.push(TcpStream::connect(address).await.unwrap());
        }
    }

    #[tokio::test]
    async fn the_system_holds_little_of_what_a_client_does_not_read() {
        let (sockets, address) = listen().await;
        let client = TcpStream::connect(address).await;
        let (stream, _) = sockets.accept().await.unwrap();
        let Either::Left(stream) = stream else {
            unreachable!("it is not a Unix socket");
        };
        stream.writable().await.unwrap();
        let mut held = 0;
        while let Ok(bytes) = stream.try_write(&[b' '; 4096]) {
            held += bytes;
        }
        assert!(held < 1024 * 1024, "{held} bytes");
        drop(client.unwrap());
    }
}
