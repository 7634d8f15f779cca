//! Servers behind TLS.

use std::net::SocketAddr;
use std::sync::Arc;

use handbill_tests::postgres::tls::Authority;
use handbill_tests::program::Program;
use handbill_tests::receiver::Receiver;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::author::{Author, total};
use crate::place::{Place, new_key, stderr};

/// Terminates TLS in front of a server, for as long as the runtime lives. Returns the port.
async fn terminate_tls(authority: &Authority, valid_until: i32, server: SocketAddr) -> u16 {
    let (certificate, key) = authority.issue(valid_until);
    let certificate = CertificateDer::from_pem_file(certificate).unwrap();
    let key = PrivateKeyDer::from_pem_file(key).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth();
    let config = config.with_single_cert(vec![certificate], key).unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let mut server = TcpStream::connect(server).await.unwrap();
                if let Ok(mut client) = acceptor.accept(client).await {
                    let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                }
            });
        }
    });
    port
}

#[tokio::test]
async fn a_server_with_a_certificate_of_a_known_authority_is_trusted_and_no_other_is() {
    let (_place, program) = Place::started().await;
    let (known, unknown) = (Authority::new(), Authority::new());
    let port = terminate_tls(&known, 2999, program.address).await;
    let late = terminate_tls(&known, 2001, program.address).await;
    let author = Author::at(&format!("https://localhost:{port}"), &program).await;
    author.write("a.md", "A post.\n");
    let post = async |server: &str, authority: &Authority| {
        let mut command = author.command(&["post", "a.md", "--server", server]);
        command.env("SSL_CERT_FILE", authority.certificate());
        command.output().await.unwrap()
    };
    for (server, authority, reason) in [
        (
            format!("https://localhost:{port}"),
            &unknown,
            "invalid peer certificate",
        ),
        (
            format!("https://127.0.0.1:{port}"),
            &known,
            "not valid for name",
        ),
        (format!("https://localhost:{late}"), &known, "expired"),
    ] {
        let refused = post(&server, authority).await;
        assert_eq!(refused.status.code(), Some(4), "{refused:?}");
        let message = format!("could not connect to {server}: TLS: ");
        assert!(stderr(&refused).contains(&message), "{refused:?}");
        assert!(stderr(&refused).contains(reason), "{refused:?}");
    }
    assert_eq!(total(&program).await, 0);
    let published = post(&author.server, &known).await;
    assert!(published.status.success(), "{published:?}");
    assert_eq!(total(&program).await, 1);
    let empty = author.path("no-authorities.pem");
    std::fs::write(&empty, "").unwrap();
    let mut command = author.command(&["list"]);
    let refused = command.env("SSL_CERT_FILE", empty).output().await.unwrap();
    assert!(
        stderr(&refused).contains("no certificate authorities"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn events_are_sent_to_a_receiver_with_a_certificate_of_a_known_authority() {
    let place = Place::new();
    let mut receiver = Receiver::with_status(204).await;
    let address = receiver.url.strip_prefix("http://").unwrap();
    let address = address.strip_suffix("/hook").unwrap().parse().unwrap();
    let known = Authority::new();
    let port = terminate_tls(&known, 2999, address).await;
    let url = format!("https://localhost:{port}/hook");
    let mut command = place.command(&["--listen", "127.0.0.1:0", "--database", "memory:"]);
    command.args(["--webhook", &url, "--webhook-private", "on"]);
    command.env("SSL_CERT_FILE", known.certificate());
    let program = Program::spawn(command).await;
    new_key(&program).await;
    let received = receiver.next().await;
    assert_eq!(received.json()["type"], "key.issued");
    assert_eq!(received.header("host"), format!("localhost:{port}"));
}
