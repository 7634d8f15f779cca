//! Accepts connections, and sets what the system does with them.

use std::io;
use std::net::SocketAddr;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};

use crate::server::CLIENT_TIMEOUT;

/// Connections that may wait until the program accepts them; the system may allow fewer. With the default of
/// 128, further clients would try again after a second or more.
const BACKLOG: i32 = 4096;
/// What the system may hold of a response that the client has not read; Linux doubles it.
const SEND_BUFFER: usize = 128 * 1024;

/// Listens for connections.
pub(crate) async fn listen(address: impl ToSocketAddrs) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address).await?;
    SockRef::from(&listener).listen(BACKLOG)?;
    Ok(listener)
}

/// Where connections come from. Tests have a listener on a simulated network.
pub trait Listener {
    /// A connection.
    type Stream: AsyncRead + AsyncWrite + Send + Unpin + 'static;

    /// The next connection, and the address of its client.
    fn accept(&self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>>;
}

impl Listener for TcpListener {
    type Stream = TcpStream;

    async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, client) = TcpListener::accept(self).await?;
        // These options improve service and are not essential, so errors are ignored.
        let _ = stream.set_nodelay(true);
        let _ = SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER);
        // Linux closes the connection of a client that does not read (tcp(7), TCP_USER_TIMEOUT).
        #[cfg(target_os = "linux")]
        let _ = SockRef::from(&stream).set_tcp_user_timeout(Some(CLIENT_TIMEOUT));
        Ok((stream, client))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")] // Elsewhere the limit of the system is not in a file.
    #[tokio::test]
    async fn many_clients_connect_although_none_is_accepted_yet() {
        let listener = listen("127.0.0.1:0").await.unwrap();
        let most = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap();
        let most: usize = most.trim().parse().unwrap();
        let mut clients = Vec::new();
        for _ in 0..most.min(400) {
            let client = TcpStream::connect(listener.local_addr().unwrap()).await;
            clients.push(client.unwrap());
        }
    }

    #[tokio::test]
    async fn the_system_holds_little_of_what_a_client_does_not_read() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await;
        let (stream, _) = Listener::accept(&listener).await.unwrap();
        stream.writable().await.unwrap();
        let mut held = 0;
        while let Ok(bytes) = stream.try_write(&[b' '; 4096]) {
            held += bytes;
        }
        assert!(held < 1024 * 1024, "{held} bytes");
        drop(client.unwrap());
    }
}
