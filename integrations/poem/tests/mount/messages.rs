//! Which parts of a request reach the service, and which parts of a response reach the client.

use std::convert::Infallible;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use handbill::{ClientAddr, KeyRequests, RoutePattern, SignedIn};
use handbill_poem::RequestBody;
use http::{HeaderValue, Method};
use http_body::{Body, Frame};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use poem::{Endpoint, EndpointExt, Request, Response, Route};
use tower::{ServiceBuilder, service_fn};
use tower_http::map_response_body::MapResponseBodyLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::RequestBodyTimeoutLayer;

use crate::{TestResponse, app_with, handbill, publish, send_empty};

/// A service that returns the client's address that it received.
fn client() -> impl Endpoint<Output = Response> + 'static {
    handbill_poem::endpoint(service_fn(
        |request: http::Request<RequestBody>| async move {
            let client = request.extensions().get::<ClientAddr>();
            Ok::<_, Infallible>(http::Response::new(format!("{client:?}")))
        },
    ))
}

#[tokio::test]
async fn a_client_address_that_the_app_inserted_stays() {
    let address = ClientAddr(IpAddr::from([192, 0, 2, 7]));
    let app = client().before(move |mut request: Request| async move {
        request.set_data(address);
        Ok(request)
    });
    let seen = send_empty(&app, Method::GET, "/").await;
    assert_eq!(seen.body, format!("{:?}", Some(address)));
}

#[tokio::test]
async fn a_middleware_says_who_is_signed_in() {
    let signs_in = |mut request: Request| async move {
        let user = request
            .header("x-session")
            .and_then(|user| user.parse().ok());
        if let Some(owner) = user {
            request.set_data(SignedIn::new(owner));
        }
        Ok(request)
    };
    let app = app_with(handbill("/blog").with_key_requests(KeyRequests::SignedIn)).before(signs_in);
    let page = async |user: &'static str| {
        let request = Request::builder()
            .uri_str("/blog/keys")
            .header("x-session", user);
        let response = app.get_response(request.finish()).await;
        TestResponse::of(response).await.body
    };
    assert!(page("alice").await.contains("<form method=\"post\""));
    assert!(!page("").await.contains("<form method=\"post\""));
}

#[tokio::test]
async fn without_a_socket_there_is_no_client_address() {
    assert_eq!(send_empty(&client(), Method::GET, "/").await.body, "None");
}

#[tokio::test]
async fn the_parts_of_a_request_arrive_unchanged() {
    #[derive(Clone)]
    struct OfTheApp(&'static str);

    let endpoint = handbill_poem::endpoint(service_fn(
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
    let request = Request::builder()
        .method(Method::from_bytes(b"BREW").unwrap())
        .uri_str("/pot?milk")
        .version(http::Version::HTTP_2)
        .header("x-twice", "one")
        .header("x-twice", "two")
        .extension(OfTheApp("preserved"))
        .body("abc");
    assert!(endpoint.get_response(request).await.is_ok());
}

#[tokio::test]
async fn the_parts_of_a_response_are_sent_unchanged() {
    let endpoint = handbill_poem::endpoint(service_fn(|_: http::Request<RequestBody>| async {
        let response = http::Response::builder()
            .status(299)
            .header("link", "</1>; rel=first")
            .header("link", "</9>; rel=last")
            .extension(RoutePattern("/preserved"));
        Ok::<_, Infallible>(response.body(Full::from("abc")).unwrap())
    }));
    let response = endpoint.get_response(Request::default()).await;
    assert_eq!(response.data(), Some(&RoutePattern("/preserved")));
    let response = TestResponse::of(response).await;
    assert_eq!(response.status, 299);
    let repeated: Vec<_> = response.headers.get_all("link").iter().collect();
    assert_eq!(repeated, ["</1>; rel=first", "</9>; rel=last"]);
    assert_eq!(response.body, "abc");
}

#[tokio::test]
async fn an_app_can_log_the_route_without_secrets() {
    let endpoint = handbill_poem::endpoint(handbill("/blog"));
    let edit_page = format!("/blog/e/{}", "x".repeat(43));
    let request = Request::builder().uri_str(edit_page).finish();
    let response = Route::new()
        .nest("/blog", endpoint)
        .get_response(request)
        .await;
    assert_eq!(response.data(), Some(&RoutePattern("/e/{edit_token}")));
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
    let endpoint = handbill_poem::endpoint(layers.service(handbill("/blog")));
    let app = Route::new().nest("/blog", endpoint);

    publish(&app, "/blog").await;
    let list = send_empty(&app, Method::GET, "/blog/api/posts").await;
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
    let request = Request::builder()
        .method(Method::POST)
        .uri_str("/api/keys")
        .content_type("application/json")
        .body(RequestBody::new(BreaksOff::default()));
    let endpoint = handbill_poem::endpoint(handbill(""));
    let response = TestResponse::of(endpoint.get_response(request).await).await;
    assert_eq!(response.problem(), "invalid_json");
}

#[tokio::test]
async fn a_response_that_fails_does_not_look_complete() {
    let endpoint = handbill_poem::endpoint(service_fn(|_: http::Request<RequestBody>| async {
        Ok::<_, Infallible>(http::Response::new(BreaksOff::default()))
    }));
    let response = endpoint.get_response(Request::default()).await;
    assert!(response.into_body().into_bytes().await.is_err());
}
