//! The receivers of `docs/webhooks.md` accept what Handbill sends, and nothing else.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use bytes::Bytes;
use handbill_tests::missing;
use http::StatusCode;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use tokio::sync::mpsc;

use super::*;

type Failure = Box<dyn std::error::Error + Send + Sync>;

async fn receive(State(app): State<App>, headers: HeaderMap, body: Bytes) -> StatusCode {
    match verify(&app.secret, &headers, &body) {
        None => StatusCode::UNAUTHORIZED,
        Some(event) => match app.events.send(event).await {
            Ok(()) => StatusCode::NO_CONTENT,
            Err(_) => StatusCode::SERVICE_UNAVAILABLE,
        },
    }
}

#[derive(Clone)]
struct App {
    secret: String,
    events: mpsc::Sender<Value>,
}

/// Sends the events of a post, and checks that an event that is signed by another secret is refused.
async fn deliver(url: &str, secret: Secret) -> Result<String, Failure> {
    let others = webhook(url).send_test().await?;
    assert_eq!(others, StatusCode::UNAUTHORIZED);
    let handbill = service(MemoryStore::new());
    let webhook = Webhook::new(url.parse()?, secret).with_private_addresses(true);
    let handbill = webhook.add_to(handbill)?;
    let id = handbill.posts().create(Draft::new().body("x")).await?.id;
    handbill.posts().delete(id).await?;
    handbill.flush().await?;
    assert_eq!(webhook.counts().delivered, 2);
    Ok(id.to_string())
}

#[tokio::test]
async fn in_rust() -> Result<(), Failure> {
    let secret = Secret::generate();
    let (events, mut received) = mpsc::channel(10);
    let app = App {
        secret: secret.expose(),
        events,
    };
    let app = Router::new().route("/hook", post(receive)).with_state(app);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/hook", listener.local_addr()?);
    tokio::spawn(axum::serve(listener, app).into_future());
    let id = deliver(&url, secret).await?;
    for kind in ["post.created", "post.deleted"] {
        let event = received.recv().await.unwrap();
        assert_eq!(
            (&event["type"], &event["data"]["id"]),
            (&json!(kind), &json!(id))
        );
    }
    Ok(())
}

#[tokio::test]
async fn the_guide_shows_how_to_send() -> Result<(), Failure> {
    let (url, secret) = ("https://receiver.example/hook", Secret::generate());
    let handbill = service(MemoryStore::new());
    let webhook = Webhook::new(url.parse()?, secret);
    let handbill = webhook.add_to(handbill)?;
    handbill.flush().await?;
    assert_eq!(handbill.durable_listeners().await?[0].name, webhook.name());
    Ok(())
}

#[tokio::test]
async fn in_javascript() -> Result<(), Failure> {
    if missing::program("node", "apt-get install nodejs") {
        return Ok(());
    }
    runs("js", "receiver.mjs", "node").await
}

#[tokio::test]
async fn in_python() -> Result<(), Failure> {
    if missing::program("python3", "apt-get install python3") {
        return Ok(());
    }
    runs("python", "receiver.py", "python3").await
}

/// Runs the receiver in this language, which prints its port and then a line for each event.
async fn runs(language: &str, file: &str, program: &str) -> Result<(), Failure> {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/webhooks.md");
    let guide = fs::read_to_string(guide)?;
    let block = guide.split_once(&format!("```{language}\n"));
    let (code, _) = block.and_then(|(_, rest)| rest.split_once("```")).unwrap();
    let folder = tempfile::tempdir()?;
    let path = folder.path().join(file);
    fs::write(&path, code)?;
    let secret = Secret::generate();
    let mut child = Command::new(program)
        .arg(&path)
        .env("WEBHOOK_SECRET", secret.expose())
        .env("PORT", "0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let port = lines.next_line().await?.unwrap();
    let port = port.strip_prefix("port ").unwrap();
    let id = deliver(&format!("http://127.0.0.1:{port}/hook"), secret).await?;
    for kind in ["post.created", "post.deleted"] {
        assert_eq!(lines.next_line().await?, Some(format!("{kind} {id}")));
    }
    Ok(())
}
