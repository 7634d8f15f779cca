//! TLS: each `sslmode`, with certificates that are valid, expired, for another host, and of others.

use std::error::Error;

use handbill::PostgresStore;
use handbill_tests::postgres::Postgres;
use handbill_tests::postgres::tls::Authority;
use sqlx::{Executor, Row};

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
