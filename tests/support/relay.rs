//! An address that forwards connections to a server, to another server, or nowhere.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Forwards connections to a port of 127.0.0.1, which can change, for as long as the runtime lives.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
    way: watch::Sender<Way>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    To(u16),
    /// Accepts data and forwards nothing.
    Nowhere,
}

impl Relay {
    /// Forwards to this port.
    pub async fn to(port: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (way, ways) = watch::channel(Way::To(port));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass_on(client, ways.clone()));
            }
        });
        Self { address, way }
    }

    /// Cuts all connections, and forwards new ones to this port.
    pub fn turn_to(&self, port: u16) {
        self.way.send_replace(Way::To(port));
    }

    /// Goes silent: connections stay open, but no data passes. The connections that are open now
    /// stay silent forever.
    pub fn go_silent(&self) {
        self.way.send_replace(Way::Nowhere);
    }

    /// The port on 127.0.0.1 that it listens on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }
}

async fn pass_on(mut client: TcpStream, mut ways: watch::Receiver<Way>) {
    let way = *ways.borrow_and_update();
    if let Way::To(port) = way {
        let Ok(mut server) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await else {
            return;
        };
        tokio::select! {
            _ = tokio::io::copy_bidirectional(&mut client, &mut server) => return,
            _ = ways.changed() => {}
        }
    }
    // Holds the connection open while the relay is silent.
    let _ = ways.wait_for(|way| *way != Way::Nowhere).await;
}
