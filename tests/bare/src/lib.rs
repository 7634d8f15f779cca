//! A bare hyper server: it sends a recorded response without looking at the request.

#![expect(clippy::expect_used, reason = "a benchmark stops where it can't go on")]

use std::convert::Infallible;
use std::path::Path;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;

/// Reads a recorded response: a file of JSON with its `status`, its `headers` as pairs, and its `body`.
pub fn recorded(file: &Path) -> Response<Bytes> {
    let recorded = std::fs::read(file).expect("a file");
    let recorded: Value = serde_json::from_slice(&recorded).expect("JSON");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let mut headers = HeaderMap::new();
    for header in recorded["headers"].as_array().expect("headers") {
        let name: HeaderName = text(&header[0]).parse().expect("a name");
        headers.append(name, text(&header[1]).parse().expect("a value"));
    }
    let mut response = Response::new(Bytes::from(text(&recorded["body"])));
    let status = recorded["status"]
        .as_u64()
        .and_then(|status| u16::try_from(status).ok());
    let status = StatusCode::from_u16(status.expect("a number"));
    *response.status_mut() = status.expect("a status");
    *response.headers_mut() = headers;
    response
}

/// Sends the response to every request.
pub async fn serve(listener: TcpListener, response: Response<Bytes>) {
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        stream.set_nodelay(true).expect("a socket of TCP");
        let response = response.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            let response = response.clone().map(Full::new);
            async {
                // The body of a creation is read to its end, as Handbill does.
                let _ = request.into_body().collect().await;
                Ok::<_, Infallible>(response)
            }
        });
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        tokio::spawn(connection);
    }
}
