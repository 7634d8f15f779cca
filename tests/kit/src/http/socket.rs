use std::net::SocketAddr;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::BodyExt;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::SentBody;

/// Sends a request to a server over HTTP/1.1, on a connection of its own, and returns the whole
/// response. It does not wait until all of the request's body is sent.
///
/// This is the sender that [`http_checks!`](crate::http_checks) needs for an app that listens on a
/// socket:
///
/// ```
/// use std::net::SocketAddr;
///
/// use handbill::Handbill;
/// use handbill_testing::http::send_to;
/// # use http::Request;
/// # use hyper_util::rt::TokioIo;
/// # use hyper_util::service::TowerToHyperService;
///
/// /// Starts our app on a free port, and returns its address.
/// async fn start(handbill: Handbill) -> SocketAddr {
///     // …
/// #   let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
/// #   let address = listener.local_addr().unwrap();
/// #   tokio::spawn(async move {
/// #       loop {
/// #           let (stream, client) = listener.accept().await.unwrap();
/// #           let service = tower::ServiceBuilder::new()
/// #               .map_request(move |mut request: Request<hyper::body::Incoming>| {
/// #                   request.extensions_mut().insert(handbill::ClientAddr(client.ip()));
/// #                   request
/// #               })
/// #               .service(handbill.clone());
/// #           let connection = hyper::server::conn::http1::Builder::new();
/// #           let service = TowerToHyperService::new(service);
/// #           tokio::spawn(connection.serve_connection(TokioIo::new(stream), service));
/// #       }
/// #   });
/// #   address
/// }
///
/// mod our_app {
///     handbill_testing::http_checks!("/", |handbill| async {
///         let server = super::start(handbill).await;
///         move |request| super::send_to(server, request)
///     });
/// }
/// # use handbill_testing::http::{Mount, the_probes_report_ok};
/// # let mount = Mount::at("/", |handbill| async {
/// #     let server = start(handbill).await;
/// #     move |request| send_to(server, request)
/// # });
/// # tokio::runtime::Runtime::new().unwrap().block_on(the_probes_report_ok(&mount));
/// ```
///
/// # Panics
/// If nothing listens at the address, or the server closes the connection before the response is
/// complete.
pub async fn send_to(server: SocketAddr, request: Request<SentBody>) -> Response<Bytes> {
    let stream = TcpStream::connect(server).await;
    let stream = TokioIo::new(stream.expect("a server at the address"));
    let (mut sender, connection) = http1::handshake(stream).await.expect("a connection");
    let connection = tokio::spawn(connection);
    let response = sender.send_request(request).await.expect("a response");
    let (parts, body) = response.into_parts();
    let body = body.collect().await.expect("a complete body").to_bytes();
    connection.abort();
    Response::from_parts(parts, body)
}
