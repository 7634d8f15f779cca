//! TLS: each `sslmode`, with certificates that are valid, expired, for another host, and of others.

use std::error::Error;

use handbill_sql::PostgresStore;
use handbill_tests::postgres::Postgres;
use handbill_tests::postgres::tls::Authority;
use handbill_tests::warnings::Warnings;
use sqlx::{Executor, Row};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::connect;

const MODES: [&str; 6] = [
    "disable",
    "allow",
    "prefer",
    "require",
    "verify-ca",
    "verify-full",
];

/// Whether all connections of the store have TLS, or why it does not open.
async fn opens(address: &str) -> Result<bool, String> {
    let name = "application_name=tested";
    let separator = if address.contains('?') { '&' } else { '?' };
    let store = PostgresStore::open(&format!("{address}{separator}{name}")).await;
    let store = store.map_err(|error| error.source().expect("a reason").to_string())?;
    handbill::Store::health(&store).await.expect("it responds");
    let mut observer = connect(address.split('?').next().expect("an address")).await;
    let query = "SELECT BOOL_AND(ssl), COUNT(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
        WHERE application_name = 'tested' AND datname = CURRENT_DATABASE()";
    let row = observer.fetch_one(query).await.expect("a row");
    assert!(row.get::<i64, _>(1) > 0, "there is a connection");
    let encrypted = row.get(0);
    store.close().await;
    Ok(encrypted)
}

/// The address of a new database on `localhost`, as which the server is certified.
async fn localhost(server: &Postgres) -> String {
    let address = server.create_database().await;
    address.replacen("127.0.0.1", "localhost", 1)
}

fn with(address: &str, mode: &str, trusted: Option<&Authority>) -> String {
    let file = trusted.map(|authority| authority.certificate());
    let file = file.map(|file| format!("&sslrootcert={}", file.display()));
    format!("{address}?sslmode={mode}{}", file.unwrap_or_default())
}

#[tokio::test]
async fn each_mode_connects_to_a_server_with_a_valid_certificate() {
    let authority = Authority::new();
    let Some(server) = authority.start_server(2099).await else {
        return;
    };
    let address = localhost(&server).await;
    for (mode, expected) in MODES
        .into_iter()
        .zip([false, false, true, true, true, true])
    {
        let opened = opens(&with(&address, mode, Some(&authority))).await;
        assert_eq!(opened, Ok(expected), "{mode}");
    }
    assert_eq!(opens(&address).await, Ok(true), "the default is prefer");
}

#[tokio::test]
async fn only_verify_full_refuses_the_certificate_of_another_host() {
    let authority = Authority::new();
    let Some(server) = authority.start_server(2099).await else {
        return;
    };
    let address = server.create_database().await;
    for mode in ["require", "verify-ca"] {
        let opened = opens(&with(&address, mode, Some(&authority))).await;
        assert_eq!(opened, Ok(true), "{mode}");
    }
    let refused = opens(&with(&address, "verify-full", Some(&authority))).await;
    let reason = refused.expect_err("it opens");
    assert!(reason.contains("not valid for name"), "{reason}");
}

#[tokio::test]
async fn an_expired_certificate_is_refused_where_it_is_verified() {
    let authority = Authority::new();
    let Some(server) = authority.start_server(2020).await else {
        return;
    };
    let address = localhost(&server).await;
    for mode in ["prefer", "require"] {
        assert_eq!(opens(&with(&address, mode, None)).await, Ok(true), "{mode}");
    }
    for mode in ["require", "verify-ca", "verify-full"] {
        let refused = opens(&with(&address, mode, Some(&authority))).await;
        let reason = refused.expect_err("it opens");
        assert!(reason.contains("expired"), "{mode}: {reason}");
    }
}

#[tokio::test]
async fn a_certificate_of_an_unknown_authority_is_refused_where_it_is_verified() {
    let (authority, other) = (Authority::new(), Authority::new());
    let Some(server) = authority.start_server(2099).await else {
        return;
    };
    let address = localhost(&server).await;
    let other = Some(&other);
    for (mode, trusted) in [
        ("require", other),
        ("verify-ca", other),
        ("verify-full", other),
        ("verify-ca", None),
        ("verify-full", None),
    ] {
        let refused = opens(&with(&address, mode, trusted)).await;
        let reason = refused.expect_err("it opens");
        assert!(
            reason.contains("invalid peer certificate"),
            "{mode}: {reason}"
        );
        assert!(!reason.contains('\n'), "{reason}");
    }
    let missing = with(&address, "verify-full", None) + "&sslrootcert=/no/such/file";
    let reason = opens(&missing).await.expect_err("it opens");
    assert!(reason.contains("No such file"), "{reason}");
}

#[tokio::test]
async fn a_server_without_tls_is_refused_where_tls_is_required() {
    let Some(server) = Postgres::shared().await else {
        return;
    };
    let address = server.create_database().await;
    for mode in ["disable", "allow", "prefer"] {
        assert_eq!(
            opens(&with(&address, mode, None)).await,
            Ok(false),
            "{mode}"
        );
    }
    for mode in ["require", "verify-ca", "verify-full"] {
        let reason = opens(&with(&address, mode, None))
            .await
            .expect_err("it opens");
        assert!(reason.contains("does not support TLS"), "{mode}: {reason}");
    }
}

#[tokio::test]
async fn allow_and_prefer_connect_in_the_way_that_the_server_accepts() {
    let authority = Authority::new();
    let Some(server) = authority.start_server(2099).await else {
        return;
    };
    let address = localhost(&server).await;
    server.allow_only("hostssl all all all trust").await;
    assert_eq!(opens(&with(&address, "allow", None)).await, Ok(true));
    assert!(opens(&with(&address, "disable", None)).await.is_err());
}

/// Responds to requests for TLS, and asks the first client without TLS for its password. Returns the number
/// of warnings before that.
async fn pretend(listener: TcpListener, to_tls: &[u8], warnings: Warnings) -> usize {
    const TLS_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];
    const ASK_FOR_PASSWORD: [u8; 9] = [b'R', 0, 0, 0, 8, 0, 0, 0, 3];
    let mut open = Vec::new();
    loop {
        let (mut client, _) = listener.accept().await.expect("a client");
        let mut start = [0; 8];
        client.read_exact(&mut start).await.expect("a message");
        if start == TLS_REQUEST {
            client.write_all(to_tls).await.expect("a client");
            open.push(client);
            continue;
        }
        let number = warnings.texts().len();
        client.write_all(&ASK_FOR_PASSWORD).await.expect("a client");
        let mut received = Vec::new();
        while !received.ends_with(b"s3cret\0") {
            let read = client.read_buf(&mut received).await.expect("a client");
            assert!(read > 0, "there is no password");
        }
        return number;
    }
}

/// The number of warnings before the password was sent to a server that only pretends to be PostgreSQL, and
/// after the store failed to open.
async fn warnings(host: &str, mode: &str, to_tls: &[u8]) -> (usize, usize) {
    let (warnings, _guard) = Warnings::collect();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let address = format!("postgres://handbill:s3cret@{host}:{port}/x?sslmode={mode}");
    let (before, store) = tokio::join!(
        pretend(listener, to_tls, warnings.clone()),
        PostgresStore::open(&address)
    );
    assert!(store.is_err(), "{mode}: it opens");
    (before, warnings.texts().len())
}

#[tokio::test]
async fn a_password_in_plain_text_is_reported_before_it_is_sent() {
    const NONE: &[u8] = b"N";
    const GARBAGE: &[u8] = b"S, but this is not TLS";
    for (mode, to_tls) in [
        ("prefer", NONE),
        ("prefer", GARBAGE),
        ("allow", NONE),
        ("disable", NONE),
    ] {
        // The system takes this address for this machine, and Handbill for another one.
        assert_eq!(warnings("0.0.0.0", mode, to_tls).await, (1, 1), "{mode}");
        assert_eq!(warnings("127.0.0.1", mode, to_tls).await, (0, 0), "{mode}");
    }
}
