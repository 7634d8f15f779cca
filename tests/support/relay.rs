//! An address behind which one server or another is, or nobody who answers.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Passes connections on to a port of 127.0.0.1, which may change, for as long as the runtime lives.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
    way: watch::Sender<Way>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    To(u16),
    /// What is sent is taken, and goes nowhere.
    Nowhere,
}

impl Relay {
    /// To this port.
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

    /// Cuts all connections, and passes new ones on to this port.
    pub fn turn_to(&self, port: u16) {
        self.way.send_replace(Way::To(port));
    }

    /// Goes silent: connections stay open, and nothing comes through. What is open now is dead for
    /// good.
    pub fn go_silent(&self) {
        self.way.send_replace(Way::Nowhere);
    }

    /// The port on 127.0.0.1 where it listens.
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
    // Held open while it is silent.
    let _ = ways.wait_for(|way| *way != Way::Nowhere).await;
}
