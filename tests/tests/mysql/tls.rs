//! TLS: each `sslmode`, with certificates that are valid, for another host, and of others.

use handbill_sql::MySqlStore;
use handbill_tests::mariadb::MariaDb;
use handbill_tests::postgres::tls::Authority;

use super::reason;

const MODES: [&str; 5] = ["disable", "prefer", "require", "verify-ca", "verify-full"];

/// A server with a certificate for `localhost`, which is valid until the end of this year.
async fn start(authority: &Authority, valid_until: i32) -> Option<MariaDb> {
    let (certificate, key) = authority.issue(valid_until);
    let settings = [
        &*format!("ssl-cert={}", certificate.display()),
        &format!("ssl-key={}", key.display()),
    ];
    MariaDb::start(&std::env::temp_dir(), &settings).await
}

/// Whether the connections of a store have TLS, or why it does not open.
async fn opens(server: &MariaDb, address: &str) -> Result<bool, String> {
    let accepted = async || server.status("Ssl_finished_accepts").await.unwrap();
    let before = accepted().await;
    match MySqlStore::open(address).await {
        Ok(store) => {
            handbill::Store::health(&store).await.unwrap();
            Ok(accepted().await != before)
        }
        refused => Err(reason(refused)),
    }
}

fn with(address: &str, mode: &str, trusted: Option<&Authority>) -> String {
    let file = trusted.map(|authority| authority.certificate());
    let file = file.map(|file| format!("&sslrootcert={}", file.display()));
    format!("{address}?sslmode={mode}{}", file.unwrap_or_default())
}

#[tokio::test]
async fn each_mode_connects_to_a_server_with_a_valid_certificate_and_two_refuse_others() {
    let (authority, other) = (Authority::new(), Authority::new());
    let Some(server) = start(&authority, 2099).await else {
        return;
    };
    let by_number = server.create_database().await;
    let address = by_number.replacen("127.0.0.1", "localhost", 1);
    for mode in MODES {
        let opened = opens(&server, &with(&address, mode, Some(&authority))).await;
        assert_eq!(opened, Ok(mode != "disable"), "{mode}");
    }
    assert_eq!(
        opens(&server, &address).await,
        Ok(true),
        "the default is prefer"
    );

    for mode in ["require", "verify-ca"] {
        let opened = opens(&server, &with(&by_number, mode, Some(&authority))).await;
        assert_eq!(opened, Ok(true), "{mode}");
    }
    for (address, mode, trusted, expected) in [
        (
            &by_number,
            "verify-full",
            Some(&authority),
            "not valid for name",
        ),
        (
            &address,
            "require",
            Some(&other),
            "invalid peer certificate",
        ),
        (
            &address,
            "verify-ca",
            Some(&other),
            "invalid peer certificate",
        ),
        (
            &address,
            "verify-full",
            Some(&other),
            "invalid peer certificate",
        ),
        (&address, "verify-full", None, "invalid peer certificate"),
    ] {
        let refused = opens(&server, &with(address, mode, trusted))
            .await
            .unwrap_err();
        assert!(refused.contains(expected), "{mode}: {refused}");
    }
    server.execute("ALTER USER handbill@'%' REQUIRE SSL").await;
    assert_eq!(opens(&server, &address).await, Ok(true));
    opens(&server, &with(&address, "disable", None))
        .await
        .unwrap_err();
}

#[tokio::test]
async fn an_expired_certificate_is_refused_where_it_is_verified() {
    let authority = Authority::new();
    let Some(server) = start(&authority, 2020).await else {
        return;
    };
    let address = server
        .create_database()
        .await
        .replacen("127.0.0.1", "localhost", 1);
    for mode in ["prefer", "require"] {
        let opened = opens(&server, &with(&address, mode, None)).await;
        assert_eq!(opened, Ok(true), "{mode}");
    }
    for mode in ["verify-ca", "verify-full"] {
        let refused = opens(&server, &with(&address, mode, Some(&authority)))
            .await
            .unwrap_err();
        assert!(refused.contains("expired"), "{mode}: {refused}");
    }
}

#[tokio::test]
async fn a_server_without_tls_is_refused_where_tls_is_required() {
    let Some(server) = MariaDb::shared().await else {
        return;
    };
    let address = server.create_database().await;
    for mode in ["disable", "prefer"] {
        let opened = opens(&server, &with(&address, mode, None)).await;
        assert_eq!(opened, Ok(false), "{mode}");
    }
    for mode in ["require", "verify-ca", "verify-full"] {
        let refused = opens(&server, &with(&address, mode, None))
            .await
            .unwrap_err();
        assert!(
            refused.contains("does not support TLS"),
            "{mode}: {refused}"
        );
    }
}
