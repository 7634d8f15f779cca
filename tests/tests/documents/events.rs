//! Listeners, in memory and durable ones.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use handbill::{Actor, Change, Draft, Event, Handbill, Timestamp};
use tokio::time::timeout;

use super::{Failure, handbill};

/// What a mailer or an audit of the app got.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    async fn send(&self, text: String) -> Result<(), std::io::Error> {
        self.0.lock().unwrap().push(text);
        Ok(())
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

#[tokio::test]
async fn a_listener_in_memory_hears_of_new_posts() -> Result<(), Failure> {
    let (handbill, mailer) = (handbill(), Log::default());
    let sent = mailer.clone();
    let handbill = handbill.with_listener(move |event| {
        let mailer = mailer.clone();
        async move {
            if let Event::PostCreated(post) = event {
                let name = post.name().unwrap_or_default();
                let _ = mailer.send(format!("A new post: {name}")).await;
            }
        }
    });
    let draft = Draft::new().title("Hello").body("A post.");
    handbill.posts().create(draft).await?;
    handbill.flush().await?;
    assert_eq!(sent.lines(), ["A new post: Hello"]);
    Ok(())
}

#[tokio::test]
async fn a_durable_listener_hears_who_did_what() -> Result<(), Failure> {
    let (handbill, webhook) = (handbill(), Log::default());
    let sent = webhook.clone();
    let handbill = handbill.with_durable_listener("webhook", move |change| {
        let webhook = webhook.clone();
        async move {
            let Change { by, event, .. } = change;
            let text = format!("{by}: {} {}", event.name(), event.subject());
            webhook.send(text).await?;
            Ok(())
        }
    })?;
    let id = handbill.posts().create(Draft::new().body("x")).await?.id;
    handbill.by(Actor::Operator).posts().delete(id).await?;
    handbill.flush().await?;
    let expected = [
        format!("host: post.created {id}"),
        format!("operator: post.deleted {id}"),
    ];
    assert_eq!(sent.lines(), expected);
    Ok(())
}

/// What the app's metrics show.
#[derive(Default)]
struct Metrics(Vec<(String, u64, Option<Timestamp>)>);

impl Metrics {
    fn set(&mut self, name: &str, waiting: u64, oldest: Option<Timestamp>) {
        self.0.push((name.to_owned(), waiting, oldest));
    }
}

#[tokio::test]
async fn a_listener_that_fails_is_seen_and_removed() -> Result<(), Failure> {
    let (handbill, mut metrics) = (handbill(), Metrics::default());
    let handbill = handbill.with_durable_listener("webhook", |_| async {
        Err("the other side is down".into())
    })?;
    let first = handbill.posts().create(Draft::new().body("x")).await?.id;
    handbill.posts().create(Draft::new().body("y")).await?;
    handbill.flush().await?;

    for listener in handbill.durable_listeners().await? {
        metrics.set(&listener.name, listener.waiting, listener.oldest);
    }

    let since = handbill.posts().summary(first).await?.created_at;
    assert_eq!(metrics.0, [("webhook".to_owned(), 2, Some(since))]);

    let was_there = handbill.remove_durable_listener("webhook").await?;

    assert!(was_there);
    assert!(handbill.durable_listeners().await?.is_empty());
    Ok(())
}

#[tokio::test]
async fn an_app_stops_when_its_listeners_have_heard_of_everything() -> Result<(), Failure> {
    let heard = Log::default();
    let log = heard.clone();
    let handbill = handbill().with_listener(move |event| {
        let log = log.clone();
        async move {
            tokio::task::yield_now().await;
            let _ = log.send(event.name().to_owned()).await;
        }
    });
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let (listener, _) = handbill_tests::mount::listen().await;
    let app = axum::Router::new().nest_service("/blog", handbill.clone());
    handbill.posts().create(Draft::new().body("x")).await?;
    drop(stop);
    serve(listener, app, handbill, stopped).await?;
    assert_eq!(heard.lines(), ["post.created"]);
    Ok(())
}

async fn serve(
    listener: tokio::net::TcpListener,
    app: axum::Router,
    handbill: Handbill,
    stop_signal: tokio::sync::oneshot::Receiver<()>,
) -> Result<(), Failure> {
    let stop_signal = async {
        let _ = stop_signal.await;
    };
    axum::serve(listener, app)
        .with_graceful_shutdown(stop_signal)
        .await?;
    // What is left over is delivered to a durable listener after the next start.
    let _ = timeout(Duration::from_secs(20), handbill.flush()).await;
    handbill.end_deliveries().await;
    Ok(())
}
