//! `--webhook`, `--hub` and `handbill webhooks`.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use handbill::Store;
use handbill_sql::SqliteStore;
use handbill_tests::load::get;
use handbill_tests::receiver::{Receiver, response};

use crate::metrics::{ask, watched};
use crate::place::{Place, create, new_key, send, stderr, stdout};

const SECRETS: &str = "handbill-webhooks.secrets";

async fn metrics(address: std::net::SocketAddr) -> String {
    String::from_utf8(ask(address, "/metrics").await.body).unwrap()
}

#[tokio::test]
async fn events_are_sent_signed_by_secrets_that_the_first_start_makes() {
    let place = Place::new();
    let mut receiver = Receiver::with_status(204).await;
    let url = format!("{}/secret", receiver.url);
    let options = ["--webhook", &url, "--webhook-private", "on"];
    let check = async |more: &[&str]| place.run(&[&["check"], &options[..], more].concat()).await;
    let would = check(&["--hub", &url]).await;
    for says in ["\nhub:127.0.0.1/", "the start would make its secret in "] {
        assert!(stdout(&would).contains(says), "{would:?}");
    }
    let absent = check(&["--webhook-secrets", "absent/secrets"]).await;
    assert!(stderr(&absent).contains("could not write absent/secrets"));
    let (program, address) = watched(&place, &options).await;
    let key = new_key(&program).await;
    create(&program, &key).await;
    for kind in ["key.issued", "post.created"] {
        let received = receiver.next().await;
        assert_eq!(received.json()["type"], kind);
        assert!(received.header("webhook-signature").starts_with("v1,"));
    }
    let file = place.file(SECRETS);
    let secrets = std::fs::read_to_string(&file).unwrap();
    let (name, secret) = secrets.trim_end().split_once(' ').unwrap();
    assert!(secret.starts_with("whsec_"));
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(name.starts_with("webhook:127.0.0.1/"), "{name}");
    let metrics = metrics(address).await;
    program.stop().await;
    for text in [&metrics, &place.log()] {
        assert!(text.contains(name) && !text.contains("/secret"), "{text}");
    }
    let store = SqliteStore::open(place.file("posts.db")).await.unwrap();
    let outbox = store.outbox().unwrap();
    let is_free = outbox.lease_listener(name, "the next start", Duration::ZERO);
    assert!(is_free.await.unwrap(), "it waits until the lease ends");
    store.close().await;

    let again = place.start(&options).await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), secrets);
    again.stop().await;
    std::fs::write(&file, "# Ours, without its end").unwrap();
    place.start(&options).await.stop().await;
    let added = std::fs::read_to_string(&file).unwrap();
    assert!(added.starts_with(&format!("# Ours, without its end\n{name} whsec_")));
    std::fs::write(&file, &secrets).unwrap();
    let checked = check(&[]).await;
    let says = format!("\n{name}: its secret is in {}\n", file.display());
    assert!(stdout(&checked).contains(&says), "{checked:?}");
    for text in [stdout(&checked), stdout(&would)] {
        assert!(
            !text.contains("whsec_") && !text.contains("/secret"),
            "{text}"
        );
    }
    for wrong in [
        format!("{name} {secret} whsec_bad"),
        format!("{name} {secret} {secret} {secret}"),
        format!("{secret} {secret}"),
        "webhook:other.example/0".to_owned(),
    ] {
        std::fs::write(&file, format!("# Ours\n\n{name} {secret}\n{wrong}\n")).unwrap();
        let refused = check(&[]).await;
        let says = stderr(&refused);
        assert!(
            !refused.status.success() && says.contains("secrets, line 4: "),
            "{says}"
        );
        assert!(!says.contains("whsec_"), "{says}");
    }
}

#[tokio::test]
async fn a_webhook_is_listed_tested_and_dropped() {
    let place = Place::new();
    let mut receiver = Receiver::start(|received| match received.json()["type"] == "test" {
        true => response(204),
        false => response(500),
    })
    .await;
    let url = receiver.url.clone();
    let options = ["--webhook", &url, "--webhook-private", "on"];
    let program = place.start(&options).await;
    new_key(&program).await;
    receiver.next().await;
    program.stop().await;

    let run = async |arguments: &[&str]| {
        place
            .run(&[&["webhooks"], arguments, &options[..]].concat())
            .await
    };
    let listed = run(&["list"]).await;
    assert!(stderr(&listed).starts_with("name\toption\t"), "{listed:?}");
    let line: Vec<_> = stdout(&listed).trim().split('\t').collect();
    let [name, "set", "1", _, _, "status 500"] = line[..] else {
        panic!("{listed:?}");
    };
    let tested = run(&["test", name]).await;
    assert!(tested.status.success(), "{tested:?}");
    assert_eq!(stdout(&tested), "status 204\n");
    assert_eq!(receiver.next().await.json()["type"], "test");
    let unknown = place.run(&["webhooks", "test", name]).await;
    assert!(!unknown.status.success());

    let without = place.start(&[]).await;
    without.stop().await;
    assert!(
        place
            .log()
            .contains(&format!("no option names {name} any more"))
    );
    let listed = place.run(&["webhooks", "list"]).await;
    assert!(
        stdout(&listed).starts_with(&format!("{name}\tnot set\t1\t")),
        "{listed:?}"
    );
    let dropped = place.run(&["webhooks", "drop", name]).await;
    assert!(dropped.status.success(), "{dropped:?}");
    let expected = format!("dropped {name} and 1 events; a start with its option adds it again\n");
    assert_eq!(stderr(&dropped), expected);
    assert_eq!(stdout(&place.run(&["webhooks", "list"]).await), "");
    let three = format!("{url},https://other.example/hook https://third.example");
    let listed = place.run(&["webhooks", "list", "--webhook", &three]).await;
    assert_eq!(stdout(&listed).lines().count(), 3);
}

#[tokio::test]
async fn a_private_receiver_is_refused_and_does_not_stop_the_start() {
    let place = Place::new();
    let receiver = Receiver::with_status(204).await;
    let options = ["--webhook", &receiver.url, "--hub", &receiver.url];
    let program = place.start(&options).await;
    let feed = send(&program, &get("/feed.atom")).await;
    let feed = String::from_utf8(feed.body).unwrap();
    assert!(
        feed.contains(&format!("rel=\"hub\" href=\"{}\"", receiver.url)),
        "{feed}"
    );
    let checked = place.run(&[&["check"], &options[..]].concat()).await;
    for text in [stderr(&checked), &place.log()] {
        for kind in ["webhook", "hub"] {
            let name = format!("{kind}:127.0.0.1/");
            let mut lines = text.lines().filter(|line| line.contains(&name));
            assert!(
                lines.any(|line| line.contains("is at a private address")),
                "{text}"
            );
        }
    }
    let test = ["webhooks", "test", &receiver.url];
    let tested = place.run(&[&test, &options[..]].concat()).await;
    assert!(!tested.status.success());
    assert!(
        stderr(&tested).contains("is a private address"),
        "{tested:?}"
    );
    let invalid = place
        .run(&["check", "--webhook", "https://user:pass@example.org"])
        .await;
    assert!(!invalid.status.success());
    assert!(!stderr(&invalid).contains("pass@"), "{invalid:?}");
}
