//! Webhooks to receivers on this machine, good and bad ones.

#![expect(clippy::unwrap_used, reason = "a test stops where it can't go on")]

mod documented;
mod hub;
mod killed;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use handbill::store::{ListenerState, NewChange, Outcome, Write};
use handbill::{
    Actor, Draft, Event, Handbill, MemoryStore, RateLimits, Store, Timestamp, Visibility,
};
use handbill_testing::samples::key;
use handbill_tests::receiver::{Received, Receiver, response, serve};
use handbill_webhooks::{Secret, Webhook};
use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderMap, Response};
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const BASE: &str = "https://example.org/blog";

fn service(store: impl Store) -> Handbill {
    let service = Handbill::new(BASE, store).unwrap();
    service.with_rate_limits(RateLimits::off())
}

fn with(webhook: &Webhook) -> Handbill {
    webhook.add_to(service(MemoryStore::new())).unwrap()
}

/// A webhook to a receiver on this machine.
fn webhook(url: &str) -> Webhook {
    let webhook = Webhook::new(url.parse().unwrap(), Secret::generate());
    webhook.with_private_addresses(true)
}

/// The event of a delivery, if it is signed with this secret.
fn verify(secret: &str, headers: &HeaderMap, body: &[u8]) -> Option<Value> {
    let header = |name: &str| headers.get(name)?.to_str().ok();
    let (id, timestamp) = (header("webhook-id")?, header("webhook-timestamp")?);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    if timestamp.parse::<u64>().ok()?.abs_diff(now.as_secs()) > 300 {
        return None;
    }
    let key = STANDARD.decode(secret.strip_prefix("whsec_")?).ok()?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(body);
    let mut signatures = header("webhook-signature")?.split(' ');
    let is_signed = signatures.any(|signature| {
        let bytes = signature.strip_prefix("v1,");
        let bytes = bytes.and_then(|base64| STANDARD.decode(base64).ok());
        // It compares in constant time.
        bytes.is_some_and(|bytes| mac.clone().verify_slice(&bytes).is_ok())
    });
    is_signed
        .then(|| serde_json::from_slice(body).ok())
        .flatten()
}

async fn publish(handbill: &Handbill) {
    let draft = Draft::new().body("A post.");
    handbill.posts().create(draft).await.unwrap();
}

/// Publishes a post, and returns what its listener is like after the attempt.
async fn after_an_event(handbill: &Handbill) -> Option<ListenerState> {
    publish(handbill).await;
    handbill.flush().await.unwrap();
    handbill.durable_listeners().await.unwrap().pop()
}

/// What a webhook last failed with, after an event that still waits.
async fn failure(webhook: &Webhook) -> String {
    let state = after_an_event(&with(webhook)).await.unwrap();
    assert_eq!(state.waiting, 1, "{state:?}");
    assert_eq!(webhook.counts().failed, 1);
    state.last_failure.unwrap().error
}

#[tokio::test]
async fn each_event_is_sent_signed_with_its_post_and_without_secrets() {
    let mut receiver = Receiver::with_status(204).await;
    let (old, new) = (Secret::generate(), Secret::generate());
    let webhook = Webhook::new(receiver.url.parse().unwrap(), new.clone())
        .with_old_secret(old.clone())
        .with_private_addresses(true);
    let handbill = with(&webhook).by(Actor::Staff("ed".parse().unwrap()));
    let posts = handbill.posts();
    let body = format!("{}\n\nThe last paragraph.", "An excerpt. ".repeat(50));
    let draft = Draft::new().title("Title").body(body);
    let draft = draft.tags(["a"]).owner("ann".parse().unwrap());
    let created = posts.create(draft).await.unwrap();
    let id = created.id;
    let hide = Draft::new().visibility(Visibility::Draft);
    posts.update(id, hide).await.unwrap();
    posts.delete(id).await.unwrap();
    let issued = handbill.keys().issue(Some("CI"), None).await.unwrap();
    handbill.keys().revoke(issued.record.id).await.unwrap();
    handbill.flush().await.unwrap();

    let mut received = receiver.rest();
    received.sort_by_key(|received| received.json()["data"]["number"].as_u64());
    let kinds: Vec<_> = received
        .iter()
        .map(|event| event.json()["type"].clone())
        .collect();
    assert_eq!(
        kinds,
        [
            "post.created",
            "post.updated",
            "post.deleted",
            "key.issued",
            "key.revoked"
        ]
    );
    let mut ids: Vec<_> = received
        .iter()
        .map(|event| event.header("webhook-id"))
        .collect();
    ids.dedup();
    assert_eq!(ids.len(), 5);
    for event in &received {
        for (secret, is_valid) in [(&new, true), (&old, true), (&Secret::generate(), false)] {
            let verified = verify(&secret.expose(), &event.headers, &event.body);
            assert_eq!(verified, is_valid.then(|| event.json()));
        }
        assert_eq!(event.path, "/hook");
        assert_eq!(event.header("content-type"), "application/json");
        assert!(event.header("user-agent").starts_with("handbill/"));
        let text = String::from_utf8(event.body.to_vec()).unwrap();
        for secret in [
            created.edit.token.expose(),
            issued.key.expose(),
            "The last paragraph",
        ] {
            assert!(!text.contains(secret), "{text}");
        }
        assert_eq!(event.json()["data"]["by"], json!({"staff": "ed"}));
    }
    let [first, _, deleted, of_key, _] = [0, 1, 2, 3, 4].map(|place| received[place].json());
    let url = format!("{BASE}/p/{id}");
    assert_eq!(first["timestamp"], first["data"]["created_at"]);
    for (name, value) in [
        ("url", json!(url)),
        ("id", json!(id)),
        ("title", json!("Title")),
        ("tags", json!(["a"])),
        ("owner", json!("ann")),
        ("visibility", json!("public")),
        ("revision", json!(1)),
    ] {
        assert_eq!(first["data"][name], value, "{name}");
    }
    assert_eq!(deleted["data"]["url"], url);
    assert_eq!(of_key["data"]["label"], "CI");
    assert_eq!(of_key["data"].get("url"), None);
    assert_eq!(webhook.counts().delivered, 5);
}

#[tokio::test]
async fn a_response_of_410_ends_the_webhook() {
    let mut receiver = Receiver::with_status(410).await;
    let handbill = with(&webhook(&receiver.url));
    assert_eq!(after_an_event(&handbill).await, None);
    assert_eq!(after_an_event(&handbill).await, None);
    assert_eq!(receiver.rest().len(), 1);
}

#[tokio::test]
async fn other_responses_fail_and_a_redirect_is_not_followed() {
    let mut receiver = Receiver::start(|received: &Received| match &*received.path {
        "/hook/secret" => Response::builder()
            .status(301)
            .header("location", "/elsewhere")
            .body("")
            .unwrap(),
        _ => response(500),
    })
    .await;
    let redirected = webhook(&format!("{}/secret", receiver.url));
    assert_eq!(failure(&redirected).await, "status 301");
    assert!(!redirected.name().contains("secret"));
    assert_eq!(receiver.rest().len(), 1);
    assert_eq!(failure(&webhook(&receiver.url)).await, "status 500");
}

/// Reads the head of a request, and what came with it.
async fn read_request(stream: &mut TcpStream) {
    let _ = stream.read(&mut [0; 64 * 1024]).await;
}

#[tokio::test]
async fn a_receiver_that_does_not_respond_in_time_fails() {
    let silent = async |mut stream: TcpStream| {
        read_request(&mut stream).await;
        std::future::pending().await
    };
    let one_byte_at_a_time = async |mut stream: TcpStream| {
        read_request(&mut stream).await;
        for byte in b"HTTP/1.1 200 OK\r\n"
            .iter()
            .chain(std::iter::repeat(&b'x'))
        {
            if stream.write_all(&[*byte]).await.is_err() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    for url in [serve(silent).await, serve(one_byte_at_a_time).await] {
        let webhook = webhook(&url).with_timeout(Duration::from_millis(200));
        assert_eq!(failure(&webhook).await, "no response within 200ms");
    }
}

#[tokio::test]
async fn of_an_endless_body_the_status_counts() {
    let url = serve(async |mut stream: TcpStream| {
        read_request(&mut stream).await;
        let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        let mut sent = stream.write_all(head).await;
        while sent.is_ok() {
            sent = stream
                .write_all(&[b"400\r\n".as_slice(), &[b'x'; 0x400], b"\r\n"].concat())
                .await;
        }
    })
    .await;
    let webhook = webhook(&url);
    let handbill = with(&webhook);
    for delivered in [1, 2] {
        assert_eq!(after_an_event(&handbill).await.unwrap().waiting, 0);
        assert_eq!(webhook.counts().delivered, delivered);
    }
}

#[tokio::test]
async fn a_receiver_without_a_valid_certificate_gets_nothing() {
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::crypto::ring;
    use tokio_rustls::rustls::pki_types::PrivateKeyDer;

    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(own.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![own.cert.der().clone()], key)
        .unwrap();
    let tls = TlsAcceptor::from(std::sync::Arc::new(config));
    let url = serve(move |stream| {
        let tls = tls.clone();
        async move {
            let refused = tls.accept(stream).await;
            assert!(refused.is_err(), "the sender trusts it");
        }
    })
    .await;
    let url = url.replace("http://127.0.0.1", "https://localhost");
    let failure = failure(&webhook(&url)).await;
    assert!(failure.starts_with("TLS: "), "{failure}");
}

#[tokio::test]
async fn private_addresses_are_refused_when_they_are_connected_to() {
    let mut receiver = Receiver::with_status(204).await;
    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"] {
        let url = receiver.url.replace("127.0.0.1", host);
        let failure = failure(&webhook(&url).with_private_addresses(false)).await;
        assert!(failure.ends_with("is a private address"), "{failure}");
    }
    assert!(receiver.rest().is_empty());
}

#[tokio::test]
async fn a_receiver_that_hangs_delays_no_other() {
    let silent = serve(async |_| std::future::pending().await).await;
    let mut receiver = Receiver::with_status(204).await;
    let handbill = with(&webhook(&silent));
    let handbill = webhook(&receiver.url).add_to(handbill).unwrap();
    for _ in 0..100 {
        publish(&handbill).await;
    }
    for _ in 0..100 {
        receiver.next().await;
    }
}

#[tokio::test]
async fn an_event_of_more_than_three_days_is_tried_once() {
    let mut receiver = Receiver::with_status(503).await;
    let store = MemoryStore::new();
    let webhook = webhook(&receiver.url);
    let handbill = webhook.add_to(service(store.clone())).unwrap();
    publish(&handbill).await;
    receiver.next().await;
    let key = key(1);
    let at = Timestamp::from_micros(0);
    let change = NewChange::new(at, Actor::Host, None, Event::KeyRevoked(key.id));
    let insert = Write::InsertKey { key, by: None };
    let written = store.write(insert, Some(change)).await.unwrap();
    assert_eq!(written, Outcome::Applied);
    handbill.flush().await.unwrap();
    assert_eq!(receiver.next().await.json()["type"], "key.revoked");
    let counts = webhook.counts();
    assert_eq!((counts.failed, counts.dropped), (1, 1));
    let state = &handbill.durable_listeners().await.unwrap()[0];
    assert_eq!(state.waiting, 1, "the post");
}

#[tokio::test]
async fn a_test_event_is_sent_at_once_and_its_response_returned() {
    let mut receiver = Receiver::with_status(418).await;
    let webhook = webhook(&receiver.url);
    assert_eq!(webhook.send_test().await.unwrap(), 418);
    let received = receiver.next().await;
    assert_eq!(received.json()["type"], "test");
    let refused = webhook.with_private_addresses(false).send_test().await;
    let refused = refused.unwrap_err().to_string();
    assert_eq!(refused, "127.0.0.1 is a private address");
}
