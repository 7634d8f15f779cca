//! Which parts of a request reach the service, and which parts of a response reach the app.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use handbill::{ClientAddr, RoutePattern};
use handbill_salvo::RequestBody;
use http::{HeaderValue, Method, StatusCode};
use http_body::{Body, Frame};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use salvo::http::ReqBody;
use salvo::{Depot, FlowCtrl, Request, Response, Router, handler};
use tower::{ServiceBuilder, service_fn};
use tower_http::map_response_body::MapResponseBodyLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::RequestBodyTimeoutLayer;

use crate::{TestResponse, get, handbill, handle, publish, request, send};

/// A service that returns the client's address that it received.
fn client() -> Router {
    handbill_salvo::router(service_fn(
        |request: http::Request<RequestBody>| async move {
            let client = request.extensions().get::<ClientAddr>();
            Ok::<_, Infallible>(http::Response::new(format!("{client:?}")))
        },
    ))
}

#[tokio::test]
async fn the_client_is_the_peer_of_the_connection_unless_the_app_says_otherwise() {
    let request = || {
        let mut request = request(Method::GET, "/");
        let forged = HeaderValue::from_static("192.0.2.7");
        request.headers_mut().insert("x-forwarded-for", forged);
        request
    };
    let peer: SocketAddr = "[2001:db8::1]:4711".parse().unwrap();
    let respond = async |request| {
        let response = handle(client(), peer.into(), request).await;
        TestResponse::of(response).await
    };
    let seen = respond(request()).await;
    assert_eq!(seen.body, "Some(ClientAddr(2001:db8::1))");

    let mut named = request();
    let address: IpAddr = "192.0.2.7".parse().unwrap();
    named.extensions_mut().insert(ClientAddr(address));
    let seen = respond(named).await;
    assert_eq!(seen.body, "Some(ClientAddr(192.0.2.7))");

    assert_eq!(get(client(), "/").await.body, "None");
}

#[tokio::test]
async fn the_parts_of_a_request_arrive_unchanged() {
    #[derive(Clone)]
    struct OfTheApp(&'static str);

    let app = handbill_salvo::router(service_fn(
        |request: http::Request<RequestBody>| async move {
            let (head, body) = request.into_parts();
            assert_eq!(head.method.as_str(), "BREW");
            assert_eq!(head.uri, "/pot?milk");
            assert_eq!(head.version, http::Version::HTTP_2);
            let repeated: Vec<_> = head.headers.get_all("x-twice").iter().collect();
            assert_eq!(repeated, ["one", "two"]);
            assert_eq!(head.extensions.get::<OfTheApp>().unwrap().0, "preserved");
            assert_eq!(body.size_hint().exact(), Some(3));
            assert_eq!(body.collect().await.unwrap().to_bytes(), "abc");
            Ok::<_, Infallible>(http::Response::new(String::new()))
        },
    ));
    let request = http::Request::builder()
        .method("BREW")
        .uri("/pot?milk")
        .version(http::Version::HTTP_2)
        .header("x-twice", "one")
        .header("x-twice", "two")
        .extension(OfTheApp("preserved"))
        .body(ReqBody::from("abc"))
        .unwrap();
    let request = Request::from_hyper(request, http::uri::Scheme::HTTP);
    assert_eq!(send(app, request).await.status, StatusCode::OK);
}

/// A hoop that looks at the request and the response after Handbill, and sets headers before.
#[handler]
async fn around(
    request: &mut Request,
    depot: &mut Depot,
    response: &mut Response,
    flow: &mut FlowCtrl,
) {
    let own = HeaderValue::from_static("the app's");
    response.headers_mut().insert("x-own", own.clone());
    response.headers_mut().insert("link", own);
    flow.call_next(request, depot, response).await;
    assert_eq!(request.headers()["x-twice"], "one");
    assert_eq!(request.uri().path(), "/blog/p");
    let route = response.extensions.get();
    assert_eq!(route, Some(&RoutePattern("/preserved")));
}

#[tokio::test]
async fn the_parts_of_a_response_are_sent_unchanged_and_hoops_see_both_messages() {
    let service = service_fn(|_: http::Request<RequestBody>| async {
        let response = http::Response::builder()
            .status(299)
            .header("link", "</1>; rel=first")
            .header("link", "</9>; rel=last")
            .extension(RoutePattern("/preserved"));
        Ok::<_, Infallible>(response.body(Full::from("abc")).unwrap())
    });
    let app = Router::with_path("blog").hoop(around);
    let mut request = request(Method::GET, "/blog/p");
    let one = HeaderValue::from_static("one");
    request.headers_mut().insert("x-twice", one);
    let response = send(app.push(handbill_salvo::router(service)), request).await;
    assert_eq!(response.status, 299);
    assert_eq!(response.headers["x-own"], "the app's");
    let repeated: Vec<_> = response.headers.get_all("link").iter().collect();
    assert_eq!(repeated, ["</1>; rel=first", "</9>; rel=last"]);
    assert_eq!(response.body, "abc");
}

#[tokio::test]
async fn an_app_can_log_the_route_without_secrets() {
    let app = Router::with_path("blog").push(handbill_salvo::router(handbill("/blog")));
    let edit_page = format!("/blog/e/{}", "x".repeat(43));
    let request = request(Method::GET, &edit_page);
    let response = handle(app, salvo::conn::SocketAddr::Unknown, request).await;
    let route = response.extensions.get().copied();
    assert_eq!(route, Some(RoutePattern("/e/{edit_token}")));
}

#[tokio::test]
async fn a_service_in_tower_layers_can_be_mounted() {
    // The boxed body is not Sync, like the bodies of many layers.
    let layers = ServiceBuilder::new()
        .layer(SetResponseHeaderLayer::overriding(
            http::HeaderName::from_static("x-layer"),
            HeaderValue::from_static("passed"),
        ))
        .layer(MapResponseBodyLayer::new(UnsyncBoxBody::new))
        .layer(RequestBodyTimeoutLayer::new(Duration::from_secs(30)))
        .map_request(|request: http::Request<_>| request);
    let handbill = handbill("/blog");
    publish(&handbill).await;
    let blog = handbill_salvo::router(layers.service(handbill));
    let list = get(Router::with_path("blog").push(blog), "/blog/api/posts").await;
    assert_eq!(list.headers["x-layer"], "passed");
    assert_eq!(list.json()["total"], 1);
}

/// A body that fails after its first piece.
#[derive(Default)]
struct BreaksOff {
    has_sent: bool,
}

impl Body for BreaksOff {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let has_sent = std::mem::replace(&mut self.has_sent, true);
        Poll::Ready(Some(match has_sent {
            false => Ok(Frame::data(Bytes::from_static(b"{}"))),
            true => Err(io::ErrorKind::ConnectionReset.into()),
        }))
    }
}

#[tokio::test]
async fn a_request_body_that_ends_early_is_an_error_for_the_service() {
    let mut request = request(Method::POST, "/api/keys");
    let json = HeaderValue::from_static("application/json");
    request.headers_mut().insert("content-type", json);
    request.replace_body(ReqBody::Boxed {
        inner: Box::pin(BreaksOff::default().map_err(Into::into)),
        fuse_config: None,
    });
    let response = send(handbill_salvo::router(handbill("")), request).await;
    assert_eq!(response.problem(), "invalid_json");
}

#[tokio::test]
async fn a_response_that_fails_does_not_look_complete() {
    let app = handbill_salvo::router(service_fn(|_: http::Request<RequestBody>| async {
        Ok::<_, Infallible>(http::Response::new(BreaksOff::default()))
    }));
    let request = request(Method::GET, "/");
    let mut response = handle(app, salvo::conn::SocketAddr::Unknown, request).await;
    assert!(response.take_body().collect().await.is_err());
}
