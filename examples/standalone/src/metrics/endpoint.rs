//! The address for those who watch the program: `/metrics`, and the probes of the service, also while it stops.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use handbill::Handbill;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tower::Service;

use super::Metrics;
use crate::webhooks::Webhooks;

/// Further connections wait. Those who watch are few.
const MAX_CONNECTIONS: usize = 16;
/// The time limit of a connection, with all of its requests.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The pause after a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(100);
/// The text format of Prometheus.
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// What the metrics are of.
#[derive(Clone)]
pub(crate) struct Scraped {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) handbill: Handbill,
    pub(crate) webhooks: Webhooks,
}

/// Serves until it is dropped.
pub(crate) async fn serve(listener: TcpListener, scraped: Scraped) {
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(permit) = Arc::clone(&connections).acquire_owned().await else {
            return;
        };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "could not accept a connection for metrics");
                sleep(PAUSE).await;
                continue;
            }
        };
        let scraped = scraped.clone();
        let service = service_fn(move |request| {
            let scraped = scraped.clone();
            async move { Ok::<_, Infallible>(scraped.respond(request).await) }
        });
        tokio::spawn(async move {
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(TIMEOUT)
                .serve_connection(TokioIo::new(stream), service);
            // The client left, sent no HTTP, or took too long.
            let _ = timeout(TIMEOUT, connection).await;
            drop(permit);
        });
    }
}

impl Scraped {
    async fn respond(mut self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
        match request.uri().path() {
            "/metrics" if is_read => {
                let text = self.metrics.render(&self.handbill, &self.webhooks).await;
                let Ok(text) = text.inspect_err(|error| {
                    tracing::error!(%error, "could not write the metrics");
                }) else {
                    return status(StatusCode::INTERNAL_SERVER_ERROR);
                };
                let mut response = Response::new(Full::from(text));
                response.headers_mut().insert(CONTENT_TYPE, TEXT);
                response
            }
            "/livez" | "/readyz" | "/healthz" => {
                let Ok(response) = self.handbill.call(request).await;
                response
            }
            _ => status(StatusCode::NOT_FOUND),
        }
    }
}

fn status(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::default();
    *response.status_mut() = status;
    response
}
