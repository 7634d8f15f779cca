//! A server of each framework, and a plain HTTP client.

use std::net::SocketAddr;

use bytes::Bytes;
use handbill::testing::http::SentBody;
use http::{Request, Response};
use http_body_util::BodyExt;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

pub(crate) async fn send(server: SocketAddr, request: Request<SentBody>) -> Response<Bytes> {
    let stream = TcpStream::connect(server)
        .await
        .expect("the program listens");
    let stream = TokioIo::new(stream);
    let (mut sender, connection) = http1::handshake(stream).await.expect("a connection");
    let connection = tokio::spawn(connection);
    let answer = sender.send_request(request).await.expect("a response");
    let (parts, body) = answer.into_parts();
    let body = body.collect().await.expect("a whole body").to_bytes();
    connection.abort();
    Response::from_parts(parts, body)
}

/// A mount by a function that returns the address of the app.
macro_rules! mount {
    ($name:ident) => {
        mod $name {
            use handbill_tests::mount;

            async fn mount(
                path: &'static str,
                handbill: handbill::Handbill,
            ) -> impl Fn(
                http::Request<handbill::testing::http::SentBody>,
            ) -> std::pin::Pin<
                Box<dyn Future<Output = http::Response<bytes::Bytes>> + Send>,
            > {
                let server = mount::$name(path, handbill).await;
                move |request| Box::pin(super::send(server, request))
            }

            crate::at_the_root_and_below!(super::mount);
        }
    };
}

mount!(in_axum);
mount!(in_hyper);
mount!(in_poem);
mount!(in_rocket);
