//! A receiver of webhooks, which records what it gets.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{self, UnboundedReceiver};

/// A request that a receiver got.
#[derive(Debug)]
pub struct Received {
    /// The path of its address.
    pub path: String,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
    /// The status of the response.
    pub status: StatusCode,
}

/// A receiver. It ends with its runtime.
#[derive(Debug)]
pub struct Receiver {
    /// Its address.
    pub url: String,
    received: UnboundedReceiver<Received>,
}

impl Receiver {
    /// A receiver that responds as `respond` says.
    pub async fn start(
        respond: impl Fn(&Received) -> Response<&'static str> + Send + Sync + 'static,
    ) -> Self {
        let (tell, received) = mpsc::unbounded_channel();
        let respond = Arc::new(respond);
        let url = serve(move |stream| {
            let (tell, respond) = (tell.clone(), Arc::clone(&respond));
            let service = service_fn(move |request: Request<Incoming>| {
                let (tell, respond) = (tell.clone(), Arc::clone(&respond));
                async move {
                    let (head, body) = request.into_parts();
                    let mut received = Received {
                        path: head.uri.to_string(),
                        headers: head.headers,
                        body: body.collect().await?.to_bytes(),
                        status: StatusCode::OK,
                    };
                    let response = respond(&received).map(|text| Full::new(Bytes::from(text)));
                    received.status = response.status();
                    // The test may have ended.
                    let _ = tell.send(received);
                    Ok::<_, hyper::Error>(response)
                }
            });
            async move {
                // Senders close connections at any time.
                let _ = http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
            }
        })
        .await;
        Self { url, received }
    }

    /// A receiver that responds with this status.
    pub async fn with_status(status: u16) -> Self {
        Self::start(move |_| response(status)).await
    }

    /// The next request.
    pub async fn next(&mut self) -> Received {
        self.received.recv().await.expect("the receiver runs")
    }

    /// What was received and not read yet.
    pub fn rest(&mut self) -> Vec<Received> {
        std::iter::from_fn(|| self.received.try_recv().ok()).collect()
    }
}

/// A response with this status and a short text.
pub fn response(status: u16) -> Response<&'static str> {
    let response = Response::builder().status(status);
    response.body("text").expect("a valid status")
}

/// Accepts connections on a free port, and returns the address of something there.
pub async fn serve<F>(connection: impl Fn(TcpStream) -> F + Send + 'static) -> String
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(connection(stream));
        }
    });
    format!("http://{address}/hook")
}

impl Received {
    /// A header, which it must have.
    pub fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().expect("visible ASCII")
    }

    /// Its body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }
}
